"""All methods that build a tree, by name: experiments, comparisons and benchmarks choose among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from gatree.base.errors import DataError, shown
from gatree.data.answer import Answer, Classes, Numbers
from gatree.data.dataset import Dataset
from gatree.data.goal import Goal
from gatree.j48 import J48Settings, fit
from gatree.j48.growing import NO_LIMIT
from gatree.j48.settings import Pruning
from gatree.j48.tree import most_probable
from gatree.learners.cart import cells_of_cart, fit_cart
from gatree.learners.fitted import Fitted
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import AT_THE_DOORS
from gatree.settings.small_tree import SmallTreeSettings


@dataclass(frozen=True)
class Limits:
    """How much a method may work; by default as much as it wants."""

    most_steps: int = NO_LIMIT  # of J48
    is_quick: bool = False  # whether CART chooses the size for large data by one fold


UNLIMITED = Limits()


@dataclass(frozen=True)
class Learner:
    """A method that builds a tree."""

    label: str  # what people call it
    build: Callable[[Dataset, Goal, Limits], Fitted]
    predicts: tuple[type[Answer], ...]
    seconds_per_instance: float  # to build a tree on all data and one for each of five folds
    kernels: str | None = None  # the part of the kernels that it needs
    cells_read: Callable[[Dataset, int], int] = lambda _data, _n_rows: 0  # to build a tree on some rows
    has_goals: bool = False  # whether it can learn anything but that every correct row is worth the same

    def __call__(self, data: Dataset, goal: Goal | None = None, limits: Limits = UNLIMITED) -> Fitted:
        """Build a tree; a DataError if the method predicts something else, or cannot learn for the goal."""
        self.check(data)
        if goal is not None and not (self.has_goals or goal.is_plain):
            raise DataError(f"{self.label} has neither class weights nor costs")
        return self.build(data, goal or Goal.of(data), limits)

    def check(self, data: Dataset) -> None:
        """Raise a DataError if the data have what the method does not predict."""
        if not isinstance(data.answer, self.predicts):
            theirs, there = ("classes", "numbers") if Classes in self.predicts else ("numbers", "classes")
            raise DataError(
                f"{self.label} predicts {theirs}, and {shown(data.answer.name)} has {there}; "
                f"methods for these: {', '.join(learners_of(data))}"
            )


def _evolution(data: Dataset, _goal: Goal, _limits: Limits) -> Fitted:
    from gatree.evolution.evolve import evolve
    from gatree.evolution.problem import Problem

    settings = EvolutionSettings.preset("paper", AT_THE_DOORS)
    tree = evolve(Problem.of(data, settings.numeric_tests), settings).tree
    return Fitted(tree.n_nodes, tree.n_leaves, tree.predict)


def _small_tree(data: Dataset, goal: Goal, _limits: Limits) -> Fitted:
    from gatree.smalltree.fit import fit_front  # few experiments want its kernels
    from gatree.smalltree.settings import search_settings

    found = fit_front(data, search_settings(SmallTreeSettings(), data), goal)
    tree = found.tree
    _, numbers = found.fronts["evolved"].tree_and_numbers(found.n_leaves)
    predict = tree.predict if numbers is None else lambda data: numbers[tree.apply(data)]
    return Fitted(tree.n_nodes, tree.n_leaves, predict)


def _j48(data: Dataset, _goal: Goal, limits: Limits, pruning: Pruning = "confidence") -> Fitted:
    """Return J48's tree; its prediction is -1 where it cannot classify a row."""
    tree = fit(data, J48Settings(pruning=pruning), most_work=limits.most_steps)
    return Fitted(tree.size, tree.n_leaves, lambda data: most_probable(tree.distribution(data)))


def _cells_of_j48(data: Dataset, n_rows: int) -> int:
    """Estimate the cells that J48 reads: all at every level of a tree of balanced branches."""
    return int(n_rows * data.n_attributes * np.log2(n_rows + 1))


def _cart(data: Dataset, _goal: Goal, limits: Limits) -> Fitted:
    return fit_cart(data, limits.is_quick)


def _constant(data: Dataset, goal: Goal, _limits: Limits) -> Fitted:
    """Return the tree that gives every row the mean, or the class that is worth most."""
    answer = data.answer
    if isinstance(answer, Numbers):
        mean = float(
            np.average(answer.values[answer.known], weights=goal.sample_weights.counts[answer.known])
        )
        return Fitted(1, 1, lambda data: np.full(data.n_instances, mean))
    gains = np.diag(goal.class_weights) if goal.gains is None else goal.gains
    counts = np.bincount(answer.codes[answer.known], goal.sample_weights.counts[answer.known], len(gains))
    label = int(np.argmax(counts @ gains))
    return Fitted(1, 1, lambda data: np.full(data.n_instances, label))


LEARNERS: Mapping[str, Learner] = {
    "evolution": Learner("evolution", _evolution, (Classes,), 1e-2, "new"),
    "small-tree": Learner("small-tree", _small_tree, (Classes, Numbers), 1e-2, "front", has_goals=True),
    "j48": Learner("J48", _j48, (Classes,), 1.2e-4, "j48", _cells_of_j48),
    "j48-reduced-error": Learner(
        "J48 (p)", partial(_j48, pruning="reduced-error"), (Classes,), 1.2e-4, "j48", _cells_of_j48
    ),
    "cart": Learner("CART", _cart, (Classes, Numbers), 5e-3, cells_read=cells_of_cart),
    "majority": Learner("majority", _constant, (Classes,), 1e-7, has_goals=True),
    "mean": Learner("mean", _constant, (Numbers,), 1e-7),
}
"""All methods. An evolution has the paper's settings, with thresholds by the data."""


def learners_of(data: Dataset) -> list[str]:
    """Return the names of the methods that predict what the data have."""
    return [name for name, learner in LEARNERS.items() if isinstance(data.answer, learner.predicts)]
