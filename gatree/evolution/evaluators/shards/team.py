"""A team of shards: who holds which instances, who is asked, and who takes over from one that is lost.

The team does not know what a host is: a process of this machine (`processes.py`) or an actor at a worker of a
Dask cluster (`dask_actors.py`). A host is given the source of a shard and loads it. If it is lost, another
one loads the same source and is asked the same again, and nobody else is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import GatreeError
from gatree.evolution.evaluators.bits.settle import Found
from gatree.evolution.evaluators.shards.errand import Errand, summed
from gatree.evolution.problem import Alphabet, Instances
from gatree.evolution.scoring import Scoring
from gatree.trees.genome import Tree

_MOST_LOSSES = 3  # of one shard, without an answer between them


class HostLostError(Exception):
    """The host of a shard does not answer any more."""


class Source(Protocol):
    """Where the instances of a shard come from; small enough to be sent, or holding the instances."""

    def load(self) -> Instances:
        """Return the instances."""


class Terms(NamedTuple):
    """What all shards of an evolution share."""

    alphabet: Alphabet
    scoring: Scoring


Question = Terms | Errand | Tree
"""What a host is asked: to begin an evolution, to count children, or the classes at a tree's nodes."""


class Host(Protocol):
    """Holds a shard, and is asked one thing at a time."""

    def ask(self, question: Question) -> None:
        """Begin to work on a question. Raises a `HostLostError`."""

    def answer(self) -> Any:
        """Return the answer: none to terms, `Found` to an errand, counts to a tree. Raises as `ask` does."""

    def close(self) -> None:
        """Let go of the shard."""


class Team:
    """The hosts of all shards.

    Parameters
    ----------
    sources : sequence of Source
        One per shard.
    start : callable
        Returns a new `Host` that loads a source; it is also given the number of the shard.
    """

    def __init__(self, sources: Sequence[Source], start: Callable[[Source, int], Host]) -> None:
        self._sources, self._start = list(sources), start
        self._hosts: list[Host | None] = [None] * len(self._sources)
        self._terms: Terms | None = None
        self.n_losses = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._sources)

    def begin(self, alphabet: Alphabet, scoring: Scoring) -> None:
        """Begin an evolution; what the shards have loaded stays."""
        self._terms = Terms(alphabet, scoring._replace(target=np.zeros(0, dtype=np.int64)))
        self._of_all(self._terms)

    def count(self, errand: Errand) -> Found:
        """Return the counts of all shards together."""
        if errand.n_rows == 0:
            nothing = np.zeros((0, 0), dtype=np.int32)
            return Found(nothing, nothing, np.zeros((0, 0, 0), dtype=np.int64))
        return summed(self._of_all(errand))

    def class_counts(self, tree: Tree) -> NDArray[np.int64]:
        """Return the instances of each class that reach each node of a tree."""
        total: NDArray[np.int64] = sum(self._of_all(tree))
        return total

    def _of_all(self, question: Question) -> list[Any]:
        """Ask all shards, which work at the same time, and return their answers."""
        try:
            asked = [self._was_asked(shard, question) for shard in range(len(self))]
            return [self._answer(shard, question, asked[shard]) for shard in range(len(self))]
        except BaseException:
            self.close()  # hosts that were asked and not heard would answer the next question with this one
            raise

    def _was_asked(self, shard: int, question: Question) -> bool:
        try:
            self._host(shard, question).ask(question)
        except HostLostError:
            return False
        return True

    def _answer(self, shard: int, question: Question, asked: bool) -> Any:
        for _ in range(_MOST_LOSSES):
            try:
                if not asked:
                    self._host(shard, question).ask(question)
                host = self._hosts[shard]
                assert host is not None
                return host.answer()
            except HostLostError as error:
                self._lose(shard)
                asked, reason = False, error
        raise GatreeError(
            f"shard {shard + 1} of {len(self)} was lost {_MOST_LOSSES} times ({reason}); "
            "has its machine too little memory? With more shards each needs less"
        )

    def _host(self, shard: int, question: Question) -> Host:
        """Return the host of a shard, who knows the terms; a new one loads the shard first."""
        host = self._hosts[shard]
        if host is None:
            host = self._hosts[shard] = self._start(self._sources[shard], shard)
            if question is not self._terms and self._terms is not None:
                host.ask(self._terms)
                host.answer()
        return host

    def _lose(self, shard: int) -> None:
        self.n_losses += 1
        host, self._hosts[shard] = self._hosts[shard], None
        if host is not None:
            host.close()

    def close(self) -> None:
        """Let all hosts go. They are started again if they are asked again."""
        for shard, host in enumerate(self._hosts):
            self._hosts[shard] = None
            if host is not None:
                host.close()
