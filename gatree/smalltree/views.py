"""From the archives of a search to finished fronts: trees with thresholds, and the numbers of their nodes."""

from __future__ import annotations

import numpy as np

from gatree.smalltree.archive import Archive, coded_tree
from gatree.smalltree.front import Front
from gatree.smalltree.prepare import Prepared
from gatree.smalltree.task import CORRECT_UNIT, Floats
from gatree.trees.genome import LEAF, Tree, leaves
from gatree.trees.numbers import Reduced, node_numbers, shrunken


def front_of(prepared: Prepared, archive: Archive, shrinkage: float, errors: Floats | None = None) -> Front:
    """Return the trees of an archive with thresholds, without sizes that improve on no smaller one.

    ``errors`` are those of every rung in a cross-validation.
    """
    kept = np.unique(archive.rungs["best"])
    worth = archive.rungs["score"][kept] // CORRECT_UNIT / prepared.rows.total_stake
    validated = None if errors is None else 1 - errors[kept]
    numbers = None
    if prepared.target is not None:
        target = _Target(prepared)
        trees = (_coded(prepared, archive, rung)[0] for rung in kept.tolist())
        numbers, explained = zip(*(target.numbers(tree, shrinkage) for tree in trees), strict=True)
        worth = 1 - np.array(explained) / (explained[0] or 1.0)
        validated = None if errors is None else 1 - errors[kept] / (errors[0] or 1.0)
    return Front(
        leaves=archive.rungs["size"][kept],
        worth=worth,
        validated=validated,
        proven=archive.rungs["proven"][kept] == 1,
        genomes=tuple(_genome(prepared, archive, rung) for rung in kept.tolist()),
        attributes=prepared.given.attributes,
        class_attribute=prepared.given.class_attribute,
        numbers=numbers,
    )


def _coded(prepared: Prepared, archive: Archive, rung: int) -> tuple[Tree, Floats]:
    return coded_tree(archive, rung, prepared.rows.order, prepared.coding)


def _genome(prepared: Prepared, archive: Archive, rung: int) -> tuple[Tree, Floats]:
    """Return a tree and the threshold of every node: the middle of its gap, or the candidate's."""
    tree, thresholds = _coded(prepared, archive, rung)
    names, is_test = prepared.names, tree.attribute != LEAF
    for node in range(tree.n_nodes):
        order = names.values[tree.attribute[node]] if is_test[node] else names.classes
        if len(order):  # numeric attributes have none
            tree.value[node] = order[tree.value[node]]
    return tree, thresholds


class _Target:
    """The numbers to predict, as often as they count, reduced so that sums and squares are accurate."""

    def __init__(self, prepared: Prepared) -> None:
        assert prepared.target is not None
        in_order = np.argsort(prepared.row_of, kind="stable")  # sums do not depend on the order of instances
        self._prepared, self._repeated = prepared, np.repeat(in_order, prepared.weights.counts[in_order])
        self._reduced = Reduced.of(prepared.target)
        self._target = self._reduced.numbers[self._repeated]

    def numbers(self, tree: Tree, shrinkage: float) -> tuple[Floats, float]:
        """Return the prediction of every node of a tree, and the error of all leaves without shrinkage."""
        reached = leaves(tree, self._prepared.codes, self._prepared.coding.is_numeric)[self._repeated]
        numbers, errors = node_numbers(tree, reached, self._target)
        numbers = self._reduced.restored(numbers)
        return shrunken(tree, reached, numbers, shrinkage), float(errors[tree.attribute == LEAF].sum())
