"""Random fronts: what their trees get right, against what the fronts say and against the proven best tree.

A front is a dict of a few numbers, so that it can be made smaller and kept as a file.
"""

from __future__ import annotations

import random
from typing import Any

import naive
import numpy as np
from small_searches import goal_of

from fuzz.random_data import SIZES, Case, random_data, smaller_data
from gatree.data.coding import NumericTests, code
from gatree.data.dataset import Dataset
from gatree.optimum import AllowedTrees, optimum
from gatree.smalltree.fit import fit_front
from gatree.smalltree.settings import SearchSettings

_TINY = 8  # instances, and attributes: all trees of three leaves are tried
_SOLVED = 2_000  # cells: `optimum` proves the best tree of four leaves


def draw(rng: random.Random) -> Case:
    """Return a random front; those of a few instances, classes or leaves are corners."""
    n_classes = rng.choice([1, 2, 2, 3, 4])
    return {
        "data_seed": rng.randrange(2**32),
        "n_instances": rng.choice([rng.randint(1, _TINY), rng.randint(4, 40), rng.randint(40, 300)]),
        "n_attributes": rng.randint(1, 5),
        "n_values": rng.randint(1, 5),
        "n_classes": n_classes,
        "worth": rng.choice([None, None, [rng.randint(0, 3) for _ in range(n_classes)]]),
        "settings": {
            "seed": rng.randrange(2**32),
            "size": rng.choice(["auto", "auto", "auto", 1, 9]),
            "n_folds": rng.randint(1, 5),
            "most_repeats": rng.randint(1, 2),
            "work": rng.choice([0.0, 1e5, 3e6]),
            "population": rng.choice([0, 2, 30]),
            "generations": rng.choice([0, 20]),
            "most_offspring": rng.choice([0, 1, 40]),
            "max_depth": rng.choice([None, None, 1, 3]),
            "polished": rng.choice([[], [2], [2, 3, 5, 8, 16]]),
            "max_leaves": rng.choice([1, 7, 1024, 1024]),
            "min_leaves": [rng.choice([1, 1, 2, 5])],
            "numeric_tests": rng.choice(["observed", "integer", "auto"]),
            "max_thresholds": rng.choice([None, None, 1, 3]),
        },
    }


def run(case: Case) -> None:
    """Search a front; raise an AssertionError if its trees are not what they ought to be."""
    dataset, worth = random_data(case), None
    if case["worth"] is not None:
        worth = np.array(case["worth"][: case["n_classes"]], dtype=np.int64)
        if not worth[dataset.classes].any():
            return  # estimator and commands refuse such weights
    check(dataset, _settings(case["settings"]), worth)


def _settings(values: dict[str, Any]) -> SearchSettings:
    return SearchSettings(
        **{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    )


def check(dataset: Dataset, settings: SearchSettings, worth: np.ndarray | None = None) -> None:
    """Search the fronts of a data set: they get right what they say, and no more than the best tree does."""
    known = dataset.take(np.flatnonzero(dataset.classes >= 0))
    weight = np.ones(dataset.n_classes, dtype=np.int64) if worth is None else worth
    fitted = fit_front(dataset, settings, goal_of(dataset, weight))
    total = max(1, weight[known.classes].sum())
    most = most_correct(known, weight, settings.numeric_tests)
    for front in fitted.fronts.values():
        for leaves, accuracy in zip(front.leaves.tolist(), front.accuracy.tolist(), strict=True):
            tree = front.tree(leaves)
            n_correct = naive.n_correct_by_names(tree, known, weight.tolist())
            assert tree.n_leaves == leaves
            assert n_correct / total == accuracy
            assert weight[known.classes[tree.predict(known) == known.classes]].sum() == n_correct
            assert n_correct <= most.get(leaves, total)
    assert fitted.tree.n_leaves <= settings.max_leaves


def most_correct(known: Dataset, weight: np.ndarray, numeric_tests: NumericTests) -> dict[int, int]:
    """Return the weight that the best tree of each feasible number of leaves gets right.

    Tiny data are solved by trying all trees, others by `optimum`.
    """
    if known.n_instances <= _TINY and known.n_attributes <= _TINY:
        data, total = naive.Data.of(known, numeric_tests), int(weight[known.classes].sum())
        return {leaves: total - naive.fewest_errors(data, leaves - 1, worth=weight) for leaves in range(1, 4)}
    kind = "integer" if numeric_tests == "integer" else "observed"
    thresholds = [code(known, tests).thresholds for tests in (numeric_tests, kind)]
    if known.n_instances * len(known.attributes) > _SOLVED or not all(map(np.array_equal, *thresholds)):
        return {}
    goal = goal_of(known, weight)
    return {
        leaves: optimum(known, AllowedTrees(leaves - 1, numeric_tests=kind), goal=goal).n_correct
        for leaves in range(1, 5)
    }


def smaller(case: Case) -> list[Case]:
    """Return fronts that are simpler than this one in one thing."""
    found = smaller_data(case)
    if case["worth"] is not None:
        found.append({**case, "worth": None})
    plain = SearchSettings()
    for name, value in case["settings"].items():
        usual = getattr(plain, name)
        usual = list(usual) if isinstance(usual, tuple) else usual  # as JSON has it, or it never ends
        if name not in ("seed", "work") and value != usual:
            found.append({**case, "settings": {**case["settings"], name: usual}})
    return found


WARM_UP = [{**draw(random.Random(1)), **dict.fromkeys(SIZES, 3)}]
