"""Where the published numbers lie among our runs, and what was saved: a comparison that is a test.

The paper's numbers are single runs, so even a perfect reproduction deviates from them. Our own runs show how
far: the *noise floor* is the mean absolute difference of two single runs of ours. A further run of ours would
lie in the 95 % prediction interval (that of a normal sample) 95 times of 100.

Data sets that stand in for the paper's are left out unless asked for. Differences are ours minus the paper's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from math import fsum, sqrt
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gatree.base.statistics import student_t
from gatree.experiments.frame import Results, side_by_side
from gatree.paper.published import (
    BASELINES,
    METRICS,
    SAVINGS,
    TABLES,
    Numbers,
    Setting,
    Spot,
    paper_numbers,
    published,
    stand_ins,
)
from gatree.paper.tables import FilledTable, Samples, column_of, our_samples, papers_numbers
from gatree.rendering.documents import MISSING, PrintedGrid

MISPRINTED = "kr-vs-kp"
"""Whose published GATree rows cannot be trees of the printed size; see `gatree.paper.published`."""

# --- published numbers among our runs ---------------------------------------------------------------


_PLACED = (
    *Spot._fields,
    *("paper", "n", "mean", "sd", "low", "high", "runs_below", "inside"),
    *("beyond", "two_runs", "run_and_others"),
)


def place(spot: Spot, paper: float, runs: Sequence[float]) -> dict[str, Any]:
    """Return where a published number lies among our runs; all but the mean needs two or more of them.

    From low to high is where 95 of 100 further runs of ours would lie, with t as tables print it: to four
    decimals. A number is inside as far as its printed decimals tell. The last two are mean absolute
    differences: of two of our runs, and of a run and the mean of the others.
    """
    n, mean = len(runs), fmean(runs)
    found = {**spot._asdict(), "paper": paper, "n": n, "mean": mean}
    if n < 2:
        return found
    sd, total = stdev(runs), fsum(runs)
    reach = round(student_t(n - 1), 4) * sd * sqrt(1 + 1 / n)
    beyond = max(mean - reach - paper, paper - mean - reach, 0.0)
    in_order = enumerate(sorted(runs))  # of which run i of n is the larger one i times
    return {
        **found,
        "sd": sd,
        "low": mean - reach,
        "high": mean + reach,
        "runs_below": sum(run < paper for run in runs),
        "inside": beyond <= 0.5 * 10.0 ** -METRICS[spot.metric].decimals + 1e-9,
        "beyond": beyond,
        "two_runs": 2 * fsum((2 * i + 1 - n) * run for i, run in in_order) / (n * (n - 1)),
        "run_and_others": fmean(abs(run - (total - run) / (n - 1)) for run in runs),
    }


def placement(tables: Iterable[int], metric: str, results: Results, n_runs: int = 2) -> pd.DataFrame:
    """Place the published numbers of a kind that GATree has in some tables, on the paper's own data sets.

    Those of which there are fewer runs are left out.
    """
    rows = (row for table in tables for row in _placed(table, results))
    chosen = [row for row in rows if row["metric"] == metric and row["n"] >= n_runs]
    return pd.DataFrame(chosen, columns=_PLACED)


@lru_cache(maxsize=64)
def _placed(table: int, results: Results) -> list[dict[str, Any]]:
    return list(_places(our_samples(table, results), papers_numbers(table, results)))


def _places(samples: Samples, paper: Numbers) -> Iterator[dict[str, Any]]:
    left_out = stand_ins()
    for spot, runs in samples.items():
        is_ours = spot.metric in _UNITS and spot.column not in BASELINES and spot.dataset not in left_out
        if is_ours and spot in paper:
            yield place(spot, paper[spot], tuple(runs.values()))


def outside_range(ours: FilledTable) -> frozenset[Spot]:
    """Return where the published numbers of a table lie outside the 95 % prediction interval of our runs."""
    placed = _places(ours.samples, ours.papers)
    return frozenset(
        Spot(*(one[name] for name in Spot._fields)) for one in placed if not one.get("inside", True)
    )


def without(placed: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return the numbers of all other data sets."""
    return placed[placed["dataset"] != dataset]


def outside(placed: pd.DataFrame) -> Counter[str]:
    """Return how many numbers of each data set lie outside."""
    return Counter(placed.loc[~placed["inside"].astype(bool), "dataset"])


KINDS = (
    ("mean savings (Table 3)", (3,), "savings"),
    ("savings (Tables 4, 5, 7)", (4, 5, 7), "savings"),
    ("accuracies (Tables 8-12)", (8, 9, 10, 11, 12), "accuracy"),
    ("sizes (Tables 8-12)", (8, 9, 10, 11, 12), "size"),
)


def placement_table(results: Results) -> pd.DataFrame:
    """Return a row for every published number that has its place among our runs."""
    parts = [placement(tables, metric, results) for _, tables, metric in KINDS]
    every = pd.concat([part for part in parts if len(part)] or parts[:1])
    digits = dict.fromkeys(("mean", "sd", "low", "high"), 4)
    return every.round(digits).drop(columns=["beyond", "two_runs", "run_and_others"])


_HEADINGS = (
    *("published", "data sets", "numbers", "our means deviate by", "bias", "two of our runs differ by"),
    *("a run and the mean of the others by", "inside our interval", "outside"),
)
_UNITS = {"savings": (2, " points"), "accuracy": (3, ""), "size": (1, " nodes")}


def agreement(results: Results, number: int | None = None) -> list[PrintedGrid]:
    """Return how our numbers agree with the published ones, in all tables or in one, if there are any."""
    kinds = KINDS if number is None else _kinds_of(number)
    rows = [row for kind in kinds for row in _rows(results, kind, number)]
    if number is None:
        for table in TABLES:
            for what, among, metric in _kinds_of(table):
                rows += _rows(results, (f"Table {table}: {what}", among, metric), table)[-1:]
    return [PrintedGrid((_HEADINGS,), 2, tuple(rows))] if rows else []


def _kinds_of(number: int) -> list[tuple[str, tuple[int, ...], str]]:
    """Return what of a table is compared; of the lost Table 6 the means that Table 3 still has."""
    if TABLES[number].is_lost:
        return [("means in Table 3", (3,), "savings")]
    return [(what.partition(" (")[0], (number,), metric) for what, among, metric in KINDS if number in among]


def _rows(
    results: Results, kind: tuple[str, tuple[int, ...], str], number: int | None
) -> list[tuple[str | None, ...]]:
    """Return a row for the paper's own data sets, and one without the impossible numbers, if it has any."""
    what, tables, metric = kind
    every = placement(tables, metric, results, n_runs=1)
    if number is not None:
        every = _with_settings(every, TABLES[number].settings)
    rows = [(what, "the paper's own", *_row(every, metric))] if len(every) else []
    others = without(every, MISPRINTED)
    if 0 < len(others) < len(every):
        rows.append((what, f"without {MISPRINTED}", *_row(others, metric)))
    return rows


def _row(every: pd.DataFrame, metric: str) -> tuple[str | None, ...]:
    decimals, unit = _UNITS[metric]
    difference, placed = every["mean"] - every["paper"], every[every["n"] > 1]
    bias = round(difference.mean(), decimals) + 0.0  # no negative zero
    means = (str(len(every)), f"{difference.abs().mean():.{decimals}f}{unit}", f"{bias:+.{decimals}f}")
    if placed.empty:
        return (*means, None, None, None, None)
    return (
        *means,
        *(f"{placed[name].mean():.{decimals}f}" for name in ("two_runs", "run_and_others")),
        f"{placed['inside'].sum()} of {len(placed)}",
        ", ".join(f"{dataset} {n}" for dataset, n in outside(placed).most_common()),
    )


# --- instances and time saved -----------------------------------------------------------------------


class Saved(NamedTuple):
    """What cells have saved, in per cent: the means, each cell with the same weight, and all time."""

    instances: float
    time: float
    total_time: float

    @classmethod
    def of(cls, cells: pd.DataFrame) -> Saved | None:
        """Return what savings cells with the seconds of old and new have saved."""
        if cells.empty:
            return None
        return cls(
            instances=fmean(cells["savings"]),
            time=fmean(100 * (1 - cells["new"] / cells["old"])),
            total_time=100 * (1 - sum(cells["new"]) / sum(cells["old"])),
        )


def papers_times(results: Results, settings: Collection[Setting]) -> pd.DataFrame:
    """Return the savings cells of some settings of the paper that ran old and new, with both seconds."""
    cells = side_by_side(results.frame)
    rates = cells["mutation_rate"].astype(float).astype(str)
    cells = cells.assign(mutation=rates, x=cells["x_factor"], column=column_of(cells))
    return _with_settings(cells, settings)


def published_times(settings: Collection[Setting]) -> pd.DataFrame:
    """Return the same of the published Tables 4, 5 and 7, as far as they have these settings."""
    numbers = published()
    rows = [
        (*spot, *(numbers[spot._replace(metric=metric)] for metric in ("savings", "old_s", "new_s")))
        for spot in numbers
        if spot.metric == "savings" and spot.table in SAVINGS and not TABLES[spot.table].is_lost
    ]
    return _with_settings(pd.DataFrame(rows, columns=[*Spot._fields, "savings", "old", "new"]), settings)


def _with_settings(rows: pd.DataFrame, settings: Collection[Setting]) -> pd.DataFrame:
    """Return the rows that have one of some settings of the paper."""
    pairs = zip(rows["mutation"], rows["x"], strict=True)
    return rows[np.array([pair in settings for pair in pairs], dtype=bool)]


_PLACE = ["mutation", "x", "dataset", "column"]


class BothSaved(NamedTuple):
    """What was saved in the cells that both have: ours and the paper's."""

    ours: Saved
    paper: Saved | None  # the lost Table 6 has none
    n_cells: int
    n_published: int

    @classmethod
    def of(
        cls, results: Results, settings: Collection[Setting], left_out: Collection[str] = ()
    ) -> BothSaved | None:
        ours, paper = (
            cells[~cells["dataset"].isin(list(left_out))].groupby(_PLACE)[["savings", "old", "new"]].mean()
            for cells in (papers_times(results, settings), published_times(settings))
        )
        n_published = len(paper)
        if n_published:
            both = ours.index.intersection(paper.index)
            ours, paper = ours.loc[both], paper.loc[both]
        mine = Saved.of(ours)
        return None if mine is None else cls(mine, Saved.of(paper), len(ours), n_published)


NOT_LOST = tuple(setting for number, setting in SAVINGS.items() if not TABLES[number].is_lost)
"""The settings of Tables 4, 5 and 7."""


def bases() -> dict[str, set[str]]:
    """Return the data sets that a comparison may leave out, the basis of all headline numbers first."""
    return {
        f"the paper's own data sets without {MISPRINTED}": {*stand_ins(), MISPRINTED},
        f"with {MISPRINTED}": set(stand_ins()),
        "all, with the stand-ins": set(),
    }


def saved_work(results: Results, number: int | None = None) -> list[PrintedGrid]:
    """Return what was saved, ours and the paper's: in all tables or in one, by the data sets that count."""
    settings = NOT_LOST if number in (None, 3) else TABLES[number or 3].settings
    wanted: list[tuple[str, Collection[Setting], set[str]]] = [
        (name, settings, left_out) for name, left_out in bases().items()
    ]
    if number is None:
        first = next(iter(bases().values()))
        wanted += [(f"Table {table}, as in the first row", [one], first) for table, one in SAVINGS.items()]
    rows = tuple((name, *_saved_texts(results, some, left_out)) for name, some, left_out in wanted)
    headings = (
        "ours / the paper's, %",
        "instances, mean",
        "time, mean",
        "time, in total",
        "cells that both have",
    )
    known = tuple(row for row in rows if len(row) > 1)
    return [PrintedGrid((headings,), 1, known)] if known else []


def _saved_texts(results: Results, settings: Collection[Setting], left_out: set[str]) -> Iterator[str]:
    both = BothSaved.of(results, settings, left_out)
    if both is not None:
        for index, mine in enumerate(both.ours):
            yield f"{mine:.1f} / {MISSING if both.paper is None else format(both.paper[index], '.1f')}"
        yield f"{both.n_cells} of {both.n_published}" if both.paper else MISSING


# --- J48 ----------------------------------------------------------------------------------------------


class BaselineMatch(NamedTuple):
    """The J48 cells (accuracy and size) that equal the paper's as printed, and those that do not."""

    n_equal: int
    different: tuple[tuple[Spot, float, float], ...]  # where, ours, the paper's

    @property
    def n_cells(self) -> int:
        return self.n_equal + len(self.different)


def baseline_match(ours: FilledTable) -> BaselineMatch:
    """Compare the J48 columns with the paper's as printed, on the data sets that are the paper's own."""
    left_out = stand_ins()
    both = [
        (spot, ours.numbers[spot], paper)
        for spot, paper in paper_numbers(ours.layout.number).items()
        if spot.column in BASELINES
        and spot.metric in ("accuracy", "size")
        and spot.dataset not in left_out
        and spot in ours.numbers
    ]
    different = tuple(one for one in both if len({_printed(one[0], value) for value in one[1:]}) > 1)
    return BaselineMatch(len(both) - len(different), different)


def baseline_notes(ours: FilledTable) -> list[str]:
    """Say how many J48 cells of a table equal the paper's, and name the others."""
    match = baseline_match(ours)
    if not match.n_cells:
        return []
    equal = f"{match.n_equal} of {match.n_cells} accuracies and sizes match exactly"
    apart = "; ".join(
        f"{spot.dataset} {spot.column} {spot.metric} {_printed(spot, mine)} (paper {_printed(spot, paper)})"
        for spot, mine, paper in match.different
    )
    return [f"J48, on the paper's own data sets: {equal}.", *([f"Different: {apart}."] if apart else [])]


def _printed(spot: Spot, value: float) -> str:
    return f"{value:.{METRICS[spot.metric].decimals}f}"
