"""Growing the tree: at every node, the attribute whose test has the best gain ratio.

Whatever is chosen (`candidates`), a numeric threshold then moves down to a value that occurs in the training
data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gatree.j48.candidates import Candidates, best_attribute, best_nominal_attribute
from gatree.j48.problem import J48Problem, Sample, weigh
from gatree.j48.settings import J48Settings
from gatree.j48.split import Split
from gatree.j48.tables import NUMERIC, Floats, add_missing, at_least, equal, greater, majority, shares_of
from gatree.jit import jit


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
    candidates = Candidates.of(problem, settings.binary_splits)
    pending = [root]
    while pending:
        node = pending.pop()
        node.split = select_split(problem, node, settings, candidates)
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


def select_split(
    problem: J48Problem, node: Node, settings: J48Settings, candidates: Candidates
) -> Split | None:
    """Return the test for a node, or None if it should be a leaf."""
    counts, least = node.counts.tolist(), float(settings.min_instances)
    if greater(2 * least, counts[-1]) or equal(counts[-1], counts[majority(counts)]):
        return None
    search = best_nominal_attribute if problem.all_nominal else best_attribute
    attribute = search(problem, node.sample, counts[-1], least, settings.binary_splits, candidates)
    if attribute < 0:
        return None
    kind, threshold = int(candidates.kind[attribute]), float(candidates.threshold[attribute])
    column, table = problem.values[attribute], candidates.table(attribute)
    add_missing(table, column, problem.classes, *node.sample, shares_of(table))
    if kind == NUMERIC:
        threshold = occurring_threshold(column, threshold)
    return Split(attribute, kind, threshold, table)


@jit
def occurring_threshold(column: Floats, threshold: float) -> float:
    """Return the largest value in the training data that is not above the threshold."""
    largest = -1.7976931348623157e308
    for value in column:
        if greater(value, largest) and at_least(threshold, value):
            largest = value
    return largest
