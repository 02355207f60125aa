"""The live view, driven by keys through a pseudo-terminal, and evolutions that are run again."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from laboratory import gatree_here as gatree

from gatree.cli.watch import curve

ROOT = Path(__file__).parents[2]
SECONDS = 60


class Terminal:
    """A command in a pseudo-terminal of 80 x 24."""

    def __init__(self, command: str, folder: Path) -> None:
        self._ours, theirs = pty.openpty()
        few = {
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "80",
            "LINES": "24",
            "TERM": "xterm",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gatree", *command.split()],
            cwd=folder,
            env={**os.environ, **few},
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            start_new_session=True,
            text=True,
        )
        os.close(theirs)
        self._seen = ""

    def wait_for(self, text: str) -> str:
        """Read until a text has been drawn; return what was drawn with it, and forget it."""
        ends = time.monotonic() + SECONDS
        while text not in self._seen:
            assert time.monotonic() < ends, f"no {text!r} in {self._seen[-2000:]!r}"
            self._seen += os.read(self._ours, 65536).decode("utf-8", "replace")
        seen, self._seen = self._seen, ""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen)

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def end(self) -> str:
        """Read what is still drawn, so that the process can end; return its stdout."""
        out, _ = self.process.communicate(timeout=SECONDS)
        os.close(self._ours)
        return str(out)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    command = "evolve zoo --population 10 --generations 1000000 --watch -q --save t.json"
    running = Terminal(command, tmp_path)
    yield running
    running.process.kill()


def test_keys_pause_step_change_and_stop_and_the_file_replays_it(terminal, tmp_path, capsys):
    terminal.wait_for("generation ")
    terminal.press(" ")
    terminal.wait_for("PAUSED")
    terminal.press("s")
    (before,) = re.findall(r"generation ([\d,]+) of", terminal.wait_for("PAUSED"))
    terminal.press("s")
    (after,) = re.findall(r"generation ([\d,]+) of", terminal.wait_for("PAUSED"))
    assert int(after.replace(",", "")) == int(before.replace(",", "")) + 1
    terminal.press("MX")
    drawn = terminal.wait_for("PAUSED")
    assert "mutation rate 0.02   x-factor" in drawn
    assert "2 changes" in drawn
    terminal.press("?")
    assert "stop with the best tree so far" in terminal.wait_for("PAUSED")
    terminal.press("tq")
    assert "changes      mutation rate 0.02 after generation" in terminal.end()
    assert terminal.process.returncode == 0
    account = json.loads((tmp_path / "t.json").read_text())["evolution"]
    assert [setting for _, setting, _ in account["changes"]] == ["mutation_rate", "x_factor"]
    code, text, _ = gatree(capsys, "evolve", "zoo", "--replay", tmp_path / "t.json")
    assert (code, "replayed     equal" in text) == (0, True)


def test_ctrl_c_in_a_pause_keeps_the_best_tree_and_the_terminal(terminal, tmp_path):
    terminal.wait_for("generation ")
    terminal.press(" ")
    terminal.wait_for("PAUSED")
    os.killpg(terminal.process.pid, signal.SIGINT)
    terminal.wait_for("\x1b[?1049l")  # the usual screen is back
    assert "payoff" in terminal.end()
    assert terminal.process.returncode == 130
    assert (tmp_path / "t.json").exists()


def test_without_a_terminal_it_is_refused(capsys):
    code, _, errors = gatree(capsys, "evolve", "zoo", "--watch")
    assert code == 2
    assert "--watch needs a terminal" in errors


def test_a_replay_says_what_differs(tmp_path, capsys):
    path = tmp_path / "t.json"
    gatree(capsys, "evolve", "zoo", "--generations", "5", "--population", "10", "--save", path)
    code, text, _ = gatree(capsys, "evolve", "vote", "--replay", path)
    assert code == 3
    assert "different, and so are the data" in text
    content = json.loads(path.read_text())
    content["evolution"]["changes"] = [[2, "mutation_rate", 0.9]]
    path.write_text(json.dumps(content))
    code, text, _ = gatree(capsys, "evolve", "zoo", "--replay", path)
    assert (code, "replayed     different: the digest is" in text) == (3, True)
    content["evolution"]["changes"] = [[2, "seed", 3]]
    path.write_text(json.dumps(content))
    code, _, errors = gatree(capsys, "evolve", "zoo", "--replay", path)
    assert (code, "damaged at changes: 'seed' cannot be changed" in errors) == (1, True)
    code, _, errors = gatree(capsys, "evolve", "zoo", "--replay", path, "--seed", "3")
    assert (code, "--seed: --replay takes the settings from its file" in errors) == (2, True)


def test_the_history_has_a_row_per_generation(tmp_path, capsys):
    path = tmp_path / "h.csv"
    gatree(capsys, "evolve", "zoo", "--generations", "5", "--population", "10", "--history", path)
    header, *rows = path.read_text().splitlines()
    assert header == "generation,payoff,accuracy,size,saved,distinct"
    assert [row.partition(",")[0] for row in rows] == [*"012345"]


def test_a_curve_goes_from_the_lowest_to_the_highest_value():
    assert curve(np.arange(4.0), 2, 1) == ["⣠⠞"]
    low, high = curve(np.array([0.0] * 4 + [1.0] * 4), 4, 2)[::-1]
    assert low[:2] == "⣀⣀"
    assert high[3] == "⠉"
    assert curve(np.array([1.0]), 3, 1)[0][1:] == "\u2800\u2800"
