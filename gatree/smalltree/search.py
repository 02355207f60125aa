"""Search for a front: greedy trees first, then evolution and local search."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.kernels.decorators import branching, lean
from gatree.smalltree.draft import Draft, Workspace, copy_nodes
from gatree.smalltree.grow import ENTROPY, GAIN_RATIO, GINI, MEANS
from gatree.smalltree.held_out import gaps, middles, note_middles, start
from gatree.smalltree.loop import POLISHING, evolve, offer_greedy, offer_prunings, polish, sweep_all
from gatree.smalltree.prune import (
    NO_TREE,
    Archive,
    ClassSums,
    load,
    note_best_sizes,
    take_equals,
    weigh_leaves,
)
from gatree.smalltree.task import CORRECT_UNIT, Floats, Longs, Scale
from gatree.trees.genome import LEAF

_BEYOND = 2**62  # more than any budget
_POLL_SECONDS = 0.01


class Deadline:
    """A number of seconds from now, or no end."""

    def __init__(self, seconds: float | None = None) -> None:
        self._end = math.inf if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return max(0.0, self._end - time.monotonic())

    @property
    def is_over(self) -> bool:
        return self.left == 0.0

    @contextmanager
    def ends(self, steps: NDArray[np.int64]) -> Iterator[None]:
        """End a kernel that counts its steps: at the deadline their number is beyond every budget.

        It is set again and again, because the kernel adds to it at the same time.
        """
        done = threading.Event()

        def watch() -> None:
            if not done.wait(self.left):
                while not done.wait(_POLL_SECONDS):
                    steps[0] = _BEYOND

        if self._end < math.inf:
            steps[0] = _BEYOND if self.is_over else steps[0]
            threading.Thread(target=watch, daemon=True).start()
        try:
            yield
        finally:
            done.set()


class SearchPlan(NamedTuple):
    """The parameters of a search."""

    starts: bool  # or continues with the trees found before
    polished: Longs  # the places of the sizes that local search starts with
    n_parents: int  # the number of sizes that parents come from
    prefers_large: bool  # whether most parents are among the largest
    uniforms: Floats  # a row per offspring
    work: int  # the maximum number of steps
    initial: Draft  # initial trees, one after the other


@branching
def search(workspace: Workspace, greedy: Archive, evolved: Archive, plan: SearchPlan) -> None:
    """Fill a greedy and an evolved front, or improve them. (One kernel, compiled only once.)

    Evolution drifts among trees that are equally good. Where it finds none better than the greedy tree, the
    greedy tree is kept: its tests are good from the root on, not by the chance of a search.
    """
    if plan.starts:
        offer_greedy(workspace, greedy, GINI if workspace.task.are_classes else MEANS)
        take_equals(greedy, evolved)
        if workspace.task.are_classes:
            for criterion in (ENTROPY, GAIN_RATIO):
                if workspace.buffers.n_steps[0] < plan.work:  # on large data, the first tree takes more
                    offer_greedy(workspace, evolved, criterion)
        _offer_initial(workspace, evolved, plan.initial)
        polish(workspace, evolved, plan.polished, int(POLISHING * plan.work))
    evolve(workspace, evolved, plan.n_parents, plan.prefers_large, plan.uniforms, plan.work)
    take_equals(greedy, evolved)


@lean
def _offer_initial(workspace: Workspace, archive: Archive, trees: Draft) -> None:
    """Offer the best prunings of the initial trees."""
    begin = 0
    while begin < len(trees.attribute):
        end = begin + trees.span[begin]
        n_nodes = copy_nodes(trees, begin, end, workspace.one, 0)
        offer_prunings(workspace, workspace.one, n_nodes, archive)
        begin = end


@branching
def refit(
    workspace: Workspace, archive: Archive, chosen: int, scale: Scale, use_gaps: bool, sums: ClassSums
) -> None:
    """Score a front on other instances than it was searched on; improve one tree by sweeps.

    The classes of leaves and the middles of gaps become those of the new instances.
    """
    draft, nodes, last = workspace.one, workspace.buffers.nodes, -1
    for place in range(len(archive.score)):
        if archive.score[place] == NO_TREE:
            continue
        n_nodes = load(archive, place, draft)
        if place == archive.best[chosen]:
            n_swept, _ = sweep_all(workspace, n_nodes)
            if n_swept != n_nodes:  # it belongs to another size now
                load(archive, place, draft)
            last = -1  # where the instances are is not known after sweeps
        start(archive, last, place, workspace.buffers)
        archive.score[place] = _relabel(workspace, n_nodes, sums)
        copy_nodes(draft, 0, n_nodes, archive.trees, archive.first[place])
        if use_gaps:
            middles(workspace.task.cases, scale, draft, n_nodes, nodes)
            note_middles(archive, place, nodes)
        last = place
    note_best_sizes(archive, CORRECT_UNIT if workspace.task.are_classes else 1)


@lean
def _relabel(workspace: Workspace, n_nodes: int, sums: ClassSums) -> int:
    """Find the gaps and the class of every leaf of the tree in ``workspace.one``; return its score."""
    task, draft, nodes, score = workspace.task, workspace.one, workspace.buffers.nodes, 0
    gaps(task.cases, draft, nodes, workspace.buffers.leaf_of)
    weigh_leaves(task, workspace.buffers, draft, n_nodes, sums)
    for node in range(n_nodes):
        if draft.attribute[node] == LEAF:
            draft.value[node] = nodes.label[node]
            score += nodes.score[node]
    return score
