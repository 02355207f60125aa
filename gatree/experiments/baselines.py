"""Baselines that experiments run on the same data and folds: J48, CART, the majority class, and front.

``front`` is the default tree of `gatree evolve` and `GATreeClassifier`: the best trees of all sizes, and the
size that the data support. The others are those of `gatree.explore.baselines`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from gatree.data.dataset import Dataset
from gatree.explore.baselines import Fitted, fit_cart, fit_j48, fit_majority


@dataclass(frozen=True)
class Learner:
    """A way to build a tree."""

    learn: Callable[[Dataset], Fitted]
    seconds_per_instance: float  # to build and cross-validate, as `gatree.experiments.estimate` has it
    kernels: str | None = None  # the package whose kernels are compiled at a first run


def _front(data: Dataset) -> Fitted:
    from gatree.front.fit import fit_front  # few experiments want its kernels
    from gatree.front.settings import FRONT_PRESETS

    tree = fit_front(data, FRONT_PRESETS["default"]).tree
    return Fitted(tree.n_nodes, tree.n_leaves, tree.predict)


BASELINES = {
    "j48": Learner(fit_j48, 1.2e-4, kernels="j48"),
    "j48-reduced-error": Learner(partial(fit_j48, pruning="reduced-error"), 1.2e-4, kernels="j48"),
    "cart": Learner(fit_cart, 5e-3),
    "front": Learner(_front, 1e-2, kernels="front"),
    "majority": Learner(fit_majority, 1e-7),
}
"""All baselines that a study may name."""
