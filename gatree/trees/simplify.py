"""Remove the tests that never affect a prediction.

The prediction stays the same for every input, missing values included. A test goes if the tests above it
have decided it: ``x <= 7`` below ``x <= 5``, or ``a = red`` where ``a = blue`` holds.
So does a test whose two branches have become alike, such as two leaves of one class. A leaf that no
training instance reaches stays if some input can reach it: without it that input's class would change.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gatree.trees.genome import LEAF, Tree


class Path:
    """What the tests on the way to a node say of the attributes; a missing value fails every test.

    A test that those before it have not decided says more than they do. So only the last answer matters for
    a number, and a step back restores the one before.
    """

    def __init__(self, is_numeric: NDArray[np.bool_]) -> None:
        self.is_numeric = is_numeric
        self.known: dict[int, int] = {}  # the attributes in the order of their first tests, and the tests
        self.passed: dict[int, int] = {}  # numeric: the smallest test passed; nominal: the value it has
        self.failed: dict[int, list[int]] = {}
        self._excluded: set[tuple[int, int]] = set()  # nominal: attributes with the values they do not have
        self._before: list[tuple[int, bool, int | None]] = []

    def step(self, attribute: int, value: int, passed: bool) -> None:
        """Take a test with its answer."""
        self._before.append((attribute, passed, self.passed.get(attribute)))
        self.known[attribute] = self.known.get(attribute, 0) + 1
        if passed:
            self.passed[attribute] = value
        else:
            self.failed.setdefault(attribute, []).append(value)
            self._excluded.add((attribute, value))

    def step_back(self) -> None:
        """Forget the last test."""
        attribute, passed, before = self._before.pop()
        self.known[attribute] -= 1
        if self.known[attribute] == 0:
            del self.known[attribute]
        if not passed:
            self._excluded.remove((attribute, self.failed[attribute].pop()))
        elif before is None:
            del self.passed[attribute]
        else:
            self.passed[attribute] = before

    def answer(self, attribute: int, value: int) -> bool | None:
        """Return the answer that every instance here gives to a test, or None if they may differ."""
        passed = self.passed.get(attribute)
        if self.is_numeric[attribute]:
            if passed is not None and value >= passed:
                return True
            failed = self.failed.get(attribute)
            return False if failed and value <= failed[-1] else None
        if passed is not None:
            return value == passed
        return False if (attribute, value) in self._excluded else None


def simplify(tree: Tree, is_numeric: NDArray[np.bool_]) -> tuple[Tree, list[list[int]]]:
    """Return the tree without tests that never matter, and the raw nodes whose instances reach its nodes."""
    left = [(source, node) for source, node, _ in undecided(tree, is_numeric)]
    nodes = [node for _, node in left]
    return _without_equal_branches(
        Tree.from_preorder(tree.attribute[nodes].tolist(), tree.value[nodes].tolist()),
        [source for source, _ in left],
    )


def undecided(tree: Tree, is_numeric: NDArray[np.bool_]) -> Iterator[tuple[int, int, Path]]:
    """Yield in preorder the nodes that are left without the tests that those above them have decided.

    Each comes with the raw node in whose place it is, and with the path to it, which changes with the next.
    """
    path = Path(is_numeric)
    pending: list[tuple[int, int, bool] | None] = [(0, LEAF, True)]  # a node and its test, None: a step back
    while pending:  # not recursive: a tree may be deeper than Python's stack
        entry = pending.pop()
        if entry is None:
            path.step_back()
            continue
        source, parent, passed = entry
        if parent != LEAF:
            path.step(int(tree.attribute[parent]), int(tree.value[parent]), passed)
        node = source
        while (answer := _answer(tree, node, path)) is not None:
            node = tree.left(node) if answer else tree.right(node)
        yield source, node, path
        if not tree.is_leaf(node):
            pending += [None, (tree.right(node), node, False), None, (tree.left(node), node, True)]


def _answer(tree: Tree, node: int, path: Path) -> bool | None:
    return None if tree.is_leaf(node) else path.answer(int(tree.attribute[node]), int(tree.value[node]))


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
