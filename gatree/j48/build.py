"""Build a tree in one kernel: growing, collapsing and C4.5's error-based pruning; reduced-error pruning.

A node is entered and gets a test, its instances are sent to its children, and it is left when its subtree is
finished. On leaving, collapsing drops a split that does not lower the training errors. Error-based pruning
compares the upper confidence bounds of the errors of the subtree, of a leaf in its place, and of its largest
branch raised into its place, which is then entered again with the node's instances. `flat` writes the
remaining tree in preorder.

Reduced-error pruning (`prune_by_held_out`) comes afterwards: a leaf replaces a subtree if it makes no more
errors on held-out instances.
"""

from __future__ import annotations

import math

import numpy as np

from gatree.j48.candidates import best_attribute, occurring_threshold
from gatree.j48.estimates import Confidence, SplitLimits, estimated_errors
from gatree.j48.growing import DONE, LEAF, MORE_NODES, MORE_PLACES, PAUSED, Growing, make_leaf, push, spread
from gatree.j48.problem import IS_NUMERIC, Cells, NodeScratch, SplitSearch
from gatree.j48.settings import Options
from gatree.j48.tables import (
    EVERY_VALUE,
    NUMERIC,
    ONE_VALUE,
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
from gatree.j48.tree import Nodes
from gatree.kernels.decorators import lean

ENTER, SEND, LEAVE = 0, 1, 2
KEPT, CUT, RAISED, OUT_OF_ROOM = 0, 1, 2, 3  # what becomes of a node on leaving it
_SORTED = 16  # steps per value to find a test, for sorting
_WORTH_KEEPING = 0.1  # a subtree must save more errors than this to be kept, as in C4.5
_WORTH_SPLITTING = 1e-3  # a split must lower the training errors by more than this to survive the collapse
_NO_ROOM = -1.0


@lean
def build(growing: Growing, cells: Cells, options: Options, scratch: NodeScratch, search: SplitSearch) -> int:
    """Build the tree whose root is on the stack; return `DONE`, or why it is not finished."""
    growing, cells = Growing(*growing), Cells(*cells)
    scratch, search = NodeScratch(*scratch), SplitSearch(*search)
    least, binary, collapses, prunes, raises, confidence = options
    options = Options(least, binary, collapses, prunes, raises, Confidence(*confidence))
    done, status = growing.done[0], DONE
    while done["height"] > 0 and status == DONE:
        if done["work"] > done["pause_at"]:
            return PAUSED
        todo = growing.stack[done["height"] - 1]
        if todo["step"] == ENTER:
            status = _enter(growing, todo, cells, options, scratch, search)
        elif todo["step"] == SEND:
            status = send_down(growing, todo, cells, scratch)
        else:
            status = _leave(growing, todo, cells, options, scratch)
    return status


@lean
def _enter(
    growing: Growing, todo: np.void, cells: Cells, options: Options, scratch: NodeScratch, search: SplitSearch
) -> int:
    index, done, sample = todo["node"], growing.done[0], growing.pool[todo["start"] : todo["stop"]]
    node, counts = growing.nodes[index], growing.counts[index]
    if todo["is_new"]:
        if done["n_nodes"] + len(scratch.branches) > len(growing.nodes):
            return MORE_NODES
        done["work"] += len(sample) * len(cells.values) * _SORTED
        choose_test(node, counts, cells, sample, options, scratch, search)
        node["first_child"] = done["n_nodes"]
        done["n_nodes"] += node["n_children"]
    elif node["attribute"] == LEAF:
        weigh(counts, cells.classes, sample)
    else:
        table, branches = scratch.table[: node["n_children"] + 1], scratch.branches[: node["n_children"]]
        tabulate(table, node, cells.values[node["attribute"]], cells.classes, sample, branches)
    if node["attribute"] == LEAF:
        node["training_errors"] = n_errors(counts)
        node["is_empty"] = equal(counts[-1], 0.0) and (todo["is_new"] or node["is_empty"])
        if options.prunes:
            node["errors"] = estimated_errors(counts, options.confidence)
        done["height"] -= 1
    else:
        for label in range(len(counts)):
            counts[label] = scratch.table[node["n_children"], label]
            for branch in range(node["n_children"]):
                growing.branch_counts[node["first_child"] + branch, label] = scratch.table[branch, label]
        todo["step"] = SEND
    return DONE


@lean
def send_down(growing: Growing, todo: np.void, cells: Cells, scratch: NodeScratch) -> int:
    """Send a node's instances to its children, and push the children on the stack."""
    node, stop = growing.nodes[todo["node"]], todo["stop"]
    first_child, branches = node["first_child"], scratch.branches[: node["n_children"]]
    table = growing.branch_counts[first_child : first_child + len(branches)]
    fill_shares(branches, table, growing.counts[todo["node"], -1])
    sample, column = growing.pool[todo["start"] : stop], cells.values[node["attribute"]]
    growing.done[0]["work"] += len(sample) * len(branches)
    if not spread(growing.pool, sample, stop, column, node["kind"], node["threshold"], branches):
        return MORE_PLACES
    todo["step"] = LEAVE
    for branch in range(len(branches)):
        end = branches[branch]["end"]
        push(growing.stack, growing.done[0], ENTER, first_child + branch, stop, end, todo["is_new"])
        stop = end
    return DONE


@lean
def _leave(growing: Growing, todo: np.void, cells: Cells, options: Options, scratch: NodeScratch) -> int:
    node, counts, done = growing.nodes[todo["node"]], growing.counts[todo["node"]], growing.done[0]
    outcome = KEPT
    if todo["is_new"] and options.collapses:
        errors = 0.0
        for child in range(node["first_child"], node["first_child"] + node["n_children"]):
            errors += growing.nodes[child]["training_errors"]
        node["training_errors"] = errors
        if errors >= n_errors(counts) - _WORTH_SPLITTING:
            outcome = CUT
    if options.prunes and outcome == KEPT:
        outcome = prune(growing, todo, cells, options, scratch)
    if outcome == OUT_OF_ROOM:
        return MORE_PLACES
    if outcome == RAISED:
        todo["step"], todo["is_new"] = ENTER, False
        return DONE
    if outcome == CUT:
        make_leaf(node)
        if options.prunes:
            node["errors"] = estimated_errors(counts, options.confidence)
        if todo["is_new"]:  # its descendants are the last nodes
            done["n_nodes"] = node["first_child"]
    done["height"] -= 1
    return DONE


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
    node["kind"] = ONE_VALUE if options.binary else EVERY_VALUE
    if chosen["n_values"] == IS_NUMERIC:
        node["kind"], node["threshold"] = NUMERIC, occurring_threshold(column, chosen["threshold"])
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
        raised = growing.nodes[largest]
        node["attribute"], node["kind"] = raised["attribute"], raised["kind"]
        node["threshold"], node["first_child"] = raised["threshold"], raised["first_child"]
        node["n_children"] = raised["n_children"]
        return RAISED
    return KEPT


@lean
def _errors_if_raised(
    growing: Growing, leaving: np.void, branch: int, cells: Cells, options: Options, scratch: NodeScratch
) -> float:
    """Return the estimated errors of a branch on all instances of its parent, or `_NO_ROOM`."""
    pool, stack, done = growing.pool, growing.stack, growing.done[0]
    errors, height = 0.0, done["height"]
    push(stack, done, 0, branch, leaving["start"], leaving["stop"], False)
    while done["height"] > height:
        done["height"] -= 1
        todo = stack[done["height"]]
        node, stop = growing.nodes[todo["node"]], todo["stop"]
        sample = pool[todo["start"] : stop]
        done["work"] += len(sample) * max(1, node["n_children"])
        if done["work"] > done["most_work"]:
            done["height"] = height
            return _NO_ROOM  # for whatever it would have found, the tree is given up
        if node["attribute"] == LEAF:
            weigh(scratch.table[0], cells.classes, sample)
            errors += estimated_errors(scratch.table[0], options.confidence)
            continue
        table, branches = scratch.table[: node["n_children"] + 1], scratch.branches[: node["n_children"]]
        column = cells.values[node["attribute"]]
        tabulate(table, node, column, cells.classes, sample, branches)
        if not spread(pool, sample, stop, column, node["kind"], node["threshold"], branches):
            done["height"] = height
            return _NO_ROOM
        for child in range(node["n_children"]):
            push(stack, done, 0, node["first_child"] + child, stop, branches[child]["end"], False)
            stop = branches[child]["end"]
    return errors


def flat(growing: Growing) -> Nodes:
    """Return the finished tree in preorder."""
    first_child, n_children = growing.nodes["first_child"].tolist(), growing.nodes["n_children"].tolist()
    order: list[int] = []
    parent: list[int] = []
    children: list[list[int]] = []
    pending = [(0, 0)]
    while pending:
        index, above = pending.pop()
        here, first = len(order), first_child[index]
        if here > 0:
            children[above].append(here)
        order.append(index)
        parent.append(above)
        children.append([])
        pending += [(child, here) for child in reversed(range(first, first + n_children[index]))]
    grown, branch_counts = growing.nodes[order], growing.branch_counts[order]
    is_leaf, branch_counts[0] = grown["attribute"] == LEAF, growing.counts[0]
    return Nodes(
        attribute=grown["attribute"],
        kind=np.where(is_leaf, NUMERIC, grown["kind"]),
        threshold=np.where(is_leaf, np.nan, grown["threshold"]),
        parent=np.array(parent),
        children=children,
        counts=growing.counts[order],
        branch_counts=branch_counts,
        is_empty=grown["is_empty"],
    )


@lean
def prune_by_held_out(growing: Growing, cells: Cells, scratch: NodeScratch) -> int:
    """Prune the tree whose root is on the stack with held-out instances; return what `build` returns."""
    growing, cells, scratch = Growing(*growing), Cells(*cells), NodeScratch(*scratch)
    done, status = growing.done[0], DONE
    while done["height"] > 0 and status == DONE:
        todo = growing.stack[done["height"] - 1]
        if todo["step"] == LEAVE or growing.nodes[todo["node"]]["attribute"] == LEAF:
            _leave_by_held_out(growing, todo, cells, scratch)
            done["height"] -= 1
        else:
            status = send_down(growing, todo, cells, scratch)
    return status


@lean
def _leave_by_held_out(growing: Growing, todo: np.void, cells: Cells, scratch: NodeScratch) -> None:
    """Prune a node; a branch without training instances predicts the node's class."""
    index, held_out = todo["node"], growing.pool[todo["start"] : todo["stop"]]
    node, label, counts = growing.nodes[index], majority(growing.counts[index]), scratch.table[0]
    weigh(counts, cells.classes, held_out)
    errors_leaf = counts[-1] - counts[label]
    node["errors"] = errors_leaf
    if node["attribute"] == LEAF:
        return
    first, n_children = node["first_child"], node["n_children"]
    table, branches = scratch.table[: n_children + 1], scratch.branches[:n_children]
    column, trained_on = cells.values[node["attribute"]], growing.branch_counts[first : first + n_children]
    clear(table)
    add_known(table, column, cells.classes, held_out, node["kind"], node["threshold"])
    fill_shares(branches, trained_on, growing.counts[index, -1])
    add_missing(table, column, cells.classes, held_out, branches)
    errors = 0.0
    for branch in range(n_children):
        if equal(trained_on[branch, -1], 0.0):
            errors += table[branch, -1] - table[branch, label]
        else:
            errors += growing.nodes[first + branch]["errors"]
    if at_least(errors, errors_leaf):
        make_leaf(node)
    else:
        node["errors"] = errors
