"""Find the best pruning of a tree to every size, by dynamic programming.

Of all prunings with k leaves it is the one with the most correct instances. So it is at least as good as the
result of cost-complexity pruning, or of growth that stops at k leaves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases
from gatree.front.room import ATTRIBUTE, SPAN, VALUE, Draft, Limits, next_node, set_depths
from gatree.kernels.decorators import inlined, jit, lean
from gatree.trees.genome import LEAF

IMPOSSIBLE = -1

_ROUNDED = 1e-12

CORRECT_UNIT = 2**21
"""The score of a correct instance: more than the purity of all, which only breaks ties."""

PURITY_UNIT = 2.0**20

Gains = NDArray[np.int64]


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


class Prunings(NamedTuple):
    """The best prunings of a tree, by node and number of leaves."""

    label: NDArray[np.int32]  # [node]: its class as a leaf
    first: NDArray[np.int64]  # [node]: where its entries begin
    score: NDArray[np.int64]  # [entry]: the best pruning's below the node, by leaves from 1 on
    n_left: NDArray[np.int32]  # [entry]: leaves of the left branch


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
    counts = class_counts(cases, draft, n_nodes)
    first = np.empty(n_nodes + 1, dtype=np.int64)
    first[0] = 0
    for node in range(n_nodes):
        first[node + 1] = first[node] + min(most_leaves, (draft[SPAN, node] + 1) // 2)
    score = np.empty(first[n_nodes], dtype=np.int64)
    n_left = np.empty(first[n_nodes], dtype=np.int32)
    for entry in range(len(score)):
        score[entry], n_left[entry] = IMPOSSIBLE, 0
    labels = np.empty(n_nodes, dtype=np.int32)
    depth = np.empty(n_nodes if goal.limits.apply else 0, dtype=np.int64)
    if goal.limits.apply:
        set_depths(draft, n_nodes, depth)
    for node in range(n_nodes - 1, -1, -1):
        if draft[ATTRIBUTE, node] != LEAF:
            if not goal.limits.apply:
                _join(draft, node, first, score, n_left, most_leaves, most_leaves)
            elif depth[node] < goal.limits.max_depth and _may_test(goal, counts, draft, node):
                _join_in_direction(goal.limits, draft, node, labels, first, score, n_left)
        n_here, label = _majority(counts, node, goal.worth)
        if len(goal.gain) > 0:
            label = most_gained(goal.gain, counts[node])
        labels[node] = label
        if node == 0 or n_here >= goal.min_leaf:
            score[first[node]] = leaf_score(goal, counts, node, label)
    return Prunings(labels, first, score, n_left)


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
def correct_of(score: int) -> int:
    """Return the correct weight in a score."""
    return score // CORRECT_UNIT


@lean
def _join(
    draft: Draft,
    node: int,
    first: np.ndarray,
    score: np.ndarray,
    n_left: np.ndarray,
    most_left: int,
    most_right: int,
) -> None:
    """Fill a node's entries from those of its children, up to a maximum number of leaves for each."""
    left = node + 1
    right = left + draft[SPAN, left]
    begin, room = first[node], first[node + 1] - first[node]
    for i in range(min(first[left + 1] - first[left], most_left)):
        on_the_left = score[first[left] + i]
        if on_the_left == IMPOSSIBLE:
            continue
        for j in range(min(first[right + 1] - first[right], room - i - 1, most_right)):
            on_the_right = score[first[right] + j]
            entry = begin + i + j + 1
            if on_the_right != IMPOSSIBLE and on_the_left + on_the_right > score[entry]:
                score[entry], n_left[entry] = on_the_left + on_the_right, i + 1


@lean
def _join_in_direction(
    limits: Limits,
    draft: Draft,
    node: int,
    labels: np.ndarray,
    first: np.ndarray,
    score: np.ndarray,
    n_left: np.ndarray,
) -> None:
    """Fill a node's entries so that its test respects the direction of its attribute.

    With two classes, either one branch predicts only the lower class, or the other branch only the higher
    one. A single leaf predicts the same as such a branch.
    """
    room = first[node + 1] - first[node]
    direction = limits.directions[draft[ATTRIBUTE, node]] if len(limits.directions) > 0 else 0
    left = node + 1
    right = left + draft[SPAN, left]
    if direction == 0:
        _join(draft, node, first, score, n_left, room, room)
        return
    if labels[left] == (0 if direction > 0 else 1):
        _join(draft, node, first, score, n_left, 1, room)
    if labels[right] == (1 if direction > 0 else 0):
        _join(draft, node, first, score, n_left, room, 1)


@jit
def pruned(draft: Draft, found: Prunings, n_leaves: int, target: Draft) -> int:
    """Write the best pruning to ``n_leaves`` leaves into another tree; return its number of nodes."""
    stack = np.empty((n_leaves + 2, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = 0, n_leaves
    n_open, n_nodes = 1, 0
    while n_open > 0:
        n_open -= 1
        node, leaves = stack[n_open, 0], stack[n_open, 1]
        if leaves == 1:
            target[ATTRIBUTE, n_nodes], target[VALUE, n_nodes] = LEAF, found.label[node]
        else:
            target[ATTRIBUTE, n_nodes], target[VALUE, n_nodes] = draft[ATTRIBUTE, node], draft[VALUE, node]
            left = found.n_left[found.first[node] + leaves - 1]
            stack[n_open, 0], stack[n_open, 1] = node + 1 + draft[SPAN, node + 1], leaves - left
            stack[n_open + 1, 0], stack[n_open + 1, 1] = node + 1, left
            n_open += 2
        n_nodes += 1
    return n_nodes
