"""On a cold cache another process compiles what is needed later; whatever happens to it, commands work."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

FOLDS = """
import numpy as np
from gatree.cli.ahead import Compiling
from gatree.kernels.events import n_compilations, wait_with
from gatree.weka.folds import stratified_folds

ahead = Compiling({"gatree.weka.": "folds of large data"})
wait_with(ahead.wait_for)
"""
USE = """
stratified_folds(np.zeros(20_000, dtype=np.int32), 2, 1)
print(n_compilations())
"""


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_kernels_of_another_process_are_loaded(tmp_path):
    environment = os.environ | {"GATREE_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", FOLDS + USE]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_if_the_other_process_dies_kernels_are_compiled_here_and_it_ends_with_this_one(tmp_path):
    """Its stdin is closed when this one ends, in whatever way: here by SIGKILL."""
    another = """
other = Compiling({"gatree.weka.": "folds of large data"})
print(other.process.pid, flush=True)
input()
"""
    script = FOLDS + "ahead.process.kill()" + USE + another
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"GATREE_CACHE_DIR": str(tmp_path)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as parent:  # fmt: skip
        assert int(parent.stdout.readline()) > 0
        other = int(parent.stdout.readline())
        assert is_alive(other)
        parent.kill()
        parent.wait(timeout=60)
    until = time.monotonic() + 30
    while is_alive(other) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_alive(other)
