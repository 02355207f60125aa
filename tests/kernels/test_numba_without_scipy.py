"""Kernels do without scipy's linear algebra; those of others find it as ever."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import numpy as np
from gatree.trees.predict import predict
from gatree.trees.genome import Tree

leaf = Tree(*(np.array([number], dtype=np.int32) for number in (-1, 1, 1)))
assert predict(leaf, np.zeros((1, 2), dtype=np.uint8), np.zeros(1, dtype=np.bool_)).tolist() == [1, 1]
print("scipy.linalg" in sys.modules)

import numba

@numba.njit
def product(a, b):
    return np.dot(a, b)

print(product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0])).tolist())
"""


def test_a_kernel_runs_without_scipy_and_anothers_linear_algebra_with_it():
    done = subprocess.run([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["False", "[3.0, 7.0]"]
