"""From a journal to the numbers of Tables 3-12. docs/reproduction.md says the same in words.

- Tables 4-7: seconds are the fastest of the repeats; savings the instances not classified again, %.
- Table 3: the mean of those savings over the sizes that were run.
- Tables 8-12: accuracy is correct over all folds / instances; size (nodes) and seconds the mean fold.
- J48: accuracy by cross-validation; size and seconds of the tree on all data.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from gatree.data.catalog import dataset_names
from gatree.experiments.record import Record
from gatree.report.layout import (
    ACCURACY,
    BASELINES,
    MORE_EVALUATORS,
    SAVINGS,
    TABLE_12,
    Extent,
    Layout,
    Numbers,
    Setting,
    Spot,
    layout,
)
from gatree.report.published import published

CellFields = dict[str, Any]

_BASELINE_COLUMNS = {"j48": "J48", "j48-reduced-error": "J48(p)"}


@dataclass(frozen=True)
class Table:
    """A table to print: the places, and the numbers that are known for them."""

    layout: Layout
    numbers: Numbers

    @property
    def missing(self) -> list[Spot]:
        """The places that have no number, but for those that no run fills."""
        return [spot for spot in self.layout.spots if spot not in self.numbers and not _stays_empty(spot)]


def _stays_empty(spot: Spot) -> bool:
    """Tell whether a place is always empty: J48 keeps no ledger and no phases."""
    return spot.column in BASELINES and spot.metric not in ("accuracy", "size", "time_s")


def our_table(number: int, records: Iterable[Record], extended: bool = False) -> Table:
    """Return Table 3, 4, ... or 12 from the records of a journal."""
    done = [record for record in records if record["status"] == "done"]
    numbers = our_numbers(number, done)
    found = {spot.dataset for spot in numbers}
    datasets = [name for name in dataset_names() if name in found] + sorted(found - set(dataset_names()))
    sizes = {spot.column for spot in numbers} - {"mean", *BASELINES}
    metrics = {spot.metric for spot in numbers}
    evaluators = [name for name in MORE_EVALUATORS if f"{name}_s" in metrics]
    return Table(layout(number, Extent(datasets, sorted(sizes), extended, evaluators)), numbers)


def paper_table(number: int) -> Table:
    """Return a table as it was published."""
    return Table(layout(number), {spot: value for spot, value in published().items() if spot.table == number})


def our_numbers(number: int, records: Iterable[Record]) -> dict[Spot, float]:
    """Return all that the records of a journal hold for one table."""
    records = list(records)
    if number == 3:
        return _table_3(records)
    if number in SAVINGS:
        return _savings_numbers(number, SAVINGS[number], records)
    settings = [ACCURACY[number]] if number in ACCURACY else list(TABLE_12.values())
    numbers: dict[Spot, float] = {}
    for setting in settings:
        numbers |= _accuracy_numbers(number, setting, records)
    return numbers


def _table_3(records: list[Record]) -> dict[Spot, float]:
    savings: dict[Spot, list[float]] = defaultdict(list)
    for number, setting in SAVINGS.items():
        for spot, value in _savings_numbers(number, setting, records).items():
            if spot.metric == "savings":
                savings[Spot(3, *setting, spot.dataset, "mean", "savings")].append(value)
    return {spot: fmean(values) for spot, values in savings.items()}


def _savings_numbers(number: int, setting: Setting, records: list[Record]) -> dict[Spot, float]:
    return {
        Spot(number, *setting, dataset, column, metric): value
        for (dataset, column), cells in _points("savings", setting, records).items()
        for metric, value in _savings_metrics(cells[0]).items()
    }


def _savings_metrics(record: Record) -> dict[str, float]:
    outcome, timing = record["outcome"], record["timing"]
    metrics = {"savings": instances_saved([record]), "checks_savings": checks_saved([record])}
    for name in timing:
        metrics[f"{name}_s"] = min(timing[name]["wall"])
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


def _accuracy_numbers(number: int, setting: Setting, records: list[Record]) -> dict[Spot, float]:
    numbers = {
        Spot(number, *setting, dataset, column, metric): value
        for (dataset, column), folds in _points("cross-validation", setting, records).items()
        if is_whole(folds)
        for metric, value in _fold_metrics(folds).items()
    }
    shown = {*(row.dataset for row in layout(number).rows), *(spot.dataset for spot in numbers)}
    for record in records:
        cell = record["cell"]
        if cell["kind"] == "baseline" and cell["dataset"] in shown:
            column = _BASELINE_COLUMNS[cell["baseline"]]
            for metric, value in _baseline_metrics(record).items():
                numbers.setdefault(Spot(number, *setting, cell["dataset"], column, metric), value)
    return numbers


def is_whole(folds: Sequence[Record]) -> bool:
    """Tell whether every instance was tested in one of the folds."""
    outcomes = [fold["outcome"] for fold in folds]
    n_instances = outcomes[0]["n_train"] + outcomes[0]["n_test"]
    return bool(sum(outcome["n_test"] for outcome in outcomes) == n_instances)


def _fold_metrics(folds: Sequence[Record]) -> dict[str, float]:
    outcomes = [fold["outcome"] for fold in folds]
    seconds = [next(iter(fold["timing"].values())) for fold in folds]
    return {
        "accuracy": sum(o["test_correct"] for o in outcomes) / sum(o["n_test"] for o in outcomes),
        "size": fmean(outcome["n_nodes"] for outcome in outcomes),
        "time_s": fmean(min(s["wall"]) for s in seconds),
        "cpu_s": fmean(min(s["cpu"]) for s in seconds),
        "evaluate_s": fmean(min(s["evaluate_wall"]) for s in seconds),
        "checks_savings": checks_saved(folds),
    }


def _baseline_metrics(record: Record) -> dict[str, float]:
    outcome = record["outcome"]
    return {
        "accuracy": outcome["cv_correct"] / outcome["n_instances"],
        "size": outcome["size"],
        "time_s": record["timing"]["build"],
    }


def _points(kind: str, setting: Setting, records: list[Record]) -> dict[tuple[str, str], list[Record]]:
    """Return the records of each data set and size, all from one study where several have run them."""
    studies: dict[tuple[str, str], dict[tuple[bool, str], list[Record]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for record in records:
        cell = record["cell"]
        if cell["kind"] == kind and Setting(str(cell["mutation_rate"]), cell["x_factor"]) == setting:
            study = ("history" in record["outcome"], cell["study"])  # Figure 6's study comes last
            studies[cell["dataset"], column_of(cell)][study].append(record)
    return {point: by_study[min(by_study)] for point, by_study in studies.items()}


def column_of(cell: CellFields) -> str:
    """Return the heading for a size: as in the paper where there are as many generations as trees."""
    population, generations = cell["population_size"], cell["n_generations"]
    return str(population) if population == generations else f"{population}x{generations}"
