"""Learn from a large CSV file in pieces, alone in a process: run as ``python -m bench.pieces_run``.

Prints as JSON the seconds of CPU of the two passes and of the evolution, and the peak of its memory.
"""

from __future__ import annotations

import json
import sys
import time

from bench.memory import now_and_peak
from gatree.data.pieces import survey
from gatree.evolution.evolve import evolve
from gatree.evolution.problem import Problem
from gatree.settings.presets import settings_of


def main(path: str, n_generations: str) -> None:
    """Survey the file, code it, evolve."""
    chosen = settings_of("default", {"population_size": 64, "n_generations": n_generations})
    started = time.process_time()
    data = survey([path], None, chosen.numeric_tests)
    surveyed = time.process_time()
    problem = Problem.in_pieces(data)
    encoded = time.process_time()
    outcome = evolve(problem, chosen)
    ended = time.process_time()
    found = {
        "rows": problem.n_instances,
        "columns": problem.dataset.n_attributes + 1,
        "seconds": [surveyed - started, encoded - surveyed, ended - encoded],
        "codes": (problem.instances.codes.nbytes + problem.instances.classes.nbytes) / 1e6,
        "peak": now_and_peak()[1],
        "accuracy": outcome.accuracy,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
