"""The evaluator of an evolution whose instances are in shards: shards count, it inherits and adds up.

What is known of every tree, two integers per node, is kept here, so inheritance happens once, and not in
every shard. Its ledger is that of one process, since it is made of the same sums.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.bits.set_counts import NodeCounts, settle_counts
from gatree.evolution.evaluators.contract import RECLASSIFIED, Evaluator
from gatree.evolution.evaluators.inheriting import inherit_nodes
from gatree.evolution.evaluators.leaves import book, has_small_leaf
from gatree.evolution.evaluators.shards.errand import Found, errand_of
from gatree.evolution.evaluators.shards.team import Team
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Problem
from gatree.evolution.scoring import Scoring
from gatree.jit import inlined, lean, plain
from gatree.trees.genome import LEAF


class Summed(NamedTuple):
    """All that the kernel works on."""

    scoring: Scoring
    counts: NodeCounts
    tally: NDArray[np.int64]  # [node, class]: room for the leaves that get the class of most
    found: Found  # the counts of all shards together
    row_of: NDArray[np.int64]  # [birth]: its row in `found`
    n_instances: int


@inlined
def take_sums(kept: Summed, trees: Trees, slot: int, node: int, row: int) -> tuple[int, int]:
    """Fill the counts of a subtree whose root's `reached` is known.

    Returns the node-instance-checks that this replaces, and the weight of the correct instances found.
    """
    scoring, counts, found, tally = kept.scoring, kept.counts, kept.found, kept.tally
    n_correct = 0
    for i in range(node, node + trees.span[slot, node]):
        if i != node:
            counts.reached[slot, i] = found.reached[row, i]
        if trees.attribute[slot, i] == LEAF:
            counts.correct[slot, i] = found.correct[row, i]
            n_correct += found.correct[row, i]
            if scoring.majority:
                for label in range(tally.shape[1]):
                    tally[i, label] = found.tally[row, i, label]
    checks, settled = settle_counts(scoring, trees, counts, tally, slot, node)
    return checks, n_correct + settled


@lean
def settle_children(trees: Trees, births: Births, ledger: NDArray[np.int64], kept: Summed) -> None:
    """Let children inherit, take over the sums of what is stale, and book the work."""
    trees, births, given = Trees(*trees), Births(*births), Summed(*kept)
    scoring, counts = Scoring(*given.scoring), NodeCounts(*given.counts)
    kept = Summed(scoring, counts, given.tally, Found(*given.found), given.row_of, given.n_instances)
    reached, correct = counts
    for k in range(len(births.slot)):
        child = births.slot[k]
        checks_saved, n_correct, checks = 0, 0, 0
        if births.source[k] == NONE:
            reached[child, 0] = kept.n_instances
        else:
            checks_saved, n_correct = inherit_nodes(trees, births, k, reached, correct)
        for which in range(2):
            node = births.stale[k, which]
            if node != NONE:
                made, more = take_sums(kept, trees, child, node, kept.row_of[k])
                checks, n_correct = checks + made, n_correct + more
                ledger[RECLASSIFIED] += reached[child, node]
        too_small = has_small_leaf(scoring, trees, child, reached, child)
        trees.n_correct[child] = 0 if too_small else n_correct
        book(ledger, births, k, kept.n_instances, checks, checks_saved)


class ShardedEvaluator(Evaluator):
    """Evaluates with inheritance, by the counts of a team of shards."""

    runs_alone = False

    def __init__(self, problem: Problem, n_slots: int, team: Team) -> None:
        super().__init__(problem, n_slots)
        self.n_instances = problem.n_instances
        nothing = np.zeros((n_slots, 0), dtype=np.int32)
        self.counts = NodeCounts(nothing, nothing)
        self.tally = np.zeros((0, 0), dtype=np.int64)
        self._found = Found(nothing, nothing, np.zeros((0, 0, 0), dtype=np.int64))
        self._row_of = np.zeros(0, dtype=np.int64)
        self.team = team
        team.begin(problem.alphabet, problem.scoring)

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self.counts)

    def fit(self, trees: Trees, births: Births) -> None:
        del births
        if trees.width > self.counts.reached.shape[1]:
            self.counts = NodeCounts(*(widened(array, trees.width) for array in self.counts))
            n_classes = len(self.scoring.class_weight)
            self.tally = np.zeros((trees.width, n_classes), dtype=np.int64)

    def kept_for(self, member: int) -> Summed:
        del member  # there is one
        return Summed(self.scoring, self.counts, self.tally, self._found, self._row_of, self.n_instances)

    def evaluate(self, trees: Trees, births: Births) -> None:
        self.fit(trees, births)
        errand, rows = errand_of(trees, births)
        self._found = self.team.count(errand)
        self._row_of = np.full(len(births.slot), NONE, dtype=np.int64)
        self._row_of[rows] = np.arange(len(rows))
        settle_children(plain(trees), plain(births), self.crew.ledgers[0], plain(self.kept_for(0)))
