"""From a journal to the numbers of Tables 3-12. docs/reproduction.md says the same in words.

- Tables 4-7: seconds are the fastest of the repeats; savings the instances not classified again, %.
- Table 3: the mean of those savings over the sizes that were run.
- Tables 8-12: accuracy is correct over all folds / instances; size (nodes) and seconds the mean fold.
- J48: accuracy by cross-validation; size and seconds of the tree on all data.

Finished cells are grouped once, by setting, place and replicate (`Runs`). Where there are replicates every
number is the mean over them; seconds are those of the replicates that were timed like the first one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from gatree.base.errors import ResultError
from gatree.base.limits import MOST_SEEDS
from gatree.data.catalog import dataset_names
from gatree.experiments.conditions import as_text
from gatree.experiments.journal import find_journal, read_journal
from gatree.experiments.record import Record
from gatree.experiments.rows import Design
from gatree.experiments.setting_grid import FIRST
from gatree.paper.published import (
    BASELINES,
    MORE_EVALUATORS,
    RISING_HIGHER,
    SAVINGS,
    TABLES,
    Extent,
    Layout,
    Numbers,
    PaperTable,
    Setting,
    Spot,
    mean_savings,
    published,
)

Place = tuple[str, str]
"""A data set and a column."""

Replicates = Mapping[int, list[Record]]
"""By replicate, the one record of a savings cell, or those of the folds of a cross-validation."""

Samples = dict[Spot, dict[int, float]]
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


class Runs(list[Record]):
    """Finished cells."""

    @classmethod
    def of(cls, records: Iterable[Record]) -> Runs:
        """Return the finished ones of some records; what is grouped already stays so."""
        if isinstance(records, Runs):
            return records
        return cls(record for record in records if record["status"] == "done")

    @cached_property
    def samples(self) -> dict[int, Samples]:
        """The numbers of the tables that have been computed, by the table's number."""
        return {}

    @cached_property
    def baselines(self) -> list[Record]:
        return [record for record in self if record["cell"]["kind"] == "baseline"]

    def places(self, kind: str, setting: Setting) -> Mapping[Place, Replicates]:
        """Return the cells of each data set and size.

        Where cells differ in more than a table shows, in their study or in another setting, each variant has
        a data set of its own, named by what is different. A study with a history, which is made for Figure
        6, counts only where no other has the same cells.
        """
        return self._places.get((kind, setting), {})

    @cached_property
    def _places(self) -> Mapping[tuple[str, Setting], Mapping[Place, Replicates]]:
        found: dict[Any, dict[Any, list[Record]]] = defaultdict(lambda: defaultdict(list))
        for record in self:
            cell = record["cell"]
            if cell["kind"] != "baseline":
                where = (cell["kind"], setting_of(cell), cell["dataset"], column_of(cell))
                found[where]["history" in record["outcome"], _variant(cell)].append(record)
        shown = {where: _without_history(variants) for where, variants in found.items()}
        ambiguous = {(kind, name) for (kind, _, name, _), variants in shown.items() if len(variants) > 1}
        places: dict[tuple[str, Setting], dict[Place, Replicates]] = defaultdict(dict)
        for (kind, setting, dataset, column), variants in shown.items():
            for variant, records in variants.items():
                name = f"{dataset} ({variant})" if (kind, dataset) in ambiguous else dataset
                places[kind, setting][name, column] = by_replicate(records)
        return places


_SHOWN = {*("study", "kind", "dataset", "replicate", "repeat", "fold"), *FIRST}


def _variant(cell: Mapping[str, Any]) -> str:
    """Return what tells a cell from others in the same place of a table."""
    others = [f"{name} {as_text(value)}" for name, value in cell.items() if name not in _SHOWN]
    return ", ".join([cell["study"], *others])


def _without_history(variants: Mapping[tuple[bool, str], list[Record]]) -> dict[str, list[Record]]:
    plain = {variant: records for (has_history, variant), records in variants.items() if not has_history}
    return plain or {variant: records for (_, variant), records in variants.items()}


def by_replicate(records: Sequence[Record]) -> Replicates:
    """Return records by replicate, in the order of these; a repeat of a cross-validation is one more."""
    found: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        cell = record["cell"]
        found[cell["replicate"] + MOST_SEEDS * cell.get("repeat", 0)].append(record)
    return dict(sorted(found.items()))


def setting_of(cell: Mapping[str, Any]) -> Setting:
    """Return the setting of Tables 3-12 that a cell has."""
    return _setting(cell["mutation_rate"], cell["x_factor"])


@lru_cache(maxsize=1000)  # writing a number takes longer than all else that is asked of a cell
def _setting(mutation_rate: float, x_factor: str) -> Setting:
    return Setting(str(mutation_rate), x_factor)


def column_of(cell: Mapping[str, Any]) -> str:
    """Return the heading for a size: as in the paper where there are as many generations as trees."""
    population, generations = cell["population_size"], cell["n_generations"]
    return str(population) if population == generations else f"{population}x{generations}"


_PAPERS_AXES = {"study", "mutation_rate", "x_factor", "population_size", "n_generations"}


def is_papers(records: Iterable[Record], design: Design) -> bool:
    """Tell whether an experiment varies what the paper's does, and has at least a part of its tables.

    That is: no setting varies but mutation rate, x-factor and size; the pairs of the first two are all four
    of Table 3, and else only Table 12's; and at least one data set is the paper's.
    """
    if not {axis.name for axis in design.axes} <= _PAPERS_AXES:
        return False
    settings = {setting_of(record["cell"]) for record in records if record["cell"]["kind"] != "baseline"}
    known = set(SAVINGS.values())
    return known <= settings <= known | set(RISING_HIGHER) and not set(dataset_names()).isdisjoint(
        design.datasets
    )


def read_results(results: Path) -> tuple[Path, Runs]:
    """Return the journal that a folder of results means, and its finished cells."""
    journal = find_journal(results)
    records = read_journal(journal)
    done = Runs.of(records)
    if not done:
        failed = f" ({len(records)} failed)" if records else ""
        raise ResultError(f"{journal}: no finished cell yet{failed}; run the experiment first: gatree run")
    return journal, done


_BASELINE_COLUMNS = {"j48": "J48", "j48-reduced-error": "J48(p)"}  # others are not in the paper's tables


@dataclass(frozen=True)
class Table:
    """A table to print: the places, and the numbers that are known for them, the mean over the replicates."""

    layout: Layout
    numbers: Numbers
    samples: Mapping[Spot, Mapping[int, float]] = field(default_factory=dict)  # of ours

    @property
    def missing(self) -> list[Spot]:
        """The places that have no number, but for those that no run fills."""
        return [spot for spot in self.layout.spots if spot not in self.numbers and not _stays_empty(spot)]

    def spread(self, spot: Spot) -> Spread | None:
        """Return how far the replicates lie apart in a place, if it is a place of ours."""
        values = self.samples.get(spot)
        return Spread.of(values.values()) if values else None


def _stays_empty(spot: Spot) -> bool:
    """Tell whether a place is always empty: J48 keeps no ledger and no phases."""
    return spot.column in BASELINES and spot.metric not in ("accuracy", "size", "time_s")


def our_table(number: int, records: Iterable[Record], extended: bool = False) -> Table:
    """Return Table 3, 4, ... or 12 from the records of a journal."""
    samples = our_samples(number, records)
    numbers = _means(samples)
    found = {spot.dataset for spot in numbers}
    datasets = [name for name in dataset_names() if name in found] + sorted(found - set(dataset_names()))
    sizes = {spot.column for spot in numbers} - {"mean", *BASELINES}
    metrics = {spot.metric for spot in numbers}
    evaluators = [name for name in MORE_EVALUATORS if f"{name}_s" in metrics]
    extent = Extent(datasets, sorted(sizes), extended, evaluators)
    return Table(TABLES[number].layout(extent), numbers, samples)


def paper_table(number: int) -> Table:
    """Return a table as it was published."""
    numbers = {spot: value for spot, value in published().items() if spot.table == number}
    return Table(TABLES[number].layout(), numbers)


def our_numbers(number: int, records: Iterable[Record]) -> dict[Spot, float]:
    """Return all that the records of a journal hold for one table."""
    return _means(our_samples(number, records))


def _means(samples: Samples) -> dict[Spot, float]:
    return {spot: fmean(values.values()) for spot, values in samples.items()}


def our_samples(number: int, records: Iterable[Record]) -> Samples:
    """Return the same by replicate."""
    runs = Runs.of(records)
    if number not in runs.samples:
        runs.samples[number] = _samples(number, runs)
    return runs.samples[number]


def _samples(number: int, runs: Runs) -> Samples:
    table = TABLES[number]
    if table.means_of:
        return _mean_samples(table, runs)
    samples_with = _savings_samples if table.kind == "savings" else _accuracy_samples
    samples: Samples = {}
    for setting in table.settings:
        samples |= samples_with(number, setting, runs)
    return samples


def _mean_samples(table: PaperTable, runs: Runs) -> Samples:
    savings: dict[Spot, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for number in table.means_of:
        for spot, values in our_samples(number, runs).items():
            if spot.metric == "savings":
                for replicate, value in values.items():
                    savings[mean_savings(Setting(spot.mutation, spot.x), spot.dataset)][replicate].append(
                        value
                    )
    return {
        spot: {replicate: fmean(sizes) for replicate, sizes in sorted(values.items())}
        for spot, values in savings.items()
    }


def _savings_samples(number: int, setting: Setting, runs: Runs) -> Samples:
    samples: Samples = defaultdict(dict)
    for (dataset, column), replicates in runs.places("savings", setting).items():
        timed = _timed_like_the_first(replicates)
        for replicate, (record, *_) in replicates.items():
            metrics = _savings_metrics(record) | (_savings_seconds(record) if replicate in timed else {})
            for metric, value in metrics.items():
                samples[Spot(number, *setting, dataset, column, metric)][replicate] = value
    return dict(samples)


def _timed_like_the_first(replicates: Replicates) -> set[int]:
    """Return the replicates with the evaluators of the first; others run with a faster one, to spare time."""
    evaluators = {replicate: records[0]["timing"].keys() for replicate, records in replicates.items()}
    first = next(iter(evaluators.values()))
    return {replicate for replicate, names in evaluators.items() if names == first}


def _savings_metrics(record: Record) -> dict[str, float]:
    return {"savings": instances_saved([record]), "checks_savings": checks_saved([record])}


def _savings_seconds(record: Record) -> dict[str, float]:
    outcome, timing = record["outcome"], record["timing"]
    metrics = {f"{name}_s": min(seconds["wall"]) for name, seconds in timing.items()}
    for name in timing.keys() & {"old", "new"}:
        metrics |= {
            f"{name}_cpu_s": min(timing[name]["cpu"]),
            f"{name}_evaluate_s": min(timing[name]["evaluate_wall"]),
        }
    if "new" in outcome["kept_bytes"]:
        metrics["memory_kib"] = outcome["kept_bytes"]["new"] / 1024
    return metrics


def instances_saved(records: Sequence[Record]) -> float:
    """Return the percentage of instances that were not classified again: the paper's Train Savings."""
    return _saved(records, "instances_reclassified", "instances_total")


def checks_saved(records: Sequence[Record]) -> float:
    """Return the percentage of node-instance-checks that were not made."""
    return _saved(records, "node_instance_checks", "node_instance_checks_full")


def _saved(records: Sequence[Record], done: str, of: str) -> float:
    ledgers = [record["outcome"]["ledger"] for record in records]
    total = sum(ledger[of] for ledger in ledgers)
    return 100 * (1 - sum(ledger[done] for ledger in ledgers) / total) if total else 0.0


def _accuracy_samples(number: int, setting: Setting, runs: Runs) -> Samples:
    samples: Samples = defaultdict(dict)
    for (dataset, column), replicates in runs.places("cross-validation", setting).items():
        timed = _timed_like_the_first(replicates)
        for replicate, folds in replicates.items():
            if is_whole(folds):
                metrics = _fold_metrics(folds) | (_fold_seconds(folds) if replicate in timed else {})
                for metric, value in metrics.items():
                    samples[Spot(number, *setting, dataset, column, metric)][replicate] = value
    shown = {*(row.dataset for row in TABLES[number].layout().rows), *(spot.dataset for spot in samples)}
    for record in runs.baselines:
        cell = record["cell"]
        if cell["dataset"] in shown and cell["baseline"] in _BASELINE_COLUMNS:
            column = _BASELINE_COLUMNS[cell["baseline"]]
            for metric, value in _baseline_metrics(record).items():
                samples[Spot(number, *setting, cell["dataset"], column, metric)].setdefault(0, value)
    return dict(samples)


def is_whole(folds: Sequence[Record]) -> bool:
    """Tell whether every instance was tested in one of the folds."""
    outcomes = [fold["outcome"] for fold in folds]
    n_instances = outcomes[0]["n_train"] + outcomes[0]["n_test"]
    return bool(sum(outcome["n_test"] for outcome in outcomes) == n_instances)


def _fold_metrics(folds: Sequence[Record]) -> dict[str, float]:
    outcomes = [fold["outcome"] for fold in folds]
    return {
        "accuracy": sum(o["test_correct"] for o in outcomes) / sum(o["n_test"] for o in outcomes),
        "size": fmean(outcome["n_nodes"] for outcome in outcomes),
        "checks_savings": checks_saved(folds),
    }


def _fold_seconds(folds: Sequence[Record]) -> dict[str, float]:
    seconds = [next(iter(fold["timing"].values())) for fold in folds]
    return {
        "time_s": fmean(min(s["wall"]) for s in seconds),
        "cpu_s": fmean(min(s["cpu"]) for s in seconds),
        "evaluate_s": fmean(min(s["evaluate_wall"]) for s in seconds),
    }


def _baseline_metrics(record: Record) -> dict[str, float]:
    outcome = record["outcome"]
    return {
        "accuracy": outcome["cv_correct"] / outcome["n_instances"],
        "size": outcome["size"],
        "time_s": record["timing"]["build"],
    }
