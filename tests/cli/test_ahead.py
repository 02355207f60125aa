"""On a cold cache another process compiles what is needed later; whatever happens to it, commands work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

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


def run(script: str, cache: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"GATREE_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=300,
    )


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_kernels_of_another_process_are_loaded(tmp_path):
    done = run(FOLDS + USE, tmp_path)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_if_the_other_process_dies_the_kernels_are_compiled_here(tmp_path):
    done = run(FOLDS + "ahead.process.kill()" + USE, tmp_path)
    assert int(done.stdout) > 0
    assert done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("how", [signal.SIGKILL, None])
def test_the_other_process_ends_with_this_one(tmp_path, how):
    script = FOLDS + "print(ahead.process.pid, flush=True)\ninput()"
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"GATREE_CACHE_DIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        other = int(parent.stdout.readline())
        assert is_alive(other)
        if how is None:
            parent.communicate("\n", timeout=60)
        else:
            parent.send_signal(how)
            parent.wait(timeout=60)
    until = time.monotonic() + 30
    while is_alive(other) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_alive(other)
