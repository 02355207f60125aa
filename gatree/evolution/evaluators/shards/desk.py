"""The desk at which a host answers, the same in a process and in an actor: terms first, then errands."""

from __future__ import annotations

from typing import Any

from gatree.evolution.evaluators.shards.counter import Part, ShardCounter
from gatree.evolution.evaluators.shards.errand import Errand
from gatree.evolution.evaluators.shards.team import Question, Source, Terms
from gatree.evolution.problem import class_counts


class Desk:
    """Holds a shard's instances, loaded once, and the counter of the evolution that is under way."""

    def __init__(self, source: Source) -> None:
        self._instances = source.load()
        self._counter: ShardCounter | None = None

    def answer(self, question: Question) -> Any:
        """Do what is asked."""
        if isinstance(question, Terms):
            self._counter = ShardCounter(Part(self._instances, *question))
            return None
        assert self._counter is not None, "terms come before all else"
        if isinstance(question, Errand):
            return self._counter.count(question)
        return class_counts(question, self._instances, self._counter.n_classes)
