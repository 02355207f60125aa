"""Whole evolutions with several evaluators, side by side, from one seed.

They must be the same evolution, generation by generation; a difference is an error, never a row.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from bench.common import Best, interleaved
from gatree.base.errors import GatreeError
from gatree.data.catalog import dataset_names, load_dataset
from gatree.evolution.evolve import evolve
from gatree.evolution.outcome import Outcome
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings

THE_PAPERS = {"mutation_rate": 0.01, "x_factor": "1e4..1e5"}
"""The setting of the paper's largest experiments."""


@cache
def problem(name: str) -> Problem:
    """Return one of the shipped data sets, coded."""
    return Problem.of(load_dataset(name))


def names(quick: bool) -> Sequence[str]:
    """Return the shipped data sets, or two small ones."""
    return ("zoo", "vote") if quick else dataset_names()


def settings(evaluator: str, size: int, **others: Any) -> EvolutionSettings:
    """Return the paper's settings for an evolution of `size` trees over `size` generations."""
    values = {"population_size": size, "n_generations": size, "evaluator": evaluator, **THE_PAPERS}
    return EvolutionSettings.preset("paper", {**values, **others})


def race(data: Problem, evaluators: Sequence[str], size: int, repeats: int, **others: Any) -> dict[str, Best]:
    """Run the same evolution with each evaluator, taking turns, and measure CPU seconds."""
    runs = {name: partial(evolve, data, settings(name, size, **others)) for name in evaluators}
    raced = interleaved(runs, repeats, time.process_time)
    _check_same({name: best.result for name, best in raced.items()}, data.dataset.name)
    return raced


def _check_same(outcomes: dict[str, Outcome], where: str) -> None:
    first, *others = outcomes
    for other in others:
        if not np.array_equal(outcomes[first].history["digest"], outcomes[other].history["digest"]):
            raise GatreeError(f"{where}: the evaluators {first} and {other} ran different evolutions")


def offspring_of(outcome: Outcome) -> int:
    """Return how many trees were bred: every evaluation books all instances but the initial ones'."""
    return outcome.ledger.instances_total // outcome.n_instances
