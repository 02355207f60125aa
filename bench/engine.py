"""The engine on every shipped data set: does what inheritance saves in instances arrive as time?"""

from __future__ import annotations

import json
import subprocess
import sys

from bench.common import ROOT, Options, Report, Row, progress
from bench.evolutions import names, offspring_of, problem, race

TITLE = "The engine: old against new"

COLUMNS = {
    "dataset": "dataset",
    "n": "n",
    "seconds_old": "old [s]",
    "seconds_new": "new [s]",
    "time_saved": "time saved [%]",
    "instances_saved": "instances saved [%]",
    "ratio": "ratio of the two",
    "new_to_old": "new / old [%]",
    "microseconds": "new, per offspring [µs]",
    "besides_evaluation": "of it not evaluation [µs]",
    "megabytes": "kept for the trees [MB]",
}

NOTES = """\
- Population {size}, {size} generations, mutation 0.01, x-factor 1e4..1e5, 12 % of the population bred
  per generation; whole runs, best of {repeats}, old and new taking turns.
- Not evaluation: all of a run but the evaluation of offspring, that is breeding, ranking, history and the
  initial population.
- A process that evolves {population} trees on {largest} with `new` peaks at {peak:.0f} MB, of which
  {before:.0f} MB are Python and its libraries before it starts.
"""


def measure(options: Options) -> Report:
    """Race old and new over whole evolutions."""
    size = 40 if options.quick else 400
    rows = []
    for name in names(options.quick):
        progress(f"engine: {name}, {size} x {size}")
        rows.append(_row(name, size, options.repeats))
    largest = "vote" if options.quick else "kr-vs-kp"
    memory = _memory(largest, 2 * size, size)
    return Report(
        rows,
        COLUMNS,
        notes=NOTES.format(
            size=size, repeats=options.repeats, population=2 * size, largest=largest, **memory
        ),
        facts={"memory": memory},
    )


def _row(name: str, size: int, repeats: int) -> Row:
    data = problem(name)
    raced = race(data, ("old", "new"), size, repeats)
    old, new = raced["old"], raced["new"]
    outcome = new.result
    n_offspring = offspring_of(outcome)
    time_saved = 1 - new.seconds / old.seconds
    saved = outcome.ledger.instances_saved
    return {
        "dataset": name,
        "n": data.n_instances,
        "seconds_old": old.seconds,
        "seconds_new": new.seconds,
        "time_saved": 100 * time_saved,
        "instances_saved": 100 * saved,
        "ratio": time_saved / saved,
        "new_to_old": 100 * new.seconds / old.seconds,
        "microseconds": 1e6 * new.seconds / n_offspring,
        "besides_evaluation": 1e6 * (outcome.timing.total - outcome.timing.evaluate) / n_offspring,
        "megabytes": outcome.n_bytes / 1e6,
        "offspring": n_offspring,
        "all_seconds_old": old.all_seconds,
        "all_seconds_new": new.all_seconds,
    }


def _memory(dataset: str, population: int, generations: int) -> dict[str, float]:
    """Return the megabytes of a fresh process that evolves: its peak, and what it had just before."""
    command = [sys.executable, "-m", "bench.memory", dataset, "new", str(population), str(generations)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))
