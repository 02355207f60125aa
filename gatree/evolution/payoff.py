"""The payoff of a tree, by default Eq. 1: accuracy squared, discounted by size.

It is computed from integers: the engine has no floats before this step. A setting names the payoff, an entry
of the registry; other packages add theirs (docs/extending.md). Such a function takes the `Candidates` of a
generation and returns an array with a payoff per tree; higher is better. Eq. 1 itself has a kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError
from gatree.evolution.breed import NONE, Births
from gatree.evolution.population import Slots, Trees
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import lean
from gatree.settings.evolution_settings import EvolutionSettings, XFactor
from gatree.trees.genome import predict


@dataclass(frozen=True)
class Candidates:
    """The trees that are paid in a generation. All but x and the class sizes have an entry per tree.

    Attributes
    ----------
    x : float
        The x of Eq. 1 in this generation.
    size : ndarray
        The size of each tree, as `size_measure` counts it.
    n_correct : ndarray
        Correct training instances; 0 if a leaf is smaller than `min_leaf`.
    class_sizes : ndarray
        Training instances of each class.
    """

    problem: Problem
    trees: Trees
    slots: Slots
    counts_leaves: bool
    x: float

    @property
    def n_instances(self) -> int:
        return self.problem.n_instances

    @cached_property
    def n_nodes(self) -> NDArray[np.int64]:
        return self.trees.n_nodes[self.slots].astype(np.int64)

    @property
    def n_leaves(self) -> NDArray[np.int64]:
        return (self.n_nodes + 1) // 2

    @property
    def size(self) -> NDArray[np.int64]:
        return self.n_leaves if self.counts_leaves else self.n_nodes

    @property
    def n_correct(self) -> NDArray[np.int64]:
        return self.trees.n_correct[self.slots]

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        return np.bincount(self.problem.instances.classes, minlength=self.problem.alphabet.n_classes)

    @cached_property
    def correct_per_class(self) -> NDArray[np.int64]:
        """Correct training instances [tree, class]; all are classified again, as inheritance keeps sums."""
        data = self.problem.instances
        found = np.zeros((len(self.slots), data.n_classes), dtype=np.int64)
        for row, slot in enumerate(self.slots.tolist()):
            if self.trees.n_correct[slot]:
                predicted = predict(self.trees.tree(slot), data.codes, data.is_numeric)
                found[row] = np.bincount(data.classes[predicted == data.classes], minlength=data.n_classes)
        return found


PayoffFunction = Callable[[Candidates], NDArray[np.float64]]


def eq_1(candidates: Candidates) -> NDArray[np.float64]:
    """Return the payoffs of Eq. 1; `fill_payoffs` is its kernel."""
    found: NDArray[np.float64] = payoff(
        candidates.n_correct, candidates.n_instances, candidates.size, candidates.x
    )
    return found


def balanced(candidates: Candidates) -> NDArray[np.float64]:
    """Return the payoffs of Eq. 1 with the mean of the classes' accuracies in place of the accuracy."""
    sizes = candidates.class_sizes
    recall = candidates.correct_per_class[:, sizes > 0] / sizes[sizes > 0]
    found: NDArray[np.float64] = payoff(recall.mean(axis=1), 1, candidates.size, candidates.x)
    return found


def payoff(n_correct: Any, n_instances: Any, size: Any, x: Any) -> Any:
    """Return the payoff of trees from their correct counts and sizes (Eq. 1); fractions are accepted, too.

    >>> payoff(np.array([2]), 4, np.array([4]), 1.0).tolist()
    [0.014705882352941176]
    """
    accuracy = n_correct / n_instances
    return accuracy * accuracy * (x / (size * size + x))  # Eq. 1


@lean
def fill_payoffs(
    payoffs: NDArray[np.float64],
    slots: Slots,
    trees: Trees,
    n_instances: int,
    counts_leaves: bool,
    x: float,
) -> None:
    """Fill in the payoffs [slot] of the trees in some slots, as `payoff` does; numpy takes far longer."""
    trees = Trees(*trees)
    for k in range(len(slots)):
        slot = slots[k]
        n_nodes = np.int64(trees.n_nodes[slot])
        size = (n_nodes + 1) // 2 if counts_leaves else n_nodes
        accuracy = trees.n_correct[slot] / n_instances
        payoffs[slot] = accuracy * accuracy * (x / (size * size + x))  # Eq. 1


@lean
def keep_payoffs_of_copies(payoffs: NDArray[np.float64], births: Births) -> None:
    """Give children that are copies the payoffs [slot] of their sources."""
    births = Births(*births)
    for k in range(len(births.slot)):
        if births.stale[k, 0] == NONE:
            payoffs[births.slot[k]] = payoffs[births.source[k]]


def x_of_generations(settings: EvolutionSettings) -> NDArray[np.float64]:
    """Return the x of Eq. 1 for the initial population and for every generation after it."""
    first, last = settings.x_factor.first, settings.x_factor.last
    schedule = XFactor(first if settings.x_start is None else settings.x_start, last)
    n = settings.n_generations
    return np.atleast_1d(schedule.at(np.arange(n + 1), n, settings.x_steps))


def custom_payoff(function: PayoffFunction, candidates: Candidates) -> NDArray[np.float64]:
    """Return the payoffs of a custom function; raise an error if they are invalid."""
    payoffs = np.asarray(function(candidates), dtype=np.float64)
    if payoffs.shape != candidates.slots.shape:
        raise ConfigError(
            f"payoff: should return an array with one number per tree, of shape {candidates.slots.shape}, "
            f"got {payoffs.shape}"
        )
    if not np.isfinite(payoffs).all():
        raise ConfigError("payoff: should return finite numbers, got NaN or infinity")
    return payoffs
