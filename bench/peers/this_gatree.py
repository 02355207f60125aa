"""This package as one of the learners. Its first argument is the evaluator."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray
from protocol import answer

from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.evolution.evolve import evolve
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.validation import validated

EVALUATOR = sys.argv.pop(1)


def run(X: NDArray[np.int64], y: NDArray[np.int64], population: int, generations: int) -> tuple[int, float]:
    """Evolve as the others do: every generation breeds as many trees as there are."""
    settings = {
        "population_size": population,
        "n_generations": generations,
        "generation_gap": 1.0,
        "numeric_tests": "observed",
        "evaluator": EVALUATOR,
    }
    outcome = evolve(_dataset(X, y), validated(EvolutionSettings, settings))
    return outcome.n_evaluations, outcome.accuracy


def _dataset(X: NDArray[np.int64], y: NDArray[np.int64]) -> Dataset:
    classes = tuple(str(each) for each in range(y.max() + 1))
    return Dataset(
        name="data",
        attributes=tuple(Attribute(f"x{j}", "numeric") for j in range(X.shape[1])),
        columns=tuple(np.ascontiguousarray(column, dtype=np.float64) for column in X.T),
        answer=Classes(Attribute("class", "nominal", classes), y.astype(np.int32)),
        answer_position=X.shape[1],
    )


answer(run)
