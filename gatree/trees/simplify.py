"""Trees without what never matters.

`simplify` drops what never matters: the prediction stays the same for every input, missing values
included. A test goes if the tests above it have decided it: ``x <= 7`` below ``x <= 5``, or ``a = red``
where ``a = blue`` holds. So does a test whose two branches have become alike, such as two leaves of one
class. A leaf that no training instance reaches stays if some input can reach it: without it that input's
class would change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.trees.genome import LEAF, Tree


class Passed(NamedTuple):
    """What the tests on the way to a node say of one attribute; a missing value fails every test."""

    at_most: int | None = None  # numeric: the smallest test passed; nominal: the value it has
    failed: tuple[int, ...] = ()

    def after(self, value: int, passed: bool) -> Passed:
        """Return the same after one more test, which was not decided before."""
        return Passed(value, self.failed) if passed else Passed(self.at_most, (*self.failed, value))


def simplify(tree: Tree, is_numeric: NDArray[np.bool_]) -> tuple[Tree, list[list[int]]]:
    """Return the tree without tests that never matter, and the raw nodes whose instances reach its nodes."""
    left = list(undecided(tree, is_numeric))
    nodes = [node for _, node, _ in left]
    return _without_equal_branches(
        Tree.from_preorder(tree.attribute[nodes].tolist(), tree.value[nodes].tolist()),
        [source for source, _, _ in left],
    )


def undecided(
    tree: Tree, is_numeric: NDArray[np.bool_]
) -> Iterator[tuple[int, int, tuple[tuple[int, bool], ...]]]:
    """Yield in preorder the nodes that are left without the tests that those above them have decided.

    Each comes with the raw node in whose place it is, and with the tests on the way to it and their answers.
    """
    start: tuple[int, tuple[tuple[int, bool], ...], dict[int, Passed]] = (0, (), {})
    pending = [start]
    while pending:  # not recursive: a tree may be deeper than Python's stack
        source, steps, known = pending.pop()
        node = source
        while (answer := _decided(tree, node, known, is_numeric)) is not None:
            node = tree.left(node) if answer else tree.right(node)
        yield source, node, steps
        if not tree.is_leaf(node):
            index, value = int(tree.attribute[node]), int(tree.value[node])
            before = known.get(index, Passed())
            for passed, child in ((False, tree.right(node)), (True, tree.left(node))):
                facts = {**known, index: before.after(value, passed)}
                pending.append((child, (*steps, (node, passed)), facts))


def _decided(tree: Tree, node: int, known: dict[int, Passed], is_numeric: NDArray[np.bool_]) -> bool | None:
    """Return the answer that every instance gives which comes to a node, or None if they may differ."""
    attribute, value = int(tree.attribute[node]), int(tree.value[node])
    if attribute == LEAF or attribute not in known:
        return None
    at_most, failed = known[attribute]
    if is_numeric[attribute]:
        if at_most is not None and value >= at_most:
            return True
        return False if any(value <= other for other in failed) else None
    if at_most is not None:
        return value == at_most
    return False if value in failed else None


def _without_equal_branches(tree: Tree, sources: list[int]) -> tuple[Tree, list[list[int]]]:
    """Leave out tests whose branches are alike, from the leaves up."""
    # Subtrees in preorder, the leftmost on top: the attribute, the value and the sources of every node.
    done: list[list[tuple[int, int, list[int]]]] = []
    for node in range(tree.n_nodes - 1, -1, -1):
        top = int(tree.attribute[node]), int(tree.value[node]), [sources[node]]
        if tree.is_leaf(node):
            done.append([top])
            continue
        left, right = done.pop(), done.pop()
        if [a[:2] for a in left] == [b[:2] for b in right]:
            merged = [(*a[:2], a[2] + b[2]) for a, b in zip(left, right, strict=True)]
            done.append([(*left[0][:2], top[2]), *merged[1:]])
        else:
            done.append([top, *left, *right])
    attributes, values, reached_from = zip(*done.pop(), strict=True)
    return Tree.from_preorder(attributes, values), list(reached_from)
