"""Evolved small trees against the proven optimum, on the training data."""

from __future__ import annotations

import time
from dataclasses import replace

from bench.common import Options, Report, Row, progress
from gatree.data.catalog import dataset_names, load_dataset
from gatree.optimum import AllowedTrees, optimum
from gatree.smalltree.fit import fit_front
from gatree.smalltree.settings import SearchSettings

TITLE = "Small trees against the optimum"

COLUMNS = {
    "dataset": "dataset",
    "tests": "tests",
    "optimum": "optimum",
    "evolved": "evolved",
    "greedy": "greedy",
    "gap": "gap [points]",
    "seconds": "proof [s CPU]",
}

NOTES = """\
- Accuracy on all instances of the best tree of that many tests: proven (`gatree optimum`), of the evolved
  front, and of greedy trees (the best prunings of a Gini tree).
"""


def measure(options: Options) -> Report:
    """Solve every data set exactly, and evolve it."""
    rows: list[Row] = []
    for name in ("vote",) if options.quick else dataset_names():
        progress(f"optimum: {name}")
        rows += _rows(name, 2 if options.quick else 4, options)
    return Report(rows, COLUMNS, notes=NOTES, facts={"largest_gap": max(row["gap"] for row in rows)})


def _rows(name: str, most_tests: int, options: Options) -> list[Row]:
    data = load_dataset(name)
    settings = SearchSettings(effort=0.1 if options.quick else 1.0)
    fronts = fit_front(data, replace(settings, size=most_tests + 1)).fronts
    rows = []
    for tests in range(1, most_tests + 1):
        started = time.process_time()
        best = optimum(data, AllowedTrees(tests))
        seconds = time.process_time() - started
        reached = {
            kind: float(front.accuracy[front.leaves <= tests + 1][-1]) for kind, front in fronts.items()
        }
        gap = 100 * (best.accuracy - reached["evolved"])
        rows.append(
            {
                "dataset": name,
                "tests": tests,
                "optimum": best.accuracy,
                **reached,
                "gap": gap,
                "seconds": seconds,
            }
        )
    return rows
