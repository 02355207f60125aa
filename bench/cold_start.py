"""The first command after an installation: CPU seconds with nothing compiled, and of the same again."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.common import Options, Report, Row, progress

TITLE = "Cold start: the first command, with nothing compiled"

COLUMNS = {"command": "command", "first": "first [CPU s]", "second": "again [CPU s]"}

NOTES = """\
- The fewest CPU seconds of {repeats} runs, each with an empty folder for compiled code.
"""

COMMANDS = {
    "tree": ["tree", "vote"],
    "j48": ["j48", "vote"],
    "run": ["run", "--config", "cell.yaml", "--jobs", "1"],
}
CELL = """\
name: cell
seed: 1
preset: paper
datasets: [vote]
studies:
  - {name: savings, kind: savings, grid: {size: [100]}}
"""


def measure(options: Options) -> Report:
    """Run every command twice with each of several empty folders for compiled code."""
    names = ["j48"] if options.quick else list(COMMANDS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cell.yaml").write_text(CELL, encoding="utf-8")
        rows = [_first_and_second(folder, name, options.repeats) for name in names]
    return Report(rows, COLUMNS, notes=NOTES.format(repeats=options.repeats))


def _first_and_second(folder: Path, name: str, repeats: int) -> Row:
    progress(f"cold start: {name}")
    taken: dict[str, list[float]] = {"first": [], "second": []}
    for repeat in range(repeats):
        for turn, seconds in taken.items():
            before = children_seconds()
            more = ["--results", f"{name}-{turn}-{repeat}"] if name == "run" else []
            gatree(folder, *COMMANDS[name], *more, GATREE_CACHE_DIR=str(folder / f"cache-{name}-{repeat}"))
            seconds.append(children_seconds() - before)
    command = " ".join(["gatree", *COMMANDS[name]])
    return {"name": name, "command": command, **{turn: min(seconds) for turn, seconds in taken.items()}}


def gatree(folder: Path, *arguments: str, **environment: str) -> str:
    """Run the command in a folder and return its output."""
    command = [sys.executable, "-m", "gatree", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def children_seconds() -> float:
    """Return the CPU seconds of all commands so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
