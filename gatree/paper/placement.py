"""Where each published number lies among our runs: a comparison that is a test.

The paper's numbers are single runs, so even a perfect reproduction deviates from them. Our own runs show how
far: the *noise floor* is the mean absolute difference of two single runs of ours. The 95 % range of our
runs is where a further run of ours would lie 95 times of 100 (the prediction interval of a normal sample).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from gatree.base.statistics import student_t
from gatree.experiments.frame import Results
from gatree.paper.errata import stand_ins
from gatree.paper.published import BASELINES, METRICS, Spot, paper_numbers
from gatree.paper.tables import Table, our_samples

IMPOSSIBLE = "kr-vs-kp"
"""Whose published GATree rows cannot be trees of the printed size; see `gatree.paper.errata`."""


@lru_cache(maxsize=10_000)
def _deviation(runs: tuple[float, ...]) -> float:
    """Return the standard deviation of some runs, which are asked for table by table, and for all tables."""
    return stdev(runs)


class Placed(NamedTuple):
    """A published number among our runs, two or more."""

    spot: Spot
    paper: float
    runs: tuple[float, ...]

    @property
    def mean(self) -> float:
        return fmean(self.runs)

    @property
    def range(self) -> tuple[float, float]:
        """Where 95 of 100 further runs of ours would lie, with t as tables print it: to four decimals."""
        n = len(self.runs)
        reach = round(student_t(n - 1), 4) * _deviation(self.runs) * sqrt(1 + 1 / n)
        return self.mean - reach, self.mean + reach

    @property
    def is_inside(self) -> bool:
        """Whether it lies in that range, as far as its printed decimals tell."""
        low, high = self.range
        half_a_digit = 0.5 * 10.0 ** -METRICS[self.spot.metric].decimals + 1e-9
        return low - half_a_digit <= self.paper <= high + half_a_digit

    @property
    def beyond(self) -> float:
        """How far it lies beyond that range."""
        low, high = self.range
        return max(low - self.paper, self.paper - high, 0.0)

    @property
    def mean_difference(self) -> float:
        """The mean absolute difference of two of our runs: in order, run i of n counts 2i + 1 - n times."""
        n = len(self.runs)
        return 2 * fsum((2 * i + 1 - n) * run for i, run in enumerate(sorted(self.runs))) / (n * (n - 1))

    @property
    def mean_distance(self) -> float:
        """The mean absolute difference of a run of ours from the mean of the others."""
        n, total = len(self.runs), fsum(self.runs)
        return fmean(abs(run - (total - run) / (n - 1)) for run in self.runs)

    @property
    def n_below(self) -> int:
        """How many of our runs are lower."""
        return sum(run < self.paper for run in self.runs)


@dataclass(frozen=True)
class Placement:
    """Published numbers of one kind among our runs."""

    numbers: tuple[Placed, ...]

    @property
    def mean_absolute(self) -> float:
        return fmean(abs(number.mean - number.paper) for number in self.numbers)

    @property
    def bias(self) -> float:
        return fmean(number.mean - number.paper for number in self.numbers)

    @property
    def noise_floor(self) -> float:
        """The mean absolute difference of two single runs of ours."""
        return fmean(number.mean_difference for number in self.numbers)

    @property
    def floor_of_means(self) -> float:
        """The mean absolute difference of a single run of ours from the mean of the others."""
        return fmean(number.mean_distance for number in self.numbers)

    @property
    def n_inside(self) -> int:
        return sum(number.is_inside for number in self.numbers)

    @property
    def outside(self) -> Counter[str]:
        """How many numbers of each data set lie outside, the most first."""
        return Counter(number.spot.dataset for number in self.numbers if not number.is_inside)

    def without(self, dataset: str) -> Placement:
        return Placement(tuple(number for number in self.numbers if number.spot.dataset != dataset))


def placement(tables: Iterable[int], metric: str, results: Results) -> Placement:
    """Place the published numbers of a kind that GATree has in some tables, on the paper's own data sets."""
    left_out = stand_ins()
    numbers = []
    for table in tables:
        paper = paper_numbers(table)
        for spot, values in our_samples(table, results).items():
            is_ours = spot.metric == metric and spot.column not in BASELINES and spot.dataset not in left_out
            if is_ours and spot in paper and len(values) > 1:
                numbers.append(Placed(spot, paper[spot], tuple(values.values())))
    return Placement(tuple(numbers))


def outside_range(ours: Table) -> frozenset[Spot]:
    """Return where the published numbers of a table lie outside the 95 % range of our runs."""
    paper, left_out = paper_numbers(ours.layout.number), stand_ins()
    return frozenset(
        spot
        for spot, runs in (ours.samples or {}).items()
        if spot in paper
        and len(runs) > 1
        and spot.metric in ("savings", "accuracy", "size")
        and spot.column not in BASELINES
        and spot.dataset not in left_out
        and not Placed(spot, paper[spot], tuple(runs.values())).is_inside
    )


KINDS = (
    ("mean savings (Table 3)", (3,), "savings"),
    ("savings (Tables 4, 5, 7)", (4, 5, 7), "savings"),
    ("accuracies (Tables 8-12)", (8, 9, 10, 11, 12), "accuracy"),
    ("sizes (Tables 8-12)", (8, 9, 10, 11, 12), "size"),
)


def verdicts(results: Results, tables: Iterable[int] | None = None) -> list[str]:
    """Say for each kind of number how the published ones lie among our runs, of all tables or of some."""
    lines = []
    for what, numbers, metric in KINDS:
        wanted = numbers if tables is None else [number for number in numbers if number in set(tables)]
        name = what if tables is None else what.partition(" (")[0]
        placed = placement(wanted, metric, results)
        if placed.numbers:
            lines.append(f"Published {name} among our runs: {_verdict(placed, metric)}.")
            others = placed.without(IMPOSSIBLE)
            if others.numbers and others != placed:
                lines.append(f"The same without {IMPOSSIBLE}: {_verdict(others, metric)}.")
    return lines


def _verdict(placed: Placement, metric: str) -> str:
    decimals, unit = {"savings": (2, " points"), "accuracy": (3, ""), "size": (1, " nodes")}[metric]
    outside = ", ".join(f"{dataset} {n}" for dataset, n in placed.outside.most_common())
    parts = [
        f"our means deviate by {placed.mean_absolute:.{decimals}f}{unit} (bias {placed.bias:+.{decimals}f})",
        f", where two single runs of ours deviate by {placed.noise_floor:.{decimals}f}",
        f" and one run from the mean of the others by {placed.floor_of_means:.{decimals}f}",
        f"; {placed.n_inside} of {len(placed.numbers)} lie inside the 95 % range of our runs",
        f"; outside: {outside}" if outside else "",
    ]
    return "".join(parts)


def placement_rows(results: Results) -> list[dict[str, object]]:
    """Return a row for every published number that has its place among our runs."""
    rows: list[dict[str, object]] = []
    for _, tables, metric in KINDS:
        for number in placement(tables, metric, results).numbers:
            low, high = number.range
            numbers = {"mean": number.mean, "sd": stdev(number.runs), "low": low, "high": high}
            rows.append(
                {
                    **number.spot._asdict(),
                    "paper": number.paper,
                    "n": len(number.runs),
                    **{name: round(value, 4) for name, value in numbers.items()},
                    "runs_below": number.n_below,
                    "inside": number.is_inside,
                }
            )
    return rows
