"""Who is compared in ``make bench-quality`` and ``make bench-unseen``, and on which data.

CART is scikit-learn's tree, its cost-complexity pruning or its number of leaves chosen by 5-fold
cross-validation on the training part; it cannot test categories, so nominal columns are one-hot coded for
it. Every classifier is made for a seed and takes the columns as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from bench.unseen import FRESH, HELPED_TO_CHOOSE, UNSEEN, load_unseen
from gatree import GATreeClassifier, J48Classifier, SmallTreeClassifier, load_dataset
from gatree.estimator import small_tree
from gatree.smalltree.evolved import GOOD_TREES
from gatree.smalltree.settings import search_settings

CHOOSING = ("balance-scale", "breast", "credit-a", "glass", "multiplexor", "anneal", "digits", "iris")
REPORTING = ("kr-vs-kp", "lymph", "vote", "zoo", "soybean", "crime", "wine", "wdbc")
_OF_SKLEARN = {"digits": load_digits, "iris": load_iris, "wine": load_wine, "wdbc": load_breast_cancer}

OURS, FAST, BEFORE = "gatree", "gatree, effort 0.1", "gatree, size penalty"
_LEFT_OUT: dict[str, dict[str, Any]] = {
    "gatree, no evolution": {"population": 0},
    "gatree, 16 leaves": {"size": 16},
    "gatree, not polished": {"polished": ()},
    "gatree, greedy only": {"population": 0, "most_offspring": 0, "polished": ()},
}
ABLATIONS = tuple(_LEFT_OUT)
CCP, LEAVES, J48 = "CART, cost-complexity", "CART, most leaves", "J48"
OTHERS = (CCP, LEAVES, J48)
FOR_LOSS, FOREST = "gatree, for log loss", "forest of 200"
OF_PROBABILITIES = (FOR_LOSS, FOREST)  # compared by their probabilities, too

_ALPHAS = (0, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032)
_MOST_LEAVES = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 100, 128, 160, 200)


@dataclass(frozen=True)
class Study:
    """A comparison on some data sets, and the part of them that our settings were chosen on."""

    part: str  # of the benchmark: the name of its files
    title: str
    chosen_on: tuple[str, ...]
    not_chosen_on: tuple[str, ...]
    labels: tuple[str, ...]
    remark: str

    @property
    def names(self) -> tuple[str, ...]:
        """All data sets."""
        return self.chosen_on + self.not_chosen_on


SHIPPED = Study(
    part="quality",
    title="The default trees compared with CART and J48",
    chosen_on=CHOOSING,
    not_chosen_on=REPORTING,
    labels=(OURS, *OTHERS, *OF_PROBABILITIES, BEFORE, FAST, *ABLATIONS),
    remark="""- Columns on the right may have fewer seeds (quality-cells.jsonl has all there are); those are
  not ranked. What they gain or lose against gatree, in points, leaves and seconds, is on the
  seeds that they have.""",
)
NOT_SHIPPED = Study(
    part="unseen",
    title="The same on other data",
    chosen_on=HELPED_TO_CHOOSE,
    not_chosen_on=FRESH,
    labels=(OURS, *OTHERS, *OF_PROBABILITIES),
    remark="- All data sets of the KEEL collection that are not included in some form (bench/unseen.py).",
)

Maker = Callable[[int], Any]


def data_of(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns and the classes of a data set; zoo without its animals' names."""
    if name in _OF_SKLEARN:
        X, y = _OF_SKLEARN[name](return_X_y=True, as_frame=True)
        return X, y.to_numpy()
    if name in UNSEEN:
        return load_unseen(name)
    X, y = load_dataset(name, as_frame=True)
    return X.drop(columns="animal", errors="ignore"), y.to_numpy()


def contenders(names: tuple[str, ...] | list[str]) -> dict[str, Maker]:
    """Return how to make the classifiers of these names."""
    makers: dict[str, Maker] = {
        OURS: lambda seed: SmallTreeClassifier(random_state=seed),
        FAST: lambda seed: SmallTreeClassifier(effort=0.1, random_state=seed),
        FOR_LOSS: lambda seed: SmallTreeClassifier(scoring="log_loss", random_state=seed),
        FOREST: lambda seed: make_pipeline(SimpleImputer(), RandomForestClassifier(200, random_state=seed)),
        BEFORE: one_evolution,
        CCP: lambda seed: cart(seed, "ccp_alpha", _ALPHAS),
        LEAVES: lambda seed: cart(seed, "max_leaf_nodes", _MOST_LEAVES),
        J48: lambda _: J48Classifier(),
        **{name: partial(Ablated, changes) for name, changes in _LEFT_OUT.items()},
    }
    return {name: makers[name] for name in names}


def one_evolution(seed: int) -> GATreeClassifier:
    """Return a classifier whose evolution weighs the size by its payoff."""
    values = GOOD_TREES.model_dump(mode="json", exclude={"seed", "n_jobs", "min_leaf"})
    return GATreeClassifier(**values, min_samples_leaf=GOOD_TREES.min_leaf, random_state=seed)


class Ablated(SmallTreeClassifier):
    """The default classifier with a part of its search left out."""

    def __init__(self, changes: dict[str, Any], random_state: int) -> None:
        super().__init__(random_state=random_state)
        self.changes = changes

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        def changed(*given: Any) -> Any:
            return replace(search_settings(*given), **self.changes)

        with mock.patch.object(small_tree, "search_settings", changed):
            return super().fit(X, y, sample_weight)


def wants_codes(name: str) -> bool:
    """Return whether a classifier needs nominal columns one-hot coded."""
    return name in (CCP, LEAVES, FOREST)


def cart(seed: int, parameter: str, values: tuple[float, ...]) -> Any:
    """Return CART with a parameter chosen by cross-validation."""
    pipeline = make_pipeline(SimpleImputer(), DecisionTreeClassifier(random_state=seed))
    return GridSearchCV(pipeline, {f"decisiontreeclassifier__{parameter}": list(values)}, cv=5)


def n_leaves(fitted: Any) -> int:
    """Return the leaves of a fitted classifier's tree, or of all its trees."""
    best = getattr(fitted, "best_estimator_", fitted)
    last = best[-1] if hasattr(best, "steps") else best
    return sum(map(n_leaves, last.estimators_)) if hasattr(last, "estimators_") else int(last.get_n_leaves())
