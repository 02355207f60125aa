"""Search for a front: greedy trees first, then evolution and local search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gatree.kernels.decorators import branching, lean
from gatree.smalltree.archive import NO_TREE, Archive, load, note_best_rungs, take_equals
from gatree.smalltree.draft import ATTRIBUTE, LABEL, MIDDLE, SCORE, SPAN, VALUE, Draft, copy_nodes
from gatree.smalltree.gaps import Scale, gaps, middles
from gatree.smalltree.grow import ENTROPY, GAIN_RATIO, GINI, MEANS
from gatree.smalltree.loop import POLISHING, evolve, offer_greedy, offer_prunings, polish, sweep_all
from gatree.smalltree.room import Bench
from gatree.smalltree.task import CORRECT_UNIT, Floats, Longs
from gatree.smalltree.worth import weigh_leaves
from gatree.trees.genome import LEAF


class Course(NamedTuple):
    """The parameters of a search."""

    polished: Longs  # the rungs that local search starts with
    n_parents: int  # the number of rungs that parents come from
    prefers_large: bool  # whether most parents are among the largest
    uniforms: Floats  # a row per offspring
    work: int  # the maximum number of steps for new offspring
    initial: Draft  # initial trees, one after the other


@branching
def search(bench: Bench, greedy: Archive, evolved: Archive, course: Course) -> None:
    """Fill a greedy and an evolved front. (One kernel, compiled only once.)

    Evolution drifts among trees that are equally good. Where it finds none better than the greedy tree, the
    greedy tree is kept: its tests are good from the root on, not by the chance of a search.
    """
    offer_greedy(bench, greedy, GINI if bench.task.are_classes else MEANS)
    take_equals(greedy, evolved)
    if bench.task.are_classes:
        for criterion in (ENTROPY, GAIN_RATIO):
            if bench.room.work[0] < course.work:  # on large data, the first tree takes more
                offer_greedy(bench, evolved, criterion)
    _offer_initial(bench, evolved, course.initial)
    polish(bench, evolved, course.polished, int(POLISHING * course.work))
    evolve(bench, evolved, course.n_parents, course.prefers_large, course.uniforms, course.work)
    take_equals(greedy, evolved)


@lean
def _offer_initial(bench: Bench, archive: Archive, trees: Draft) -> None:
    """Offer the best prunings of the initial trees."""
    begin = 0
    while begin < trees.shape[1]:
        end = begin + trees[SPAN, begin]
        n_nodes = copy_nodes(trees, begin, end, bench.one, 0)
        offer_prunings(bench, bench.one, n_nodes, archive)
        begin = end


@branching
def refit(bench: Bench, archive: Archive, chosen: int, scale: Scale, use_gaps: bool) -> None:
    """Score a front on other instances than it was searched on; improve the tree of one rung by sweeps.

    The classes of leaves and the middles of gaps become those of the new instances.
    """
    task, room, draft, rungs = bench.task, bench.room, bench.one, archive.rungs
    for rung in range(len(rungs)):
        if rungs[rung]["score"] == NO_TREE:
            continue
        n_nodes, begin = load(archive, rung, draft), rungs[rung]["first"]
        if rung == rungs[chosen]["best"]:
            n_swept, _ = sweep_all(bench, n_nodes)
            if n_swept != n_nodes:
                load(archive, rung, draft)
        gaps(task.cases, draft, n_nodes, room.nodes, room.leaf_of)
        weigh_leaves(task, room, draft, n_nodes)
        if use_gaps:
            middles(task.cases, scale, draft, n_nodes, room.nodes, room.values)
        score = 0
        for node in range(n_nodes):
            archive.middle[begin + node] = room.values[MIDDLE, node] if use_gaps else np.inf
            if draft[ATTRIBUTE, node] == LEAF:
                draft[VALUE, node] = room.nodes[LABEL, node]
                score += room.nodes[SCORE, node]
        copy_nodes(draft, 0, n_nodes, archive.nodes, begin)
        rungs[rung]["score"] = score
    note_best_rungs(archive, CORRECT_UNIT if task.are_classes else 1)
