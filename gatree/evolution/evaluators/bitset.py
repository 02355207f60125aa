"""The `bitset` evaluator: inheritance with sets of instances as bit sets.

A node's set is its parent's, ANDed with the mask of the test between them. A leaf's correct count is a
popcount against the mask of its class. Nodes outside the stale subtrees keep their counts, and a stale
node's set is rebuilt along the path from the root. So nothing is kept per instance and tree: only two
integers per node, and the masks, which all trees share and which are made when a tree first needs them.

The ledger has the same integers as that of `new`, although one AND replaces 64 checks.
"""

from __future__ import annotations

from typing import NamedTuple

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
    fill_first_level,
    keep_failing,
    keep_passing,
    narrow,
)
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Instances
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import U, inlined, lean, plain
from gatree.trees.genome import LEAF, Ints, toward


class BitScratch(NamedTuple):
    """Scratch arrays."""

    sets: Bits  # [level, word]: a block of the sets on the path to a node
    level: Ints  # [node]
    failed_test: Ints  # [node]: for a right child, the row of the test that its instances fail
    tally: NDArray[np.int64]  # [0, node, class] of majority leaves; [slot, node, class] in a shard


class BitKept(NamedTuple):
    """The data of the kernels."""

    n_instances: int
    instances: Instances
    scoring: Scoring
    reached: Ints  # [slot, node]
    correct: Ints  # [slot, node]: of a leaf; 0 for an inner node
    masks: Masks
    scratch: BitScratch


@inlined
def named(kept: BitKept) -> BitKept:
    """Restore the named tuples of arguments from Python (see gatree.kernels.decorators.plain)."""
    n_instances, instances, scoring, reached, correct, masks, scratch = kept
    return BitKept(
        n_instances,
        Instances(*instances),
        Scoring(*scoring),
        reached,
        correct,
        Masks(*masks),
        BitScratch(*scratch),
    )


class Block(NamedTuple):
    """A tree, and the block of words in which its nodes are counted; used in kernels only."""

    kept: BitKept
    trees: Trees
    slot: int
    begin: int
    n: int


@inlined
def set_at(block: Block, node: int) -> None:
    """Compute a node's set in level 0, along the path from the root."""
    trees, slot, masks, sets = block.trees, block.slot, block.kept.masks, block.kept.scratch.sets
    fill_first_level(sets, block.kept.n_instances, block.begin, block.n)
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
def add_correct(block: Block, leaf: int, found: int) -> int:
    """Add the correct instances of a block to a leaf's total; return their weight."""
    label = block.trees.value[U(block.slot), U(leaf)]
    weight = int(found * block.kept.scoring.class_weight[label])
    add(block.kept.correct, block, leaf, weight)
    return weight


@inlined
def tally_set(block: Block, leaf: int, level: int) -> None:
    """Count a leaf's set by class."""
    masks, tally = block.kept.masks, block.kept.scratch.tally
    first_class, row = masks.first_test[-1], min(block.slot, len(tally) - 1)
    for label in range(tally.shape[2]):
        class_row = masks.row_of[first_class + label]
        found = count_of_class(block.kept.scratch.sets, level, masks.bits, class_row, block.begin, block.n)
        tally[row, leaf, label] = found if block.begin == 0 else tally[row, leaf, label] + found


@inlined
def count_left_leaf(block: Block, leaf: int, level: int, test: int) -> int:
    """Count a left leaf; return the weight of its correct instances, 0 for majority leaves."""
    kept, begin, n = block.kept, block.begin, block.n
    sets, bits = kept.scratch.sets, kept.masks.bits
    if kept.scoring.majority:
        add(kept.reached, block, leaf, keep_passing(sets, level, bits, test, begin, n))
        tally_set(block, leaf, level + 1)
        return 0
    class_row = row_at(kept.masks, block.trees, block.slot, leaf)
    found, correct = count_passing(sets, level, bits, test, class_row, begin, n)
    add(kept.reached, block, leaf, found)
    return add_correct(block, leaf, correct)


@inlined
def count_right_leaf(block: Block, leaf: int, level: int, test: int) -> int:
    """Count the correct instances of a right leaf; `settle_counts` derives `reached`."""
    kept, begin, n = block.kept, block.begin, block.n
    sets, bits = kept.scratch.sets, kept.masks.bits
    if kept.scoring.majority:
        keep_failing(sets, level, bits, test, begin, n)
        tally_set(block, leaf, level + 1)
        return 0
    class_row = row_at(kept.masks, block.trees, block.slot, leaf)
    return add_correct(block, leaf, count_failing(sets, level, bits, test, class_row, begin, n))


@inlined
def count_single_leaf(block: Block, leaf: int) -> int:
    """Count a stale leaf, whose set is in level 0."""
    kept = block.kept
    if kept.scoring.majority:
        tally_set(block, leaf, 0)
        return 0
    class_row = row_at(kept.masks, block.trees, block.slot, leaf)
    correct = count_of_class(kept.scratch.sets, 0, kept.masks.bits, class_row, block.begin, block.n)
    return add_correct(block, leaf, correct)


@inlined
def count_block_below(block: Block, node: int) -> int:
    """Count a subtree, whose root's set is in level 0; return the weight of the correct instances."""
    kept, trees, slot = block.kept, block.trees, block.slot
    sets, level, failed_test, _ = kept.scratch
    tree, total = U(slot), 0
    if trees.attribute[tree, U(node)] == LEAF:
        return count_single_leaf(block, node)
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
            total += count_right_leaf(block, right, here, test)
        else:
            level[U(right)], failed_test[U(right)] = here + 1, test
        if trees.attribute[tree, U(left)] == LEAF:
            total += count_left_leaf(block, left, here, test)
        else:  # its set stays in the next level
            level[U(left)], failed_test[U(left)] = here + 1, NONE
            found = keep_passing(sets, here, kept.masks.bits, test, block.begin, block.n)
            add(kept.reached, block, left, found)
    return total


@inlined
def count_below(kept: BitKept, trees: Trees, slot: int, node: int) -> int:
    """Count a subtree block by block; return the weight of the correct instances, without majority leaves."""
    n_words, total = kept.masks.bits.shape[1], 0
    for begin in range(0, n_words, BLOCK_WORDS):
        block = Block(kept, trees, slot, begin, min(BLOCK_WORDS, n_words - begin))
        set_at(block, node)
        total += count_block_below(block, node)
    return total


@inlined
def settle_counts(
    scoring: Scoring,
    trees: Trees,
    reached: Ints,
    correct: Ints,
    tally: NDArray[np.int64],
    slot: int,
    node: int,
) -> tuple[int, int]:
    """Derive the remaining counts: instances that fail a test, and the classes of majority leaves.

    Returns the node-instance checks that this replaces, and the weight of majority leaves.
    """
    tree = U(slot)
    checks, total = int(reached[tree, U(node)]), 0
    for i in range(node, node + trees.span[tree, U(node)]):
        if trees.attribute[tree, U(i)] != LEAF:
            left = i + 1
            right = left + trees.span[tree, U(left)]
            reached[tree, U(right)] = reached[tree, U(i)] - reached[tree, U(left)]
            correct[tree, U(i)] = 0
            checks += reached[tree, U(i)]  # the checks at its two children
        elif scoring.majority:
            correct[tree, U(i)] = settle_leaf(scoring, trees, slot, i, tally[i])
            total += correct[tree, U(i)]
    return checks, total


@inlined
def classify_set(trees: Trees, births: Births, k: int, node: int, kept: BitKept) -> tuple[int, int]:
    """Count the instances at a stale node, whose number is known, and at the nodes below it."""
    slot = births.slot[k]
    total = count_below(kept, trees, slot, node)
    tally = kept.scratch.tally[0]
    checks, settled = settle_counts(kept.scoring, trees, kept.reached, kept.correct, tally, slot, node)
    return checks, total + settled


count_children = make_kernel("count_children", named, inherit_counts, classify_set)


@inlined
def n_tallied(kept: BitKept) -> int:
    """Return the number of classes that leaves by majority are counted for; 0 if their class is fixed."""
    return len(kept.scoring.class_weight) if kept.scoring.majority else 0


@lean
def evaluate_on_sets(
    trees: Trees, births: Births, first: int, last: int, ledger: NDArray[np.int64], kept: BitKept
) -> None:
    """Evaluate children, batch by batch: make the masks that are missing, then count."""
    given, kept = kept, named(kept)
    while first < last:
        end = reserve(kept.masks, Trees(*trees), Births(*births), first, last, n_tallied(kept))
        make_pending(kept.instances, kept.masks, 0, kept.masks.bits.shape[1])
        kept.masks.state[N_PENDING] = 0
        count_children(trees, births, first, end, ledger, given)
        first = end


@lean
def reserve_batch(trees: Trees, births: Births, first: int, last: int, kept: BitKept) -> int:
    """Reserve the masks of a batch; return the child after it."""
    kept = named(kept)
    return reserve(kept.masks, Trees(*trees), Births(*births), first, last, n_tallied(kept))


@lean
def make_some_words(kept: BitKept, first_word: int, last_word: int) -> None:
    """Compute some words of the missing masks."""
    kept = named(kept)
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
            masks=self.masks,
            scratch=self.scratch[thread],
        )

    def fit(self, trees: Trees, births: Births) -> None:
        del births
        if not self.scratch or trees.width > self.reached.shape[1]:
            self.reached, self.correct = (
                widened(counts, trees.width) for counts in (self.reached, self.correct)
            )
            self.scratch = [self._scratch(trees.width) for _ in range(self.threads.n_jobs)]

    def _scratch(self, width: int, n_trees: int = 1) -> BitScratch:
        n_levels = (width + 1) // 2  # of a tree in which every test has a leaf
        n_tallied = width if self.scoring.majority else 0
        return BitScratch(
            sets=np.zeros((n_levels, min(self.masks.bits.shape[1], BLOCK_WORDS)), dtype=np.uint64),
            level=np.zeros(width, dtype=np.int32),
            failed_test=np.zeros(width, dtype=np.int32),
            tally=np.zeros((n_trees, n_tallied, len(self.scoring.class_weight)), dtype=np.int64),
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
        while not self.has_room(int(trees.n_nodes[births.slot].max(initial=1))):
            self.masks = with_more_rows(self.masks)
        kept = plain(self.kept_for(0))
        last = reserve_batch(plain(trees), plain(births), first, len(births.slot), kept)
        if self.masks.state[N_PENDING] > 0:
            n_words = self.masks.bits.shape[1]
            self.threads.run(0, n_words, lambda _, begin, end: make_some_words(kept, begin, end))
            self.masks.state[N_PENDING] = 0
        return last
