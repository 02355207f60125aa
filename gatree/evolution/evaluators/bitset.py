"""The `bitset` evaluator: inheritance with sets of instances as bit sets.

A branch's set is that of the branch above it, ANDed with the mask of the test between them; its count is a
popcount. Nodes outside the stale subtrees keep their counts. Those of stale subtrees take the counts of their
branches, most of which other trees have had before. So nothing is kept per instance and tree: only two
integers per node, and the branches and the masks, which all trees share.

A large set is processed block by block, so that all sets on the way down a tree stay in the nearest cache and
only the masks are read from memory. A block is a range of words of all masks, from `begin` on; the sets of
the levels hold only these words.

The ledger has the same integers as that of `new`, although one AND replaces 64 checks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.branches import (
    N_BRANCHES,
    N_COUNTED,
    ROOT,
    Branches,
    clear,
    empty_branches,
    reserve,
    trace,
)
from gatree.evolution.evaluators.children import inherit_counts, make_kernel, settle_leaf
from gatree.evolution.evaluators.contract import Evaluator
from gatree.evolution.evaluators.masks import N_PENDING, Masks, empty_masks, make_pending
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Instances, Problem
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import U, inlined, lean, shared
from gatree.kernels.words import WORD, popcount
from gatree.trees.genome import LEAF, Ints

BLOCK_WORDS = 512

Bits = NDArray[np.uint64]


class BitScratch(NamedTuple):
    """Scratch arrays of a thread."""

    sets: Bits  # [level, word]: a block of the sets on the way to a branch
    branch: Ints  # [level]: whose set it is
    missing: Ints  # [level]: branches whose sets have to be made
    tally: NDArray[np.int64]  # [class]: instances of a majority leaf


class BitKept(NamedTuple):
    """The data of the kernels."""

    n_instances: int
    instances: Instances
    scoring: Scoring
    reached: Ints  # [slot, node]
    correct: Ints  # [slot, node]: of a leaf; 0 for an inner node
    branches: Branches
    of_node: Ints  # [child, node]: its branch; of a leaf, that of its class
    masks: Masks
    scratch: BitScratch


@inlined
def start_with_all(sets: Bits, n_instances: int, begin: int, n: int) -> None:
    """Fill level 0 with a block of the set of all instances."""
    for word in range(n):
        sets[0, word] = ~np.uint64(0)
    n_left = n_instances - WORD * (begin + n - 1)  # in the last word
    if n_left < WORD:
        sets[0, n - 1] = (np.uint64(1) << np.uint64(n_left)) - np.uint64(1)


@inlined
def narrow(sets: Bits, level: int, bits: Bits, row: int, fails: bool, begin: int, n: int) -> None:
    """Store the instances that pass, or fail, a test in the next level."""
    flip = ~np.uint64(0) if fails else np.uint64(0)
    for word in range(n):
        sets[U(level + 1), word] = sets[U(level), word] & (bits[U(row), U(begin + word)] ^ flip)


@inlined
def keep_passing(sets: Bits, level: int, bits: Bits, row: int, begin: int, n: int) -> int:
    """Store the instances that pass a test in the next level; return their number."""
    found = np.uint64(0)
    for word in range(n):
        passing = sets[U(level), word] & bits[U(row), U(begin + word)]
        sets[U(level + 1), word] = passing
        found += popcount(passing)
    return int(found)


@inlined
def count_of_class(sets: Bits, level: int, bits: Bits, class_row: int, begin: int, n: int) -> int:
    """Count the instances of a set that are of a class."""
    correct = np.uint64(0)
    for word in range(n):
        correct += popcount(sets[U(level), word] & bits[U(class_row), U(begin + word)])
    return int(correct)


@inlined
def bring(branches: Branches, masks: Masks, scratch: BitScratch, wanted: int, begin: int, n: int) -> int:
    """Make the set of a branch in a block, from the nearest set on the way to it; return its level."""
    branch = wanted
    while scratch.branch[U(branches.known[U(branch)]["depth"])] != branch:
        scratch.missing[U(branches.known[U(branch)]["depth"])] = branch
        branch = branches.known[U(branch)]["above"]
    for level in range(branches.known[U(branch)]["depth"], branches.known[U(wanted)]["depth"]):
        branch = scratch.missing[U(level + 1)]
        step = branches.known[U(branch)]["step"]
        narrow(scratch.sets, level, masks.bits, masks.row_of[U(step >> 1)], (step & 1) == 1, begin, n)
        scratch.branch[U(level + 1)] = branch
    return int(branches.known[U(wanted)]["depth"])


@inlined
def count_in_block(kept: BitKept, first: int, last: int, begin: int, n: int) -> None:
    """Count branches in a block of words."""
    branches, masks, scratch = kept.branches, kept.masks, kept.scratch
    start_with_all(scratch.sets, kept.n_instances, begin, n)
    scratch.branch[:] = NONE
    scratch.branch[0] = ROOT
    for branch in range(first, last):
        step = branches.known[U(branch)]["step"]
        if step & 1 == 1:
            continue
        level = bring(branches, masks, scratch, branches.known[U(branch)]["above"], begin, n)
        row = masks.row_of[U(step >> 1)]
        if step >> 1 >= masks.first_test[-1]:
            found = count_of_class(scratch.sets, level, masks.bits, row, begin, n)
        else:
            found = keep_passing(scratch.sets, level, masks.bits, row, begin, n)
            scratch.branch[U(level + 1)] = branch
        branches.known[U(branch)]["n_instances"] += found


@lean
def count_branches(kept: BitKept, first: int, last: int) -> None:
    """Count branches whose masks are made, block by block: its masks are read once for all."""
    n_words = kept.masks.bits.shape[1]
    for begin in range(0, n_words, BLOCK_WORDS):
        count_in_block(kept, first, last, begin, min(BLOCK_WORDS, n_words - begin))


@inlined
def score_leaf(kept: BitKept, trees: Trees, slot: int, leaf: int, branch: int, n: int) -> int:
    """Return the weight of a leaf's correct instances; with majority leaves, assign its class first."""
    known, scoring, tally = kept.branches.known, kept.scoring, kept.scratch.tally
    if not scoring.majority:
        return int(known[U(branch)]["n_instances"] * scoring.class_weight[trees.value[U(slot), U(leaf)]])
    last = len(tally) - 1
    tally[last] = n
    for label in range(last):
        tally[label] = known[U(branch + label)]["n_instances"]
        tally[last] -= tally[label]
    return settle_leaf(scoring, trees, slot, leaf, tally)


@inlined
def settle_child(trees: Trees, births: Births, k: int, node: int, kept: BitKept) -> tuple[int, int]:
    """Take the counts below a stale node, whose number of instances is known, from the branches.

    Returns the node-instance checks that this replaces, and the weight of the correct instances.
    """
    known, of_node = kept.branches.known, kept.of_node
    slot, reached, correct = U(births.slot[k]), kept.reached, kept.correct
    checks, total = int(reached[slot, U(node)]), 0
    for i in range(node, node + trees.span[slot, U(node)]):
        n = reached[slot, U(i)]
        if trees.attribute[slot, U(i)] == LEAF:
            correct[slot, U(i)] = score_leaf(kept, trees, births.slot[k], i, of_node[U(k), U(i)], n)
            total += correct[slot, U(i)]
            continue
        left = i + 1
        right = left + trees.span[slot, U(left)]
        passing = of_node[U(k), U(left)]
        if trees.attribute[slot, U(left)] == LEAF:
            passing = known[U(passing)]["above"]
        reached[slot, U(left)] = known[U(passing)]["n_instances"]
        reached[slot, U(right)] = n - reached[slot, U(left)]
        correct[slot, U(i)] = 0
        checks += n  # the checks at its two children
    return checks, total


settle_children = make_kernel("settle_children", inherit_counts, settle_child)


@lean
def trace_children(trees: Trees, births: Births, first: int, last: int, kept: BitKept) -> int:
    """Find the branches of children, as long as the table has room; return the child after them."""
    branches = kept.branches
    tallied = (
        max(1, len(kept.scoring.class_weight) - 1) if kept.scoring.majority else 0
    )  # all but the last class
    if branches.state[N_COUNTED] < branches.state[N_BRANCHES]:  # after an interruption
        clear(branches)
    for k in range(first, last):
        slot = births.slot[k]
        most = trees.n_nodes[slot] * branches_per_node(tallied)
        if branches.state[N_BRANCHES] + most > len(branches.known):
            if k > first:
                return k
            clear(branches)
        for which in range(2):
            node = births.stale[k, which]
            if node != NONE:
                trace(branches, kept.masks, trees, slot, node, tallied, kept.of_node[k])
    return last


@shared
def branches_per_node(tallied: int) -> int:
    """Return an upper bound: two on the ways to stale nodes, two below it, and those of a leaf's classes."""
    return 4 + tallied


@lean
def evaluate_on_sets(
    trees: Trees, births: Births, first: int, last: int, ledger: NDArray[np.int64], kept: BitKept
) -> None:
    """Evaluate children, batch by batch: find their branches, count the new ones, then inherit and settle."""
    state, masks = kept.branches.state, kept.masks
    while first < last:
        end = trace_children(trees, births, first, last, kept)
        while state[N_COUNTED] < state[N_BRANCHES]:
            counted = reserve(kept.branches, masks)
            make_pending(kept.instances, masks, 0, masks.bits.shape[1])
            masks.state[N_PENDING] = 0
            count_branches(kept, state[N_COUNTED], counted)
            state[N_COUNTED] = counted
        settle_children(trees, births, first, end, ledger, kept)
        first = end


class BitsetEvaluator(Evaluator):
    """Evaluate with inheritance, on bit sets. Small data have one thread: more would take longer."""

    kernel = staticmethod(evaluate_on_sets)

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1) -> None:
        self.n_instances, self.alphabet = problem.n_instances, problem.alphabet
        self.masks = empty_masks(problem.alphabet, problem.instances, n_least=1)
        n_blocks = -(-self.masks.bits.shape[1] // BLOCK_WORDS)
        super().__init__(problem, n_slots, max(1, min(n_jobs, n_blocks)))
        self.reached, self.correct = (np.zeros((n_slots, 0), dtype=np.int32) for _ in range(2))
        self.of_node = np.zeros((0, 0), dtype=np.int32)
        self.branches = empty_branches(0)
        self.scratch: list[BitScratch] = []  # one per thread

    @property
    def n_bytes(self) -> int:
        arrays = (self.masks.bits, self.reached, self.correct, *self.branches)
        return sum(array.nbytes for array in arrays)

    def kept_for(self, thread: int) -> BitKept:
        return BitKept(
            n_instances=self.n_instances,
            instances=self.instances,
            scoring=self.scoring,
            reached=self.reached,
            correct=self.correct,
            branches=self.branches,
            of_node=self.of_node,
            masks=self.masks,
            scratch=self.scratch[thread],
        )

    def fit(self, trees: Trees, births: Births) -> None:
        width, n_children = trees.width, max(len(births.slot), len(self.of_node))
        if self.of_node.shape != (n_children, width):
            self.of_node = np.zeros((n_children, width), dtype=np.int32)
        if width > self.reached.shape[1]:
            self.reached, self.correct = (widened(counts, width) for counts in (self.reached, self.correct))
            self.make_room((width + 1) // 2)  # the levels of a tree in which every test has a leaf
            n_branches = 1 + width * branches_per_node(len(self.scoring.class_weight))
            if n_branches > len(self.branches.known):
                self.branches = empty_branches(n_branches)

    def make_room(self, n_levels: int) -> None:
        """Allocate scratch arrays, and room for all masks of a branch, for up to ``n_levels`` levels."""
        n_masks = min(n_levels, len(self.masks.row_of))
        if n_masks > len(self.masks.bits):
            self.masks = empty_masks(self.alphabet, self.instances, n_masks)
        n_words = min(self.masks.bits.shape[1], BLOCK_WORDS)
        self.scratch = [
            BitScratch(
                sets=np.zeros((n_levels, n_words), dtype=np.uint64),
                branch=np.zeros(n_levels, dtype=np.int32),
                missing=np.zeros(n_levels, dtype=np.int32),
                tally=np.zeros(len(self.scoring.class_weight), dtype=np.int64),
            )
            for _ in range(self.threads.n_jobs)
        ]

    def evaluate(self, trees: Trees, births: Births) -> None:
        self.fit(trees, births)
        first, n_children = 0, len(births.slot)
        while first < n_children:
            last = trace_children(trees, births, first, n_children, self.kept_for(0))
            self.count_new()
            self.evaluate_range(settle_children, trees, births, first, last)
            first = last

    def count_new(self) -> None:
        """Count the new branches in all threads, batch by batch."""
        branches, masks, state = self.branches, self.masks, self.branches.state
        kept = [self.kept_for(thread) for thread in range(self.threads.n_jobs)]
        while state[N_COUNTED] < state[N_BRANCHES]:
            counted = reserve(branches, masks)
            if masks.state[N_PENDING] > 0:
                self.threads.run(
                    0, masks.bits.shape[1], lambda _, *words: make_pending(self.instances, masks, *words)
                )
                masks.state[N_PENDING] = 0
            self.threads.run(state[N_COUNTED], counted, lambda i, *some: count_branches(kept[i], *some))
            state[N_COUNTED] = counted
