"""The desk at which a host answers, the same in a process and in an actor: terms first, then errands."""

from __future__ import annotations

from gatree.evolution.evaluators.shards.counter import Part, ShardCounter
from gatree.evolution.evaluators.shards.errand import Errand, Found
from gatree.evolution.evaluators.shards.team import Source, Terms


class Desk:
    """Holds a shard's instances, loaded once, and the counter of the evolution that is under way."""

    def __init__(self, source: Source) -> None:
        self._instances = source.load()
        self._counter: ShardCounter | None = None

    def answer(self, question: Terms | Errand) -> Found | None:
        """Do what is asked."""
        if isinstance(question, Terms):
            self._counter = ShardCounter(Part(self._instances, *question))
            return None
        assert self._counter is not None, "terms come before errands"
        return self._counter.count(question)
