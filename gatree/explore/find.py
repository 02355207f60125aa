"""Find the trees that a page shows, of classes by fronts and of numbers by evolutions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset
from gatree.evolution.best_per_size import BestPerSize
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.explore.found import Floats, Found, node_means, thinned
from gatree.front.fit import FrontFit, fit_front
from gatree.front.fronts import Effort
from gatree.front.settings import FrontSettings
from gatree.settings.presets import Preset, settings_of
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree

_MOST_LEAVES = 64  # of trees on a page, unless the chosen one is larger
_MOST_TREES = 40

OnSearch = Callable[[int, int], None]


def ignored(_done: int, _of: int) -> None:
    """Ignore progress."""


def found_in(fit: FrontFit, dataset: Dataset) -> Found:
    """Return the trees of a finished fit, with the class counts of a data set."""
    front = fit.fronts["evolved"]
    sizes = front.leaves.tolist()
    chosen = max(0, int(np.searchsorted(sizes, fit.tree.n_leaves, side="right")) - 1)
    by_size: dict[int, DecisionTree] = {}
    for index in thinned(sizes, chosen, _MOST_LEAVES, _MOST_TREES):
        tree = front.tree(sizes[index]).with_counts(dataset).simplified()
        by_size[tree.n_leaves] = tree  # of equal size the later one gets more right
    of_choice = fit.tree.simplified()
    by_size[of_choice.n_leaves] = of_choice.with_counts(dataset)
    leaves = sorted(by_size)
    proven = getattr(front, "proven", None)
    sizes_proven = [] if proven is None else [size for size, ok in zip(sizes, proven, strict=True) if ok]
    return Found(
        trees=tuple(by_size[size] for size in leaves),
        chosen=leaves.index(of_choice.n_leaves),
        proven=frozenset(sizes_proven) & frozenset(leaves),
    )


@dataclass(frozen=True)
class ClassTrees:
    """Finds trees of all sizes for classes."""

    settings: FrontSettings
    worth: NDArray[np.int64] | None = None

    def find(self, dataset: Dataset, on_search: OnSearch = ignored) -> Found:
        """Return the trees of all sizes, one of them chosen from the data."""
        return found_in(fit_front(dataset, self.settings, self.worth, on_search), dataset)

    def find_again(self, training: Dataset, _rows: NDArray[np.intp], n_samples: int) -> Found:
        """Return the trees for some of the rows, found with the work that the search on all of them had."""
        effort = Effort.of(self.settings, n_samples)
        settings = replace(
            self.settings,
            size=self.settings.max_leaves if self.settings.size == "auto" else self.settings.size,
            n_folds=0,
            work=effort.work,
            most_offspring=effort.most_offspring,
        )
        return found_in(fit_front(training, settings, self.worth), training)


@dataclass(frozen=True)
class NumberTrees:
    """Finds trees of all sizes for numbers: the best of each size in several evolutions."""

    target: Floats
    preset: Preset = "fast"
    seed: int = 0
    largest: tuple[int, ...] = (3, 6, 12, 24)  # leaves
    min_leaf: int = 5
    n_generations: int = 120

    def find(self, dataset: Dataset, on_search: OnSearch = ignored) -> Found:
        """Return the trees of all sizes; the choice is the caller's."""
        return self._found(dataset, self.target, on_search)

    def find_again(self, training: Dataset, rows: NDArray[np.intp], _n_samples: int) -> Found:
        """Return the trees for some of the rows."""
        return self._found(training, self.target[rows], ignored)

    def _found(self, dataset: Dataset, target: Floats, on_search: OnSearch) -> Found:
        problem = Problem.of(dataset, "observed", 31).with_target(target)
        best: dict[int, tuple[int, Tree]] = {}
        for done, most_leaves in enumerate(self.largest, 1):
            for n_leaves, n_correct, genome in self._evolved(problem, most_leaves):
                if n_leaves not in best or n_correct > best[n_leaves][0]:
                    best[n_leaves] = n_correct, genome
            on_search(done, len(self.largest))
        trees: list[DecisionTree] = []
        means: list[Floats] = []
        least_error = np.inf
        for n_leaves in sorted(best):
            tree = DecisionTree.of(best[n_leaves][1], problem.coding, dataset)
            reached = tree.apply(dataset)
            of_nodes = node_means(tree, reached, target)
            error = float(((target - of_nodes[reached]) ** 2).sum())
            if error < least_error * (1 - 1e-9) and (not trees or tree.n_leaves > trees[-1].n_leaves):
                trees.append(tree)
                means.append(of_nodes)
                least_error = error
        return Found(tuple(trees), chosen=len(trees) - 1, means=tuple(means))

    def _evolved(self, problem: Problem, most_leaves: int) -> list[tuple[int, int, Tree]]:
        settings = settings_of(
            self.preset,
            {
                "seed": self.seed,
                "min_leaf": min(self.min_leaf, max(1, problem.n_instances // 10)),
                "max_nodes": 2 * most_leaves - 1,
                "n_generations": self.n_generations,
                "evaluator": "new",
                "x_factor": "1e6",
            },
        )
        watched, evolution = BestPerSize(), Evolution(problem, settings)
        watched.watch(evolution)
        for _ in range(settings.n_generations):
            evolution.advance(1)
            watched.watch(evolution)
        return [(each.tree.n_leaves, each.n_correct, each.tree) for each in watched.champions()]
