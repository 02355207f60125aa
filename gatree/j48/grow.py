"""Growing the tree: at every node, the attribute whose test has the best gain ratio.

Only tests of at least average gain compete (a ratio alone would favour lopsided splits). Whatever
is chosen, a numeric threshold then moves down to a value that occurs in the training data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from gatree.j48.problem import J48Problem, Sample, weigh
from gatree.j48.settings import J48Settings
from gatree.j48.split import Split, best_split
from gatree.j48.tables import NUMERIC, TOLERANCE, Floats, add_missing, at_least, equal, greater, majority
from gatree.jit import jit

# A test competes if its gain is at most this much below the average, as in C4.5.
_BELOW_AVERAGE = 1e-3
# A nominal attribute with more values than this share of the instances does not count in the average.
_MANY_VALUES = 0.3


@dataclass(eq=False, slots=True)
class Node:
    """A node while the tree is being built; without a split it is a leaf."""

    sample: Sample
    held_out: Sample | None
    counts: Floats  # the weight of every class, and the sum
    split: Split | None = None
    children: list[Node] = field(default_factory=list)
    is_empty: bool = False
    errors: float = 0.0  # of the subtree, by the measure of the pruning in progress

    def become_leaf(self) -> None:
        """Cut off everything below."""
        self.split = None
        self.children = []


def preorder(root: Node) -> Iterator[Node]:
    """Yield the nodes of a tree, parents before children, without recursion."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.children))


def grow(problem: J48Problem, sample: Sample, held_out: Sample | None, settings: J48Settings) -> Node:
    """Return the full tree; held-out instances are sent down along with the training ones."""
    root = Node(sample, held_out, weigh(problem, sample))
    pending = [root]
    while pending:
        node = pending.pop()
        node.split = select_split(problem, node, settings)
        if node.split is None:
            node.is_empty = equal(node.counts[-1], 0.0)
            continue
        node.counts = node.split.table[-1]
        node.children = _children(problem, node, node.split)
        pending.extend(node.children)
    return root


def _children(problem: J48Problem, node: Node, split: Split) -> list[Node]:
    samples = split.spread(problem, node.sample)
    held_out = [None] * len(samples) if node.held_out is None else split.spread(problem, node.held_out)
    return [
        Node(sample, test, weigh(problem, sample)) for sample, test in zip(samples, held_out, strict=True)
    ]


def select_split(problem: J48Problem, node: Node, settings: J48Settings) -> Split | None:
    """Return the test for a node, or None if it should be a leaf."""
    total = node.counts[-1]
    if greater(2 * settings.min_instances, total) or equal(total, node.counts[majority(node.counts)]):
        return None
    found = [
        best_split(problem, node.sample, attribute, total, settings.min_instances, settings.binary_splits)
        for attribute in range(len(problem.n_values))
    ]
    best = _best_ratio(problem, [split for split in found if split is not None])
    if best is None:
        return None
    column = problem.values[best.attribute]
    add_missing(best.table, column, problem.classes, *node.sample, best.shares)
    if best.kind == NUMERIC:
        return replace(best, threshold=occurring_threshold(column, best.threshold))
    return best


def _best_ratio(problem: J48Problem, splits: list[Split]) -> Split | None:
    """Return the split of largest gain ratio among those of about average gain or more."""
    few_valued = [split for split in splits if _counts_in_average(problem, split.attribute)]
    if not few_valued:
        return None
    average = sum(split.gain for split in few_valued) / len(few_valued)
    best, largest = None, 0.0
    for split in splits:
        if split.gain >= average - _BELOW_AVERAGE and greater(split.gain_ratio, largest):
            best, largest = split, split.gain_ratio
    return best


def _counts_in_average(problem: J48Problem, attribute: int) -> bool:
    limit = _MANY_VALUES * len(problem.classes) - TOLERANCE
    few_valued = [n_values is None or n_values < limit for n_values in problem.n_values]
    return few_valued[attribute] or not any(few_valued)


@jit
def occurring_threshold(column: Floats, threshold: float) -> float:
    """Return the largest value in the training data that is not above the threshold."""
    largest = -1.7976931348623157e308
    for value in column:
        if greater(value, largest) and at_least(threshold, value):
            largest = value
    return largest
