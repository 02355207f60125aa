"""What a baseline has built: a tree of some size that can be tried on data."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from gatree.data.dataset import Dataset


class Judged(NamedTuple):
    """On how many instances a tree was tried, those without a class left out, and how many it got right."""

    n_instances: int
    n_correct: int


class Fitted(Protocol):
    """A tree that was built."""

    @property
    def size(self) -> int: ...

    @property
    def leaves(self) -> int: ...

    def judge(self, data: Dataset, /) -> Judged: ...
