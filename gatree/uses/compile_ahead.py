"""All kernels, compiled ahead, so that no user waits for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.evolution.evolve import evolve
from gatree.evolution.problem import Problem
from gatree.front.fit import fit_front
from gatree.front.settings import FRONT_PRESETS
from gatree.j48 import J48Settings, cross_validate, evaluate, fit
from gatree.j48.settings import Pruning
from gatree.optimum import optimum
from gatree.presets import settings_of
from gatree.registry import EVALUATORS
from gatree.trees.predict import predict
from gatree.uses.warm_up import warm_up

_PRUNINGS: tuple[Pruning, ...] = ("confidence", "reduced-error")
_MOST_TESTS = 2


@dataclass(frozen=True)
class Step:
    """A part of the kernels, by what they are for."""

    name: str
    compile: Callable[[], object]


def kernels_to_compile() -> list[Step]:
    """Return all that commands may want compiled, in steps of some seconds."""
    small, large = data_of(20), data_of(300)
    return [
        *(Step(f"{name}, codes of a byte", partial(_evolve, small, name)) for name in EVALUATORS),
        *(Step(f"{name}, codes of two", partial(_evolve, large, name)) for name in EVALUATORS),
        Step("bitset, large data, codes of a byte", partial(_evolve, small, "bitset", subtree_cache=True)),
        Step("bitset, large data, codes of two", partial(_evolve, large, "bitset", subtree_cache=True)),
        *(Step(f"J48, {pruning}", partial(_j48, small, pruning)) for pruning in _PRUNINGS),
        Step("optimum", partial(optimum, small, _MOST_TESTS)),
        Step("fronts", partial(fit_front, small, FRONT_PRESETS["fast"])),
    ]


def _evolve(data: Dataset, evaluator: str, **others: bool) -> None:
    settings = settings_of("default", {"evaluator": evaluator, "numeric_tests": "observed", **others})
    problem = Problem.of(data, settings.numeric_tests)
    warm_up(problem, settings)
    outcome = evolve(problem, settings.model_copy(update={"population_size": 2, "n_generations": 0}))
    predict(outcome.best, problem.instances.codes, problem.coding.is_numeric)


def _j48(data: Dataset, pruning: Pruning) -> None:
    settings = J48Settings(pruning=pruning)
    evaluate(fit(data, settings), data)
    cross_validate(data, settings, n_folds=2, seed=1)


def data_of(n_values: int) -> Dataset:
    """Return data with a numeric attribute of so many values, some of them missing, and a nominal one."""
    numbers = np.arange(n_values, dtype=np.float64)
    numbers[::7] = np.nan
    return Dataset(
        name="made-up",
        attributes=(Attribute("number", "numeric"), Attribute("colour", "nominal", ("red", "green", "blue"))),
        columns=(numbers, (np.arange(n_values) % 3).astype(np.int32)),
        class_attribute=Attribute("class", "nominal", ("low", "high")),
        classes=(np.arange(n_values) > n_values / 3).astype(np.int32),
        class_position=2,
    )
