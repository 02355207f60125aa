"""The steps at a node: entering it, which selects its test, and leaving it when its subtree is finished.

On leaving, collapsing drops a split that does not lower the training errors. Error-based pruning compares the
upper confidence bounds of the errors of the subtree, of a leaf in its place, and of its largest branch raised
into its place (with the node's instances redistributed over that branch).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gatree.j48.candidates import best_attribute, kind_of, occurring_threshold
from gatree.j48.estimates import SplitLimits, estimated_errors
from gatree.j48.growing import LEAF, Growing, make_leaf, push, spread
from gatree.j48.problem import Cells, NodeScratch, SplitSearch
from gatree.j48.settings import Options
from gatree.j48.tables import (
    NUMERIC,
    Branches,
    Classes,
    Floats,
    Sample,
    add_known,
    add_missing,
    at_least,
    clear,
    equal,
    fill_shares,
    greater,
    majority,
    n_errors,
    weigh,
)
from gatree.kernels.decorators import lean


@lean
def choose_test(
    node: np.void,
    counts: Floats,
    cells: Cells,
    sample: Sample,
    options: Options,
    scratch: NodeScratch,
    search: SplitSearch,
) -> None:
    """Select the test of a new node and fill in its table, or make it a leaf."""
    make_leaf(node)
    weigh(counts, cells.classes, sample)
    if greater(2 * options.least, counts[-1]) or equal(counts[-1], counts[majority(counts)]):
        return
    limits = SplitLimits(options.least, counts[-1])
    attribute = best_attribute(cells, sample, limits, options.binary, search, scratch.table, search.unsorted)
    if attribute < 0:
        return
    chosen, column = search.candidates[attribute], cells.values[attribute]
    node["attribute"], node["threshold"] = attribute, chosen["threshold"]
    node["kind"] = kind_of(chosen["n_values"], options.binary)
    if node["kind"] == NUMERIC:
        node["threshold"] = occurring_threshold(column, chosen["threshold"])
    node["n_children"], node["is_empty"] = chosen["stop"] - chosen["first"] - 1, False
    table, branches = scratch.table[: node["n_children"] + 1], scratch.branches[: node["n_children"]]
    for row in range(len(table)):
        for label in range(table.shape[1]):
            table[row, label] = search.tables[chosen["first"] + row, label]
    fill_shares(branches, table, table[-1, -1])
    add_missing(table, column, cells.classes, sample, branches)


@lean
def tabulate(
    table: Floats, node: np.void, column: Floats, classes: Classes, sample: Sample, branches: Branches
) -> None:
    """Compute the table of a node's test for a sample, and the shares of its branches."""
    clear(table)
    add_known(table, column, classes, sample, node["kind"], node["threshold"])
    fill_shares(branches, table, table[-1, -1])
    add_missing(table, column, classes, sample, branches)
    fill_shares(branches, table, table[-1, -1])


@lean
def store_table(growing: Growing, node: int, table: Floats) -> None:
    """Copy the weights of a table to a node and the branches to its children."""
    first_child = growing.nodes[node]["first_child"]
    for label in range(table.shape[1]):
        growing.counts[node, label] = table[-1, label]
        for branch in range(len(table) - 1):
            growing.branch_counts[first_child + branch, label] = table[branch, label]


# A subtree must save more than this many errors to be kept, as in C4.5.
_WORTH_KEEPING = 0.1
# A split must lower the training errors by more than this to survive the collapse.
_WORTH_SPLITTING = 1e-3
_NO_ROOM = -1.0

KEPT, CUT, RAISED, OUT_OF_ROOM = 0, 1, 2, 3


@lean
def is_useless(nodes: NDArray[np.void], node: np.void, counts: Floats) -> bool:
    """Return whether an unpruned subtree makes as many training errors as a leaf."""
    errors = 0.0
    for child in range(node["first_child"], node["first_child"] + node["n_children"]):
        errors += nodes[child]["training_errors"]
    node["training_errors"] = errors
    return errors >= n_errors(counts) - _WORTH_SPLITTING


@lean
def prune(growing: Growing, todo: np.void, cells: Cells, options: Options, scratch: NodeScratch) -> int:
    """Prune a node if its estimated errors do not rise (C4.5's error-based pruning)."""
    node, errors, errors_raised = growing.nodes[todo["node"]], 0.0, math.inf
    largest, weight = node["first_child"], 0.0  # the largest branch, the last one among equals
    for child in range(node["first_child"], node["first_child"] + node["n_children"]):
        errors += growing.nodes[child]["errors"]
        if at_least(growing.branch_counts[child, -1], weight):
            largest, weight = child, growing.branch_counts[child, -1]
    if options.raises:
        errors_raised = _errors_if_raised(growing, todo, largest, cells, options, scratch)
        if errors_raised == _NO_ROOM:
            return OUT_OF_ROOM
    errors_leaf = estimated_errors(growing.counts[todo["node"]], options.confidence)
    node["errors"] = errors
    if at_least(min(errors, errors_raised) + _WORTH_KEEPING, errors_leaf):
        return CUT
    if at_least(errors + _WORTH_KEEPING, errors_raised):
        _raise(node, growing.nodes[largest])
        return RAISED
    return KEPT


@lean
def _raise(node: np.void, branch: np.void) -> None:
    """Replace a node by one of its branches."""
    node["attribute"], node["kind"], node["threshold"] = (
        branch["attribute"],
        branch["kind"],
        branch["threshold"],
    )
    node["first_child"], node["n_children"] = branch["first_child"], branch["n_children"]


@lean
def _errors_if_raised(
    growing: Growing, leaving: np.void, branch: int, cells: Cells, options: Options, scratch: NodeScratch
) -> float:
    """Return the estimated errors of a branch on all instances of its parent, or `_NO_ROOM`."""
    nodes, pool, stack, done, classes = (
        growing.nodes,
        growing.pool,
        growing.stack,
        growing.done[0],
        cells.classes,
    )
    errors, height = 0.0, done["height"]
    push(stack, done, 0, branch, leaving["start"], leaving["stop"], False)
    while done["height"] > height:
        done["height"] -= 1
        todo = stack[done["height"]]
        node, stop = nodes[todo["node"]], todo["stop"]
        sample = pool[todo["start"] : stop]
        done["work"] += len(sample) * max(1, node["n_children"])
        if done["work"] > done["most_work"]:
            done["height"] = height
            return _NO_ROOM  # for whatever it would have found, the tree is given up
        if node["attribute"] == LEAF:
            weigh(scratch.table[0], classes, sample)
            errors += estimated_errors(scratch.table[0], options.confidence)
            continue
        table, branches = scratch.table[: node["n_children"] + 1], scratch.branches[: node["n_children"]]
        column = cells.values[node["attribute"]]
        tabulate(table, node, column, classes, sample, branches)
        if not spread(pool, sample, stop, column, node["kind"], node["threshold"], branches):
            done["height"] = height
            return _NO_ROOM
        for child in range(node["n_children"]):
            push(stack, done, 0, node["first_child"] + child, stop, branches[child]["end"], False)
            stop = branches[child]["end"]
    return errors
