"""The sources of shards: slices of instances in memory, or rows of files.

Files are surveyed first, by this process or by the workers of a Dask cluster, one file per task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gatree.data.formats import files_of
from gatree.data.pieces import DataInPieces, Plan, Stretch, encode, stretches, survey
from gatree.evolution.evaluators.shards.workers import Source
from gatree.evolution.problem import Instances, Problem
from gatree.settings.evolution_settings import EvolutionSettings


@dataclass(frozen=True)
class Slice:
    """A range of the instances that the coordinator holds."""

    instances: Instances
    begin: int
    end: int

    def __getstate__(self) -> tuple[Instances]:
        return (self.load(),)  # only the slice is sent

    def __setstate__(self, state: tuple[Instances]) -> None:
        (instances,) = state
        for name, value in {"instances": instances, "begin": 0, "end": len(instances.classes)}.items():
            object.__setattr__(self, name, value)

    def load(self) -> Instances:
        codes, is_numeric, classes = self.instances
        return Instances(
            _writable(codes[:, self.begin : self.end]),
            _writable(is_numeric),
            _writable(classes[self.begin : self.end]),
        )


@dataclass(frozen=True)
class Rows:
    """Some rows of data in pieces, which the worker of the shard reads itself."""

    plan: Plan
    part: Sequence[Stretch]

    def load(self) -> Instances:
        codes, classes = encode(self.plan, self.part)
        return Instances(codes, self.plan.coding.is_numeric, classes)


def sources_of(problem: Problem, n_shards: int) -> Sequence[Source]:
    """Return the sources of ``n_shards`` shards: rows of files, or slices of the instances in memory."""
    if problem.pieces is None:
        return slices(problem.instances, n_shards)
    return [Rows(problem.pieces.plan, part) for part in stretches(problem.pieces.pieces, n_shards)]


def slices(instances: Instances, n_shards: int) -> list[Slice]:
    """Cut instances into at most ``n_shards`` shards of nearly equal size, none of them empty."""
    n = len(instances.classes)
    n_shards = max(1, min(n_shards, n))
    ends = [n * shard // n_shards for shard in range(n_shards + 1)]
    return [Slice(instances, begin, end) for begin, end in pairwise(ends)]


def _writable(array: np.ndarray) -> np.ndarray:
    """Return an array as kernels require it: contiguous and writable, which a received array may not be."""
    return np.require(array, requirements=["C", "W"])


def load_in_pieces(
    pattern: str,
    class_name: str | None,
    drop_strings: bool,
    settings: EvolutionSettings,
    client: Any = None,
) -> DataInPieces:
    """Survey the file, or all files, that a pattern matches, and return the data in pieces.

    On a cluster the workers have to find the files under the same absolute paths.
    """
    paths, each = files_of(pattern), map
    if client is not None:
        paths, each = [str(Path(path).absolute()) for path in paths], _map_on(client)  # type: ignore[assignment]
    return survey(paths, class_name, settings.numeric_tests, drop_strings=drop_strings, each=each)


def _map_on(client: Any) -> Callable[..., Iterable[Any]]:
    def each(function: Callable[..., Any], *columns: Iterable[Any]) -> Iterable[Any]:
        found: Iterable[Any] = client.gather(client.map(function, *columns, pure=False))
        return found

    return each
