"""Scores of a candidate: how its runs and the published numbers agree, and how a choice by them holds up.

The continuous ranked probability score (CRPS) asks how good a forecast our runs are for a published number:
it is in the number's unit, rewards runs that are near it, and does not punish a spread that is real. The mean
absolute deviation and the bias of our means are given beside it, as in the comparison with Table 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

import numpy as np


class Place(NamedTuple):
    """Where published numbers stand: of which target, table, data set and column, and of what they are."""

    target: str
    table: int | None
    dataset: str
    column: str
    metric: str


@dataclass(frozen=True)
class Match:
    """What was published at a place, and what our runs gave there, both in units of that place."""

    place: Place
    published: tuple[float, ...]
    ours: tuple[float, ...]

    @property
    def crps(self) -> float:
        """The mean score of our runs as a forecast of what was published."""
        return fmean(crps(self.ours, value) for value in self.published)

    @property
    def difference(self) -> float:
        """Our mean less the published one."""
        return fmean(self.ours) - fmean(self.published)

    @property
    def share_inside(self) -> float:
        """The share of the published numbers that lie within the range of our runs."""
        low, high = min(self.ours), max(self.ours)
        return fmean(low <= value <= high for value in self.published)


@dataclass(frozen=True)
class Score:
    """How matches agree in the mean."""

    n: int
    crps: float
    deviation: float
    bias: float
    share_inside: float

    @classmethod
    def of(cls, matches: Sequence[Match]) -> Score:
        """Return the score of some matches."""
        differences = [match.difference for match in matches]
        return cls(
            n=len(matches),
            crps=fmean(match.crps for match in matches),
            deviation=fmean(map(abs, differences)),
            bias=fmean(differences),
            share_inside=fmean(match.share_inside for match in matches),
        )


def crps(runs: Sequence[float], value: float) -> float:
    """Return the continuous ranked probability score of some runs for a value, the smaller the better.

    It is E|X - y| - E|X - X'| / 2 over the runs, without bias for their number: a run is not compared with
    itself. Of a single run it is the distance.

    >>> crps([1.0, 3.0], 2.0)
    0.0
    >>> crps([1.0], 3.0)
    2.0
    """
    ordered = np.sort(np.asarray(runs, dtype=np.float64))
    n = len(ordered)
    distance = float(np.abs(ordered - value).mean())
    if n == 1:
        return distance
    # The sum of |a - b| over all pairs: a sorted run is added as often as it is the larger of a pair.
    ranks = 2 * np.arange(n) - n + 1
    return distance - float(ranks @ ordered) / (n * (n - 1))


Candidates = Mapping[str, Sequence[Match]]
"""The matches of every candidate, by its name."""


def chosen(candidates: Candidates, counts: Callable[[Place], bool]) -> str:
    """Return the candidate with the smallest mean CRPS over the places that count; of equals the first."""
    scores = {
        name: fmean(match.crps for match in matches if counts(match.place))
        for name, matches in candidates.items()
    }
    return min(scores, key=lambda name: scores[name])


@dataclass(frozen=True)
class HeldOut:
    """The candidate that is chosen without a group of places, and its score on that group."""

    group: str
    candidate: str
    score: Score


def held_out(candidates: Candidates, group_of: Callable[[Place], str | None]) -> list[HeldOut]:
    """Leave one group out at a time, choose by the others, and score the choice on the group.

    Places without a group (None) neither choose nor are scored.
    """
    places = {match.place for matches in candidates.values() for match in matches}
    groups = sorted({group for place in places if (group := group_of(place)) is not None})
    results = []
    for group in groups if len(groups) > 1 else []:
        name = chosen(candidates, lambda place, out=group: group_of(place) not in (None, out))  # type: ignore[misc]
        matches = [match for match in candidates[name] if group_of(match.place) == group]
        results.append(HeldOut(group, name, Score.of(matches)))
    return results
