"""The `bitset` evaluator: inheritance with sets of instances as bits.

A node's set is its parent's, ANDed with the mask of the test between them; a leaf's correct count is a
popcount against the mask of its class. Nodes outside the stale subtrees keep their counts, and a stale
node's set is rebuilt along the path from the root. So nothing is kept per instance and tree: only two
integers per node, and the masks, which all trees share.

The ledger counts what `new` counts, in the same integers: an AND does the work of 64 checks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.bits.masks import (
    N_PENDING,
    STAMP,
    Masks,
    forget_pending,
    make_masks,
    make_pending,
    plan_all,
    require,
    with_more_rows,
)
from gatree.evolution.evaluators.bits.popcount import WORD
from gatree.evolution.evaluators.bits.set_counts import BitScratch, Counts, Desk, classify_set_below
from gatree.evolution.evaluators.bits.sets import BLOCK_WORDS, Bits
from gatree.evolution.evaluators.bits.subtree_cache import (
    FOUND,
    LOOKED_UP,
    N_PLACES,
    SubtreeCache,
    empty_cache,
    holds_wanted,
    place_of,
    recall,
    remember,
    write_key,
)
from gatree.evolution.evaluators.claim import Claims, claim
from gatree.evolution.evaluators.contract import CHECKS, CHECKS_FULL, RECLASSIFIED, TOTAL
from gatree.evolution.evaluators.crew import Crew
from gatree.evolution.evaluators.routing.classify import has_small_leaf
from gatree.evolution.evaluators.routing.inherit import inherit_nodes
from gatree.evolution.generation import Generation, Rules, bear, may_advance, parts, succeed
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Instances, Problem
from gatree.evolution.scoring import Scoring
from gatree.evolution.stopwatch import BREED, EVALUATE, REPLACE, lap, restart
from gatree.jit import inlined, lean, plain
from gatree.trees.genome import LEAF, toward

MASK_BUDGET_BYTES = 512 * 2**20
"""Room for the masks; when it is used up, those least recently made give way."""

CHEAP_BITS = 10**7
"""Up to so many bits in all, every mask is made at once and nothing has to be planned."""


@inlined
def require_classes(masks: Masks, n_classes: int) -> bool:
    """See to it that there is room for the masks of all classes."""
    there = True
    for label in range(n_classes):
        there = there and require(masks, len(masks.first_test) - 1, label)
    return there


@lean
def plan_masks(scoring: Scoring, trees: Trees, births: Births, first: int, masks: Masks) -> int:
    """Find room for the masks of the children, from the first on; return the first it is not enough for."""
    scoring, trees, births, masks = Scoring(*scoring), Trees(*trees), Births(*births), Masks(*masks)
    masks.state[STAMP] += 1
    forget_pending(masks)
    if scoring.majority and not require_classes(masks, len(scoring.class_weight)):
        return first
    for k in range(first, len(births.slot)):
        slot = births.slot[k]
        for which in range(2):
            stale = births.stale[k, which]
            if stale == NONE:
                continue
            here = 0
            while here != stale:
                if not require(masks, trees.attribute[slot, here], trees.value[slot, here]):
                    return k
                here = toward(trees.span, slot, here, stale)
            for i in range(stale, stale + trees.span[slot, stale]):
                column = trees.attribute[slot, i]
                if column == LEAF:
                    column = len(masks.first_test) - 1
                if not require(masks, column, trees.value[slot, i]):
                    return k
    return len(births.slot)


@inlined
def classify_or_recall(desk: Desk, slot: int, node: int, cache: SubtreeCache) -> tuple[int, int]:
    """Do what `classify_set_below` does, from the cache if the subtree is there."""
    trees, counts = desk.trees, desk.counts
    length, place = 0, 0
    if len(cache.length) > 0:
        length = write_key(trees, slot, node, cache.wanted)
    if length > 0:
        cache.tally[LOOKED_UP] += 1
        place = place_of(cache, length)
        if holds_wanted(cache, place, length):
            cache.tally[FOUND] += 1
            return recall(cache, place, trees, slot, node, counts.reached, counts.correct)
    checks, n_correct = classify_set_below(desk, slot, node)
    if length > 0:
        remember(cache, place, length, trees, slot, node, counts.reached, counts.correct)
    return checks, n_correct


@lean
def evaluate_stale_sets(
    n_instances: int,
    scoring: Scoring,
    trees: Trees,
    births: Births,
    claims: Claims,
    end: int,
    counts: Counts,
    masks: Masks,
    scratch: BitScratch,
    cache: SubtreeCache,
    ledger: NDArray[np.int64],
) -> None:
    """Evaluate children whose masks are there, up to some child."""
    desk = Desk(Scoring(*scoring), Trees(*trees), Counts(*counts), Masks(*masks), BitScratch(*scratch))
    births, cache = Births(*births), SubtreeCache(*cache)
    reached, correct = desk.counts
    k = claim(claims)
    while k < end:
        child = births.slot[k]
        checks_saved, n_correct, checks = 0, 0, 0
        if births.source[k] == NONE:
            reached[child, 0] = n_instances
        else:
            checks_saved, n_correct = inherit_nodes(desk.trees, births, k, reached, correct)
        for which in range(2):
            node = births.stale[k, which]
            if node != NONE:
                made, found = classify_or_recall(desk, child, node, cache)
                checks, n_correct = checks + made, n_correct + found
                ledger[RECLASSIFIED] += reached[child, node]
        too_small = has_small_leaf(desk.scoring, desk.trees, child, reached, child)
        desk.trees.n_correct[child] = 0 if too_small else n_correct
        ledger[TOTAL] += n_instances
        ledger[CHECKS] += checks
        ledger[CHECKS_FULL] += checks_saved + checks
        k = claim(claims)


@lean
def evaluate_in_batches(
    instances: Instances,
    scoring: Scoring,
    trees: Trees,
    births: Births,
    claims: Claims,
    counts: Counts,
    masks: Masks,
    scratch: BitScratch,
    cache: SubtreeCache,
    ledger: NDArray[np.int64],
) -> None:
    """Evaluate children in as many batches as the room for masks asks for; there is enough for any child."""
    n_instances, n_births = len(Instances(*instances).classes), len(Births(*births).slot)
    passed = BitScratch(*scratch).passed
    first = 0
    while first < n_births:
        last = plan_masks(scoring, trees, births, first, masks)
        claims[0] = 0
        make_pending(instances, masks, claims, passed)
        Masks(*masks).state[N_PENDING] = 0
        claims[0] = first
        evaluate_stale_sets(
            n_instances, scoring, trees, births, claims, last, counts, masks, scratch, cache, ledger
        )
        first = last


@lean
def advance_on_sets(
    generation: Generation,
    rules: Rules,
    until: int,
    has_all_masks: bool,
    instances: Instances,
    scoring: Scoring,
    claims: Claims,
    counts: Counts,
    masks: Masks,
    scratch: BitScratch,
    cache: SubtreeCache,
    ledger: NDArray[np.int64],
) -> None:
    """Run generations, evaluating the children's stale nodes on bit sets."""
    trees, births, stopwatch = parts(generation)
    n_instances, n_births = len(Instances(*instances).classes), len(Births(*births).slot)
    started = restart(stopwatch)
    while may_advance(generation, rules, until, started):
        bear(generation, rules)
        lap(stopwatch, BREED)
        if has_all_masks:
            claims[0] = 0
            evaluate_stale_sets(
                n_instances, scoring, trees, births, claims, n_births, counts, masks, scratch, cache, ledger
            )
        else:
            evaluate_in_batches(
                instances, scoring, trees, births, claims, counts, masks, scratch, cache, ledger
            )
        lap(stopwatch, EVALUATE)
        succeed(generation, rules, ledger)
        lap(stopwatch, REPLACE)


class BitsetEvaluator:
    """Evaluates with inheritance, on bit sets."""

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1, subtree_cache: bool = False) -> None:
        self.instances, self.scoring = problem.instances, problem.scoring
        self.n_instances = problem.n_instances
        self.crew = Crew(n_jobs)
        self.caches = [empty_cache(N_PLACES if subtree_cache else 0) for _ in range(n_jobs)]
        self.masks = make_masks(problem, MASK_BUDGET_BYTES)
        self.has_all_masks = False
        nothing = np.zeros((n_slots, 0), dtype=np.int32)
        self.counts = Counts(nothing, nothing)
        self.everything = _first_bits(self.n_instances, self.masks.bits.shape[1])
        self.scratch = self._scratch(width=0)
        self._make_all_if_cheap()

    @property
    def ledger(self) -> NDArray[np.int64]:
        return self.crew.ledger

    @property
    def cache_tally(self) -> tuple[int, int]:
        """How many stale subtrees were looked up in the cache, and how many were there."""
        tallies = np.array([cache.tally for cache in self.caches]).sum(axis=0)
        return int(tallies[LOOKED_UP]), int(tallies[FOUND])

    @property
    def n_bytes(self) -> int:
        return self.masks.bits.nbytes + sum(array.nbytes for array in self.counts)

    def evaluate(self, trees: Trees, births: Births) -> None:
        """Evaluate the children, in as many batches as the room for masks asks for."""
        self._fit_rows(trees.width)
        if self.has_all_masks:
            self._evaluate(trees, births, 0, len(births.slot))
            return
        first = 0
        while first < len(births.slot):
            last = plan_masks(plain(self.scoring), plain(trees), plain(births), first, plain(self.masks))
            if last == first:  # one tree alone has more tests than there is room for
                self.masks = with_more_rows(self.masks)
                continue
            self._make_masks()
            self._evaluate(trees, births, first, last)
            first = last

    def advance(self, generation: Generation, rules: Rules, until: int) -> bool:
        """Run generations in one call, if there is room for any child's masks."""
        width = generation.trees.width
        enough = min(len(self.masks.row_of), width + len(self.scoring.class_weight))
        has_room = self.has_all_masks or len(self.masks.bits) >= enough
        if self.crew.n_jobs > 1 or not has_room:
            return False
        self._fit_rows(width)
        advance_on_sets(
            plain(generation),
            plain(rules),
            until,
            self.has_all_masks,
            plain(self.instances),
            plain(self.scoring),
            self.crew.claims,
            plain(self.counts),
            plain(self.masks),
            plain(self.scratch[0]),
            plain(self.caches[0]),
            self.crew.ledgers[0],
        )
        return True

    def _make_all_if_cheap(self) -> None:
        n_tests = len(self.masks.row_of)
        if n_tests <= len(self.masks.bits) and n_tests * self.n_instances <= CHEAP_BITS:
            plan_all(plain(self.masks))
            self._make_masks()
            self.has_all_masks = True

    def _make_masks(self) -> None:
        if self.masks.state[N_PENDING] == 0:
            return
        instances, masks = plain(self.instances), plain(self.masks)

        def work(member: int) -> None:
            make_pending(instances, masks, self.crew.claims, self.scratch[member].passed)

        self.crew.share(0, work)
        self.masks.state[N_PENDING] = 0

    def _evaluate(self, trees: Trees, births: Births, first: int, last: int) -> None:
        crew, n = self.crew, self.n_instances
        scoring, trees, births = plain(self.scoring), plain(trees), plain(births)
        counts, masks = plain(self.counts), plain(self.masks)

        def work(member: int) -> None:
            scratch, cache = plain(self.scratch[member]), plain(self.caches[member])
            ledger = crew.ledgers[member]
            evaluate_stale_sets(
                n, scoring, trees, births, crew.claims, last, counts, masks, scratch, cache, ledger
            )

        crew.share(first, work)

    def _fit_rows(self, width: int) -> None:
        if width > min(self.counts.reached.shape[1], len(self.scratch[0].level)):
            self.counts = Counts(*(widened(array, width) for array in self.counts))
            self.scratch = self._scratch(width)

    def _scratch(self, width: int) -> list[BitScratch]:
        n_words, n_classes = self.masks.bits.shape[1], len(self.scoring.class_weight)
        n_levels = (width + 1) // 2  # of a tree whose every test has a leaf
        return [
            BitScratch(
                sets=np.zeros((n_levels, min(n_words, BLOCK_WORDS)), dtype=np.uint64),
                everything=self.everything,
                level=np.zeros(width, dtype=np.int32),
                refused_by=np.zeros(width, dtype=np.int32),
                passed=np.zeros(min(n_words, BLOCK_WORDS) * WORD, dtype=np.uint8),
                tally=np.zeros((width if self.scoring.majority else 0, n_classes), dtype=np.int64),
            )
            for _ in range(self.crew.n_jobs)
        ]


def _first_bits(n: int, n_words: int) -> Bits:
    """Return the set of the first n of all bits."""
    bits = np.zeros(n_words * WORD, dtype=np.uint8)
    bits[:n] = 1
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)
