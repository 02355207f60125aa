"""The memory of a process that does nothing but evolve: run as ``python -m bench.memory``.

It imports no more than it needs, as the libraries would count.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from pathlib import Path

from gatree.data.catalog import load_dataset
from gatree.evolution.evolve import evolve
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.validation import validated


def now_and_peak() -> tuple[float, float]:
    """Return this process's resident memory and its peak, in MB."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:  # not Linux: only the peak is known
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
        return peak, peak
    kilobytes = dict(re.findall(r"(VmRSS|VmHWM):\s+(\d+) kB", status))
    return int(kilobytes["VmRSS"]) * 1024 / 1e6, int(kilobytes["VmHWM"]) * 1024 / 1e6


def main(dataset: str, evaluator: str, population: str, generations: str) -> None:
    """Evolve, and print the memory that took as JSON."""
    data = Problem.of(load_dataset(dataset))
    values = {"mutation_rate": 0.01, "x_factor": "1e4..1e5", "evaluator": evaluator}
    first, whole = (
        validated(EvolutionSettings, {**values, "population_size": size, "n_generations": length})
        for size, length in ((2, 1), (population, generations))
    )
    evolve(data, first)  # loads the compiled code
    before, _ = now_and_peak()
    outcome = evolve(data, whole)
    print(json.dumps({"before": before, "peak": now_and_peak()[1], "kept_for_trees": outcome.n_bytes / 1e6}))


if __name__ == "__main__":
    main(*sys.argv[1:])
