"""Summarize how our numbers agree with the paper's: savings, time, accuracy, size, and J48.

Savings are compared with Table 3, whose means are the only trace of the lost Table 6. Data sets that
stand in for the paper's are left out unless asked for. Differences are ours minus the paper's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import pandas as pd

from gatree.experiments.frame import Results, saved, side_by_side
from gatree.paper.errata import stand_ins
from gatree.paper.grids import Style
from gatree.paper.placement import verdicts
from gatree.paper.published import (
    BASELINES,
    METRICS,
    SAVINGS,
    TABLES,
    Setting,
    Spot,
    paper_numbers,
    published,
)
from gatree.paper.tables import Table, our_table


@dataclass(frozen=True)
class Deviation:
    """How far numbers lie from the paper's: the mean absolute difference, and the mean difference."""

    n: int
    mean_absolute: float
    bias: float

    @classmethod
    def of(cls, differences: Sequence[float]) -> Deviation | None:
        """Return the deviation of some differences, if there are any."""
        if not differences:
            return None
        return cls(len(differences), fmean(map(abs, differences)), fmean(differences))


def savings_deviation(
    results: Results, settings: Iterable[Setting], own_data_only: bool = True
) -> Deviation | None:
    """Return how our mean savings deviate from Table 3, in points, for some of its columns.

    By default over the data sets that are the paper's own, not the stand-ins.
    """
    wanted, left_out = set(settings), set(stand_ins()) if own_data_only else set()
    paper = published()
    differences = [
        value - paper[spot]
        for spot, value in our_table(3, results).numbers.items()
        if spot in paper and Setting(spot.mutation, spot.x) in wanted and spot.dataset not in left_out
    ]
    return Deviation.of(differences)


@dataclass(frozen=True)
class TimeSaved:
    """What part of the saved instances became saved time, in per cent: cell by cell, and over all cells.

    The mean gives every cell the same weight; the total is over the whole grid, where large cells weigh more.
    """

    n_cells: int
    mean_time: float
    mean_instances: float
    total_time: float
    total_instances: float | None  # not known of the paper

    @classmethod
    def of(
        cls, old: Sequence[float], new: Sequence[float], instances: Iterable[float], total: float | None
    ) -> TimeSaved:
        """Return what the seconds of some cells and their saved instances, in per cent, come to."""
        return cls(
            n_cells=len(old),
            mean_time=fmean(100 * (1 - b / a) for a, b in zip(old, new, strict=True)),
            mean_instances=fmean(instances),
            total_time=100 * (1 - sum(new) / sum(old)),
            total_instances=total,
        )

    @property
    def mean_ratio(self) -> float:
        return self.mean_time / self.mean_instances if self.mean_instances else 0.0

    @property
    def total_ratio(self) -> float | None:
        return self.total_time / self.total_instances if self.total_instances else None


def time_saved(
    results: Results, settings: Iterable[Setting], left_out: Collection[str] = ()
) -> TimeSaved | None:
    """Return how saved instances became saved time in the savings cells of some settings."""
    cells = papers_times(results, settings)
    cells = cells[~cells["dataset"].isin(list(left_out))]
    if cells.empty:
        return None
    done, of = cells["instances_reclassified"].sum(), cells["instances_total"].sum()
    return TimeSaved.of(cells["old"].tolist(), cells["new"].tolist(), cells["savings"], saved(done, of))


def papers_times(results: Results, settings: Iterable[Setting]) -> pd.DataFrame:
    """Return the savings cells of some settings of the paper that ran old and new, with both seconds."""
    wanted = set(settings)
    cells = side_by_side(results.frame)
    cells = cells.assign(mutation=cells["mutation_rate"].astype(str), x=cells["x_factor"])
    pairs = zip(cells["mutation"], cells["x"], strict=True)
    return cells[np.array([pair in wanted for pair in pairs], dtype=bool)]


def paper_time_saved(settings: Iterable[Setting], left_out: Collection[str] = ()) -> TimeSaved | None:
    """Return the same of the published Tables 4, 5 and 7, as far as they have these settings."""
    wanted = set(settings)
    tables = [n for n, setting in SAVINGS.items() if setting in wanted and not TABLES[n].is_lost]
    spots = [
        spot
        for spot in published()
        if spot.table in tables and spot.metric == "savings" and spot.dataset not in left_out
    ]
    if not spots:
        return None
    old, new = ([published()[spot._replace(metric=name)] for spot in spots] for name in ("old_s", "new_s"))
    return TimeSaved.of(old, new, (published()[spot] for spot in spots), None)


def cell_deviation(ours: Table, metric: str) -> Deviation | None:
    """Return how a table's GATree cells of one kind deviate from the paper's."""
    paper = paper_numbers(ours.layout.number)
    return Deviation.of(
        [
            ours.numbers[spot] - paper[spot]
            for spot in ours.layout.spots
            if spot.metric == metric
            and spot.column not in BASELINES
            and spot in ours.numbers
            and spot in paper
        ]
    )


@dataclass(frozen=True)
class BaselineMatch:
    """The J48 cells (accuracy and size) that equal the paper's as printed, and those that do not."""

    n_equal: int
    different: tuple[tuple[Spot, float, float], ...]  # where, ours, the paper's

    @property
    def n_cells(self) -> int:
        return self.n_equal + len(self.different)


def baseline_match(ours: Table) -> BaselineMatch:
    """Compare the J48 columns with the paper's as printed, on the data sets that are the paper's own."""
    paper, left_out = paper_numbers(ours.layout.number), stand_ins()
    spots = [
        spot
        for spot in paper
        if spot.column in BASELINES
        and spot.metric in ("accuracy", "size")
        and spot.dataset not in left_out
        and spot in ours.numbers
    ]
    different = [spot for spot in spots if not _equal_as_printed(spot, ours.numbers[spot], paper[spot])]
    return BaselineMatch(
        len(spots) - len(different),
        tuple((spot, ours.numbers[spot], paper[spot]) for spot in different),
    )


def _equal_as_printed(spot: Spot, ours: float, paper: float) -> bool:
    decimals = METRICS[spot.metric].decimals
    return f"{ours:.{decimals}f}" == f"{paper:.{decimals}f}"


def summary(ours: Table, results: Results) -> list[str]:
    """Return a few lines that compare a table with the paper's."""
    number = ours.layout.number
    among_our_runs = verdicts(results, [number])
    if TABLES[number].kind == "savings":
        settings = TABLES[number].settings
        return [*_savings_summary(results, settings), *among_our_runs, *_time_summary(results, settings)]
    return [*_accuracy_summary(ours), *among_our_runs, *_baseline_summary(ours)]


def _savings_summary(results: Results, settings: Iterable[Setting]) -> list[str]:
    own, all_data = (savings_deviation(results, settings, only) for only in (True, False))
    lines = []
    for deviation, what in ((own, "the paper's own data sets"), (all_data, "all, with the stand-ins")):
        if deviation:
            lines.append(
                f"Mean savings against Table 3, {what}: mean absolute deviation "
                f"{deviation.mean_absolute:.2f} points, bias {deviation.bias:+.2f}, over {deviation.n} means."
            )
    return lines


def _time_summary(results: Results, settings: Iterable[Setting]) -> list[str]:
    saved, paper = time_saved(results, settings), paper_time_saved(settings)
    if saved is None:
        return []
    published = f" (the paper: {_mean_saved(paper)})" if paper else ""
    total = f"Of the total: {saved.total_time:.1f} % of the time saved"
    if saved.total_ratio is not None:
        total += f" for {saved.total_instances:.1f} % of the instances, a ratio of {saved.total_ratio:.2f}"
    if paper:
        total += f" (the paper: {paper.total_time:.1f} % of the time)"
    return [f"Mean over {saved.n_cells} cells: {_mean_saved(saved)}{published}.", f"{total}."]


def _mean_saved(saved: TimeSaved) -> str:
    return (
        f"{saved.mean_time:.1f} % of the time saved for {saved.mean_instances:.1f} % of the instances, "
        f"a ratio of {saved.mean_ratio:.2f}"
    )


def _accuracy_summary(ours: Table) -> list[str]:
    lines = []
    for metric, unit in (("accuracy", ""), ("size", " nodes")):
        deviation = cell_deviation(ours, metric)
        if deviation:
            decimals = 3 if metric == "accuracy" else 1
            lines.append(
                f"{METRICS[metric].label} of GATree: mean absolute deviation "
                f"{deviation.mean_absolute:.{decimals}f}{unit}, bias {deviation.bias:+.{decimals}f}, "
                f"over {deviation.n} cells."
            )
    return lines


def _baseline_summary(ours: Table) -> list[str]:
    match = baseline_match(ours)
    if not match.n_cells:
        return []
    equal = f"{match.n_equal} of {match.n_cells} accuracies and sizes equal the paper's as printed"
    lines = [f"J48, on the paper's own data sets: {equal}."]
    style = Style()
    apart = dict.fromkeys(
        f"{spot.dataset} {spot.column} {spot.metric} {style.write(spot.metric, mine)} "
        f"(paper {style.write(spot.metric, paper)})"
        for spot, mine, paper in match.different
    )
    return [*lines, f"Different: {'; '.join(apart)}."] if apart else lines
