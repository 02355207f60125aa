"""What a search of classification trees optimises: correct instances, then purity, within limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases
from gatree.front.archive import Prunings, join, start_prunings
from gatree.front.draft import ATTRIBUTE, SPAN, Draft, next_node
from gatree.kernels.decorators import inlined, jit, lean
from gatree.trees.genome import LEAF

_ROUNDED = 1e-12

CORRECT_UNIT = 2**21
"""The score of a correct instance: more than the purity of all, which only breaks ties."""

PURITY_UNIT = 2.0**20

Gains = NDArray[np.int64]
Directions = NDArray[np.int8]

DEEPEST = 1023
"""The maximum depth of a node: a tree of a front has at most this number of tests."""


class Limits(NamedTuple):
    """Constraints on the tests of a tree, for kernels."""

    max_depth: int = DEEPEST
    min_split: int = 2  # instances that reach a test
    min_decrease: float = 0.0  # of the Gini impurity by a test, times the share of the weight that reaches it
    directions: NDArray[np.int8] = np.zeros(0, dtype=np.int8)  # [attribute]: 1 the class only rises, -1 falls
    first: int = LEAF  # the attribute that the root tests; LEAF for any
    apply: bool = False  # whether any limit differs from the default


def limits_of(
    max_depth: int | None, min_split: int, min_decrease: float, directions: Directions, first: int = LEAF
) -> Limits:
    """Return the limits; ``apply`` is set if one of them is not the default."""
    given = Limits(min(DEEPEST, max_depth or DEEPEST), max(2, min_split), min_decrease, directions, first)
    return given._replace(apply=given[:3] != Limits()[:3] or len(directions) > 0 or first != LEAF)


class Goal(NamedTuple):
    """The criteria that a search optimises, and its constraints."""

    worth: NDArray[np.int64]  # [class]: weight of a correct instance; with costs, weight in the purity
    min_leaf: int  # minimum number of instances in a leaf
    purity_unit: float  # score of the purity per unit of weight
    gain: Gains  # [class, label]: gain from giving a label to an instance; empty without costs
    limits: Limits  # constraints on tests


def goal_of(
    worth: NDArray[np.int64],
    min_leaf: int,
    classes: NDArray[np.integer],
    gain: Gains | None = None,
    limits: Limits | None = None,
) -> Goal:
    """Return the goal for instances of these classes.

    With costs, the weight of an instance in the purity is the sum of the costs of its wrong labels, as in
    CART.
    """
    if gain is None:
        gain = np.zeros((0, 0), dtype=np.int64)
    else:
        worth = (gain.max(axis=1, keepdims=True) - gain).sum(axis=1)
    total = max(1, int(worth[classes].sum()))
    return Goal(worth, min_leaf, PURITY_UNIT / total, gain, limits or Limits())


def stakes(goal: Goal) -> NDArray[np.int64]:
    """Return the maximum gain from an instance of each class."""
    return goal.gain.max(axis=1) if len(goal.gain) else goal.worth


@jit
def class_counts(cases: Cases, draft: Draft, n_nodes: int) -> NDArray[np.int64]:
    """Count the instances of every class at every node."""
    counts = np.empty((n_nodes, cases.n_classes), dtype=np.int64)
    for node in range(n_nodes):
        for label in range(cases.n_classes):
            counts[node, label] = 0
    for instance in range(len(cases.classes)):
        node, label = 0, cases.classes[instance]
        counts[0, label] += 1
        while draft[ATTRIBUTE, node] != LEAF:
            node = next_node(cases, draft, node, instance)
            counts[node, label] += 1
    return counts


@jit
def prunings(cases: Cases, goal: Goal, draft: Draft, n_nodes: int, most_leaves: int) -> Prunings:
    """Find the best pruning to every number of leaves."""
    counts, limits = class_counts(cases, draft, n_nodes), goal.limits
    found = start_prunings(draft, n_nodes, most_leaves, limits.max_depth if limits.apply else n_nodes)
    for node in range(n_nodes - 1, -1, -1):
        if found.first[node + 1] > found.first[node] + 1:
            if not limits.apply:
                join(draft, node, found, most_leaves, most_leaves)
            elif _may_test(goal, counts, draft, node):
                _join_in_direction(limits, draft, node, found)
        n_here, label = _majority(counts, node, goal.worth)
        if len(goal.gain) > 0:
            label = most_gained(goal.gain, counts[node])
        found.label[node] = label
        if node == 0 or n_here >= goal.min_leaf:
            found.score[found.first[node]] = leaf_score(goal, counts, node, label)
    return found


@inlined
def _majority(counts: NDArray[np.int64], node: int, worth: NDArray[np.int64]) -> tuple[int, int]:
    """Return the number of instances at a node, and the class with the largest weight."""
    n_here, best = 0, 0
    for c in range(len(worth)):
        n_here += counts[node, c]
        if counts[node, c] * worth[c] > counts[node, best] * worth[best]:
            best = c
    return n_here, best


@lean
def most_gained(gain: Gains, counts: NDArray[np.int64]) -> int:
    """Return the label with the largest gain for the given class counts, the first of equal ones."""
    best, most = 0, -1
    for label in range(len(counts)):
        total = 0
        for c in range(len(counts)):
            total += counts[c] * gain[c, label]
        if total > most:
            best, most = label, total
    return best


@lean
def decreases_enough(
    least: float, worth: NDArray[np.int64], left: NDArray[np.int64], right: NDArray[np.int64]
) -> bool:
    """Return whether a split with these class counts decreases the weighted impurity enough."""
    on_the_left, on_the_right, pure_left, pure_right, pure_above = 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(len(worth)):
        one, other = float(left[c] * worth[c]), float(right[c] * worth[c])
        on_the_left, on_the_right = on_the_left + one, on_the_right + other
        pure_left, pure_right = pure_left + one * one, pure_right + other * other
        pure_above += (one + other) * (one + other)
    if on_the_left == 0 or on_the_right == 0:
        return False
    decrease = pure_left / on_the_left + pure_right / on_the_right - pure_above / (on_the_left + on_the_right)
    return decrease >= least * (1 - _ROUNDED)


@lean
def _may_test(goal: Goal, counts: NDArray[np.int64], draft: Draft, node: int) -> bool:
    """Return whether enough instances reach a test, and whether it decreases their impurity enough."""
    n_here, whole = 0, 0
    for c in range(counts.shape[1]):
        n_here += counts[node, c]
        whole += counts[0, c] * goal.worth[c]
    if n_here < goal.limits.min_split:
        return False
    if node == 0 and goal.limits.first != LEAF and draft[ATTRIBUTE, 0] != goal.limits.first:
        return False
    left = node + 1
    right = left + draft[SPAN, left]
    least = goal.limits.min_decrease * whole
    return least <= 0 or decreases_enough(least, goal.worth, counts[left], counts[right])


@lean
def leaf_score(goal: Goal, counts: NDArray[np.int64], node: int, label: int) -> int:
    """Return the score of a leaf: its correct weight and, to break ties, its Gini purity."""
    total, squares = 0.0, 0.0
    for c in range(len(goal.worth)):
        weight = float(counts[node, c] * goal.worth[c])
        total += weight
        squares += weight * weight
    purity = squares / total * goal.purity_unit if total > 0 else 0.0
    counted = counts[node, label] * goal.worth[label]
    if len(goal.gain) > 0:
        counted = 0
        for c in range(len(goal.gain)):
            counted += counts[node, c] * goal.gain[c, label]
    return int(CORRECT_UNIT * counted) + int(purity)


@lean
def _join_in_direction(limits: Limits, draft: Draft, node: int, found: Prunings) -> None:
    """Fill a node's entries so that its test respects the direction of its attribute.

    With two classes, either one branch predicts only the lower class, or the other branch only the higher
    one. A single leaf predicts the same as such a branch.
    """
    room = found.first[node + 1] - found.first[node]
    direction = limits.directions[draft[ATTRIBUTE, node]] if len(limits.directions) > 0 else 0
    left = node + 1
    right = left + draft[SPAN, left]
    if direction == 0:
        join(draft, node, found, room, room)
        return
    if found.label[left] == (0 if direction > 0 else 1):
        join(draft, node, found, 1, room)
    if found.label[right] == (1 if direction > 0 else 0):
        join(draft, node, found, room, 1)
