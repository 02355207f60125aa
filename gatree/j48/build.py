"""Build a tree in one kernel: growing, collapsing and C4.5's error-based pruning; reduced-error pruning.

A node is entered and gets a test, its instances are sent to its children, and it is left when its subtree is
finished. Leaving it may cut off the subtree, or raise a branch into its place, which is then entered again
with the node's instances. `flat` writes the remaining tree in preorder.

Reduced-error pruning (`prune_by_held_out`) comes afterwards: a leaf replaces a subtree if it makes no more
errors on held-out instances.
"""

from __future__ import annotations

import numpy as np

from gatree.j48.estimates import Confidence, estimated_errors
from gatree.j48.growing import DONE, LEAF, MORE_NODES, MORE_PLACES, PAUSED, Growing, make_leaf, push, spread
from gatree.j48.problem import Cells, NodeScratch, SplitSearch
from gatree.j48.settings import Options
from gatree.j48.tables import (
    NUMERIC,
    Sample,
    add_known,
    add_missing,
    at_least,
    clear,
    equal,
    fill_shares,
    majority,
    n_errors,
    weigh,
)
from gatree.j48.tree import Nodes
from gatree.j48.visit import (
    CUT,
    KEPT,
    OUT_OF_ROOM,
    RAISED,
    choose_test,
    is_useless,
    prune,
    store_table,
    tabulate,
)
from gatree.kernels.decorators import inlined, lean

ENTER, SEND, LEAVE = 0, 1, 2
_SORTED = 16  # steps per value to find a test, for sorting


@lean
def build(growing: Growing, cells: Cells, options: Options, scratch: NodeScratch, search: SplitSearch) -> int:
    """Build the tree whose root is on the stack; return `DONE`, or why it is not finished."""
    growing, cells, scratch, search = (
        Growing(*growing),
        Cells(*cells),
        NodeScratch(*scratch),
        SplitSearch(*search),
    )
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
            status = send_down(growing, todo, cells, scratch, ENTER, LEAVE)
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
        store_table(growing, index, scratch.table[: node["n_children"] + 1])
        todo["step"] = SEND
    return DONE


@lean
def send_down(
    growing: Growing, todo: np.void, cells: Cells, scratch: NodeScratch, enter: int, leave: int
) -> int:
    """Send a node's instances to its children, and push the children on the stack."""
    node, stop = growing.nodes[todo["node"]], todo["stop"]
    first_child, branches = node["first_child"], scratch.branches[: node["n_children"]]
    table = growing.branch_counts[first_child : first_child + len(branches)]
    fill_shares(branches, table, growing.counts[todo["node"], -1])
    sample, column = growing.pool[todo["start"] : stop], cells.values[node["attribute"]]
    growing.done[0]["work"] += len(sample) * len(branches)
    if not spread(growing.pool, sample, stop, column, node["kind"], node["threshold"], branches):
        return MORE_PLACES
    todo["step"] = leave
    for branch in range(len(branches)):
        end = branches[branch]["end"]
        push(growing.stack, growing.done[0], enter, first_child + branch, stop, end, todo["is_new"])
        stop = end
    return DONE


@lean
def _leave(growing: Growing, todo: np.void, cells: Cells, options: Options, scratch: NodeScratch) -> int:
    node, counts, done = growing.nodes[todo["node"]], growing.counts[todo["node"]], growing.done[0]
    outcome = KEPT
    if todo["is_new"] and options.collapses and is_useless(growing.nodes, node, counts):
        outcome = CUT
    elif options.prunes:
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


_ENTER, _LEAVE = 0, 1


@lean
def prune_by_held_out(growing: Growing, cells: Cells, scratch: NodeScratch) -> int:
    """Prune the tree whose root is on the stack with held-out instances; return what `build` returns."""
    growing, cells, scratch = Growing(*growing), Cells(*cells), NodeScratch(*scratch)
    done, status = growing.done[0], DONE
    while done["height"] > 0 and status == DONE:
        todo = growing.stack[done["height"] - 1]
        if todo["step"] == _LEAVE or growing.nodes[todo["node"]]["attribute"] == LEAF:
            _leave_by_held_out(growing, todo, cells, scratch)
            done["height"] -= 1
        else:
            status = send_down(growing, todo, cells, scratch, _ENTER, _LEAVE)
    return status


@inlined
def _leave_by_held_out(growing: Growing, todo: np.void, cells: Cells, scratch: NodeScratch) -> None:
    index, held_out = todo["node"], growing.pool[todo["start"] : todo["stop"]]
    node, label, counts = growing.nodes[index], majority(growing.counts[index]), scratch.table[0]
    weigh(counts, cells.classes, held_out)
    errors_leaf = counts[-1] - counts[label]
    node["errors"] = errors_leaf
    if node["attribute"] == LEAF:
        return
    errors = _errors_below(growing, index, cells, scratch, held_out, label)
    if at_least(errors, errors_leaf):
        make_leaf(node)
    else:
        node["errors"] = errors


@inlined
def _errors_below(
    growing: Growing, index: int, cells: Cells, scratch: NodeScratch, held_out: Sample, label: int
) -> float:
    """Return the errors below a node; a branch without training instances predicts the node's class."""
    node = growing.nodes[index]
    first, n_children = node["first_child"], node["n_children"]
    table, branches = scratch.table[: n_children + 1], scratch.branches[:n_children]
    column, classes = cells.values[node["attribute"]], cells.classes
    trained_on = growing.branch_counts[first : first + n_children]
    clear(table)
    add_known(table, column, classes, held_out, node["kind"], node["threshold"])
    fill_shares(branches, trained_on, growing.counts[index, -1])
    add_missing(table, column, classes, held_out, branches)
    errors = 0.0
    for branch in range(n_children):
        if equal(trained_on[branch, -1], 0.0):
            errors += table[branch, -1] - table[branch, label]
        else:
            errors += growing.nodes[first + branch]["errors"]
    return errors
