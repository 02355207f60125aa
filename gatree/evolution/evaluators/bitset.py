"""The `bitset` evaluator: inheritance with sets of instances as bits.

A node's set is its parent's, ANDed with the mask of the test between them; a leaf's correct count is a
popcount against the mask of its class. Nodes outside the stale subtrees keep their counts, and a stale
node's set is rebuilt along the path from the root. So nothing is kept per instance and tree: only two
integers per node, and the masks, which all trees share.

The ledger counts what `new` counts, in the same integers: an AND does the work of 64 checks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.classify import has_small_leaf, settle_leaf
from gatree.evolution.evaluators.contract import CHECKS, CHECKS_FULL, RECLASSIFIED, TOTAL
from gatree.evolution.evaluators.crew import Crew
from gatree.evolution.evaluators.inherit import inherit_nodes
from gatree.evolution.evaluators.levels import most_levels
from gatree.evolution.evaluators.masks import (
    N_PENDING,
    STAMP,
    Masks,
    make_masks,
    make_pending,
    plan_all,
    require,
    with_more_rows,
)
from gatree.evolution.evaluators.popcount import WORD, popcount
from gatree.evolution.evaluators.subtree_cache import (
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
from gatree.evolution.generation import Generation, Rules, bear, may_advance, succeed
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Instances, Problem
from gatree.evolution.scoring import Scoring
from gatree.evolution.stopwatch import BREED, EVALUATE, REPLACE, lap, restart
from gatree.jit import U, inlined, lean, plain
from gatree.trees.genome import LEAF, Ints, toward

MASK_BUDGET_BYTES = 512 * 2**20
"""Room for the masks; when it is used up, those least recently made give way."""

CHEAP_BITS = 10**7
"""Up to so many bits in all, every mask is made at once and nothing has to be planned."""

SET_BYTES = 64 * 2**20
"""Room for the sets on the way down a tree that is made without looking how deep the tree is."""

Bits = NDArray[np.uint64]


class Counts(NamedTuple):
    """What is kept for every tree, as kernels take it."""

    reached: Ints  # [slot, node]
    correct: Ints  # [slot, node]: of a leaf; 0 for an inner node


class BitScratch(NamedTuple):
    """Room to work in."""

    sets: Bits  # [level, word]: the sets on the way down
    everything: Bits  # [word]
    level: Ints  # [node]
    refused_by: Ints  # [node]: for a right child, the row of the test its instances failed
    passed: NDArray[np.uint8]  # [instance]
    tally: NDArray[np.int64]  # [class]


@inlined
def keep_passing(sets: Bits, level: int, bits: Bits, row: int) -> int:
    """Make the next level's set of the instances that pass a test; return how many do."""
    n = np.uint64(0)
    for word in range(sets.shape[1]):
        sets[level + 1, word] = sets[level, word] & bits[row, word]
        n += popcount(sets[level + 1, word])
    return int(n)


@inlined
def keep_failing(sets: Bits, level: int, bits: Bits, row: int) -> None:
    """Make the next level's set of the instances that fail a test."""
    for word in range(sets.shape[1]):
        sets[level + 1, word] = sets[level, word] & ~bits[row, word]


@inlined
def count_passing(sets: Bits, level: int, bits: Bits, row: int, class_row: int) -> tuple[int, int]:
    """Count the instances that pass a test, and those of them that have a class."""
    n, n_correct = np.uint64(0), np.uint64(0)
    for word in range(sets.shape[1]):
        passing = sets[level, word] & bits[row, word]
        n += popcount(passing)
        n_correct += popcount(passing & bits[class_row, word])
    return int(n), int(n_correct)


@inlined
def count_failing(sets: Bits, level: int, bits: Bits, row: int, class_row: int) -> int:
    """Count the instances that fail a test and have a class."""
    n_correct = np.uint64(0)
    for word in range(sets.shape[1]):
        n_correct += popcount(sets[level, word] & ~bits[row, word] & bits[class_row, word])
    return int(n_correct)


@inlined
def count_here(sets: Bits, level: int, bits: Bits, class_row: int) -> int:
    """Count the instances of a set that have a class."""
    n_correct = np.uint64(0)
    for word in range(sets.shape[1]):
        n_correct += popcount(sets[level, word] & bits[class_row, word])
    return int(n_correct)


@inlined
def score_set(
    scoring: Scoring, trees: Trees, slot: int, node: int, masks: Masks, scratch: BitScratch, level: int
) -> int:
    """Return the weight of the correct instances of a leaf's set; with majority leaves, give it its class."""
    first_class = masks.first_test[-1]
    if not scoring.majority:
        label = trees.value[slot, node]
        row = masks.row_of[first_class + label]
        return int(count_here(scratch.sets, level, masks.bits, row) * scoring.class_weight[label])
    for label in range(len(scratch.tally)):
        scratch.tally[label] = count_here(scratch.sets, level, masks.bits, masks.row_of[first_class + label])
    return settle_leaf(scoring, trees, slot, node, scratch.tally)


@inlined
def row_at(masks: Masks, trees: Trees, slot: int, node: int) -> int:
    """Return the row of the mask of a node's test, or of a leaf's class: LEAF is the last column."""
    first = masks.first_test[trees.attribute[U(slot), U(node)]]
    return int(masks.row_of[U(first + trees.value[U(slot), U(node)])])


@inlined
def set_at(trees: Trees, slot: int, node: int, masks: Masks, scratch: BitScratch) -> None:
    """Rebuild a node's set, as level 0, along the path from the root."""
    sets, bits = scratch.sets, masks.bits
    for word in range(sets.shape[1]):
        sets[0, word] = scratch.everything[word]
    here = 0
    while here != node:
        row = row_at(masks, trees, slot, here)
        child = toward(trees.span, slot, here, node)
        flip = np.uint64(0) if child == here + 1 else ~np.uint64(0)
        for word in range(sets.shape[1]):
            sets[0, word] &= bits[row, word] ^ flip
        here = child


@inlined
def classify_set_below(
    scoring: Scoring,
    trees: Trees,
    slot: int,
    node: int,
    counts: Counts,
    masks: Masks,
    scratch: BitScratch,
) -> tuple[int, int]:
    """Fill the counts of a subtree whose root's set is level 0 and whose root's `reached` is known.

    Returns the node-instance-checks that this replaces, and the correct instances found.
    """
    reached, correct = counts
    sets, bits, level = scratch.sets, masks.bits, scratch.level
    checks, total_correct = int(reached[slot, node]), 0
    if trees.attribute[slot, node] == LEAF:
        correct[slot, node] = score_set(scoring, trees, slot, node, masks, scratch, 0)
        return checks, int(correct[slot, node])
    level[node] = 0
    scratch.refused_by[node] = NONE
    tree = U(slot)
    for i in range(node, node + trees.span[slot, node]):
        if trees.attribute[tree, U(i)] == LEAF:
            continue  # counted with its parent
        correct[tree, U(i)] = 0
        checks += reached[tree, U(i)]  # those of its two children
        here = level[U(i)]
        if scratch.refused_by[U(i)] != NONE:
            keep_failing(sets, here - 1, bits, scratch.refused_by[U(i)])
        row = row_at(masks, trees, slot, i)
        left = i + 1
        right = left + trees.span[tree, U(left)]
        left_is_leaf = trees.attribute[tree, U(left)] == LEAF
        if not left_is_leaf:
            level[U(left)] = here + 1
            scratch.refused_by[U(left)] = NONE
        elif scoring.majority:
            reached[tree, U(left)] = keep_passing(sets, here, bits, row)
            n_correct = score_set(scoring, trees, slot, left, masks, scratch, here + 1)
            correct[tree, U(left)] = n_correct
            total_correct += n_correct
        else:
            class_row = row_at(masks, trees, slot, left)
            reached[tree, U(left)], n_correct = count_passing(sets, here, bits, row, class_row)
            n_correct *= scoring.class_weight[trees.value[tree, U(left)]]
            correct[tree, U(left)] = n_correct
            total_correct += n_correct
        if trees.attribute[tree, U(right)] != LEAF:
            level[U(right)] = here + 1
            scratch.refused_by[U(right)] = row
        else:
            if scoring.majority:
                keep_failing(sets, here, bits, row)
                n_correct = score_set(scoring, trees, slot, right, masks, scratch, here + 1)
            else:
                n_correct = count_failing(sets, here, bits, row, row_at(masks, trees, slot, right))
                n_correct *= scoring.class_weight[trees.value[tree, U(right)]]
            correct[tree, U(right)] = n_correct
            total_correct += n_correct
        if not left_is_leaf:  # last, for it leaves its set in the next level
            reached[tree, U(left)] = keep_passing(sets, here, bits, row)
        reached[tree, U(right)] = reached[tree, U(i)] - reached[tree, U(left)]
    return checks, total_correct


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
    masks.state[N_PENDING] = 0
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
def classify_or_recall(
    scoring: Scoring,
    trees: Trees,
    slot: int,
    node: int,
    counts: Counts,
    masks: Masks,
    scratch: BitScratch,
    cache: SubtreeCache,
) -> tuple[int, int]:
    """Do what `classify_set_below` does, from the cache if the subtree is there."""
    length, place = 0, 0
    if len(cache.length) > 0:
        length = write_key(trees, slot, node, cache.wanted)
    if length > 0:
        cache.tally[LOOKED_UP] += 1
        place = place_of(cache, length)
        if holds_wanted(cache, place, length):
            cache.tally[FOUND] += 1
            return recall(cache, place, trees, slot, node, counts.reached, counts.correct)
    set_at(trees, slot, node, masks, scratch)
    checks, n_correct = classify_set_below(scoring, trees, slot, node, counts, masks, scratch)
    if length > 0:
        remember(cache, place, length, trees, slot, node, counts.reached, counts.correct)
    return checks, n_correct


@lean
def evaluate_stale_sets(
    n_instances: int,
    scoring: Scoring,
    trees: Trees,
    births: Births,
    begin: int,
    end: int,
    counts: Counts,
    masks: Masks,
    scratch: BitScratch,
    cache: SubtreeCache,
    ledger: NDArray[np.int64],
) -> None:
    """Evaluate children whose masks are there."""
    scoring = Scoring(*scoring)
    trees, births, counts = Trees(*trees), Births(*births), Counts(*counts)
    masks, scratch, cache = Masks(*masks), BitScratch(*scratch), SubtreeCache(*cache)
    reached, correct = counts
    for k in range(begin, end):
        child = births.slot[k]
        checks_saved, n_correct, checks = 0, 0, 0
        if births.source[k] == NONE:
            reached[child, 0] = n_instances
        else:
            checks_saved, n_correct = inherit_nodes(trees, births, k, reached, correct)
        for which in range(2):
            node = births.stale[k, which]
            if node != NONE:
                made, found = classify_or_recall(scoring, trees, child, node, counts, masks, scratch, cache)
                checks, n_correct = checks + made, n_correct + found
                ledger[RECLASSIFIED] += reached[child, node]
        too_small = has_small_leaf(scoring, trees, child, reached, child)
        trees.n_correct[child] = 0 if too_small else n_correct
        ledger[TOTAL] += n_instances
        ledger[CHECKS] += checks
        ledger[CHECKS_FULL] += checks_saved + checks


@lean
def evaluate_in_batches(
    instances: Instances,
    scoring: Scoring,
    trees: Trees,
    births: Births,
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
        make_pending(instances, masks, 0, Masks(*masks).state[N_PENDING], passed)
        evaluate_stale_sets(
            n_instances, scoring, trees, births, first, last, counts, masks, scratch, cache, ledger
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
    counts: Counts,
    masks: Masks,
    scratch: BitScratch,
    cache: SubtreeCache,
    ledger: NDArray[np.int64],
) -> None:
    """Run generations, evaluating the children's stale nodes on bit sets."""
    generation, rules = Generation(*generation), Rules(*rules)
    trees, births, stopwatch = generation.trees, generation.births, generation.stopwatch
    n_instances, n_births = len(Instances(*instances).classes), len(Births(*births).slot)
    started = restart(stopwatch)
    while may_advance(generation, rules, until, started):
        bear(generation, rules)
        lap(stopwatch, BREED)
        if has_all_masks:
            evaluate_stale_sets(
                n_instances, scoring, trees, births, 0, n_births, counts, masks, scratch, cache, ledger
            )
        else:
            evaluate_in_batches(instances, scoring, trees, births, counts, masks, scratch, cache, ledger)
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
        self.n_levels = 0
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
        self._fit_scratch(trees.width, self.n_levels)
        n_levels = most_levels(plain(trees), births.slot, self.scratch[0].level)
        if n_levels > self.n_levels:
            self._fit_scratch(trees.width, 2 * n_levels)
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
        """Run generations in one call, if there is room for any child's masks and sets."""
        width = generation.trees.width
        n_levels = (width + 1) // 2  # of a tree whose every test has a leaf
        n_rows, n_words = self.masks.bits.shape
        has_room = self.has_all_masks or n_rows >= width + len(self.scoring.class_weight)
        if self.crew.n_jobs > 1 or not has_room or 8 * n_levels * n_words > SET_BYTES:
            return False
        self._fit_scratch(width, n_levels)
        advance_on_sets(
            plain(generation),
            plain(rules),
            until,
            self.has_all_masks,
            plain(self.instances),
            plain(self.scoring),
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
        def make(begin: int, end: int, member: int) -> None:
            make_pending(plain(self.instances), plain(self.masks), begin, end, self.scratch[member].passed)

        n_pending = int(self.masks.state[N_PENDING])
        if n_pending > 0:
            self.crew.share(n_pending, make)

    def _evaluate(self, trees: Trees, births: Births, first: int, last: int) -> None:
        def work(begin: int, end: int, member: int) -> None:
            evaluate_stale_sets(
                self.n_instances,
                plain(self.scoring),
                plain(trees),
                plain(births),
                first + begin,
                first + end,
                plain(self.counts),
                plain(self.masks),
                plain(self.scratch[member]),
                plain(self.caches[member]),
                self.crew.ledgers[member],
            )

        self.crew.share(last - first, work)

    def _fit_scratch(self, width: int, n_levels: int) -> None:
        if width > self.counts.reached.shape[1]:
            self.counts = Counts(*(widened(array, width) for array in self.counts))
            self.scratch = self._scratch(width)
        if n_levels > self.n_levels:
            self.n_levels = n_levels
            self.scratch = self._scratch(width)

    def _scratch(self, width: int) -> list[BitScratch]:
        n_words = self.masks.bits.shape[1]
        return [
            BitScratch(
                sets=np.zeros((self.n_levels, n_words), dtype=np.uint64),
                everything=_first_bits(self.n_instances, n_words),
                level=np.zeros(width, dtype=np.int32),
                refused_by=np.zeros(width, dtype=np.int32),
                passed=np.zeros(n_words * WORD, dtype=np.uint8),
                tally=np.zeros(len(self.scoring.class_weight), dtype=np.int64),
            )
            for _ in range(self.crew.n_jobs)
        ]


def _first_bits(n: int, n_words: int) -> Bits:
    """Return the set of the first n of all bits."""
    bits = np.zeros(n_words * WORD, dtype=np.uint8)
    bits[:n] = 1
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)
