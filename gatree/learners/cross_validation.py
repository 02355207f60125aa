"""Cross-validate a search.

Trees of every size are judged, and the whole procedure, the choice of the size included.
The search runs on the training rows of every fold. Its trees of all sizes and its chosen tree predict the
rows that were held out. The chosen trees also show how stable the choice is, and how much worse predictions
get if the values of one column are shuffled among the held-out rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gatree.base.progress import Listener, PartListener
from gatree.data.answer import Classes
from gatree.data.dataset import Dataset
from gatree.learners.measures import Floats, Judged, Measure, Predicted, Rows
from gatree.learners.small_trees import FoundTrees, Search
from gatree.trees.genome import LEAF
from gatree.trees.model import DecisionTree
from gatree.trees.probabilities import class_probabilities
from gatree.trees.render import question
from gatree.weka.folds import check_n_folds, stratified_folds

NO_TEST = "(a single leaf)"
"""The first test of a tree without one."""
_SEED = 1
_FOLDS = 5
_SMALL, _LARGE = 250, 100_000  # rows up to which folds are repeated, and from which one fold is enough
_SHUFFLES = 3  # of a column, per fold
_STEPS = (0.0, 0.005, 0.01, 0.02, 0.05)  # of the measure that a smaller tree may lose
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Folds:
    """How rows are held out; by default decided by the number of rows alone."""

    n_folds: int
    n_repeats: int = 1
    only_first: bool = False  # one fold is held out and no other

    @classmethod
    def of(cls, n_rows: int, given: int | None = None) -> Folds:
        """Return the folds for a number of rows, or a given number of them; 0: none."""
        if given is not None:
            if given:
                check_n_folds(given, n_rows)
            return cls(given)
        if n_rows < 2:
            return cls(0)
        return cls(min(_FOLDS, n_rows), 2 if n_rows <= _SMALL else 1, n_rows > _LARGE)

    def __len__(self) -> int:
        return 1 if self.only_first else self.n_folds * self.n_repeats

    @property
    def text(self) -> str:
        if self.only_first:
            return f"one of {self.n_folds} folds held out"
        return f"{self.n_folds} folds" + (", twice" if self.n_repeats == 2 else "")

    def rows(self, dataset: Dataset) -> Iterator[tuple[Rows, Rows]]:
        """Yield the training and test rows of every fold."""
        for repeat in range(self.n_repeats if self.n_folds else 0):
            folds = stratified_folds(dataset.answer.strata, self.n_folds, _SEED + repeat)
            yield from folds[:1] if self.only_first else folds


@dataclass(frozen=True)
class Importance:
    """How much of the measure is lost if a column's values are shuffled, and the spread over the folds."""

    attribute: int
    lost: float
    spread: float


@dataclass(frozen=True)
class Crossed:
    """The result of a cross-validation."""

    folds: Folds
    by_size: tuple[Predicted, ...]  # trees of each size
    sizes: tuple[Judged, ...]  # the same, judged
    predicted: Predicted  # the chosen trees: the whole procedure
    procedure: Judged
    scores: Floats  # [prediction]: the probability of the second class; empty unless there are two
    trees: tuple[FoundTrees, ...]  # per fold, with the chosen tree only
    importance: tuple[Importance, ...]  # most important first

    @property
    def n_leaves(self) -> list[int]:
        """The sizes that were chosen, in leaves."""
        return [fold.leaves[0] for fold in self.trees]

    @property
    def best(self) -> int:
        """The index of the size with the best cross-validation, the smallest of equal ones."""
        return int(np.argmax([each.worth for each in self.sizes]))

    @property
    def within_one_error(self) -> int:
        """The index of the smallest size within one standard error of the best."""
        best = self.sizes[self.best]
        return next(i for i, each in enumerate(self.sizes) if each.worth >= best.worth - best.error)

    def smaller(self, chosen: int) -> list[tuple[int, float]]:
        """Return smaller sizes that a person might take, and what they lose compared with the chosen one.

        They are the smallest sizes that lose at most so much of the measure as each step says.
        """
        lost = [self.sizes[chosen].worth - each.worth for each in self.sizes[:chosen]]
        within = (
            [index for index, each in enumerate(lost) if index and each <= step + _ROUNDING]
            for step in _STEPS
        )
        indices = {found[0] for found in within if found}
        return [(index, lost[index]) for index in sorted(indices, reverse=True)]

    def with_columns_of(self, tree: DecisionTree) -> Crossed:
        """Return the result with an importance of every column that a tree tests: none if no fold's does."""
        known = {each.attribute for each in self.importance}
        tested = sorted({*tree.tree.attribute.tolist()} - {LEAF} - known)
        return replace(
            self, importance=(*self.importance, *(Importance(index, 0.0, 0.0) for index in tested))
        )

    def first_tests(self) -> list[tuple[str, int]]:
        """Return the columns of the trees' first tests, and how often each came first."""
        roots = [fold.trees[0] for fold in self.trees]
        names = [NO_TEST if r.tree.is_leaf(0) else r.attribute(0).name for r in roots]
        return Counter(names).most_common()

    def first_test_texts(self) -> list[str]:
        """Return the first test of every fold's tree."""
        roots = [fold.trees[0] for fold in self.trees]
        return ["" if root.tree.is_leaf(0) else question(root, 0) for root in roots]


def cross_validate(
    measure: Measure, search: Search, leaves: list[int], folds: Folds, listener: Listener
) -> Crossed:
    """Search on the training rows of every fold and judge the trees on the held-out rows.

    ``leaves`` are the maximum numbers of leaves of the trees by size.
    """
    dataset = measure.dataset
    is_ranked = isinstance(dataset.answer, Classes) and dataset.n_classes == 2
    tried: list[_Fold] = []
    for done, (train, test) in enumerate(folds.rows(dataset)):
        part = PartListener(listener, "cross-validation", done, len(folds))
        found, held_out = search(dataset.take(train), part, leaves), dataset.take(test)
        tree = found.only(found.chosen)
        chosen = tree.scored(0, held_out, test)
        fold = _Fold(
            by_size=_by_size(found, leaves, held_out, test),
            tree=tree,
            chosen=chosen,
            scores=class_probabilities(tree.trees[0], held_out)[:, 1] if is_ranked else np.zeros(0),
            lost=_lost(measure, tree, held_out, test, chosen, done),
        )
        tried.append(fold)
        part.progress("", 1, 1)
    joined = [Predicted.joined(list(parts)) for parts in zip(*(fold.by_size for fold in tried), strict=True)]
    whole = Predicted.joined([fold.chosen for fold in tried])
    return Crossed(
        folds=folds,
        by_size=tuple(joined),
        sizes=tuple(measure.judged(each) for each in joined),
        predicted=whole,
        procedure=measure.judged(whole),
        scores=np.concatenate([fold.scores for fold in tried]),
        trees=tuple(fold.tree for fold in tried),
        importance=_importances([fold.lost for fold in tried]),
    )


class _Fold(NamedTuple):
    """What was found on the training rows of a fold, tried on the held-out rows."""

    by_size: list[Predicted]
    tree: FoundTrees  # the chosen one
    chosen: Predicted
    scores: Floats  # [held-out row]: the probability of the second class; empty unless there are two
    lost: dict[int, list[float]]  # by column: what the measure loses with the column shuffled


def _by_size(found: FoundTrees, leaves: list[int], held_out: Dataset, rows: Rows) -> list[Predicted]:
    """Return the predictions of the trees of all sizes, each tree asked once."""
    needed = {found.at_most(size) for size in leaves}
    known = {index: found.scored(index, held_out, rows) for index in needed}
    return [known[found.at_most(size)] for size in leaves]


def _lost(
    measure: Measure, tree: FoundTrees, held_out: Dataset, rows: Rows, before: Predicted, fold: int
) -> dict[int, list[float]]:
    """Return what the measure loses with each tested column shuffled, some times."""
    rng = np.random.default_rng(fold)
    tested = tree.trees[0].tree.attribute
    worth, lost = measure.worth(before), dict[int, list[float]]()
    for index in np.unique(tested[tested != LEAF]).tolist():
        columns = list(held_out.columns)
        lost[index] = []
        for _ in range(_SHUFFLES):
            columns[index] = rng.permutation(held_out.columns[index])
            shuffled = replace(held_out, columns=tuple(columns))
            lost[index].append(worth - measure.worth(tree.predicted(0, shuffled, rows)))
    return lost


def _importances(folds: list[dict[int, list[float]]]) -> tuple[Importance, ...]:
    found = []
    for index in sorted({index for fold in folds for index in fold}):
        means = [float(np.mean(fold.get(index, [0.0]))) for fold in folds]
        spread = float(np.std(means if len(means) > 1 else folds[0][index]))
        found.append(Importance(index, float(np.mean(means)), spread))
    return tuple(sorted(found, key=lambda each: -each.lost))
