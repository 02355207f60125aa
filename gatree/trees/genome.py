"""The layout of a tree: three parallel arrays in preorder, so that a subtree is a slice.

    attribute   the attribute tested, or LEAF
    value       the test's number (see gatree.data.coding), or the class of a leaf
    span        nodes in the subtree, the node itself included

The left child of node i (instances that pass the test) is i + 1, the right child is
i + 1 + span[i + 1], and the subtree of i is the slice [i, i + span[i]). Crossover is then slice
replacement, and only the ancestors of the cut change their span.

Which leaf an instance reaches, and so which class a tree gives it, is found here, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, counted
from gatree.base.limits import MOST_NODES, refuse_above
from gatree.kernels.decorators import U, lean

LEAF = -1

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Tree:
    """One decision tree, apart from any population."""

    attribute: Ints
    value: Ints
    span: Ints

    def __post_init__(self) -> None:
        check(self)

    @classmethod
    def known(cls, attribute: Ints, value: Ints, span: Ints) -> Tree:
        """Return a tree of arrays that are known to be one: a check takes as long as some generations."""
        tree = object.__new__(cls)
        tree.__dict__.update(attribute=attribute, value=value, span=span)
        return tree

    @classmethod
    def nested(cls, shape: Any) -> Tree:
        """Build a tree from ``(attribute, value, left, right)`` tuples and class numbers.

        >>> Tree.nested((0, 2, 1, (3, 0, 0, 1))).span.tolist()
        [5, 1, 3, 1, 1]
        """
        return cls.from_preorder(*zip(*_preorder(shape), strict=True))

    @classmethod
    def from_preorder(cls, attribute: Sequence[int], value: Sequence[int]) -> Tree:
        """Build a tree from its nodes in preorder; the spans follow from them.

        >>> Tree.from_preorder([0, LEAF, 3, LEAF, LEAF], [2, 1, 0, 0, 1]).span.tolist()
        [5, 1, 3, 1, 1]
        """
        refuse_above(MOST_NODES, len(attribute), "nodes")
        tests = _whole_numbers(attribute)
        return cls(tests, _whole_numbers(value), spans_of(tests))

    def __repr__(self) -> str:
        return f"<Tree of {counted(self.n_nodes, 'node')}>"

    @property
    def n_nodes(self) -> int:
        return len(self.attribute)

    @property
    def n_leaves(self) -> int:
        return (self.n_nodes + 1) // 2

    @property
    def depth(self) -> int:
        """The number of tests on the longest path."""
        return int(self.depths().max())

    def depths(self) -> Ints:
        """Return the level of every node; the root's is 0."""
        levels = [0] * self.n_nodes
        for node, parent in enumerate(self.parents().tolist()[1:], 1):
            levels[node] = levels[parent] + 1
        return np.array(levels, dtype=np.int32)

    def left(self, node: int) -> int:
        """Return the child for instances that pass the test."""
        return node + 1

    def right(self, node: int) -> int:
        """Return the child for instances that fail the test."""
        return node + 1 + int(self.span[node + 1])

    def is_leaf(self, node: int) -> bool:
        return bool(self.attribute[node] == LEAF)

    def parents(self) -> Ints:
        """Return the parent of every node; the root is its own."""
        parents = np.zeros(self.n_nodes, dtype=np.int32)
        inner = np.flatnonzero(self.attribute != LEAF)
        parents[inner + 1] = parents[inner + 1 + self.span[inner + 1]] = inner
        return parents

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tree)
            and np.array_equal(self.attribute, other.attribute)
            and np.array_equal(self.value, other.value)
        )

    def __hash__(self) -> int:
        return hash((self.attribute.tobytes(), self.value.tobytes()))


def _whole_numbers(numbers: Sequence[int]) -> Ints:
    try:
        array = np.array(numbers, dtype=np.int64)
    except (OverflowError, TypeError, ValueError):
        array = None
    if array is None or array.tolist() != list(numbers) or np.any(array != array.astype(np.int32)):
        raise DataError("a tree's nodes are integers of at most 32 bits")
    return array.astype(np.int32)


def _preorder(shape: Any) -> Iterator[tuple[int, int]]:
    if not isinstance(shape, tuple):
        yield LEAF, shape
        return
    attribute, value, left, right = shape
    yield attribute, value
    yield from _preorder(left)
    yield from _preorder(right)


def spans_of(attribute: Sequence[int] | Ints) -> Ints:
    """Return the spans of nodes in preorder; where nodes are missing, `check` will find it."""
    span = np.ones(len(attribute), dtype=np.int32)
    for node in reversed(range(len(attribute))):
        if attribute[node] != LEAF and node + 1 < len(span):
            right = node + 1 + span[node + 1]
            span[node] = 1 + span[node + 1] + (span[right] if right < len(span) else 0)
    return span


def check(tree: Tree) -> None:
    """Raise a DataError if the arrays are not a tree."""
    for part in (tree.attribute, tree.value, tree.span):
        if part.dtype != np.int32 or part.shape != (tree.n_nodes,) or not tree.n_nodes:
            raise DataError(
                "a tree is three int32 arrays of one length above zero, "
                f"got {part.dtype} of shape {part.shape} among {tree.n_nodes} nodes"
            )
    if tree.attribute.min() < LEAF:
        raise DataError(
            f"a node tests the attribute {tree.attribute.min()}; the first one is 0, a leaf {LEAF}"
        )
    if tree.span[0] != tree.n_nodes:
        raise DataError(f"the root of {tree.n_nodes} nodes spans {tree.span[0]}")
    wrong = np.flatnonzero(tree.span != _expected_spans(tree))
    if len(wrong):
        node = wrong[0]
        raise DataError(f"node {node} spans {tree.span[node]} nodes, which its children do not add up to")


def _expected_spans(tree: Tree) -> NDArray[np.int64]:
    """Return what the children of every node add up to, 0 where they lie outside of the arrays."""
    expected = np.ones(tree.n_nodes, dtype=np.int64)
    span = np.append(tree.span, 0).astype(np.int64)
    inner = np.flatnonzero(tree.attribute != LEAF)
    left = inner + 1
    right = left + span[left]
    both = (left < tree.n_nodes) & (left < right) & (right < tree.n_nodes)
    expected[inner] = 0
    expected[inner[both]] = 1 + span[left[both]] + span[right[both]]
    return expected


def check_tests(tree: Tree, n_tests: NDArray[np.int32], n_classes: int) -> None:
    """Raise a DataError unless every test is among those of its attribute, and every class exists."""
    if tree.attribute.max() >= len(n_tests):
        raise DataError(f"a node tests the attribute {tree.attribute.max()}, but there are {len(n_tests)}")
    limits = np.append(n_tests, n_classes)  # LEAF is -1: the last one
    wrong = np.flatnonzero((tree.value < 0) | (tree.value >= limits[tree.attribute]))
    if len(wrong):
        node = wrong[0]
        what = "class" if tree.is_leaf(node) else f"test of attribute {tree.attribute[node]}"
        raise DataError(
            f"node {node} has the {what} number {tree.value[node]}; there are {limits[tree.attribute[node]]}"
        )


@lean
def toward(span: Ints, row: int, node: int, target: int) -> int:
    """Return the child of an inner node on the way down to a node below it.

    `span` has a row per tree. Kernels take whole arrays and a row, not views of rows: making a view
    costs more than the few nodes of a typical tree.
    """
    left = node + 1
    right = left + span[U(row), U(left)]
    return left if target < right else right


@lean
def depth_of(span: Ints, row: int, top: int, target: int) -> int:
    """Return how many tests lie between a node and a node below it."""
    node, depth = top, 0
    while node != target:
        node = toward(span, row, node, target)
        depth += 1
    return depth


@lean
def height_of(attribute: Ints, span: Ints, row: int, top: int) -> int:
    """Return the tests on the longest way down from a node."""
    highest = 0
    for node in range(top, top + span[row, top]):
        if attribute[row, node] == LEAF:
            highest = max(highest, depth_of(span, row, top, node))
    return highest


@lean
def widen_ancestors(span: Ints, row: int, target: int, by: int) -> None:
    """Add to the span of every node above a node whose subtree has changed its length."""
    node = 0
    while node != target:
        child = toward(span, row, node, target)
        span[U(row), U(node)] += by
        node = child


@lean
def passes(code: float, value: float, is_numeric: bool) -> bool:
    """Tell whether a code or number passes a test: ``<=`` on a numeric attribute, ``==`` on a nominal one."""
    return code <= value if is_numeric else code == value


@lean
def _find_leaves(
    codes: Any, is_numeric: NDArray[np.bool_], attribute: Ints, value: Any, span: Ints, reached: Ints
) -> None:
    for instance in range(codes.shape[1]):
        node = 0
        while attribute[node] != LEAF:
            tested = attribute[node]
            left = node + 1
            passed = passes(codes[tested, instance], value[node], is_numeric[tested])
            node = left if passed else left + span[left]
        reached[instance] = node


def leaves(tree: Tree, codes: Any, is_numeric: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the leaf that every instance reaches, as a node number."""
    if not tree.attribute.max() < len(codes) == len(is_numeric):
        raise DataError(
            f"a tree that tests attribute {tree.attribute.max()} needs codes of more than the "
            f"{len(codes)} attributes there are, and their kinds (got {len(is_numeric)})"
        )
    reached = np.empty(codes.shape[1], dtype=np.int32)
    _find_leaves(codes, is_numeric, tree.attribute, tree.value, tree.span, reached)
    return reached


def leaves_of_numbers(tree: Tree, thresholds: NDArray[np.float64], columns: NDArray[np.float64]) -> Ints:
    """Return the leaf that every instance reaches, given the threshold of every test and all numbers."""
    reached = np.empty(columns.shape[1], dtype=np.int32)
    is_numeric = np.ones(len(columns), dtype=np.bool_)
    _find_leaves(columns, is_numeric, tree.attribute, thresholds, tree.span, reached)
    return reached


def predict(tree: Tree, codes: Any, is_numeric: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the class that a tree gives to every instance."""
    return tree.value[leaves(tree, codes, is_numeric)]
