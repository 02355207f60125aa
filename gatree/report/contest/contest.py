"""A contest: the values of a setting, and baselines, on the same data, folds and seeds.

A place is a data set together with a value of everything else that the experiment varies. In every place each
rival has numbers, one per fold (the mean over the seeds) or, where nothing is split, one per seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any, NamedTuple

from gatree.report.contest.statistics import (
    LEVEL,
    Mean,
    TTest,
    WinTieLoss,
    average_ranks,
    corrected_t_test,
    mean_of,
    wilcoxon,
    win_tie_loss,
)


class Metric(NamedTuple):
    """What is compared: a column, what is better, and how it is written."""

    column: str
    more_is_better: bool
    factor: float  # from the column's unit to the one that is shown
    decimals: int
    unit: str
    kinds: tuple[str, str]  # the kind of cells to take it from, if both have it


_CROSS_VALIDATION, _SAVINGS = ("cross-validation", "savings"), ("savings", "cross-validation")
METRICS: Mapping[str, Metric] = {
    "accuracy": Metric("accuracy", True, 100, 2, "accuracy on test instances, %", _CROSS_VALIDATION),
    "size": Metric("n_nodes", False, 1, 1, "size of the tree, nodes", _CROSS_VALIDATION),
    "seconds": Metric("seconds", False, 1, 4, "seconds", _SAVINGS),
    "savings": Metric("savings", True, 1, 2, "instances not classified again, %", _SAVINGS),
}
Split = tuple[Any, ...]
"""What numbers of two rivals are paired by: a fold, or a seed."""

Place = tuple[str, ...]
"""A data set and the values of all else that varies, as text."""


@dataclass(frozen=True)
class Sample:
    """The numbers of one rival in one place."""

    values: Mapping[Split, float]
    test_to_train: float

    @cached_property
    def mean(self) -> Mean:
        return mean_of(list(self.values.values()), self.test_to_train)

    def minus(self, other: Sample) -> TTest | None:
        """Test the differences between two rivals, over what both have."""
        both = [split for split in self.values if split in other.values]
        return corrected_t_test(
            [self.values[split] - other.values[split] for split in both], self.test_to_train
        )


@dataclass(frozen=True)
class Duel:
    """One rival against another, over all places."""

    rival: str
    against: str
    tests: Mapping[Place, TTest | None]
    differences: Mapping[Place, float]  # of the means
    counts: WinTieLoss
    significant: WinTieLoss | None  # of the places where a test was possible
    p: float | None  # Wilcoxon's, over the places


@dataclass(frozen=True)
class Contest:
    """Rivals, and what each has reached in every place where all of them were."""

    by: str
    metric: str
    values: tuple[str, ...]  # of what is compared
    baselines: tuple[str, ...]
    places: Mapping[Place, Mapping[str, Sample]]  # by place and rival
    datasets: tuple[str, ...]
    others: tuple[str, ...]  # what else varies from place to place
    n_left_out: int  # places where some rival was not

    @property
    def rivals(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.values, *self.baselines)))

    @property
    def kind(self) -> Metric:
        return METRICS[self.metric]

    @cached_property
    def ranks(self) -> dict[str, float]:
        table = [[samples[rival].mean.value for rival in self.rivals] for samples in self.places.values()]
        return dict(zip(self.rivals, average_ranks(table, self.kind.more_is_better), strict=True))

    def named(self, rival: str) -> str:
        """Return what to call a rival in a sentence."""
        return f"{self.by} {rival}" if rival in self.values and self.by not in ("method", "study") else rival

    def average(self, rival: str) -> float:
        """Return the mean over all places."""
        return fmean(samples[rival].mean.value for samples in self.places.values())

    def duel(self, rival: str, against: str) -> Duel:
        """Compare two rivals."""
        tests = {name: samples[rival].minus(samples[against]) for name, samples in self.places.items()}
        differences = {  # rounded, or sums in another order would not be ties
            name: round(samples[rival].mean.value - samples[against].mean.value, 12)
            for name, samples in self.places.items()
        }
        told = [test.difference if test.p < LEVEL else 0.0 for test in tests.values() if test]
        return Duel(
            rival,
            against,
            tests,
            differences,
            counts=win_tie_loss(list(differences.values()), self.kind.more_is_better),
            significant=win_tie_loss(told, self.kind.more_is_better) if told else None,
            p=wilcoxon(list(differences.values())),
        )
