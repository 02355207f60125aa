"""Move thresholds to the middle of their gaps, and compute the errors of a front's trees on held-out data."""

from __future__ import annotations

from typing import Any, NamedTuple

from gatree.front.gaps import Scale, center, middles
from gatree.front.regression.archive import Archive, load
from gatree.front.regression.numbers import Floats, Longs, Numbers
from gatree.front.regression.prune import weigh
from gatree.front.regression.room import Bench, Room
from gatree.front.room import ATTRIBUTE, SPAN, VALUE, Draft
from gatree.kernels.decorators import branching, inlined, lean
from gatree.trees.genome import LEAF


class Trial(NamedTuple):
    """The data that the trees of a front are evaluated on, and the results."""

    codes: Any  # [attribute, instance] of the held-out instances
    target: Longs  # [instance]
    leaf_of: Longs  # [instance], of the current tree
    scale: Scale
    use_gaps: bool  # whether thresholds move to the middle of their gaps
    best: Longs  # [rung]: the rung up to it whose tree explains most
    shrinkages: Floats
    errors: Floats  # [shrinkage, rung]: the sum of all squared or absolute errors
    squares: Floats  # [shrinkage, rung]: the sum of their squares
    middle: Floats  # [node of the front]: the middle of its gap, or infinity if there is none


@branching
def try_out(bench: Bench, archive: Archive, trial: Trial) -> None:
    """Write the errors of every rung's best tree, and the middles of its gaps."""
    numbers, room, draft = bench.numbers, bench.room, bench.one
    for rung in range(len(archive.size)):
        if trial.best[rung] != rung:
            for row in range(len(trial.shrinkages)):
                trial.errors[row, rung] = trial.errors[row, rung - 1]
                trial.squares[row, rung] = trial.squares[row, rung - 1]
            continue
        n_nodes = load(archive, rung, draft)
        weigh(numbers, room, draft, n_nodes)
        if trial.use_gaps:
            middles(numbers.cases, trial.scale, draft, n_nodes, room.gaps, room.middle)
            for node in range(n_nodes):
                trial.middle[archive.first[rung] + node] = room.middle[node]
            center(numbers.cases, trial.scale, draft, n_nodes, room.gaps, room.middle)
        for instance in range(len(trial.target)):
            trial.leaf_of[instance] = _leaf_of(numbers, draft, trial.codes, instance)
        for row in range(len(trial.shrinkages)):
            shrink(room, draft, n_nodes, trial.shrinkages[row])
            total, squares = 0.0, 0.0
            for instance in range(len(trial.target)):
                off = float(trial.target[instance]) - room.shrunk[trial.leaf_of[instance]]
                error = abs(off) if numbers.absolute else off * off
                total, squares = total + error, squares + error * error
            trial.errors[row, rung], trial.squares[row, rung] = total, squares


@lean
def shrink(room: Room, draft: Draft, n_nodes: int, shrinkage: float) -> None:
    """Write the shrunk prediction of every node, given the results of `weigh`.

    The difference between a node and its parent, of n instances, is multiplied by n / (n + shrinkage)
    (hierarchical shrinkage: Agarwal et al., 2022).
    """
    room.shrunk[0] = room.value[0]
    for node in range(n_nodes):
        if draft[ATTRIBUTE, node] != LEAF:
            left = node + 1
            share = room.n_here[node] / (room.n_here[node] + shrinkage) if room.n_here[node] > 0 else 0.0
            for child in (left, left + draft[SPAN, left]):
                room.shrunk[child] = room.shrunk[node] + share * (room.value[child] - room.value[node])


@inlined
def _leaf_of(numbers: Numbers, draft: Draft, codes: Any, instance: int) -> int:
    node = 0
    while draft[ATTRIBUTE, node] != LEAF:
        attribute = draft[ATTRIBUTE, node]
        code, value = codes[attribute, instance], draft[VALUE, node]
        passes = code <= value if numbers.cases.is_numeric[attribute] else code == value
        node = node + 1 if passes else node + 1 + draft[SPAN, node + 1]
    return node
