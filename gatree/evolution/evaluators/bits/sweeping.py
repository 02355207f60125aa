"""The `bitset` evaluator on large data: all children of a brood in one sweep over the instances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import Births
from gatree.evolution.evaluators.bits.set_counts import NodeCounts
from gatree.evolution.evaluators.bits.settle import Summed, named_sums, settle_children
from gatree.evolution.evaluators.bits.sweep import Sweeper, Sweeping, count_some, n_tiles
from gatree.evolution.evaluators.claim import Claims
from gatree.evolution.evaluators.contract import Evaluable, Evaluator
from gatree.evolution.generation import Generation, Rules
from gatree.evolution.population import Trees, widened
from gatree.kernels.decorators import lean, plain


class Swept(NamedTuple):
    """All that the kernel works on."""

    sweeping: Sweeping
    sums: Summed


@lean
def evaluate_by_sweeps(
    trees: Trees,
    births: Births,
    claims: Claims,  # noqa: ARG001  tiles are claimed, not children
    ledger: NDArray[np.int64],
    kept: Swept,
) -> None:
    """Evaluate children, in as many sweeps as the room for masks asks for; there is enough for any child."""
    trees, births, kept = Trees(*trees), Births(*births), Swept(*kept)
    sweeping, sums = Sweeping(*kept.sweeping), named_sums(kept.sums)
    first = 0
    while first < len(births.slot):
        last = count_some(trees, births, first, sweeping)
        for k in range(first, last):
            sums.row_of[k] = k - first
        settle_children(trees, births, first, last, ledger, sums)
        first = last


class SweepingEvaluator(Evaluator):
    """Evaluates with inheritance, on bit sets, a tile of the instances at a time."""

    kernel = staticmethod(evaluate_by_sweeps)

    def __init__(self, problem: Evaluable, n_slots: int, n_jobs: int = 1) -> None:
        super().__init__(problem, n_slots, min(n_jobs, n_tiles(problem.n_instances)))
        nothing = np.zeros((n_slots, 0), dtype=np.int32)
        self.counts = NodeCounts(nothing, nothing)
        self.sweeper = Sweeper(problem, self.crew)
        self._row_of = np.zeros(n_slots, dtype=np.int64)

    @property
    def n_bytes(self) -> int:
        return self.sweeper.masks.bits.nbytes + sum(array.nbytes for array in self.counts)

    def kept_for(self, member: int) -> Swept:
        n_instances, found = len(self.instances.classes), self.sweeper.found
        sums = Summed(self.scoring, self.counts, found, self._row_of, n_instances)
        return Swept(self.sweeper.kept_for(member), sums)

    def fit(self, trees: Trees, births: Births) -> None:
        self.sweeper.fit(len(births.slot), trees.width)
        if trees.width > self.counts.reached.shape[1]:
            self.counts = NodeCounts(*(widened(array, trees.width) for array in self.counts))

    def evaluate(self, trees: Trees, births: Births) -> None:
        self.fit(trees, births)
        self.sweeper.make_room(int(trees.n_nodes[births.slot].max(initial=1)))
        claims, ledger, kept = self.crew.claims, self.crew.ledgers[0], plain(self.kept_for(0))
        self.sweeper.share(lambda: evaluate_by_sweeps(plain(trees), plain(births), claims, ledger, kept))

    def advance(self, generation: Generation, rules: Rules, until: int) -> bool:
        """Run generations in one call, if there is room for any child's masks; others help all the while."""
        if not self.sweeper.has_room(generation.trees.width):
            return False
        self.fit(generation.trees, generation.births)
        claims, ledger, kept = self.crew.claims, self.crew.ledgers[0], plain(self.kept_for(0))
        self.sweeper.share(lambda: self.loop(plain(generation), rules, until, claims, ledger, kept))
        return True
