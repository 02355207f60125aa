"""One evaluator on one large data set, alone in a process: run as ``python -m bench.large_run``.

It imports no more than it needs, as the libraries would count, and prints times and memory as JSON.
"""

from __future__ import annotations

import json
import sys

import numpy as np

from bench.common import interleaved
from bench.concepts import random_tree_concept
from bench.memory import now_and_peak
from gatree.base.errors import GatreeError
from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.evolution.evolve import evolve
from gatree.evolution.outcome import Outcome
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.validation import validated

MAX_THRESHOLDS = 255  # a value then takes a byte


def generated(n_instances: int) -> Dataset:
    """Return 50 attributes, half of them numeric, and a concept to learn."""
    return random_tree_concept(n_instances, 50, noise=0.1)


def like_covertype(n_instances: int) -> Dataset:
    """Return data of covertype's shape: 10 numbers, 44 flags, 7 classes."""
    from sklearn.datasets import make_classification

    X, y = make_classification(
        n_instances, n_features=54, n_informative=12, n_redundant=10, n_classes=7, random_state=0
    )
    flags = [Attribute(f"flag{i}", "nominal", ("no", "yes")) for i in range(44)]
    numbers = [Attribute(f"number{i}", "numeric", ()) for i in range(10)]
    columns = [X[:, i].copy() for i in range(10)] + [(X[:, i] > 0).astype(np.int32) for i in range(10, 54)]
    return Dataset(
        name="like covertype",
        attributes=(*numbers, *flags),
        columns=tuple(columns),
        answer=Classes(
            Attribute("class", "nominal", tuple(f"c{label}" for label in range(7))), y.astype(np.int32)
        ),
        answer_position=54,
    )


SHAPES = {"generated": generated, "like covertype": like_covertype}


def main(shape: str, n_instances: str, evaluator: str, n_generations: str, repeats: str) -> None:
    """Evolve with one thread and with two, taking turns, and print what it took."""
    problem = Problem.of(SHAPES[shape](int(n_instances)), "observed", MAX_THRESHOLDS)
    values = {
        "population_size": 200,
        "n_generations": n_generations,
        "mutation_rate": 0.01,
        "x_factor": "1e4..1e5",
        "evaluator": evaluator,
        "numeric_tests": "observed",
    }
    chosen = {n_jobs: validated(EvolutionSettings, {**values, "n_jobs": n_jobs}) for n_jobs in (1, 2)}
    before, _ = now_and_peak()
    best = interleaved({str(n): lambda n=n: evolve(problem, chosen[n]) for n in chosen}, int(repeats))
    one, two = (best[name].result for name in best)
    _demand_the_same(one, two)
    print(
        json.dumps(
            {
                "offspring": one.n_evaluations - 200,
                "whole": [best[name].seconds for name in best],
                "evaluation": [one.timing.evaluate, two.timing.evaluate],
                "before": before,
                "peak": now_and_peak()[1],
            }
        )
    )


def _demand_the_same(one: Outcome, two: Outcome) -> None:
    if not np.array_equal(one.history, two.history):
        raise GatreeError("one thread and two ran different evolutions")


if __name__ == "__main__":
    main(*sys.argv[1:])
