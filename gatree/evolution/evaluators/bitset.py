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

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError
from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.branches import (
    N_BRANCHES,
    N_COUNTED,
    ROOT,
    Branches,
    clear,
    empty_branches,
    find_missing,
    trace,
)
from gatree.evolution.evaluators.children import (
    Counts,
    book,
    has_small_leaf,
    inherit_counts,
    label_leaf,
)
from gatree.evolution.evaluators.contract import RECLASSIFIED, Evaluator
from gatree.evolution.evaluators.masks import Masks
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import U, lean, plain
from gatree.kernels.words import WORD, popcount
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import LEAF, Ints

BLOCK_WORDS = 512

Bits = NDArray[np.uint64]


class Bitmaps(NamedTuple):
    """The masks, in the form that kernels take."""

    bits: Bits  # [row, word]
    row_of: Ints  # [test]
    first_test: Counts  # [attribute], the class last


class BitScratch(NamedTuple):
    """Scratch arrays."""

    sets: Bits  # [level, word]: a block of the sets on the way to a branch
    branch: Ints  # [level]: whose set it is
    missing: Ints  # [level]: branches whose sets have to be made


class NodeCounts(NamedTuple):
    """What is kept for the nodes of trees."""

    reached: Ints  # [slot, node]
    correct: Ints  # [slot, node]: of a leaf; 0 for an inner node
    of_node: Ints  # [child, node]: its branch; of a leaf, that of its class


class LeafRules(NamedTuple):
    """How leaves are scored."""

    n_tallied: int  # classes that majority leaves count, all but the last; 0 without majority leaves
    min_leaf: int
    n_instances: int


class BitRoom(NamedTuple):
    """What the kernels work on."""

    branches: Branches
    maps: Bitmaps
    counts: NodeCounts
    rules: LeafRules

    @property
    def plain(self) -> BitRoom:
        """The same as plain tuples."""
        return cast(BitRoom, tuple(map(plain, self)))


@lean
def named(room: BitRoom) -> BitRoom:
    """Return plain tuples with their names."""
    branches, maps, counts, rules = room
    return BitRoom(Branches(*branches), Bitmaps(*maps), NodeCounts(*counts), LeafRules(*rules))


@lean
def start_with_all(sets: Bits, n_instances: int, begin: int, n: int) -> None:
    """Fill level 0 with a block of the set of all instances."""
    for word in range(n):
        sets[0, word] = ~np.uint64(0)
    n_left = n_instances - WORD * (begin + n - 1)  # in the last word
    if n_left < WORD:
        sets[0, n - 1] = (np.uint64(1) << np.uint64(n_left)) - np.uint64(1)


@lean
def narrow(sets: Bits, level: int, bits: Bits, row: int, fails: bool, begin: int, n: int) -> None:
    """Store the instances that pass, or fail, a test in the next level."""
    flip = ~np.uint64(0) if fails else np.uint64(0)
    for word in range(n):
        sets[U(level + 1), word] = sets[U(level), word] & (bits[U(row), U(begin + word)] ^ flip)


@lean
def keep_passing(sets: Bits, level: int, bits: Bits, row: int, begin: int, n: int) -> int:
    """Store the instances that pass a test in the next level; return their number."""
    found = np.uint64(0)
    for word in range(n):
        passing = sets[U(level), word] & bits[U(row), U(begin + word)]
        sets[U(level + 1), word] = passing
        found += popcount(passing)
    return int(found)


@lean
def count_of_class(sets: Bits, level: int, bits: Bits, class_row: int, begin: int, n: int) -> int:
    """Count the instances of a set that are of a class."""
    correct = np.uint64(0)
    for word in range(n):
        correct += popcount(sets[U(level), word] & bits[U(class_row), U(begin + word)])
    return int(correct)


@lean
def bring(branches: Branches, maps: Bitmaps, scratch: BitScratch, wanted: int, begin: int, n: int) -> int:
    """Make the set of a branch in a block, from the nearest set on the way to it; return its level."""
    branch = wanted
    while scratch.branch[U(branches.known[U(branch)]["depth"])] != branch:
        scratch.missing[U(branches.known[U(branch)]["depth"])] = branch
        branch = branches.known[U(branch)]["above"]
    for level in range(branches.known[U(branch)]["depth"], branches.known[U(wanted)]["depth"]):
        branch = scratch.missing[U(level + 1)]
        step = branches.known[U(branch)]["step"]
        narrow(scratch.sets, level, maps.bits, maps.row_of[U(step >> 1)], (step & 1) == 1, begin, n)
        scratch.branch[U(level + 1)] = branch
    return int(branches.known[U(wanted)]["depth"])


@lean
def count_in_block(room: BitRoom, scratch: BitScratch, first: int, last: int, begin: int, n: int) -> None:
    """Count branches in a block of words."""
    branches, maps = room.branches, room.maps
    start_with_all(scratch.sets, room.rules.n_instances, begin, n)
    scratch.branch[:] = NONE
    scratch.branch[0] = ROOT
    for branch in range(first, last):
        step = branches.known[U(branch)]["step"]
        if step & 1 == 1:
            continue
        level = bring(branches, maps, scratch, branches.known[U(branch)]["above"], begin, n)
        row = maps.row_of[U(step >> 1)]
        if step >> 1 >= maps.first_test[-1]:
            found = count_of_class(scratch.sets, level, maps.bits, row, begin, n)
        else:
            found = keep_passing(scratch.sets, level, maps.bits, row, begin, n)
            scratch.branch[U(level + 1)] = branch
        branches.known[U(branch)]["n_instances"] += found


@lean
def count_branches(room: BitRoom, scratch: BitScratch, first: int, last: int) -> None:
    """Count branches whose masks are made, block by block: its masks are read once for all."""
    room, scratch = named(room), BitScratch(*scratch)
    n_words = room.maps.bits.shape[1]
    for begin in range(0, n_words, BLOCK_WORDS):
        count_in_block(room, scratch, first, last, begin, min(BLOCK_WORDS, n_words - begin))


@lean
def score_leaf(room: BitRoom, trees: Trees, slot: int, leaf: int, branch: int, n: int, tally: Counts) -> int:
    """Return the instances of a leaf that are of its class; with majority leaves, assign it first."""
    known = room.branches.known
    if room.rules.n_tallied == 0:
        return int(known[U(branch)]["n_instances"])
    last = len(tally) - 1
    tally[last] = n
    for label in range(last):
        tally[label] = known[U(branch + label)]["n_instances"]
        tally[last] -= tally[label]
    return label_leaf(trees, slot, leaf, tally)


@lean
def settle_below(trees: Trees, slot: int, k: int, node: int, room: BitRoom, tally: Counts) -> tuple[int, int]:
    """Take the counts below a stale node, whose number of instances is known, from the branches.

    Returns the node-instance checks that this replaces, and the correct instances.
    """
    known, of_node, tree = room.branches.known, room.counts.of_node, U(slot)
    reached, correct = room.counts.reached, room.counts.correct
    checks, total = int(reached[tree, U(node)]), 0
    for i in range(node, node + trees.span[tree, U(node)]):
        n = reached[tree, U(i)]
        if trees.attribute[tree, U(i)] == LEAF:
            correct[tree, U(i)] = score_leaf(room, trees, slot, i, of_node[U(k), U(i)], n, tally)
            total += correct[tree, U(i)]
            continue
        left = i + 1
        right = left + trees.span[tree, U(left)]
        passing = of_node[U(k), U(left)]
        if trees.attribute[tree, U(left)] == LEAF:
            passing = known[U(passing)]["above"]
        reached[tree, U(left)] = known[U(passing)]["n_instances"]
        reached[tree, U(right)] = n - reached[tree, U(left)]
        correct[tree, U(i)] = 0
        checks += n  # the checks at its two children
    return checks, total


@lean
def settle_children(
    trees: Trees, births: Births, first: int, last: int, room: BitRoom, tally: Counts, ledger: Counts
) -> None:
    """Evaluate a range of children whose branches have been counted: inherit, settle and book each."""
    trees, births, room = Trees(*trees), Births(*births), named(room)
    reached, correct, n_instances = room.counts.reached, room.counts.correct, room.rules.n_instances
    for k in range(first, last):
        child, checks_saved, checks, n_correct = births.slot[k], 0, 0, 0
        if births.source[k] == NONE:
            reached[child, 0] = n_instances
        else:
            checks_saved, n_correct = inherit_counts(trees, births, k, reached, correct)
        if births.is_known[k]:
            trees.n_correct[child] = trees.n_correct[births.source[k]]
            continue
        for which in range(2):
            node = births.stale[k, which]
            if node != NONE:
                made, found = settle_below(trees, child, k, node, room, tally)
                checks, n_correct = checks + made, n_correct + found
                ledger[RECLASSIFIED] += reached[child, node]
        too_small = has_small_leaf(trees, child, reached, child, room.rules.min_leaf)
        trees.n_correct[child] = 0 if too_small else n_correct
        book(ledger, n_instances, checks, checks_saved)


@lean
def trace_children(trees: Trees, births: Births, first: int, room: BitRoom) -> int:
    """Find the branches of children, as long as the table has room; return the child after them."""
    trees, births, room = Trees(*trees), Births(*births), named(room)
    branches, n_tallied = room.branches, room.rules.n_tallied
    for k in range(first, len(births.slot)):
        slot = births.slot[k]
        most = trees.n_nodes[slot] * branches_per_node(n_tallied)
        if branches.state[N_BRANCHES] + most > len(branches.known):
            if k > first:
                return k
            clear(branches)
        for which in range(2):
            node = births.stale[k, which]
            if node != NONE:
                found = room.counts.of_node[k]
                trace(branches, room.maps.first_test, trees, slot, node, n_tallied, found)
    return len(births.slot)


@lean
def branches_per_node(n_tallied: int) -> int:
    """Return an upper bound: two on the ways to stale nodes, two below it, and those of a leaf's classes."""
    return 4 + n_tallied


class BitsetEvaluator(Evaluator):
    """`bitset`: evaluate with inheritance, on sets of instances as bits."""

    def __init__(self, problem: Problem, settings: EvolutionSettings, n_slots: int) -> None:
        super().__init__(problem, settings, n_slots)
        self.masks = Masks(problem.alphabet, problem.instances)
        self.room = BitRoom(
            branches=empty_branches(0),
            maps=Bitmaps(self.masks.bits, self.masks.row_of, self.masks.first_test),
            counts=NodeCounts(*(np.zeros((rows, 0), dtype=np.int32) for rows in (n_slots, n_slots, 0))),
            rules=LeafRules(
                n_tallied=max(1, self.n_classes - 1) if self.has_majority_leaves else 0,
                min_leaf=self.min_leaf,
                n_instances=problem.n_instances,
            ),
        )
        self._plain_room = self.room.plain
        self._tally = np.zeros(self.n_classes, dtype=np.int64)
        self._is_counting = False
        self._trees: Trees | None = None
        self._births: Births | None = None

    @property
    def n_bytes(self) -> int:
        counts = self.room.counts
        arrays = (self.masks.bits, counts.reached, counts.correct, *self.room.branches)
        return sum(array.nbytes for array in arrays)

    def evaluate(self, trees: Trees, births: Births) -> None:
        if trees is not self._trees or births is not self._births:
            self._trees, self._births = trees, births
            self._children = plain(trees), plain(births)
            self.make_room(trees, births)
        if self._is_counting:  # it was interrupted
            self.masks.clear()
            self.room.branches.slots[:] = ROOT
            self.room.branches.state[:] = 1
        self._is_counting = True
        first = 0
        while first < len(births.slot):
            last = trace_children(*self._children, first, self._plain_room)
            self._count_new()
            settle_children(*self._children, first, last, self._plain_room, self._tally, self.ledger)
            first = last
        self._is_counting = False

    def _count_new(self) -> None:
        """Count the branches that have not been counted, as many at a time as there are masks for."""
        state = self.room.branches.state
        while state[N_COUNTED] < state[N_BRANCHES]:
            last = self._make_masks()
            count_branches(self._plain_room, self._scratch, int(state[N_COUNTED]), last)
            state[N_COUNTED] = last

    def _make_masks(self) -> int:
        """Make the masks of branches that have not been counted; return the branch after them."""
        masks, (branches, *_) = self.masks, self._plain_room
        counted, n_rows = int(self.room.branches.state[N_COUNTED]), len(masks.bits)
        for _ in range(2):
            last, n_missing = find_missing(branches, masks.row_of, masks.n_kept, n_rows, masks.missing)
            masks.make(masks.missing[:n_missing])
            if last > counted:
                return last
            masks.clear()
        raise ConfigError(
            f"evaluator: bitset has memory for the masks of {n_rows} tests "
            f"({masks.bits.nbytes / 2**20:.0f} MB), and a tree has more on one way to a leaf; "
            "use fewer instances, a smaller max_depth, or the evaluator new"
        )

    def make_room(self, trees: Trees, births: Births) -> None:
        """Widen what is kept per node to the width of the trees, with sets for as many levels."""
        counts, branches, width = self.room.counts, self.room.branches, trees.width
        n_children = max(len(births.slot), len(counts.of_node))
        if counts.of_node.shape == (n_children, width):
            return
        n_branches = 1 + width * branches_per_node(self.n_classes)
        self.room = self.room._replace(
            branches=empty_branches(n_branches) if n_branches > len(branches.known) else branches,
            counts=NodeCounts(
                reached=widened(counts.reached, width),
                correct=widened(counts.correct, width),
                of_node=np.zeros((n_children, width), dtype=np.int32),
            ),
        )
        self._plain_room = self.room.plain
        n_levels = (width + 1) // 2  # of a tree in which every test has a leaf
        n_words = min(self.masks.bits.shape[1], BLOCK_WORDS)
        self._scratch = plain(
            BitScratch(
                sets=np.zeros((n_levels, n_words), dtype=np.uint64),
                branch=np.zeros(n_levels, dtype=np.int32),
                missing=np.zeros(n_levels, dtype=np.int32),
            )
        )
