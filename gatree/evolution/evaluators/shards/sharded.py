"""The evaluator of an evolution whose instances are in shards: shards count, it inherits and adds up.

What is known of every tree, two integers per node, is kept here, so inheritance happens once, and not in
every shard. Its ledger is that of one process, since it is made of the same sums.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.bits.set_counts import NodeCounts
from gatree.evolution.evaluators.bits.settle import Found, Summed, named_sums, settle_children
from gatree.evolution.evaluators.contract import Evaluator
from gatree.evolution.evaluators.shards.errand import errand_of
from gatree.evolution.evaluators.shards.team import Team
from gatree.evolution.population import Trees, widened
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import lean, plain


@lean
def settle_all(trees: Trees, births: Births, ledger: NDArray[np.int64], kept: Summed) -> None:
    """Settle all children of a brood."""
    births = Births(*births)
    settle_children(Trees(*trees), births, 0, len(births.slot), ledger, named_sums(kept))


class ShardedEvaluator(Evaluator):
    """Evaluates with inheritance, by the counts of a team of shards."""

    runs_alone = False

    def __init__(self, problem: Problem, n_slots: int, team: Team) -> None:
        super().__init__(problem, n_slots)
        self.n_instances = problem.n_instances
        nothing = np.zeros((n_slots, 0), dtype=np.int32)
        self.counts = NodeCounts(nothing, nothing)
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

    def kept_for(self, member: int) -> Summed:
        del member  # there is one
        return Summed(self.scoring, self.counts, self._found, self._row_of, self.n_instances)

    def evaluate(self, trees: Trees, births: Births) -> None:
        self.fit(trees, births)
        errand, rows = errand_of(trees, births)
        self._found = self.team.count(errand)
        self._row_of = np.full(len(births.slot), NONE, dtype=np.int64)
        self._row_of[rows] = np.arange(len(rows))
        settle_all(plain(trees), plain(births), self.crew.ledgers[0], plain(self.kept_for(0)))
