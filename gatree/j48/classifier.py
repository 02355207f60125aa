"""J48, start to end: data in, a tree out; and its cross-validation, as WEKA does it.

`fit` grows and prunes one tree. `cross_validate` does so on every training fold and counts how the
test folds are classified. A few trees on small data are built without compiling first (`interpreted_if_small`).

`from_decision_tree` makes a J48 tree of one of ours. J48's trees have no classes of their own but the
training weights of their leaves, so a data set goes with the tree: its instances are sent down as J48
sends them, those with a missing value down both branches in parts. A leaf then says the class that most
of its weight has.
"""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager

import numpy as np

from gatree.base.errors import DataError
from gatree.data.dataset import Dataset
from gatree.j48.build import build, flat, prune_by_held_out
from gatree.j48.evaluation import Evaluation, evaluate, pooled
from gatree.j48.growing import LEAF, Growing
from gatree.j48.problem import J48Problem, NodeScratch, Search, group_by_class
from gatree.j48.settings import J48Settings, Options
from gatree.j48.tables import NUMERIC, ONE_VALUE, Ints
from gatree.j48.tree import J48Tree
from gatree.kernels.interpreting import interpreting
from gatree.trees.model import DecisionTree
from gatree.weka.folds import JavaRandom, check_n_folds, dealt_out, split_off, stratified_folds


def from_decision_tree(tree: DecisionTree, dataset: Dataset, *, laplace: bool = False) -> J48Tree:
    """Return a `DecisionTree` as a J48 tree with binary splits, its weights taken from a data set.

    It prints as WEKA's do, and treats missing values as J48 does. A J48 tree with binary splits that became a
    `DecisionTree` comes back as it was, given its training data.

    Raises
    ------
    DataError
        If the data have other attributes or classes than the tree, or no instance with a class.
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
    """Give nodes the tests of a tree; all leaves are empty until an instance comes."""
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


_FIRST_NODES = 64  # there is room for, to begin with


def fit(dataset: Dataset, settings: J48Settings | None = None, weight: float = 1.0) -> J48Tree:
    """Build a tree on a data set, whose instances count so much; those without a class are left out."""
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
    """Build a tree on every training fold and classify the test folds."""
    return pooled(
        [
            evaluate(fit(dataset.take(train), settings), dataset.take(test))
            for train, test in stratified_folds(dataset.classes, n_folds, seed)
        ]
    )


def _hold_out(problem: J48Problem, rows: Ints, settings: J48Settings) -> tuple[Ints, Ints]:
    """Return the instances to grow on, and the last stratified fold of them, to prune with."""
    n_folds = settings.prune_folds
    check_n_folds(n_folds, len(rows), "reduced-error pruning")
    grouped = rows.copy()
    group_by_class(grouped, problem.cells.classes)
    rows = dealt_out(grouped, n_folds)
    train, held_out = split_off(rows, n_folds, n_folds - 1)
    return JavaRandom(settings.prune_seed).shuffled(train), held_out


_MAX_INTERPRETED_CELLS = 40_000
"""Cells of all trees' data: half a second's work on vote, more on bushy trees; to compile takes six."""


def interpreted_if_small(dataset: Dataset, n_trees: int) -> AbstractContextManager[None]:
    """Return where to build and try out so many trees, if these are all there are to build.

    Numbers take long: all their thresholds are tried.
    """
    has_numbers = any(not attribute.is_nominal for attribute in dataset.attributes)
    n_cells = dataset.n_instances * len(dataset.attributes)
    is_small = not has_numbers and n_trees * n_cells <= _MAX_INTERPRETED_CELLS
    return interpreting() if is_small else contextlib.nullcontext()
