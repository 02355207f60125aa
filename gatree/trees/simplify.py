"""A tree without what never matters: the same prediction for every input, missing values included.

A test goes if the tests above it have decided it: ``x <= 7`` below ``x <= 5``, or ``a = red`` where
``a = blue`` holds. So does a test whose two branches have become alike, such as two leaves of one class. A
leaf that no training instance reaches stays if some input can reach it: without it that input's class would
change.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.trees.genome import LEAF, Tree


class Simplified(NamedTuple):
    """A simplified tree, and the nodes of the raw one whose instances reach each of its nodes."""

    tree: Tree
    sources: list[list[int]]


class _Node(NamedTuple):
    attribute: int
    value: int
    sources: list[int]


class _Passed(NamedTuple):
    """What the tests on the way to a node say of one attribute; a missing value fails every test."""

    at_most: int | None = None  # numeric: the smallest test passed; nominal: the value it has
    failed: frozenset[int] = frozenset()


def simplify(tree: Tree, is_numeric: NDArray[np.bool_]) -> Simplified:
    """Return the tree with every test left out that never matters."""
    return _without_equal_branches(*_without_decided_tests(tree, is_numeric))


def _without_decided_tests(tree: Tree, is_numeric: NDArray[np.bool_]) -> tuple[Tree, list[int]]:
    """Leave out tests that the tests above them have decided; say which raw node each node was."""
    attributes, values, sources = [], [], []
    stack: list[tuple[int, dict[int, _Passed]]] = [(0, {})]
    while stack:  # not recursive: a tree may be deeper than Python's stack
        source, known = stack.pop()
        node = source
        while (answer := _decided(tree, node, known, is_numeric)) is not None:
            node = tree.left(node) if answer else tree.right(node)
        attribute, value = int(tree.attribute[node]), int(tree.value[node])
        attributes.append(attribute)
        values.append(value)
        sources.append(source)
        if attribute != LEAF:
            before = known.get(attribute, _Passed())
            passed, failed = _Passed(value, before.failed), before._replace(failed=before.failed | {value})
            stack.append((tree.right(node), {**known, attribute: failed}))
            stack.append((tree.left(node), {**known, attribute: passed}))
    return Tree.from_preorder(attributes, values), sources


def _decided(tree: Tree, node: int, known: dict[int, _Passed], is_numeric: NDArray[np.bool_]) -> bool | None:
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


def _without_equal_branches(tree: Tree, sources: list[int]) -> Simplified:
    """Leave out tests whose branches are alike, from the leaves up."""
    done: list[list[_Node]] = []  # subtrees in preorder, the leftmost on top
    for node in range(tree.n_nodes - 1, -1, -1):
        top = _Node(int(tree.attribute[node]), int(tree.value[node]), [sources[node]])
        if tree.is_leaf(node):
            done.append([top])
            continue
        left, right = done.pop(), done.pop()
        if [a[:2] for a in left] == [b[:2] for b in right]:
            merged = [a._replace(sources=a.sources + b.sources) for a, b in zip(left, right, strict=True)]
            done.append([merged[0]._replace(sources=top.sources), *merged[1:]])
        else:
            done.append([top, *left, *right])
    attributes, values, reached_from = zip(*done.pop(), strict=True)
    return Simplified(Tree.from_preorder(attributes, values), list(reached_from))
