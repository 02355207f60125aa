"""Making the tree smaller: collapsing, C4.5's error-based pruning, and reduced-error pruning.

Collapsing drops splits that do not lower the training errors. Error-based pruning compares upper
confidence bounds of the errors of the subtree, of a leaf in its place, and of its largest branch
raised into its place (with the node's instances redistributed over that branch). Reduced-error
pruning counts the errors on held-out instances. None of it recurses: trees may be deep.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np

from gatree.j48.grow import Node, preorder
from gatree.j48.problem import J48Problem, Sample, weigh
from gatree.j48.settings import J48Settings
from gatree.j48.tables import Floats, at_least, equal, majority, n_errors

# A subtree must be better than this many errors to be kept, as in C4.5.
_WORTH_KEEPING = 0.1
# A split must lower the training errors by more than this to survive the collapse.
_WORTH_SPLITTING = 1e-3


def collapse(root: Node) -> None:
    """Turn into leaves the nodes whose subtrees make as many training errors as a leaf."""
    for node in reversed(list(preorder(root))):
        node.errors = sum(child.errors for child in node.children) if node.split else n_errors(node.counts)
    for node in preorder(root):
        if node.split and node.errors >= n_errors(node.counts) - _WORTH_SPLITTING:
            node.become_leaf()


def prune_by_confidence(root: Node, problem: J48Problem, settings: J48Settings) -> None:
    """Prune where the estimated errors do not rise (C4.5's error-based pruning)."""
    pending = list(preorder(root))  # popped from the end: children before their parents
    while pending:
        node = pending.pop()
        errors_leaf = estimated_errors(node.counts, settings.confidence)
        if node.split is None:
            node.errors = errors_leaf
            continue
        node.errors = sum(child.errors for child in node.children)
        largest = _largest_branch(node)
        errors_raised = math.inf
        if settings.subtree_raising:
            errors_raised = _errors_if_raised(problem, largest, node.sample, settings.confidence)
        if at_least(min(node.errors, errors_raised) + _WORTH_KEEPING, errors_leaf):
            node.become_leaf()
            node.errors = errors_leaf
        elif at_least(node.errors + _WORTH_KEEPING, errors_raised):
            node.split, node.children = largest.split, largest.children
            _redistribute(problem, node)
            pending.extend(preorder(node))


def estimated_errors(counts: Floats, confidence: float) -> float:
    """Return the errors of a leaf, raised to the upper confidence bound."""
    total, errors = float(counts[-1]), n_errors(counts)
    return 0.0 if equal(total, 0.0) else errors + extra_errors(total, errors, confidence)


def extra_errors(total: float, errors: float, confidence: float) -> float:
    """Return what the upper confidence bound adds to the observed errors of a leaf.

    The bound is the binomial one if there are no errors, the normal approximation with continuity
    correction from one error on, and interpolated between. The confidence is of single precision, and so
    is its difference to one, as in WEKA.
    """
    single = np.float32(confidence)
    confidence = float(single)
    if confidence > 0.5:
        return 0.0
    if errors < 1:
        none = total * (1 - math.pow(confidence, 1 / total))
        return none if errors == 0 else none + errors * (extra_errors(total, 1.0, confidence) - none)
    if errors + 0.5 >= total:
        return max(total - errors, 0.0)
    z = _quantile(float(np.float32(1) - single))
    rate = (errors + 0.5) / total
    deviation = math.sqrt(rate / total - rate * rate / total + z * z / (4 * total * total))
    bound = (rate + z * z / (2 * total) + z * deviation) / (1 + z * z / total)
    return bound * total - errors


_quantile = cache(NormalDist().inv_cdf)


def _largest_branch(node: Node) -> Node:
    """Return the child of largest weight, the last one among equals."""
    assert node.split is not None
    best, largest = node.children[0], 0.0
    for child, weight in zip(node.children, node.split.table[:-1, -1].tolist(), strict=True):
        if at_least(weight, largest):
            best, largest = child, weight
    return best


def _errors_if_raised(problem: J48Problem, branch: Node, sample: Sample, confidence: float) -> float:
    """Return the estimated errors of a branch if all its parent's instances went down it."""
    errors = 0.0
    pending = [(branch, sample)]
    while pending:
        node, arriving = pending.pop()
        if node.split is None:
            errors += estimated_errors(weigh(problem, arriving), confidence)
        else:
            samples = node.split.redistributed(problem, arriving).spread(problem, arriving)
            pending.extend(zip(node.children, samples, strict=True))
    return errors


def _redistribute(problem: J48Problem, root: Node) -> None:
    """Send a node's instances down its new subtree and count them there."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.split is None:
            node.counts = weigh(problem, node.sample)
            if not equal(node.counts[-1], 0.0):
                node.is_empty = False
            continue
        node.split = node.split.redistributed(problem, node.sample)
        node.counts = node.split.table[-1]
        for child, sample in zip(node.children, node.split.spread(problem, node.sample), strict=True):
            child.sample = sample
        pending.extend(node.children)


def prune_by_held_out(root: Node, problem: J48Problem) -> None:
    """Prune where a leaf makes no more errors on the held-out instances (reduced-error pruning)."""
    for node in reversed(list(preorder(root))):
        assert node.held_out is not None
        held_out = weigh(problem, node.held_out)
        label = majority(node.counts)
        errors_leaf = held_out[-1] - held_out[label]
        node.errors = errors_leaf if node.split is None else _held_out_errors(problem, node, label)
        if node.split and at_least(node.errors, errors_leaf):
            node.become_leaf()
            node.errors = errors_leaf


def _held_out_errors(problem: J48Problem, node: Node, label: int) -> float:
    """Return the errors below a node; a branch without training instances predicts the node's class."""
    assert node.split is not None
    assert node.held_out is not None
    table = node.split.tabulated(problem, node.held_out, node.split.shares)
    errors = 0.0
    for branch, child in enumerate(node.children):
        trained_on = node.split.table[branch, -1]
        errors += table[branch, -1] - table[branch, label] if equal(trained_on, 0.0) else child.errors
    return errors
