"""The `bitset` evaluator: inheritance with sets of instances as bits.

A node's set is its parent's, ANDed with the mask of the test between them; a leaf's correct count is a
popcount against the mask of its class. Nodes outside the stale subtrees keep their counts, and a stale
node's set is rebuilt along the path from the root. So nothing is kept per instance and tree: only two
integers per node, and the masks, which all trees share.

The ledger counts what `new` counts, in the same integers: an AND does the work of 64 checks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

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
    require_child,
    require_classes,
    with_more_rows,
)
from gatree.evolution.evaluators.bits.set_counts import (
    Bench,
    BitScratch,
    NodeCounts,
    classify_set_below,
)
from gatree.evolution.evaluators.bits.sets import BLOCK_WORDS, first_bits
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
from gatree.evolution.evaluators.bits.sweeping import SweepingEvaluator
from gatree.evolution.evaluators.claim import Claims, claim
from gatree.evolution.evaluators.contract import RECLASSIFIED, Evaluable, Evaluator
from gatree.evolution.evaluators.inheriting import inherit_nodes
from gatree.evolution.evaluators.leaves import book, has_small_leaf
from gatree.evolution.generation import Generation, Rules
from gatree.evolution.loop import loop_with
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Instances
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import inlined, lean, plain, specialised

CHEAP_BITS = 10**7
"""Up to so many bits in all, every mask is made at once and nothing has to be planned."""


def is_small(problem: Evaluable) -> bool:
    """Tell whether all masks are made at once; one thread then has done before another is awake."""
    n_tests = int(problem.alphabet.n_tests.sum()) + problem.alphabet.n_classes
    return n_tests * problem.n_instances <= CHEAP_BITS


@lean
def plan_masks(scoring: Scoring, trees: Trees, births: Births, first: int, masks: Masks) -> int:
    """Find room for the masks of the children, from the first on; return the first it is not enough for."""
    scoring, trees, births, masks = Scoring(*scoring), Trees(*trees), Births(*births), Masks(*masks)
    masks.state[STAMP] += 1
    forget_pending(masks)
    if scoring.majority and not require_classes(masks, len(scoring.class_weight)):
        return first
    for k in range(first, len(births.slot)):
        if not require_child(masks, trees, births, k):
            return k
    return len(births.slot)


@inlined
def classify_or_recall(bench: Bench, slot: int, node: int, cache: SubtreeCache) -> tuple[int, int]:
    """Do what `classify_set_below` does, from the cache if the subtree is there."""
    trees, counts = bench.trees, bench.counts
    length, place = 0, 0
    if len(cache.length) > 0:
        length = write_key(trees, slot, node, cache.wanted)
    if length > 0:
        cache.tally[LOOKED_UP] += 1
        place = place_of(cache, length)
        if holds_wanted(cache, place, length):
            cache.tally[FOUND] += 1
            return recall(cache, place, trees, slot, node, counts.reached, counts.correct)
    checks, n_correct = classify_set_below(bench, slot, node)
    if length > 0:
        remember(cache, place, length, trees, slot, node, counts.reached, counts.correct)
    return checks, n_correct


@inlined
def classify_without_cache(bench: Bench, slot: int, node: int, cache: SubtreeCache) -> tuple[int, int]:  # noqa: ARG001
    """Do what `classify_or_recall` does if there is no cache."""
    return classify_set_below(bench, slot, node)


class Counted(NamedTuple):
    """All that the kernels work on."""

    instances: Instances
    scoring: Scoring
    counts: NodeCounts
    masks: Masks
    scratch: BitScratch
    cache: SubtreeCache
    has_all_masks: bool


def classify(bench: Bench, slot: int, node: int, cache: SubtreeCache) -> tuple[int, int]:
    """Stand for `classify_or_recall`, or for what does without a cache."""
    raise NotImplementedError


def evaluate_up_to(
    trees: Trees, births: Births, claims: Claims, ledger: NDArray[np.int64], kept: Counted, end: int
) -> None:
    """Evaluate children whose masks are there, up to some child."""
    births, kept = Births(*births), Counted(*kept)
    cache, n_instances = SubtreeCache(*kept.cache), len(Instances(*kept.instances).classes)
    bench = Bench(
        Scoring(*kept.scoring),
        Trees(*trees),
        NodeCounts(*kept.counts),
        Masks(*kept.masks),
        BitScratch(*kept.scratch),
    )
    reached, correct = bench.counts
    k = claim(claims)
    while k < end:
        child = births.slot[k]
        checks_saved, n_correct, checks = 0, 0, 0
        if births.source[k] == NONE:
            reached[child, 0] = n_instances
        else:
            checks_saved, n_correct = inherit_nodes(bench.trees, births, k, reached, correct)
        for which in range(2):
            node = births.stale[k, which]
            if node != NONE:
                made, found = classify(bench, child, node, cache)
                checks, n_correct = checks + made, n_correct + found
                ledger[RECLASSIFIED] += reached[child, node]
        too_small = has_small_leaf(bench.scoring, bench.trees, child, reached, child)
        bench.trees.n_correct[child] = 0 if too_small else n_correct
        book(ledger, births, k, n_instances, checks, checks_saved)
        k = claim(claims)


evaluate_stale_sets = lean(specialised(evaluate_up_to, "evaluate_stale_sets", classify=classify_or_recall))
_evaluate_without_cache = lean(
    specialised(evaluate_up_to, "evaluate_without_cache", classify=classify_without_cache)
)


@lean
def evaluate_on_all_masks(
    trees: Trees, births: Births, claims: Claims, ledger: NDArray[np.int64], kept: Counted
) -> None:
    """Do what `evaluate_on_sets` does where all masks are there and no cache is: on small data."""
    _evaluate_without_cache(trees, births, claims, ledger, kept, len(Births(*births).slot))


@lean
def evaluate_on_sets(
    trees: Trees, births: Births, claims: Claims, ledger: NDArray[np.int64], kept: Counted
) -> None:
    """Evaluate children, in as many batches as the room for masks asks for; there is enough for any child."""
    instances, scoring, _, masks, _, _, has_all_masks = kept
    n_births = len(Births(*births).slot)
    if has_all_masks:
        evaluate_stale_sets(trees, births, claims, ledger, kept, n_births)
        return
    first = 0
    while first < n_births:
        last = plan_masks(scoring, trees, births, first, masks)
        claims[0] = 0
        make_pending(instances, masks, claims)
        Masks(*masks).state[N_PENDING] = 0
        claims[0] = first
        evaluate_stale_sets(trees, births, claims, ledger, kept, last)
        first = last


class BitsetEvaluator(Evaluator):
    """Evaluates with inheritance, on bit sets."""

    kernel = staticmethod(evaluate_on_sets)
    has_subtree_cache = True

    # Most data are small; what they do without takes half as long again to compile.
    _loop_on_small_data = staticmethod(loop_with("BitsetEvaluator_on_small_data", evaluate_on_all_masks))

    def __init__(
        self, problem: Evaluable, n_slots: int, n_jobs: int = 1, subtree_cache: bool = False
    ) -> None:
        n_jobs = 1 if is_small(problem) else n_jobs
        super().__init__(problem, n_slots, n_jobs)
        self.n_instances = problem.n_instances
        self.caches = [empty_cache(N_PLACES if subtree_cache else 0) for _ in range(n_jobs)]
        self.masks = make_masks(problem.alphabet, problem.instances)
        self.has_all_masks = False
        nothing = np.zeros((n_slots, 0), dtype=np.int32)
        self.counts = NodeCounts(nothing, nothing)
        self.everything = first_bits(self.n_instances, self.masks.bits.shape[1])
        self.scratch = self._scratch(width=0)
        self._make_all_if_cheap()

    @classmethod
    def suited_to(cls, problem: Evaluable) -> type[Evaluator]:
        """Return what sweeps over large data; on small data all masks are made at once, and threads rest."""
        return cls if is_small(problem) else SweepingEvaluator

    @property
    def cache_tally(self) -> tuple[int, int]:
        """How many stale subtrees were looked up in the cache, and how many were there."""
        tallies = np.array([cache.tally for cache in self.caches]).sum(axis=0)
        return int(tallies[LOOKED_UP]), int(tallies[FOUND])

    @property
    def n_bytes(self) -> int:
        return self.masks.bits.nbytes + sum(array.nbytes for array in self.counts)

    def kept_for(self, member: int) -> Counted:
        return Counted(
            self.instances,
            self.scoring,
            self.counts,
            self.masks,
            self.scratch[member],
            self.caches[member],
            self.has_all_masks,
        )

    @property
    def loop(self) -> Callable[..., None]:
        is_small = self.has_all_masks and len(self.caches[0].length) == 0
        return self._loop_on_small_data if is_small else self._loop

    def evaluate(self, trees: Trees, births: Births) -> None:
        """Evaluate the children, in as many batches as the room for masks asks for."""
        self.fit(trees, births)
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
        enough = min(len(self.masks.row_of), generation.trees.width + len(self.scoring.class_weight))
        has_room = self.has_all_masks or len(self.masks.bits) >= enough
        return has_room and super().advance(generation, rules, until)

    def _make_all_if_cheap(self) -> None:
        n_tests = len(self.masks.row_of)
        if n_tests <= len(self.masks.bits) and n_tests * self.n_instances <= CHEAP_BITS:
            plan_all(self.masks)
            self._make_masks()
            self.has_all_masks = True

    def _make_masks(self) -> None:
        if self.masks.state[N_PENDING] == 0:
            return
        instances, masks = plain(self.instances), plain(self.masks)
        self.crew.share(0, lambda _: make_pending(instances, masks, self.crew.claims))
        self.masks.state[N_PENDING] = 0

    def _evaluate(self, trees: Trees, births: Births, first: int, last: int) -> None:
        crew, trees, births = self.crew, plain(trees), plain(births)

        def work(member: int) -> None:
            kept = plain(self.kept_for(member))
            evaluate_stale_sets(trees, births, crew.claims, crew.ledgers[member], kept, last)

        crew.share(first, work)

    def fit(self, trees: Trees, births: Births) -> None:
        del births
        if trees.width > min(self.counts.reached.shape[1], len(self.scratch[0].level)):
            self.counts = NodeCounts(*(widened(array, trees.width) for array in self.counts))
            self.scratch = self._scratch(trees.width)

    def _scratch(self, width: int) -> list[BitScratch]:
        n_words, n_classes = self.masks.bits.shape[1], len(self.scoring.class_weight)
        n_levels = (width + 1) // 2  # of a tree whose every test has a leaf
        return [
            BitScratch(
                sets=np.zeros((n_levels, min(n_words, BLOCK_WORDS)), dtype=np.uint64),
                everything=self.everything,
                level=np.zeros(width, dtype=np.int32),
                refused_by=np.zeros(width, dtype=np.int32),
                tally=np.zeros((width if self.scoring.majority else 0, n_classes), dtype=np.int64),
            )
            for _ in range(self.crew.n_jobs)
        ]
