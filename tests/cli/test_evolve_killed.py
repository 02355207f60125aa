"""`evolve --save` killed at random moments: the file is there as a whole, or not at all."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest


@pytest.mark.long
@pytest.mark.parametrize("way", [("--folds", "0"), ("--folds", "3"), ("--generations", "60", "--folds", "0")])
def test_a_killed_evolution_leaves_a_whole_file_or_none(tmp_path, way):
    chance, saved, expected = random.Random(2006), tmp_path / "tree.json", tmp_path / "expected" / "tree.json"
    expected.parent.mkdir()

    def start(path):
        command = [sys.executable, "-m", "gatree", "evolve", "zoo", "--preset", "fast", *way]
        return subprocess.Popen([*command, "--save", str(path)], stdout=subprocess.DEVNULL)

    begun = time.monotonic()
    assert start(expected).wait(300) == 0
    seconds, n_killed = time.monotonic() - begun, 0
    for _ in range(20):
        saved.unlink(missing_ok=True)
        process = start(saved)
        time.sleep(chance.uniform(0.3, 1.1) * seconds)
        process.kill()
        n_killed += process.wait(300) == -signal.SIGKILL
        assert not saved.exists() or saved.read_bytes() == expected.read_bytes()
    assert n_killed >= 5, "all were too late"
    assert start(saved).wait(300) == 0
    assert saved.read_bytes() == expected.read_bytes()
