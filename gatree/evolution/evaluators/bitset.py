"""The `bitset` evaluator: inheritance with sets of instances as bit sets.

A node's set is its parent's, ANDed with the mask of the test between them. A leaf's correct count is a
popcount against the mask of its class. Nodes outside the stale subtrees keep their counts, and a stale
node's set is rebuilt along the path from the root. So nothing is kept per instance and tree: only two
integers per node, and the masks, which all trees share and which are made when a tree first needs them.

The ledger has the same integers as that of `new`, although one AND replaces 64 checks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.children import inherit_counts, make_kernel, settle_leaf
from gatree.evolution.evaluators.contract import Evaluable, Evaluator
from gatree.evolution.evaluators.masks import (
    N_PENDING,
    Masks,
    empty_masks,
    make_pending,
    reserve,
    row_at,
    with_more_rows,
)
from gatree.evolution.evaluators.sets import (
    BLOCK_WORDS,
    Bits,
    count_failing,
    count_of_class,
    count_passing,
    keep_failing,
    keep_passing,
    narrow,
    start_with_all,
)
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Instances
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import U, inlined, lean
from gatree.trees.genome import LEAF, Ints, toward

MOST_COUNTS = 2**20
"""Counts of nodes by class that a batch of children may have, unless one child has more."""


class BitScratch(NamedTuple):
    """Scratch arrays of a thread."""

    sets: Bits  # [level, word]: a block of the sets on the path to a node
    level: Ints  # [node]
    failed_test: Ints  # [node]: for a right child, the row of the test that its instances fail


class BitKept(NamedTuple):
    """The data of the kernels."""

    n_instances: int
    instances: Instances
    scoring: Scoring
    reached: Ints  # [slot, node]
    correct: Ints  # [slot, node]: of a leaf; 0 for an inner node
    tally: NDArray[np.int64]  # [child of a batch, node, class]; of majority leaves, otherwise without nodes
    masks: Masks
    scratch: BitScratch


class Block(NamedTuple):
    """A child, and the block of words in which its nodes are counted; used in kernels only."""

    kept: BitKept
    trees: Trees
    slot: int
    row: int  # in `tally`
    begin: int
    n: int


@inlined
def set_at(block: Block, node: int) -> None:
    """Compute a node's set in level 0, along the path from the root."""
    trees, slot, masks, sets = block.trees, block.slot, block.kept.masks, block.kept.scratch.sets
    start_with_all(sets, block.kept.n_instances, block.begin, block.n)
    here = 0
    while here != node:
        child = toward(trees.span, slot, here, node)
        narrow(sets, masks.bits, row_at(masks, trees, slot, here), child == here + 1, block.begin, block.n)
        here = child


@inlined
def add(totals: Ints, block: Block, node: int, found: int) -> None:
    """Add the count of a block to a node's total; the first block resets it."""
    at = U(block.slot), U(node)
    totals[at] = found if block.begin == 0 else totals[at] + found


@inlined
def add_of_class(block: Block, node: int, label: int, found: int) -> None:
    """Add the count of a block to a node's total of a class; the first block resets it."""
    tally, at = block.kept.tally, (U(block.row), U(node), U(label))
    tally[at] = found if block.begin == 0 else tally[at] + found


@inlined
def row_of_class(masks: Masks, label: int) -> int:
    """Return the row of the mask of a class."""
    return int(masks.row_of[masks.first_test[-1] + label])


@inlined
def tally_set(block: Block, node: int, level: int) -> None:
    """Count a node's set by class, without the last class."""
    masks, sets = block.kept.masks, block.kept.scratch.sets
    for label in range(block.kept.tally.shape[2] - 1):
        of_class = row_of_class(masks, label)
        found = count_of_class(sets, level, masks.bits, of_class, block.begin, block.n)
        add_of_class(block, node, label, found)


@inlined
def tally_passing(block: Block, node: int, level: int, test: int) -> None:
    """Count the instances that pass a test, by class; store them in the next level for the nodes below."""
    kept, begin, n = block.kept, block.begin, block.n
    sets, bits = kept.scratch.sets, kept.masks.bits
    is_leaf = block.trees.attribute[U(block.slot), U(node)] == LEAF
    if is_leaf and kept.tally.shape[2] == 2:  # in one pass, as most tests are
        of_class = row_of_class(kept.masks, 0)
        found, of_first = count_passing(sets, level, bits, test, of_class, begin, n)
        add(kept.reached, block, node, found)
        add_of_class(block, node, 0, of_first)
        return
    add(kept.reached, block, node, keep_passing(sets, level, bits, test, begin, n))
    tally_set(block, node, level + 1)


@inlined
def add_correct(block: Block, leaf: int, found: int) -> None:
    """Add the correct instances of a block to a leaf's total."""
    weight = block.kept.scoring.class_weight[block.trees.value[U(block.slot), U(leaf)]]
    add(block.kept.correct, block, leaf, int(found * weight))


@inlined
def count_left(block: Block, node: int, level: int, test: int) -> None:
    """Count the instances that pass a test, and the correct ones of a leaf; store those of other nodes."""
    kept, begin, n = block.kept, block.begin, block.n
    sets, bits = kept.scratch.sets, kept.masks.bits
    if kept.scoring.majority:
        tally_passing(block, node, level, test)
    elif block.trees.attribute[U(block.slot), U(node)] != LEAF:
        add(kept.reached, block, node, keep_passing(sets, level, bits, test, begin, n))
    else:
        of_class = row_at(kept.masks, block.trees, block.slot, node)
        found, correct = count_passing(sets, level, bits, test, of_class, begin, n)
        add(kept.reached, block, node, found)
        add_correct(block, node, correct)


@inlined
def count_right_leaf(block: Block, leaf: int, level: int, test: int) -> None:
    """Count the correct instances of a right leaf, unless they follow by subtraction, as `reached` does."""
    kept = block.kept
    if not kept.scoring.majority:
        of_class = row_at(kept.masks, block.trees, block.slot, leaf)
        sets, bits = kept.scratch.sets, kept.masks.bits
        add_correct(block, leaf, count_failing(sets, level, bits, test, of_class, block.begin, block.n))


@inlined
def count_first(block: Block, node: int) -> None:
    """Count the classes of a stale node, whose set is in level 0."""
    kept = block.kept
    if kept.scoring.majority:
        tally_set(block, node, 0)
    elif block.trees.attribute[U(block.slot), U(node)] == LEAF:
        of_class = row_at(kept.masks, block.trees, block.slot, node)
        sets, bits = kept.scratch.sets, kept.masks.bits
        add_correct(block, node, count_of_class(sets, 0, bits, of_class, block.begin, block.n))


@inlined
def count_block_below(block: Block, node: int) -> None:
    """Count a subtree in a block, from its root down."""
    kept, trees, slot = block.kept, block.trees, block.slot
    sets, level, failed_test = kept.scratch
    tree = U(slot)
    set_at(block, node)
    count_first(block, node)
    level[node], failed_test[node] = 0, NONE
    for i in range(node, node + trees.span[tree, U(node)]):
        if trees.attribute[tree, U(i)] == LEAF:
            continue  # counted with its parent
        here = level[U(i)]
        if failed_test[U(i)] != NONE:
            keep_failing(sets, here - 1, kept.masks.bits, failed_test[U(i)], block.begin, block.n)
        test = row_at(kept.masks, trees, slot, i)
        left = i + 1
        right = left + trees.span[tree, U(left)]
        if trees.attribute[tree, U(right)] == LEAF:
            count_right_leaf(block, right, here, test)
        level[U(left)], failed_test[U(left)] = here + 1, NONE
        level[U(right)], failed_test[U(right)] = here + 1, test
        count_left(block, left, here, test)


@lean
def count_batch(trees: Trees, births: Births, first: int, last: int, kept: BitKept) -> None:
    """Count below the stale nodes of some children, block by block: its masks are read once for all."""
    n_words = kept.masks.bits.shape[1]
    for begin in range(0, n_words, BLOCK_WORDS):
        n = min(BLOCK_WORDS, n_words - begin)
        for k in range(first, last):
            for which in range(2):
                if births.stale[k, which] != NONE:
                    block = Block(kept, trees, births.slot[k], k % len(kept.tally), begin, n)
                    count_block_below(block, births.stale[k, which])


@inlined
def settle_leaf_of(scoring: Scoring, trees: Trees, slot: int, leaf: int, reached: int, tally: Any) -> int:
    """Return the weight of a leaf's correct instances, given the counts of all classes but the last."""
    last = len(tally) - 1
    tally[last] = reached
    for label in range(last):
        tally[last] -= tally[label]
    return settle_leaf(scoring, trees, slot, leaf, tally)


@inlined
def settle_counts(
    scoring: Scoring, trees: Trees, slot: int, node: int, reached: Ints, correct: Ints, tally: Any
) -> tuple[int, int]:
    """Derive the remaining counts: of instances that fail a test, and of the correct ones at leaves.

    Returns the node-instance checks that this replaces, and the weight of the correct instances.
    """
    tree = U(slot)
    checks, total = int(reached[tree, U(node)]), 0
    for i in range(node, node + trees.span[tree, U(node)]):
        if trees.attribute[tree, U(i)] == LEAF:
            if scoring.majority:
                n = reached[tree, U(i)]
                correct[tree, U(i)] = settle_leaf_of(scoring, trees, slot, i, n, tally[i])
            total += correct[tree, U(i)]
            continue
        left = i + 1
        right = left + trees.span[tree, U(left)]
        reached[tree, U(right)] = reached[tree, U(i)] - reached[tree, U(left)]
        if scoring.majority:
            for label in range(tally.shape[1] - 1):
                tally[U(right), label] = tally[U(i), label] - tally[U(left), label]
        correct[tree, U(i)] = 0
        checks += reached[tree, U(i)]  # the checks at its two children
    return checks, total


@inlined
def settle_child(trees: Trees, births: Births, k: int, node: int, kept: BitKept) -> tuple[int, int]:
    """Complete the counts at a stale node, whose number of instances is known, and at the nodes below it."""
    tally = kept.tally[k % len(kept.tally)]
    return settle_counts(kept.scoring, trees, births.slot[k], node, kept.reached, kept.correct, tally)


settle_children = make_kernel("settle_children", inherit_counts, settle_child)


@lean
def count_children(
    trees: Trees, births: Births, first: int, last: int, ledger: NDArray[np.int64], kept: BitKept
) -> None:
    """Evaluate children whose masks are made: count below their stale nodes, then inherit and settle."""
    count_batch(trees, births, first, last, kept)
    settle_children(trees, births, first, last, ledger, kept)


@lean
def reserve_batch(trees: Trees, births: Births, first: int, last: int, kept: BitKept) -> int:
    """Reserve the masks of a batch; return the child after it."""
    n_tallied = len(kept.scoring.class_weight) - 1 if kept.scoring.majority else 0
    return reserve(kept.masks, trees, births, first, last, n_tallied)


@lean
def evaluate_on_sets(
    trees: Trees, births: Births, first: int, last: int, ledger: NDArray[np.int64], kept: BitKept
) -> None:
    """Evaluate children, batch by batch: make the masks that are missing, then count."""
    while first < last:
        end = min(last, first + len(kept.tally))
        end = reserve_batch(trees, births, first, end, kept)
        make_pending(kept.instances, kept.masks, 0, kept.masks.bits.shape[1])
        kept.masks.state[N_PENDING] = 0
        count_children(trees, births, first, end, ledger, kept)
        first = end


@lean
def make_some_words(kept: BitKept, first_word: int, last_word: int) -> None:
    """Compute some words of the missing masks."""
    if first_word < last_word:
        make_pending(kept.instances, kept.masks, first_word, last_word - first_word)


class BitsetEvaluator(Evaluator):
    """Evaluate with inheritance, on bit sets. Small data have one thread: more would take longer."""

    kernel = staticmethod(evaluate_on_sets)

    def __init__(self, problem: Evaluable, n_slots: int, n_jobs: int = 1) -> None:
        self.masks = empty_masks(problem.alphabet, problem.instances)
        n_blocks = -(-self.masks.bits.shape[1] // BLOCK_WORDS)
        super().__init__(problem, n_slots, max(1, min(n_jobs, n_blocks)))
        self.reached, self.correct = (np.zeros((n_slots, 0), dtype=np.int32) for _ in range(2))
        self.tally = np.zeros((0, 0, 0), dtype=np.int64)
        self.scratch: list[BitScratch] = []  # one per thread

    @property
    def n_bytes(self) -> int:
        return self.masks.bits.nbytes + self.reached.nbytes + self.correct.nbytes

    def has_room(self, n_nodes: int) -> bool:
        """Return whether the masks of every child of up to ``n_nodes`` nodes fit."""
        most = n_nodes // 2 + len(self.scoring.class_weight)
        return len(self.masks.bits) >= min(len(self.masks.row_of), most)

    def runs_alone(self, width: int) -> bool:
        return super().runs_alone(width) and self.has_room(width)

    def kept_for(self, thread: int) -> BitKept:
        return BitKept(
            n_instances=len(self.instances.classes),
            instances=self.instances,
            scoring=self.scoring,
            reached=self.reached,
            correct=self.correct,
            tally=self.tally,
            masks=self.masks,
            scratch=self.scratch[thread],
        )

    def fit(self, trees: Trees, births: Births) -> None:
        if trees.width > self.reached.shape[1]:
            self.reached, self.correct = (
                widened(counts, trees.width) for counts in (self.reached, self.correct)
            )
        self.allocate(len(births.slot), trees.width)

    def allocate(self, n_children: int, width: int) -> None:
        """Allocate scratch arrays for trees of up to ``width`` nodes, and the counts of a batch."""
        n_rows = max(1, min(n_children, MOST_COUNTS // (width * len(self.scoring.class_weight))))
        if n_rows > len(self.tally) or width > len(self.scratch[0].level):
            self.tally = self.empty_tally(n_rows, width)
            self.scratch = [self.empty_scratch(width) for _ in range(self.threads.n_jobs)]

    def empty_tally(self, n_rows: int, width: int) -> NDArray[np.int64]:
        n_nodes = width if self.scoring.majority else 0
        return np.zeros((n_rows, n_nodes, len(self.scoring.class_weight)), dtype=np.int64)

    def empty_scratch(self, width: int) -> BitScratch:
        n_levels = (width + 1) // 2  # of a tree in which every test has a leaf
        return BitScratch(
            sets=np.zeros((n_levels, min(self.masks.bits.shape[1], BLOCK_WORDS)), dtype=np.uint64),
            level=np.zeros(width, dtype=np.int32),
            failed_test=np.zeros(width, dtype=np.int32),
        )

    def evaluate(self, trees: Trees, births: Births) -> None:
        self.fit(trees, births)
        first = 0
        while first < len(births.slot):
            last = self.make_batch(trees, births, first)
            self.evaluate_range(count_children, trees, births, first, last)
            first = last

    def make_batch(self, trees: Trees, births: Births, first: int) -> int:
        """Make the masks of a batch of children in all threads; return the child after it."""
        last = min(len(births.slot), first + len(self.tally))
        while not self.has_room(int(trees.n_nodes[births.slot].max(initial=1))):
            self.masks = with_more_rows(self.masks)
        kept = self.kept_for(0)
        last = reserve_batch(trees, births, first, last, kept)
        if self.masks.state[N_PENDING] > 0:
            n_words = self.masks.bits.shape[1]
            self.threads.run(0, n_words, lambda _, begin, end: make_some_words(kept, begin, end))
            self.masks.state[N_PENDING] = 0
        return last
