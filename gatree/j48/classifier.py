"""Fit, cross-validate and convert J48 trees.

`fit` grows and prunes one tree. `cross_validate` does so on every training fold and evaluates the test folds,
as WEKA does. `interpreted_if_small` builds a few trees on small data without compiling kernels.

`from_decision_tree` converts a `DecisionTree` to a J48 tree. Leaves of J48 have training weights instead of a
class, so the conversion needs a data set: its instances are sent down the tree as J48 does, those with a
missing value down both branches with fractional weights. A leaf then predicts the class of the largest
weight.
"""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from functools import lru_cache

import numpy as np

from gatree.base.errors import DataError
from gatree.data.dataset import Dataset
from gatree.j48.build import build, flat, prune_by_held_out
from gatree.j48.evaluation import Evaluation, evaluate, pooled
from gatree.j48.growing import LEAF, NO_LIMIT, Growing
from gatree.j48.problem import J48Problem, NodeScratch, Search
from gatree.j48.settings import J48Settings, Options
from gatree.j48.tables import NUMERIC, ONE_VALUE, Ints
from gatree.j48.tree import J48Tree
from gatree.kernels.interpreting import interpreting
from gatree.trees.model import DecisionTree
from gatree.weka.folds import (
    JavaRandom,
    check_n_folds,
    dealt_out,
    group_by_class,
    split_off,
    stratified_folds,
)


def from_decision_tree(tree: DecisionTree, dataset: Dataset, *, laplace: bool = False) -> J48Tree:
    """Convert a `DecisionTree` to a J48 tree with binary splits and the weights of a data set.

    The result prints like a tree of WEKA and treats missing values as J48 does. Converting a J48 tree with
    binary splits to a `DecisionTree` and back, with its training data, gives the same tree.

    Parameters
    ----------
    tree : DecisionTree
    dataset : Dataset
        The instances that give the leaves their weights.
    laplace : bool
        Smooth the class probabilities of the leaves.

    Raises
    ------
    DataError
        If the attributes or classes of the data differ from the tree's, or no instance has a class.
    """
    if (dataset.attributes, dataset.class_attribute) != (tree.attributes, tree.class_attribute):
        raise DataError(f"{dataset.name}: the attributes are not those that the tree was built from")
    rows = np.flatnonzero(dataset.classes >= 0)
    if not len(rows):
        raise DataError(f"{dataset.name}: no instance has a class, so the leaves would have no weight")
    problem, settings = J48Problem.of(dataset), J48Settings(pruning="none")
    growing = Growing.of(tree.tree.n_nodes, len(rows), problem.n_classes)
    growing.done["n_nodes"] = tree.tree.n_nodes
    _set_tests(growing, tree)
    scratch, search = (
        NodeScratch.of(problem.n_values, problem.n_classes),
        Search.of(problem, settings.binary_splits),
    )
    growing = growing.run(build, rows, False, problem.cells, Options.of(settings), scratch, search)
    return J48Tree(tree.attributes, tree.class_attribute, flat(growing), binary_splits=True, laplace=laplace)


def _set_tests(growing: Growing, tree: DecisionTree) -> None:
    """Copy the tests of a tree to the nodes; all leaves are empty until instances reach them."""
    n_placed, pending = 1, [(0, 0)]
    while pending:
        position, index = pending.pop()
        attribute, value = int(tree.tree.attribute[position]), int(tree.tree.value[position])
        node = growing.nodes[index]
        node["attribute"], node["n_children"], node["is_empty"] = attribute, 0, attribute == LEAF
        if attribute == LEAF:
            continue
        is_numeric = tree.coding.is_numeric[attribute]
        node["kind"] = NUMERIC if is_numeric else ONE_VALUE
        node["threshold"] = tree.coding.thresholds[attribute][value] if is_numeric else value
        node["first_child"], node["n_children"] = n_placed, 2
        passed = position + 1
        pending += [(passed, n_placed), (passed + int(tree.tree.span[passed]), n_placed + 1)]
        n_placed += 2


_FIRST_NODES = 64  # allocated initially


def fit(
    dataset: Dataset, settings: J48Settings | None = None, weight: float = 1.0, most_work: int = NO_LIMIT
) -> J48Tree:
    """Build a tree on a data set. Instances without a class are ignored.

    Parameters
    ----------
    dataset : Dataset
    settings : J48Settings, optional
    weight : float
        The weight of every instance.
    most_work : int
        The number of steps, of some nanoseconds each, after which a `DataError` ends the work.
    """
    settings = settings or J48Settings()
    if dataset.n_classes < 2:
        raise DataError(
            f"{dataset.name}: J48 needs a class with two values or more, "
            f"but {dataset.class_attribute.name!r} has {dataset.n_classes}"
        )
    problem, rows = J48Problem.of(dataset), np.flatnonzero(dataset.classes >= 0)
    held_out = rows[:0]
    if settings.pruning == "reduced-error":
        rows, held_out = _hold_out(problem, rows, settings)
    scratch = NodeScratch.of(problem.n_values, problem.n_classes)
    search = Search.of(problem, settings.binary_splits)
    growing = Growing.of(_FIRST_NODES + len(scratch.branches), len(rows), problem.n_classes)
    growing.done["most_work"] = most_work
    others = problem.cells, Options.of(settings), scratch, search
    growing = growing.run(build, rows, True, *others, weight=weight)
    if settings.pruning == "reduced-error":
        growing = growing.run(prune_by_held_out, held_out, False, problem.cells, scratch, weight=weight)
    return J48Tree(
        dataset.attributes, dataset.class_attribute, flat(growing), settings.binary_splits, settings.laplace
    )


def cross_validate(
    dataset: Dataset, settings: J48Settings | None = None, n_folds: int = 5, seed: int = 1
) -> Evaluation:
    """Build a tree on every training fold and classify the test folds.

    Parameters
    ----------
    dataset : Dataset
    settings : J48Settings, optional
    n_folds : int
    seed : int
        The seed of the stratified folds (WEKA's ``-s``).
    """
    return pooled(
        [
            evaluate(fit(dataset.take(train), settings), dataset.take(test))
            for train, test in stratified_folds(dataset.classes, n_folds, seed)
        ]
    )


def _hold_out(problem: J48Problem, rows: Ints, settings: J48Settings) -> tuple[Ints, Ints]:
    """Return the instances to grow the tree on, and the last stratified fold, to prune it with."""
    check_n_folds(settings.prune_folds, len(rows), "reduced-error pruning")
    split = _split if len(rows) <= _MAX_CACHED_ROWS else _split.__wrapped__
    train, held_out = split(len(rows), settings.prune_folds, settings.prune_seed)
    group_by_class(rows, problem.cells.classes)
    return rows[train], rows[held_out]


_MAX_CACHED_ROWS = 10_000


@lru_cache(maxsize=32)
def _split(n_rows: int, n_folds: int, seed: int) -> tuple[Ints, Ints]:
    """Return the positions of both parts among rows that are grouped by class."""
    train, held_out = split_off(dealt_out(np.arange(n_rows), n_folds), n_folds, n_folds - 1)
    return JavaRandom(seed).shuffled(train), held_out


_MAX_INTERPRETED_CELLS = 40_000
"""Cells of the data, summed over trees: half a second on vote, more for large trees; compiling takes six."""


def interpreted_if_small(dataset: Dataset, n_trees: int) -> AbstractContextManager[None]:
    """Return a context in which kernels are interpreted if building ``n_trees`` trees is fast enough.

    Use it if no other trees are built. Numeric attributes are too slow, since all thresholds are tried.
    """
    has_numbers = any(not attribute.is_nominal for attribute in dataset.attributes)
    n_cells = dataset.n_instances * len(dataset.attributes)
    is_small = not has_numbers and n_trees * n_cells <= _MAX_INTERPRETED_CELLS
    return interpreting() if is_small else contextlib.nullcontext()
