"""Entering a node: its test, and what it makes of the instances that come here.

A new node is given the test of best gain ratio (`candidates`), or if there is none, is a leaf. A node of a
branch that was raised keeps its test and counts the instances anew.
"""

from __future__ import annotations

import numpy as np

from gatree.j48.candidates import best_attribute, kind_of
from gatree.j48.gain import Limits
from gatree.j48.growing import Growing, become_leaf
from gatree.j48.options import Options
from gatree.j48.problem import Cells
from gatree.j48.room import Room, Search
from gatree.j48.tables import (
    NUMERIC,
    Branches,
    Classes,
    Floats,
    Sample,
    add_known,
    add_missing,
    clear,
    equal,
    fill_shares,
    greater,
    majority,
    weigh,
)
from gatree.j48.threshold import occurring_threshold
from gatree.kernels.decorators import lean


@lean
def choose_test(
    node: np.void, counts: Floats, cells: Cells, sample: Sample, options: Options, room: Room, search: Search
) -> None:
    """Give a new node its test, and fill in the table of it; or leave it a leaf."""
    become_leaf(node)
    weigh(counts, cells.classes, sample)
    if greater(2 * options.least, counts[-1]) or equal(counts[-1], counts[majority(counts)]):
        return
    limits = Limits(options.least, counts[-1])
    attribute = best_attribute(cells, sample, limits, options.binary, search, room.table, search.unsorted)
    if attribute < 0:
        return
    chosen, column = search.candidates[attribute], cells.values[attribute]
    node["attribute"], node["threshold"] = attribute, chosen["threshold"]
    node["kind"] = kind_of(chosen["n_values"], options.binary)
    if node["kind"] == NUMERIC:
        node["threshold"] = occurring_threshold(column, chosen["threshold"])
    node["n_children"], node["is_empty"] = chosen["stop"] - chosen["first"] - 1, False
    table, branches = room.table[: node["n_children"] + 1], room.branches[: node["n_children"]]
    for row in range(len(table)):
        for label in range(table.shape[1]):
            table[row, label] = search.tables[chosen["first"] + row, label]
    fill_shares(branches, table, table[-1, -1])
    add_missing(table, column, cells.classes, sample, branches)


@lean
def tabulate(
    table: Floats, node: np.void, column: Floats, classes: Classes, sample: Sample, branches: Branches
) -> None:
    """Fill in the table of a node's test for a sample, and its branches' shares."""
    clear(table)
    add_known(table, column, classes, sample, node["kind"], node["threshold"])
    fill_shares(branches, table, table[-1, -1])
    add_missing(table, column, classes, sample, branches)
    fill_shares(branches, table, table[-1, -1])


@lean
def put_table(growing: Growing, node: int, table: Floats) -> None:
    """Let a node and the branches to its children have the weights of a table."""
    first_child = growing.nodes[node]["first_child"]
    for label in range(table.shape[1]):
        growing.counts[node, label] = table[-1, label]
        for branch in range(len(table) - 1):
            growing.branch_counts[first_child + branch, label] = table[branch, label]
