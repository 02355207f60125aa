"""Reduced-error pruning: a leaf in place of a subtree where it makes no more errors on held-out instances."""

from __future__ import annotations

import numpy as np

from gatree.j48.build import send_down
from gatree.j48.growing import DONE, LEAF, Growing, become_leaf
from gatree.j48.problem import Cells, Room
from gatree.j48.tables import (
    Sample,
    add_known,
    add_missing,
    at_least,
    clear,
    equal,
    fill_shares,
    majority,
    weigh,
)
from gatree.kernels.decorators import inlined, lean

_ENTER, _LEAVE = 0, 1


@lean
def prune_by_held_out(growing: Growing, cells: Cells, room: Room) -> int:
    """Prune a tree whose root lies on the stack with held-out instances; return what more is needed."""
    growing, cells, room = Growing(*growing), Cells(*cells), Room(*room)
    done, wants = growing.done[0], DONE
    while done["height"] > 0 and wants == DONE:
        todo = growing.stack[done["height"] - 1]
        if todo["step"] == _LEAVE or growing.nodes[todo["node"]]["attribute"] == LEAF:
            _leave(growing, todo, cells, room)
            done["height"] -= 1
        else:
            wants = send_down(growing, todo, cells, room, _ENTER, _LEAVE)
    return wants


@inlined
def _leave(growing: Growing, todo: np.void, cells: Cells, room: Room) -> None:
    index, held_out = todo["node"], growing.pool[todo["start"] : todo["stop"]]
    node, label, counts = growing.nodes[index], majority(growing.counts[index]), room.table[0]
    weigh(counts, cells.classes, held_out)
    errors_leaf = counts[-1] - counts[label]
    node["errors"] = errors_leaf
    if node["attribute"] == LEAF:
        return
    errors = _errors_below(growing, index, cells, room, held_out, label)
    if at_least(errors, errors_leaf):
        become_leaf(node)
    else:
        node["errors"] = errors


@inlined
def _errors_below(
    growing: Growing, index: int, cells: Cells, room: Room, held_out: Sample, label: int
) -> float:
    """Return the errors below a node; a branch without training instances predicts the node's class."""
    node = growing.nodes[index]
    first, n_children = node["first_child"], node["n_children"]
    table, branches = room.table[: n_children + 1], room.branches[:n_children]
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
