"""Other classifiers, which experiments run on the same data and folds: J48, CART and the majority class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gatree.data.dataset import Dataset
from gatree.experiments.fitted import Fitted, Judged
from gatree.j48 import J48Settings, J48Tree, evaluate, fit


@dataclass(frozen=True)
class Learner:
    """A way to build a tree."""

    learn: Callable[[Dataset], Fitted]
    seconds_per_instance: float  # to build and cross-validate, as `gatree.experiments.estimate` has it
    is_compiled: bool = False  # a first run then takes longer
    needs: str | None = None  # a library that not all installations have


@dataclass(frozen=True)
class _J48:
    tree: J48Tree

    @property
    def size(self) -> int:
        return self.tree.size

    @property
    def leaves(self) -> int:
        return self.tree.n_leaves

    def judge(self, data: Dataset, /) -> Judged:
        found = evaluate(self.tree, data)
        return Judged(found.n_instances, found.n_correct)


@dataclass(frozen=True)
class _Majority:
    answer: int
    size: int = 1
    leaves: int = 1

    def judge(self, data: Dataset, /) -> Judged:
        return Judged(int(data.class_counts.sum()), int(data.class_counts[self.answer]))


def _majority(data: Dataset) -> Fitted:
    return _Majority(int(np.argmax(data.class_counts)))


def _cart(data: Dataset) -> Fitted:
    from gatree.experiments.cart import fit_cart  # scikit-learn takes a second to import

    return fit_cart(data)


BASELINES = {
    "j48": Learner(lambda data: _J48(fit(data, J48Settings())), 1.2e-4, is_compiled=True),
    "j48-reduced-error": Learner(
        lambda data: _J48(fit(data, J48Settings(pruning="reduced-error"))), 1.2e-4, is_compiled=True
    ),
    "cart": Learner(_cart, 5e-3, needs="sklearn"),
    "majority": Learner(_majority, 1e-7),
}
"""All baselines that a study may name."""
