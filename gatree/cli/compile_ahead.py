"""All kernels, compiled ahead, so that no user waits for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.evolution.evaluators.bits.sweeping import SweepingEvaluator
from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.problem import Problem
from gatree.evolution.warm_up import warm_up
from gatree.front.fit import fit_front
from gatree.front.settings import FRONT_PRESETS
from gatree.j48 import J48Settings, cross_validate, evaluate, fit
from gatree.j48.settings import Pruning
from gatree.optimum import optimum
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import settings_of
from gatree.settings.registry import EVALUATORS
from gatree.trees.predict import predict

_PRUNINGS: tuple[Pruning, ...] = ("confidence", "reduced-error")
_MOST_TESTS = 2
_ENOUGH = 10**6  # instances: too many for all masks to be made at once


@dataclass(frozen=True)
class Step:
    """A part of the kernels, by what they are for."""

    name: str
    compile: Callable[[], object]


def kernels_to_compile() -> list[Step]:
    """Return all that commands may want compiled, in steps of some seconds."""
    small, kinds = data_of(20), data_by_codes().items()
    return [
        *(
            Step(f"{name}, {kind}", partial(_evolve, data, name))
            for name in EVALUATORS
            for kind, data in kinds
        ),
        *(Step(f"bitset, with a cache, {kind}", partial(_cached, data)) for kind, data in kinds),
        *(Step(f"bitset, large data, {kind}", partial(_sweep, data)) for kind, data in kinds),
        *(Step(f"bitset, in shards, {kind}", partial(_shards, data)) for kind, data in kinds),
        *(
            Step(f"J48, {pruning}{kind}", partial(_j48, data, pruning))
            for pruning in _PRUNINGS
            for kind, data in (("", small), (", no numbers", without_numbers(small)))
        ),
        Step("optimum", partial(optimum, small, _MOST_TESTS)),
        Step("fronts", partial(fit_front, small, FRONT_PRESETS["fast"])),
    ]


def _settings(evaluator: str, **others: Any) -> EvolutionSettings:
    return settings_of("default", {"evaluator": evaluator, "numeric_tests": "integer", **others})


def _cached(data: Dataset) -> None:
    _evolve(data, "bitset", subtree_cache=True)


def _sweep(data: Dataset) -> None:
    """Sweep data that are long enough for it, and for two threads; then have it ready for a helper, too."""
    chosen = _settings("bitset", population_size=8, n_generations=2, n_jobs=2)
    many = data.take(np.arange(_ENOUGH) % data.n_instances)
    evolution = Evolution(Problem.of(many, chosen.numeric_tests), chosen)
    evolution.advance(2)
    assert isinstance(evolution.evaluator, SweepingEvaluator)
    evolution.evaluator.sweeper.help_nobody()


def _shards(data: Dataset) -> None:
    chosen = _settings("bitset")
    warm_up(Problem.of(data, chosen.numeric_tests), chosen, in_shards=True)


def _evolve(data: Dataset, evaluator: str, **others: bool) -> None:
    settings = _settings(evaluator, **others)
    problem = Problem.of(data, settings.numeric_tests)
    warm_up(problem, settings)
    outcome = evolve(problem, settings.model_copy(update={"population_size": 2, "n_generations": 0}))
    predict(outcome.best, problem.instances.codes, problem.coding.is_numeric)


def _j48(data: Dataset, pruning: Pruning) -> None:
    settings = J48Settings(pruning=pruning)
    evaluate(fit(data, settings), data)
    cross_validate(data, settings, n_folds=2, seed=1)


def without_numbers(data: Dataset) -> Dataset:
    """Return made-up data with their nominal attribute alone, where J48 searches no thresholds."""
    return replace(data, attributes=data.attributes[1:], columns=data.columns[1:], class_position=1)


def data_by_codes() -> dict[str, Dataset]:
    """Return data for every type of codes that kernels are compiled for."""
    return {
        "codes of a byte": data_of(20),
        "codes of two": data_of(300),
        "codes of four": data_of(300, apart=300),
    }


def data_of(n_values: int, apart: int = 1) -> Dataset:
    """Return data with a numeric attribute of so many integers, some of them missing, and a nominal one."""
    numbers = apart * np.arange(n_values, dtype=np.float64)
    numbers[::7] = np.nan
    return Dataset(
        name="made-up",
        attributes=(Attribute("number", "numeric"), Attribute("colour", "nominal", ("red", "green", "blue"))),
        columns=(numbers, (np.arange(n_values) % 3).astype(np.int32)),
        class_attribute=Attribute("class", "nominal", ("low", "high")),
        classes=(np.arange(n_values) > n_values / 3).astype(np.int32),
        class_position=2,
    )
