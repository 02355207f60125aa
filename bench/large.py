"""Large data: the memory of an evolution, its time per offspring, and what a second thread gives."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable

from bench.common import ROOT, Options, Report, Row, progress

TITLE = "Large data and threads"

COLUMNS = {
    "data": "data",
    "n": "instances",
    "attributes": "attributes",
    "evaluator": "evaluator",
    "offspring": "offspring",
    "seconds": "whole run, one thread [s]",
    "microseconds": "evaluation, per offspring [µs]",
    "threads_whole": "whole run, one / two threads",
    "threads_evaluation": "evaluation, one / two threads",
    "before": "process before [MB]",
    "peak": "its peak [MB]",
}

NOTES = """\
- Population 200, mutation 0.01, x-factor 1e4..1e5; each evaluator in a process of its own, one thread and two
  taking turns, best of {repeats}; both give the same evolution, which is checked. At most 255 thresholds per
  attribute, so that a value takes a byte. The slower evaluators run fewer generations.
- A whole run has the initial population in it, and for `bitset` the making of the masks. Before it evolves,
  the process holds Python, its libraries, the data as they were made and their codes; the peak is that of the
  making or of evolving with two threads. `bitset` has one thread.
"""

N_GENERATIONS = {"bitset": 200, "new": 40, "old": 5}


def measure(options: Options) -> Report:
    """Evolve on both shapes with three evaluators."""
    sizes = {"generated": 2000, "like covertype": 2000}
    if not options.quick:
        sizes = {"generated": 10**6, "like covertype": 581_012}
    rows = [row for shape, n in sizes.items() for row in _rows(shape, n, options)]
    return Report(rows, COLUMNS, notes=NOTES.format(repeats=min(3, options.repeats)))


def _rows(shape: str, n: int, options: Options) -> Iterable[Row]:
    # Each starts a process: where only the working is tried, one evaluator on each shape is enough.
    tried = list(N_GENERATIONS.items())[: 1 if options.quick else None]
    for evaluator, n_generations in tried:
        progress(f"large: {shape}, {n:,} instances, {evaluator}")
        length = 3 if options.quick else n_generations
        arguments = [shape, str(n), evaluator, str(length), str(min(3, options.repeats))]
        command = [sys.executable, "-m", "bench.large_run", *arguments]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        found = json.loads(done.stdout)
        (one, two), (evaluate_one, evaluate_two) = found["whole"], found["evaluation"]
        yield {
            "data": shape,
            "n": n,
            "attributes": 50 if shape == "generated" else 54,
            "evaluator": evaluator,
            "offspring": found["offspring"],
            "seconds": one,
            "microseconds": 1e6 * evaluate_one / found["offspring"],
            "threads_whole": None if evaluator == "bitset" else one / two,
            "threads_evaluation": None if evaluator == "bitset" else evaluate_one / evaluate_two,
            "before": found["before"],
            "peak": found["peak"],
        }
