"""Trees of limited size: is it better not to breed larger ones, or to breed them and not to pay them?"""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np

from bench.common import Options, Report, Row, progress
from gatree.data.catalog import load_dataset
from gatree.evolution.evolve import Evolution
from gatree.evolution.payoff import payoff as eq_1
from gatree.evolution.problem import Problem
from gatree.settings.presets import settings_of

TITLE = "Limited size: in breeding, or by rejection"

COLUMNS = {
    "dataset": "dataset",
    "max_leaves": "leaves at most",
    "bred": "in breeding, accuracy",
    "rejected": "by rejection, accuracy",
    "wins": "seeds won",
    "losses": "lost",
}

NOTES = """\
- Training accuracy of the best tree, mean of {seeds} seeds, preset `default` with {size} trees and {size}
  generations. In breeding: `max_leaf_nodes`, a crossover or mutation that would pass the limit is not made.
  By rejection: larger trees are bred and evaluated, and their payoff is zero.
- In breeding is better in {wins} evolutions and worse in {losses}, so that is how it is done.
"""

DATASETS = ("balance-scale", "glass", "lymph", "multiplexor", "vote", "kr-vs-kp")


def measure(options: Options) -> Report:
    """Evolve with both, from the same seeds."""
    names, limits = (DATASETS[3:4], (4,)) if options.quick else (DATASETS, (4, 8, 16))
    seeds, size = (2, 20) if options.quick else (10, 100)
    rows = [_row(name, limit, seeds, size) for name in names for limit in limits]
    wins, losses = (sum(row[which] for row in rows) for which in ("wins", "losses"))
    return Report(rows, COLUMNS, notes=NOTES.format(seeds=seeds, size=size, wins=wins, losses=losses))


def _row(name: str, max_leaves: int, seeds: int, size: int) -> Row:
    progress(f"limits: {name}, {max_leaves} leaves")
    problem = Problem.of(load_dataset(name), "auto")

    def paid(n_correct: Any, n_instances: int, n_nodes: Any, n_leaves: Any, x: float) -> Any:
        return np.where(n_leaves > max_leaves, 0.0, eq_1(n_correct, n_instances, n_nodes, x))

    pairs = []
    for seed in range(seeds):
        values: dict[str, Any] = {"population_size": size, "n_generations": size, "seed": seed}
        limited = {**values, "max_nodes": 2 * max_leaves - 1}
        pairs.append((_accuracy(problem, limited), _accuracy(problem, values, paid)))
    return {
        "dataset": name,
        "max_leaves": max_leaves,
        "bred": statistics.mean(bred for bred, _ in pairs),
        "rejected": statistics.mean(rejected for _, rejected in pairs),
        "wins": sum(bred > rejected for bred, rejected in pairs),
        "losses": sum(bred < rejected for bred, rejected in pairs),
    }


def _accuracy(problem: Problem, values: dict[str, Any], payoff: Any = None) -> float:
    settings = settings_of("default", values)
    evolution = Evolution(problem, settings) if payoff is None else Evolution(problem, settings, payoff)
    evolution.advance(settings.n_generations)
    return float(evolution.outcome().accuracy)
