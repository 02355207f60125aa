"""What works at a shard: it counts the stale subtrees of children on the shard's own instances."""

from __future__ import annotations

from typing import NamedTuple

from gatree.evolution.evaluators.bits.settle import Found
from gatree.evolution.evaluators.bits.sweep import Sweeper, count_children
from gatree.evolution.evaluators.crew import Crew
from gatree.evolution.evaluators.shards.errand import Errand, as_population, joined
from gatree.evolution.problem import Alphabet, Instances
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import plain


class Part(NamedTuple):
    """A shard of a problem: its own instances, and what it shares with all other shards."""

    instances: Instances
    alphabet: Alphabet
    scoring: Scoring

    @property
    def n_instances(self) -> int:
        return len(self.instances.classes)


class ShardCounter:
    """Counts on bit sets, as `bitset` does, and leaves the adding up to the coordinator."""

    def __init__(self, part: Part) -> None:
        self.n_classes = part.alphabet.n_classes
        self._majority = part.scoring.majority
        self._sweeper = Sweeper(part, Crew(1))

    def count(self, errand: Errand) -> Found:
        """Return the counts that an errand asks for."""
        trees, births = as_population(errand)
        n_rows, width = errand.attribute.shape
        self._sweeper.fit(n_rows, width)
        self._sweeper.make_room(width)
        kept = plain(self._sweeper.kept_for(0))
        batches, first = [], 0
        while first < n_rows:
            last = count_children(plain(trees), plain(births), first, kept)
            batches.append(self._read(last - first, width))
            first = last
        return joined(batches)

    def _read(self, n_rows: int, width: int) -> Found:
        """Return a copy of what was counted of a batch, no more than is asked for."""
        reached, correct, tally = self._sweeper.found
        n_classes = self.n_classes if self._majority else 0
        some = (slice(n_rows), slice(width))
        return Found(reached[some].copy(), correct[some].copy(), tally[(*some, slice(n_classes))].copy())
