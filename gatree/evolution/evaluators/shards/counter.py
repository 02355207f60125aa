"""What works at a shard: it counts the stale subtrees of children on the shard's own instances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births
from gatree.evolution.evaluators.bits.bitset import BitsetEvaluator, Counted
from gatree.evolution.evaluators.bits.masks import Masks
from gatree.evolution.evaluators.bits.set_counts import Bench, BitScratch, NodeCounts, count_below
from gatree.evolution.evaluators.claim import Claims, claim
from gatree.evolution.evaluators.shards.errand import Errand, Found, as_population
from gatree.evolution.population import Trees
from gatree.evolution.problem import Alphabet, Instances
from gatree.evolution.scoring import Scoring
from gatree.jit import lean, plain


class Part(NamedTuple):
    """A shard of a problem: its own instances, and what it shares with all other shards."""

    instances: Instances
    alphabet: Alphabet
    scoring: Scoring

    @property
    def n_instances(self) -> int:
        return len(self.instances.classes)


@lean
def count_children(
    trees: Trees, births: Births, claims: Claims, kept: Counted, tally: NDArray[np.int64], end: int
) -> None:
    """Count the stale subtrees of children whose masks are there, up to some child."""
    births, kept = Births(*births), Counted(*kept)
    scoring, trees, counts = Scoring(*kept.scoring), Trees(*trees), NodeCounts(*kept.counts)
    masks, scratch = Masks(*kept.masks), BitScratch(*kept.scratch)
    bench = Bench(scoring, trees, counts, masks, scratch)
    k = claim(claims)
    while k < end:
        for which in range(2):
            node = births.stale[k, which]
            if node != NONE:
                count_below(bench, k, node)
                if scoring.majority:
                    for i in range(node, node + trees.span[k, node]):
                        for label in range(tally.shape[2]):
                            tally[k, i, label] = scratch.tally[i, label]
        k = claim(claims)


class ShardCounter(BitsetEvaluator):
    """Counts on bit sets, as `bitset` does, and leaves the adding up to the coordinator."""

    def __init__(self, part: Part, n_jobs: int = 1) -> None:
        super().__init__(part, n_slots=0, n_jobs=n_jobs)
        self.n_classes = part.alphabet.n_classes
        self.tally = np.zeros((0, 0, 0), dtype=np.int64)

    def count(self, errand: Errand) -> Found:
        """Return the counts that an errand asks for."""
        trees, births = as_population(errand)
        n_rows, width = errand.attribute.shape
        self._make_room(n_rows, width)
        self.evaluate(trees, births)
        reached, correct = (array[:n_rows, :width] for array in self.counts)
        return Found(reached, correct, self.tally)

    def _make_room(self, n_rows: int, width: int) -> None:
        majority_rows = n_rows if self.scoring.majority else 0
        self.tally = np.zeros((majority_rows, width, self.n_classes), dtype=np.int64)
        shape = (n_rows, max(width, self.counts.reached.shape[1]))
        self.counts = NodeCounts(np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32))

    def _evaluate(self, trees: Trees, births: Births, first: int, last: int) -> None:
        crew, trees, births = self.crew, plain(trees), plain(births)

        def work(member: int) -> None:
            kept = plain(self.kept_for(member))
            count_children(trees, births, crew.claims, kept, self.tally, last)

        crew.share(first, work)
