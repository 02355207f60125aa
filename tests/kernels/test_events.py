"""A first fit in Python says once that it compiles."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gatree.kernels import decorators
from gatree.kernels.events import COMPILING

pytestmark = pytest.mark.skipif(decorators._compiler is None, reason="nothing is compiled, or by plain numba")

# Two packages of kernels: the tree's own, which find leaves, and the folds of WEKA.
SCRIPT = """
import numpy as np
from gatree.trees.genome import Tree, leaves
from gatree.weka.folds import stratified_folds

leaves(Tree.nested((0, 0, 0, 1)), np.zeros((1, 5), dtype=np.int32), np.ones(1, dtype=np.bool_))
stratified_folds(np.zeros(100_000, dtype=np.int32), 10, 1)
"""


def stderr_of(cache: Path) -> str:
    """Run the script in a process of its own, with a cache in this folder."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "GATREE_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_compiling_is_one_line_on_stderr_with_its_seconds_and_none_from_a_cache(tmp_path):
    first = stderr_of(tmp_path)
    assert first == f"{COMPILING}\n"
    assert stderr_of(tmp_path) == ""
