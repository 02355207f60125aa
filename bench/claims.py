"""What each claim of the paper costs to try again: seconds, memory and disk of the studies behind it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TypeVar

from bench.command import Cost, cost_of
from bench.common import Options, Report, Row, progress

TITLE = "What each claim costs"

COLUMNS = {
    "claim": "tables and figures",
    "command": "command",
    "n_cells": "cells",
    "wall": "wall [s]",
    "cpu": "CPU [s]",
    "peak": "largest process [MB]",
    "disk": "journal [MB]",
}

NOTES = """\
- One after the other on {jobs} processes, from an empty folder, the compiled code being there. Each starts
  Python, which takes a second. The tables, the figures and the page are made from the journal.
"""

STUDIES = {
    "Tables 3-7": "savings",
    "Tables 8-11": "accuracy",
    "Table 12": "fast-x",
    "Figure 6": "exploratory",
}
DRAWN = {
    "Figure 5": ("figure", "5"),
    "all tables": ("table", "all"),
    "all figures": ("figure", "all"),
    "the page": ("report",),
}
JOBS = 2

Asked = TypeVar("Asked")


def measure(options: Options) -> Report:
    """Run the paper study by study, then make everything from its journal."""
    config = "smoke" if options.quick else "paper"
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        journal = folder / "results" / config / "cells.jsonl"
        lines, size = 0, 0
        for claim, study in _first(STUDIES, options, 1).items():
            progress(f"claims: {claim}")
            command = ("run", "--config", config, "--only", f"study={study}")
            cost = cost_of(folder, *command, "--jobs", str(JOBS))
            lines, before_lines = len(journal.read_bytes().splitlines()), lines
            size, before_size = journal.stat().st_size, size
            rows.append(_row(claim, command, cost, lines - before_lines, size - before_size))
        for claim, command in _first(DRAWN, options, 2).items():
            progress(f"claims: {claim}")
            cost = cost_of(folder, *command, "--results", f"results/{config}")
            rows.append(_row(claim, command, cost, None, None))
    return Report(rows, COLUMNS, notes=NOTES.format(jobs=JOBS))


def _first(claims: dict[str, Asked], options: Options, n: int) -> dict[str, Asked]:
    """Return all claims, or a few where only the working is tried."""
    return dict(list(claims.items())[:n]) if options.quick else claims


def _row(claim: str, command: tuple[str, ...], cost: Cost, n_cells: int | None, size: int | None) -> Row:
    return {
        "claim": claim,
        "command": f"`gatree {' '.join(command)}`",
        "n_cells": n_cells,
        "wall": cost.wall,
        "cpu": cost.own_cpu + cost.workers_cpu,
        "peak": cost.peak / 1e6,
        "disk": None if size is None else size / 1e6,
    }
