"""The `bitset` evaluator: inheritance with sets of instances as bit sets.

A node's set is its parent's, ANDed with the mask of the test between them. A leaf's correct count is a
popcount against the mask of its class. Nodes outside the stale subtrees keep their counts, and a stale
node's set is rebuilt along the path from the root. So nothing is kept per instance and tree: only two
integers per node, and the masks, which all trees share. On small data all masks are made in advance. Large
data are processed in tiles: all children of a brood are counted on one tile of the instances at a time.

The ledger has the same integers as that of `new`, although one AND replaces 64 checks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.atomics import Claims, claim
from gatree.evolution.evaluators.bits.counts import (
    BitScratch,
    CountContext,
    NodeCounts,
    Summed,
    classify_set_below,
    named_sums,
    settle_children,
)
from gatree.evolution.evaluators.bits.masks import Masks, make_all_masks, make_masks
from gatree.evolution.evaluators.bits.sets import BLOCK_WORDS, first_bits
from gatree.evolution.evaluators.bits.sweep import Sweeper, Sweeping, count_batch, n_tiles
from gatree.evolution.evaluators.contract import RECLASSIFIED, Evaluable, Evaluator
from gatree.evolution.evaluators.nodes import book, has_small_leaf, inherit_nodes
from gatree.evolution.generation import Generation, Rules
from gatree.evolution.population import Trees, widened
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import lean, plain


class Swept(NamedTuple):
    """The arguments of the kernel."""

    sweeping: Sweeping
    sums: Summed


@lean
def evaluate_by_sweeps(
    trees: Trees,
    births: Births,
    claims: Claims,  # noqa: ARG001  threads claim tiles, not children
    ledger: NDArray[np.int64],
    kept: Swept,
) -> None:
    """Evaluate children, in as many sweeps as the mask memory requires; every single child fits."""
    trees, births, kept = Trees(*trees), Births(*births), Swept(*kept)
    sweeping, sums = Sweeping(*kept.sweeping), named_sums(kept.sums)
    first = 0
    while first < len(births.slot):
        last = count_batch(trees, births, first, sweeping)
        for k in range(first, last):
            sums.row_of[k] = k - first
        settle_children(trees, births, first, last, ledger, sums)
        first = last


class SweepingEvaluator(Evaluator):
    """Evaluate with inheritance, on bit sets, one tile of the instances at a time."""

    kernel = staticmethod(evaluate_by_sweeps)

    def __init__(self, problem: Evaluable, n_slots: int, n_jobs: int = 1) -> None:
        super().__init__(problem, n_slots, min(n_jobs, n_tiles(problem.n_instances)))
        nothing = np.zeros((n_slots, 0), dtype=np.int32)
        self.counts = NodeCounts(nothing, nothing)
        self.sweeper = Sweeper(problem, self.pool)
        self._row_of = np.zeros(n_slots, dtype=np.int64)

    @property
    def n_bytes(self) -> int:
        return self.sweeper.masks.bits.nbytes + sum(array.nbytes for array in self.counts)

    def kept_for(self, thread: int) -> Swept:
        n_instances, found = len(self.instances.classes), self.sweeper.found
        sums = Summed(self.scoring, self.counts, found, self._row_of, n_instances)
        return Swept(self.sweeper.kept_for(thread), sums)

    def fit(self, trees: Trees, births: Births) -> None:
        self.sweeper.fit(len(births.slot), trees.width)
        if trees.width > self.counts.reached.shape[1]:
            self.counts = NodeCounts(*(widened(array, trees.width) for array in self.counts))

    def evaluate(self, trees: Trees, births: Births) -> None:
        self.fit(trees, births)
        self.sweeper.make_room(int(trees.n_nodes[births.slot].max(initial=1)))
        claims, ledger, kept = self.pool.claims, self.pool.ledgers[0], plain(self.kept_for(0))
        self.sweeper.run_with_helpers(
            lambda: evaluate_by_sweeps(plain(trees), plain(births), claims, ledger, kept)
        )

    def advance(self, generation: Generation, rules: Rules, until: int) -> bool:
        """Run generations in one call, with helper threads, if the masks of every possible child fit."""
        if not self.sweeper.has_room(generation.trees.width):
            return False
        self.fit(generation.trees, generation.births)
        claims, ledger, kept = self.pool.claims, self.pool.ledgers[0], plain(self.kept_for(0))
        self.sweeper.run_with_helpers(
            lambda: self.loop(plain(generation), rules, until, claims, ledger, kept)
        )
        return True


CHEAP_BITS = 10**7
"""The maximum number of mask bits for which all masks are made in advance; above it, on demand."""


def is_small(problem: Evaluable) -> bool:
    """Return whether all masks are made in advance."""
    n_tests = int(problem.alphabet.n_tests.sum()) + problem.alphabet.n_classes
    return n_tests * problem.n_instances <= CHEAP_BITS


class Counted(NamedTuple):
    """The arguments of the kernel."""

    n_instances: int
    scoring: Scoring
    counts: NodeCounts
    masks: Masks
    scratch: BitScratch


@lean
def evaluate_on_sets(
    trees: Trees, births: Births, claims: Claims, ledger: NDArray[np.int64], kept: Counted
) -> None:
    """Evaluate children on sets of instances."""
    births, kept = Births(*births), Counted(*kept)
    context = CountContext(
        Scoring(*kept.scoring),
        Trees(*trees),
        NodeCounts(*kept.counts),
        Masks(*kept.masks),
        BitScratch(*kept.scratch),
    )
    reached, correct = context.counts
    k = claim(claims)
    while k < len(births.slot):
        child = births.slot[k]
        checks_saved, n_correct, checks = 0, 0, 0
        if births.source[k] == NONE:
            reached[child, 0] = kept.n_instances
        else:
            checks_saved, n_correct = inherit_nodes(context.trees, births, k, reached, correct)
        for which in range(2):
            node = births.stale[k, which]
            if node != NONE:
                made, found = classify_set_below(context, child, node)
                checks, n_correct = checks + made, n_correct + found
                ledger[RECLASSIFIED] += reached[child, node]
        too_small = has_small_leaf(context.scoring, context.trees, child, reached, child)
        context.trees.n_correct[child] = 0 if too_small else n_correct
        book(ledger, births, k, kept.n_instances, checks, checks_saved)
        k = claim(claims)


class BitsetEvaluator(Evaluator):
    """Evaluate with inheritance, on bit sets of small data, in one thread: starting others takes longer."""

    kernel = staticmethod(evaluate_on_sets)

    def __init__(self, problem: Evaluable, n_slots: int, n_jobs: int = 1) -> None:
        del n_jobs
        super().__init__(problem, n_slots)
        self.masks = make_masks(problem.alphabet, problem.instances)
        make_all_masks(plain(self.instances), plain(self.masks))
        nothing = np.zeros((n_slots, 0), dtype=np.int32)
        self.counts = NodeCounts(nothing, nothing)
        self.everything = first_bits(problem.n_instances, self.masks.bits.shape[1])
        self.scratch = self._scratch(width=0)

    @classmethod
    def suited_to(cls, problem: Evaluable) -> type[Evaluator]:
        """Return this class for small data, else `SweepingEvaluator`."""
        return cls if is_small(problem) else SweepingEvaluator

    @property
    def n_bytes(self) -> int:
        return self.masks.bits.nbytes + sum(array.nbytes for array in self.counts)

    def kept_for(self, thread: int) -> Counted:
        del thread
        n_instances = len(self.instances.classes)
        return Counted(n_instances, self.scoring, self.counts, self.masks, self.scratch)

    def fit(self, trees: Trees, births: Births) -> None:
        del births
        if trees.width > self.counts.reached.shape[1]:
            self.counts = NodeCounts(*(widened(array, trees.width) for array in self.counts))
            self.scratch = self._scratch(trees.width)

    def _scratch(self, width: int) -> BitScratch:
        n_words, n_classes = self.masks.bits.shape[1], len(self.scoring.class_weight)
        n_levels = (width + 1) // 2  # of a tree in which every test has a leaf
        return BitScratch(
            sets=np.zeros((n_levels, min(n_words, BLOCK_WORDS)), dtype=np.uint64),
            everything=self.everything,
            level=np.zeros(width, dtype=np.int32),
            failed_test=np.zeros(width, dtype=np.int32),
            tally=np.zeros((width if self.scoring.majority else 0, n_classes), dtype=np.int64),
        )
