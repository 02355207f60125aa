"""Count all children of a batch in one sweep over the instances, tile by tile.

While all children are counted on a tile, its part of the masks and sets stays in the nearest caches. Masks
that are needed for the first time are computed in the same pass. Threads claim tiles and have separate
counts, which are added up. The calling thread never waits for a helper that has not started.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.atomics import (
    LINE,
    Signals,
    increment_signal,
    load_signal,
    store_signal,
    yield_processor,
)
from gatree.evolution.evaluators.bits.branches import (
    BATCH,
    N_BRANCHES,
    Batch,
    Branches,
    Totals,
    counts_at_leaves,
    empty_branches,
    empty_found,
    max_branches_of_child,
    merge,
    read,
    reset_branches,
)
from gatree.evolution.evaluators.bits.counts import Found
from gatree.evolution.evaluators.bits.masks import (
    N_PENDING,
    STAMP,
    Masks,
    drop_pending,
    make_masks,
    make_words,
    require_child,
    require_classes,
    with_more_rows,
)
from gatree.evolution.evaluators.bits.sets import (
    BLOCK_WORDS,
    Bits,
    count,
    count_class,
    count_with_class,
    fill_first_level,
    first_bits,
    keep,
    keep_with_class,
)
from gatree.evolution.evaluators.contract import Evaluable
from gatree.evolution.evaluators.thread_pool import CLOSED, N_DONE, NEXT_TILE, ThreadPool
from gatree.evolution.population import Trees
from gatree.evolution.problem import Instances
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import U, inlined, lean, plain
from gatree.kernels.words import WORD


class SweepWorker(NamedTuple):
    """The data of one thread of the pool. All but `sets` and its row of `totals` are shared."""

    thread: int
    instances: Instances
    masks: Masks
    branches: Branches
    totals: NDArray[np.int64]  # [thread, two per branch]
    totals_batch: NDArray[np.int64]  # [thread, cache line]: the batch that a thread's totals belong to
    everything: Bits  # [word]
    sets: Bits  # [level, word of a tile]: the sets on the path to a branch
    signals: Signals


class Sweeping(NamedTuple):
    """The arguments of the kernels."""

    worker: SweepWorker
    scoring: Scoring
    found: Found


@inlined
def named_worker(worker: SweepWorker) -> SweepWorker:
    """Restore the named tuples of arguments from Python (see gatree.kernels.decorators.plain)."""
    plain = SweepWorker(*worker)
    return SweepWorker(
        plain.thread,
        Instances(*plain.instances),
        Masks(*plain.masks),
        Branches(*plain.branches),
        plain.totals,
        plain.totals_batch,
        plain.everything,
        plain.sets,
        plain.signals,
    )


def n_tiles(n_instances: int) -> int:
    """Return the number of tiles of ``n_instances`` instances."""
    return -(-n_instances // (WORD * BLOCK_WORDS))


n_tiles_kernel = inlined(n_tiles)


@inlined
def count_branch(worker: SweepWorker, totals: Totals, branch: int, begin: int, n: int) -> None:
    """Count a tile of a branch, and store its set if the branch has children."""
    sets, bits, branches = worker.sets, worker.masks.bits, worker.branches
    at, place = U(branch), U(2 * branch)
    above, row, class_row = branches.level[at] - 1, branches.test[at] >> 1, branches.class_row[at]
    flip = np.uint64(0) if branches.test[at] & 1 else ~np.uint64(0)
    if class_row == NONE and branches.below[at] == NONE:
        totals[place] += count(sets, above, bits, row, flip, begin, n)
    elif class_row == NONE:
        totals[place] += keep(sets, above, bits, row, flip, begin, n)
    elif branches.below[at] == NONE:
        found, of_class = count_with_class(sets, above, bits, row, flip, class_row, begin, n)
        totals[place] += found
        totals[U(2 * branch + 1)] += of_class
    else:
        found, of_class = keep_with_class(sets, above, bits, row, flip, class_row, begin, n)
        totals[place] += found
        totals[U(2 * branch + 1)] += of_class


@inlined
def count_first(worker: SweepWorker, totals: Totals, begin: int, n: int) -> None:
    """Count a tile of the first branch, which has all instances."""
    fill_first_level(worker.sets, worker.everything, begin, n)
    totals[0] += min(WORD * n, len(worker.instances.classes) - WORD * begin)
    class_row = worker.branches.class_row[0]
    if class_row != NONE:
        totals[1] += count_class(worker.sets, 0, worker.masks.bits, class_row, begin, n)


@inlined
def sweep_tile(worker: SweepWorker, tile: int) -> None:
    """Compute the pending masks and count all branches on one tile."""
    masks, branches, totals = worker.masks, worker.branches, worker.totals[worker.thread]
    begin = tile * BLOCK_WORDS
    n = min(BLOCK_WORDS, masks.bits.shape[1] - begin)
    for k in range(masks.state[N_PENDING]):
        make_words(worker.instances, masks, masks.pending[k], begin, n)
    count_first(worker, totals, begin, n)
    branch = np.int64(branches.below[0])
    while branch > 0:  # depth first, so that a level holds one set at a time
        count_branch(worker, totals, int(branch), begin, n)
        deeper = np.int64(branches.below[U(branch)])
        while deeper == NONE and branch > 0:
            deeper = np.int64(branches.next_sibling[U(branch)])
            branch = np.int64(branches.above[U(branch)])
        branch = deeper


@inlined
def reset_totals(worker: SweepWorker) -> None:
    """Reset a thread's totals, once per batch."""
    if worker.totals_batch[worker.thread, 0] != worker.branches.state[BATCH]:
        for place in range(2 * worker.branches.state[N_BRANCHES]):
            worker.totals[worker.thread, U(place)] = 0
        worker.totals_batch[worker.thread, 0] = worker.branches.state[BATCH]


@inlined
def sweep_tiles(worker: SweepWorker) -> None:
    """Claim and sweep tiles until none are left."""
    end = n_tiles_kernel(len(worker.instances.classes))
    tile = increment_signal(worker.signals, NEXT_TILE)
    while tile < end:
        reset_totals(worker)
        sweep_tile(worker, tile)
        increment_signal(worker.signals, N_DONE)
        tile = increment_signal(worker.signals, NEXT_TILE)


@lean
def sweep_until_closed(worker: SweepWorker) -> None:
    """Sweep tiles as they become available, until the caller has finished."""
    worker = named_worker(worker)
    end = n_tiles_kernel(len(worker.instances.classes))
    while load_signal(worker.signals, CLOSED) == 0:
        if load_signal(worker.signals, NEXT_TILE) < end:
            sweep_tiles(worker)
        else:
            yield_processor()


@inlined
def sweep(worker: SweepWorker) -> None:
    """Sweep all instances together with the helpers; add up the totals in the row of the first thread."""
    end, signals = n_tiles_kernel(len(worker.instances.classes)), worker.signals
    reset_totals(worker)
    store_signal(signals, N_DONE, 0)
    store_signal(signals, NEXT_TILE, 0)
    sweep_tiles(worker)
    while load_signal(signals, N_DONE) < end:
        yield_processor()
    for other in range(1, len(worker.totals_batch)):
        if worker.totals_batch[other, 0] == worker.branches.state[BATCH]:
            for place in range(2 * worker.branches.state[N_BRANCHES]):
                worker.totals[0, U(place)] += worker.totals[other, U(place)]
    worker.masks.state[N_PENDING] = 0


@inlined
def plan(batch: Batch, first: int) -> int:
    """Merge children into a batch, from `first` on; return the first child that does not fit."""
    masks, branches, n_classes = batch.masks, batch.branches, len(batch.scoring.class_weight)
    masks.state[STAMP] += 1
    drop_pending(masks)
    reset_branches(branches)
    if not counts_at_leaves(batch.scoring):
        require_classes(masks, n_classes)
    for k in range(first, len(batch.births.slot)):
        n_nodes = batch.trees.n_nodes[batch.births.slot[k]]
        n_branches = branches.state[N_BRANCHES] + max_branches_of_child(n_nodes, n_classes)
        if k - first == len(branches.of_node) or n_branches > len(branches.test):
            return k
        if not require_child(masks, batch.trees, batch.births, k):
            return k
        merge(batch, k, k - first)
    return len(batch.births.slot)


@inlined
def count_batch(trees: Trees, births: Births, first: int, kept: Sweeping) -> int:
    """Count a batch of children, from `first` on; return the first child that does not fit."""
    worker = named_worker(kept.worker)
    batch = Batch(Scoring(*kept.scoring), trees, births, worker.masks, worker.branches, Found(*kept.found))
    last = plan(batch, first)
    sweep(worker)
    for k in range(first, last):
        read(batch, worker.totals[0], k, k - first)
    return last


@lean
def count_children(trees: Trees, births: Births, first: int, kept: Sweeping) -> int:
    """Call `count_batch` from Python."""
    return count_batch(Trees(*trees), Births(*births), first, Sweeping(*kept))


class Sweeper:
    """Count the stale subtrees of children on the instances of a problem or of a shard."""

    def __init__(self, problem: Evaluable, pool: ThreadPool) -> None:
        self.instances, self.scoring, self.pool = problem.instances, problem.scoring, pool
        self.masks = make_masks(problem.alphabet, problem.instances)
        self.everything = first_bits(problem.n_instances, self.masks.bits.shape[1])
        self._allocate(1, 1)

    def has_room(self, n_nodes: int) -> bool:
        """Return whether the masks of every child of up to ``n_nodes`` nodes fit."""
        most = n_nodes // 2 + len(self.scoring.class_weight)
        return len(self.masks.bits) >= min(len(self.masks.row_of), most)

    def make_room(self, n_nodes: int) -> None:
        """Allocate enough masks for every child of up to ``n_nodes`` nodes."""
        while not self.has_room(n_nodes):
            self.masks = with_more_rows(self.masks)

    def fit(self, n_children: int, width: int) -> None:
        """Allocate arrays for ``n_children`` children of up to ``width`` nodes."""
        most_children, widest = self._fits
        if n_children > most_children or width > widest:
            self._allocate(max(n_children, most_children), max(width, widest))

    def _allocate(self, n_children: int, width: int) -> None:
        n_classes, n_jobs = len(self.scoring.class_weight), self.pool.n_jobs
        self._fits = (n_children, width)
        self.branches = empty_branches(n_children, width, n_classes)
        self.found = empty_found(self.branches, self.scoring)
        self.totals = np.zeros((n_jobs, 2 * len(self.branches.test)), dtype=np.int64)
        self.totals_batch = np.zeros((n_jobs, LINE), dtype=np.int64)
        n_words = min(BLOCK_WORDS, self.masks.bits.shape[1])
        self.sets = [np.zeros((width // 2 + 1, n_words), dtype=np.uint64) for _ in range(n_jobs)]

    def kept_for(self, thread: int) -> Sweeping:
        """Return the kernels' arguments in a thread."""
        worker = SweepWorker(
            thread,
            self.instances,
            self.masks,
            self.branches,
            self.totals,
            self.totals_batch,
            self.everything,
            self.sets[thread],
            self.pool.signals,
        )
        return Sweeping(worker, self.scoring, self.found)

    def run_with_helpers(self, work: Callable[[], None]) -> None:
        """Run work that sweeps in this thread, while the other threads of the pool help."""
        self.pool.signals[NEXT_TILE * LINE] = n_tiles(len(self.instances.classes))  # nothing to do yet

        def part(thread: int) -> None:
            if thread == 0:
                work()
            else:
                sweep_until_closed(plain(self.kept_for(thread).worker))

        self.pool.run_on_all(0, part)

    def compile_helper(self) -> None:
        """Compile the helpers' kernel by a call that returns immediately."""
        self.pool.signals[CLOSED * LINE] = True
        sweep_until_closed(plain(self.kept_for(0).worker))
