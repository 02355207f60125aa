"""From a frame of results to the numbers of Tables 3-12. docs/reproduction.md says the same in words.

- Tables 4-7: seconds are the fastest of the repeats; savings the instances not classified again, %.
- Table 3: the mean of those savings over the sizes that were run.
- Tables 8-12: accuracy is correct over all folds / instances; size (nodes) and seconds the mean fold.
- J48: accuracy by cross-validation; size and seconds of the tree on all data.

Every number is the mean over the replicates; seconds are those of the replicates that were timed like the
first one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

import pandas as pd

from gatree.base.errors import ResultError
from gatree.base.limits import MOST_SEEDS
from gatree.data.catalog import dataset_names
from gatree.experiments.design import Design
from gatree.experiments.frame import EVOLUTION, SETTING_COLUMNS, Results, evolutions, plain, plain_rows
from gatree.experiments.setting_grid import FIRST, as_text
from gatree.paper.published import (
    BASELINES,
    MORE_EVALUATORS,
    RISING_HIGHER,
    SAVINGS,
    SIZES,
    TABLES,
    Extent,
    Layout,
    Numbers,
    Setting,
    Spot,
    mean_savings,
    paper_numbers,
    published,
)

Samples = Mapping[Spot, Mapping[int, float]]
"""By place in a table, the number that each replicate has there."""


class Spread(NamedTuple):
    """What replicates have in common, and how far they lie apart."""

    n: int
    mean: float
    sd: float | None  # of the sample; one run has none
    min: float
    max: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        known = list(values)
        sd = stdev(known) if len(known) > 1 else None
        return cls(len(known), fmean(known), sd, min(known), max(known))

    @property
    def standard_error(self) -> float | None:
        return None if self.sd is None else self.sd / sqrt(self.n)


_PAPERS_AXES = {"study", "mutation_rate", "x_factor", "population_size", "n_generations"}


def is_papers(results: Results, design: Design) -> bool:
    """Tell whether an experiment varies what the paper's does, and has at least a part of its tables.

    That is: no setting varies but mutation rate, x-factor and size; the pairs of the first two are all four
    of Table 3, and else only Table 12's; and at least one data set is the paper's.
    """
    if not {axis.name for axis in design.axes} <= _PAPERS_AXES:
        return False
    pairs = evolutions(results.frame)[["mutation_rate", "x_factor"]].drop_duplicates()
    settings = {Setting(str(rate), x) for rate, x in plain_rows(pairs)}
    known = set(SAVINGS.values())
    return known <= settings <= known | set(RISING_HIGHER) and not set(dataset_names()).isdisjoint(
        design.datasets
    )


@dataclass(frozen=True)
class FilledTable:
    """A table to print: the places, and the numbers that are known for them, the mean over the replicates."""

    layout: Layout
    numbers: Numbers
    samples: Samples = field(default_factory=dict)  # of ours
    papers: Numbers = field(default_factory=dict)  # the published numbers that ours are compared with

    @property
    def missing(self) -> list[Spot]:
        """The places that have no number."""
        return [spot for spot in self.layout.spots if spot not in self.numbers]

    def spread(self, spot: Spot) -> Spread | None:
        """Return how far the replicates lie apart in a place, if it is a place of ours."""
        values = self.samples.get(spot)
        return Spread.of(values.values()) if values else None


def our_table(number: int, results: Results, with_papers: bool = False) -> FilledTable:
    """Return Table 3, 4, ... or 12 from results: what was run, or all of the paper's data sets and sizes."""
    samples = our_samples(number, results)
    numbers = {spot: fmean(values.values()) for spot, values in samples.items()}
    evolved = {spot for spot in numbers if spot.column not in BASELINES}
    found = {spot.dataset for spot in evolved or numbers}
    datasets = [name for name in dataset_names() if name in found] + sorted(found - set(dataset_names()))
    sizes, metrics = ({getattr(spot, name) for spot in evolved} for name in ("column", "metric"))
    extent = Extent(
        datasets,
        sorted(sizes - {"mean"}),
        evaluators=[name for name in MORE_EVALUATORS if f"{name}_s" in metrics],
        baselines=[name for name in BASELINES if any(spot.column == name for spot in numbers)],
        with_papers=with_papers or not evolved,
    )
    if extent.with_papers:
        extent = extent._replace(baselines=BASELINES)
    return FilledTable(TABLES[number].layout(extent), numbers, samples, papers_numbers(number, results))


def papers_numbers(number: int, results: Results) -> Numbers:
    """Return the published numbers of a table that ours are compared with.

    In Table 3 they are means over the sizes that both have, as ours are: where that is none, or where we lack
    some of the lost Table 6, there is no such number.
    """
    trusted = dict(paper_numbers(number))
    for table in TABLES[number].means_of:
        for mean, spots in _spots_of_means(table, results).items():
            if mean in trusted and len(spots) < len(SIZES):
                del trusted[mean]
                if set(spots) <= paper_numbers(table).keys():
                    trusted[mean] = fmean(paper_numbers(table)[spot] for spot in spots)
    return trusted


def paper_table(number: int) -> FilledTable:
    """Return a table as it was published."""
    numbers = {spot: value for spot, value in published().items() if spot.table == number}
    return FilledTable(TABLES[number].layout(), numbers)


def has_cells(number: int, results: Results) -> bool:
    """Tell whether an evolution of results has a place in a table."""
    return any(spot.column not in BASELINES for spot in our_samples(number, results))


def demand_cells(number: int, results: Results) -> None:
    """Raise an error if results have nothing for a table."""
    if not has_cells(number, results.demand_finished()):
        table = TABLES[number]
        pairs = " or ".join(f"m = {mutation}, x = {x}" for mutation, x in table.settings)
        raise ResultError(
            f"{results.journal}: has no cell of Table {number}, which shows {table.kind} studies "
            f"with {pairs}; choose another folder with --results, or run: gatree run --config paper"
        )


@lru_cache(maxsize=64)
def our_samples(number: int, results: Results) -> Samples:
    """Return all that results hold for one table, by replicate."""
    table = TABLES[number]
    if table.means_of:
        return _mean_samples(table.means_of, results)
    shown = {row.dataset for row in table.layout().rows}
    samples: dict[Spot, dict[int, float]] = defaultdict(dict)
    for setting in table.settings:
        numbers = _numbers(results, table.kind).get(setting, [])
        for dataset, column, replicate, metric, value in numbers:
            samples[Spot(number, *setting, dataset, column, metric)][replicate] = value
        if table.kind == "cross-validation":
            datasets = shown | {dataset for dataset, *_ in numbers}
            for dataset, column, metric, value in _baseline_numbers(results):
                if dataset in datasets:
                    samples[Spot(number, *setting, dataset, column, metric)].setdefault(0, value)
    return dict(samples)


def _mean_samples(tables: Iterable[int], results: Results) -> Samples:
    savings: dict[Spot, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for number in tables:
        for mean, spots in _spots_of_means(number, results).items():
            for spot in spots:
                for replicate, value in our_samples(number, results)[spot].items():
                    savings[mean][replicate].append(value)
    return {
        spot: {replicate: fmean(sizes) for replicate, sizes in sorted(values.items())}
        for spot, values in savings.items()
    }


def _spots_of_means(table: int, results: Results) -> Mapping[Spot, list[Spot]]:
    """Return by its place in Table 3 the savings of a table at the paper's sizes, or at ours without any."""
    every: dict[Spot, list[Spot]] = defaultdict(list)
    for spot in our_samples(table, results):
        if spot.metric == "savings":
            every[mean_savings(Setting(spot.mutation, spot.x), spot.dataset)].append(spot)
    return {mean: [spot for spot in some if spot.column in SIZES] or some for mean, some in every.items()}


_PLACE = ["mutation", "x_factor", "place", "column", "run"]


@lru_cache(maxsize=8)
def _numbers(results: Results, kind: str) -> Mapping[Setting, list[tuple[str, str, int, str, float]]]:
    """Return by setting the numbers of all evolutions of a kind: data set, column, run, metric and value."""
    cells = placed(results, kind)
    if cells.empty:
        return {}
    numbers = numbers_of(cells)
    found: dict[Setting, list[tuple[str, str, int, str, float]]] = defaultdict(list)
    for rate, x, *number in plain_rows(numbers):
        found[Setting(rate, x)].append(tuple(number))
    return found


def numbers_of(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of evolutions of one kind: place, column, run, metric and value."""
    numbers = (_savings_numbers if cells["kind"].iloc[0] == "savings" else _fold_numbers)(cells)
    melted = numbers.reset_index().melt(_PLACE, var_name="metric").dropna(subset="value")
    return melted.sort_values("run", kind="stable")[[*_PLACE, "metric", "value"]]


def _savings_numbers(cells: pd.DataFrame) -> pd.DataFrame:
    """Return what every evolution on all data has saved, and the seconds of the evaluators."""
    parts = [cells[~cells["repeats_outcome"]].set_index(_PLACE)["savings"]]
    timed = cells[cells["timed"]].set_index(_PLACE)
    for name in timed["evaluator"].unique():
        parts.append(timed.loc[timed["evaluator"] == name, "seconds"].rename(f"{name}_s"))
    return pd.concat([part[~part.index.duplicated()] for part in parts], axis=1)


def _fold_numbers(cells: pd.DataFrame) -> pd.DataFrame:
    """Return accuracy, size and seconds of every cross-validation in which all were tested."""
    folds = cells[~cells["repeats_outcome"]].groupby(_PLACE, sort=False)
    tested, first = folds["n_test"].sum(), folds[["n_train", "n_test"]].first().sum(axis=1)
    numbers = pd.DataFrame(
        {
            "accuracy": folds["test_correct"].sum() / tested,
            "size": folds["n_nodes"].mean(),
            "time_s": folds["seconds"].mean().where(folds["timed"].all()),
        }
    )
    return numbers[(tested == first) | (folds["folds"].first() == "out-of-bag")]


def column_of(cells: pd.DataFrame) -> pd.Series:
    """Return the column of evolutions: 100, or 100x50 for 100 trees and 50 generations."""
    size, generations = (cells[name].astype(str) for name in ("population_size", "n_generations"))
    return size.where(size == generations, size + "x" + generations)


@lru_cache(maxsize=8)
def placed(results: Results, kind: str) -> pd.DataFrame:
    """Return the evolutions of a kind with their places in the paper's tables.

    Where cells differ in more than a table shows, in their study or in another setting, each variant has
    a data set of its own, named by what is different. A study with a history, which is made for Figure
    6, counts only where no other has the same cells.
    """
    cells = results.frame[results.frame["kind"] == kind]
    cells = cells.assign(
        mutation=[str(float(rate)) for rate in cells["mutation_rate"]],
        column=column_of(cells),
        run=cells["replicate"] + MOST_SEEDS * cells["repeat"],
        place=cells["dataset"],
    )
    where = ["mutation", "x_factor", "dataset", "column"]
    cells = cells[~cells["history"] | cells.groupby(where)["history"].transform("all")]
    ambiguous = cells[cells.groupby(where)["point"].transform("nunique") > 1]
    for dataset in ambiguous["dataset"].unique():
        variants = cells[cells["dataset"] == dataset].drop_duplicates("point")
        for point, variant in _variants(variants).items():
            cells.loc[cells["point"] == point, "place"] = f"{dataset} ({variant})"
    return cells


def _variants(points: pd.DataFrame) -> dict[int, str]:
    """Return by point its study and the settings in which it differs from others."""
    names = ("folds", "drop_remainder", *(name for name in SETTING_COLUMNS if name not in FIRST))
    varied = [name for name in names if points[name].nunique(dropna=False) > 1]
    texts = [[f"{name} {as_text(value)}" for value in plain(points[name])] for name in varied]
    described = zip(points["study"], *texts, strict=True)
    return {point: ", ".join(parts) for point, parts in zip(points["point"], described, strict=True)}


_BASELINE_COLUMNS = {"j48": "J48", "j48-reduced-error": "J48(p)"}  # others are not in the paper's tables


@lru_cache(maxsize=8)
def _baseline_numbers(results: Results) -> list[tuple[str, str, str, float]]:
    """Return the numbers of the J48 columns: on WEKA's folds, as the paper has them, where there are such."""
    frame = results.frame
    folds = frame[(frame["method"] != EVOLUTION) & frame["method"].isin(_BASELINE_COLUMNS)]
    found: list[tuple[str, str, str, float]] = []
    in_order = folds.assign(other=folds["folds"].notna()).sort_values("other", kind="stable")
    for _, one in in_order.groupby("key", sort=False):
        (dataset, method, nodes, seconds), *_ = plain_rows(
            one, ("dataset", "method", "all_data_nodes", "all_data_seconds")
        )
        accuracy = float(one["test_correct"].sum() / one["n_test"].sum())
        for metric, value in (("accuracy", accuracy), ("size", nodes), ("time_s", seconds)):
            found.append((dataset, _BASELINE_COLUMNS[method], metric, value))
    return found
