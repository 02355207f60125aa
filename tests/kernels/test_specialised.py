"""One template, several kernels: each is compiled and kept under its own name."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

TEMPLATE = """
from gatree.kernels.decorators import inlined, lean, one_of, specialised

@inlined
def twice(x):
    return 2 * x

@inlined
def thrice(x):
    return 3 * x

@inlined
def nothing(x):
    return 0 * x

def change(x):
    raise NotImplementedError

def total_of(n):
    total = 0
    for i in range(n):
        total += change(i)
    return total

kernels = (twice, thrice)
named = [specialised(total_of, f"total_of_{k}", change=kernel) for k, kernel in enumerate(kernels)]
loops = [lean(each) for each in named]
any_of_three = one_of("any_of_three", [twice, thrice, nothing])

@lean
def choose(which, x):
    return any_of_three(which, x)

print([loop(10) for loop in loops], [choose(which, 5) for which in range(3)])
print([sum(kernel.stats.cache_hits.values()) for kernel in (*loops, choose)])
"""


@pytest.mark.long
def test_a_second_process_finds_each_under_its_own_name(tmp_path):
    (tmp_path / "kernels.py").write_text(TEMPLATE)
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    environment |= {"GATREE_CACHE_DIR": str(tmp_path / "cache")}
    printed = []
    for _ in range(2):
        command = [sys.executable, str(tmp_path / "kernels.py")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout.splitlines())
    assert printed[0] == ["[90, 135] [10, 15, 0]", "[0, 0, 0]"]
    assert printed[1] == ["[90, 135] [10, 15, 0]", "[1, 1, 1]"]
