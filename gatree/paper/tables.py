"""From a journal to the numbers of Tables 3-12. docs/reproduction.md says the same in words.

- Tables 4-7: seconds are the fastest of the repeats; savings the instances not classified again, %.
- Table 3: the mean of those savings over the sizes that were run.
- Tables 8-12: accuracy is correct over all folds / instances; size (nodes) and seconds the mean fold.
- J48: accuracy by cross-validation; size and seconds of the tree on all data.

Where there are replicates every number is the mean over them; seconds are those of the replicates that were
timed like the first one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from gatree.data.catalog import dataset_names
from gatree.experiments.record import Record
from gatree.paper.published import (
    BASELINES,
    MORE_EVALUATORS,
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
from gatree.paper.runs import Replicates, Runs, Samples, Spread

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
