"""What was published for each target, and what the journal of a calibration has for it."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean, pstdev

from gatree.base.errors import ResultError
from gatree.experiments.record import Record
from gatree.paper.calibration.plan import Calibration, RunsTarget, SavingsTarget, study_name
from gatree.paper.calibration.scores import Match, Place
from gatree.paper.comparison import LOST_TABLE
from gatree.paper.layout import SAVINGS, Setting, Spot
from gatree.paper.published import published
from gatree.paper.tables import instances_saved

Runs = Mapping[str, list[dict[str, float]]]
"""The runs of the original program: per data set, of each its nodes and the accuracy on its training data."""

RUN_COLUMNS = ("dataset", "nodes", "train_correct", "n_train")


def read_runs(path: Path) -> Runs:
    """Read runs of the original program: a CSV file with a line each."""
    runs: dict[str, list[dict[str, float]]] = defaultdict(list)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ResultError(f"{path}: cannot be read ({error})") from error
    missing = [name for name in RUN_COLUMNS if not rows or name not in rows[0]]
    if missing:
        raise ResultError(f"{path}: has no column {', '.join(missing)}; it needs {', '.join(RUN_COLUMNS)}")
    for number, row in enumerate(rows, start=2):
        try:
            accuracy = float(row["train_correct"] or "nan") / float(row["n_train"])
            runs[row["dataset"]].append({"nodes": float(row["nodes"]), "accuracy": accuracy})
        except ValueError as error:
            raise ResultError(f"{path}: line {number}: {error}") from None
    return runs


def matches(calibration: Calibration, records: Iterable[Record], runs: Runs | None) -> dict[str, list[Match]]:
    """Return what every candidate gives for what was published; without runs, nothing of theirs."""
    by_study: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record["status"] == "done":
            by_study[record["cell"]["study"]].append(record)
    found: dict[str, list[Match]] = {}
    for candidate in calibration.tried():
        found[candidate] = []
        for target in calibration.targets:
            cells = by_study[study_name(candidate, target.name)]
            if isinstance(target, SavingsTarget):
                found[candidate] += _savings_matches(target, cells)
            elif runs is not None:
                found[candidate] += _run_matches(target, cells, runs)
    return {candidate: some for candidate, some in found.items() if some}


def _savings_matches(target: SavingsTarget, cells: list[Record]) -> list[Match]:
    ours: dict[tuple[Setting, str], dict[int, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for record in cells:
        cell = record["cell"]
        setting = Setting(str(cell["mutation_rate"]), cell["x_factor"])
        by_size = ours[setting, cell["dataset"]][cell.get("replicate", 0)]
        by_size[cell["population_size"]] = instances_saved([record])
    found = []
    for table in target.tables:
        for (setting, dataset), replicates in ours.items():
            if setting == SAVINGS[table]:
                found += _table_matches(target, table, dataset, list(replicates.values()))
    return found


def _table_matches(
    target: SavingsTarget, table: int, dataset: str, replicates: list[dict[int, float]]
) -> list[Match]:
    """Return the matches of a row of a table; of the lost one, of its mean over the sizes."""
    setting = SAVINGS[table]
    if table == LOST_TABLE:
        mean = published()[Spot(3, *setting, dataset, "mean", "savings")]
        place = Place(target.name, table, dataset, "mean", "savings")
        return [Match(place, (mean,), tuple(fmean(run.values()) for run in replicates))]
    found = []
    for size in target.size:
        spot = Spot(table, *setting, dataset, str(size), "savings")
        runs = tuple(run[size] for run in replicates if size in run)
        if spot in published() and runs:
            place = Place(target.name, table, dataset, str(size), "savings")
            found.append(Match(place, (published()[spot],), runs))
    return found


def _run_matches(target: RunsTarget, cells: list[Record], runs: Runs) -> list[Match]:
    """Return the matches of nodes and training accuracy, in standard deviations of the original's runs."""
    found = []
    for name, source in target.datasets.items():
        outcomes = [record["outcome"] for record in cells if record["cell"]["dataset"] == source.name]
        if not runs.get(name) or not outcomes:
            continue
        ours = {
            "nodes": [float(outcome["n_nodes"]) for outcome in outcomes],
            "accuracy": [outcome["train_correct"] / outcome["n_train"] for outcome in outcomes],
        }
        for metric, values in ours.items():
            theirs = [run[metric] for run in runs[name] if run[metric] == run[metric]]
            unit = pstdev(theirs) or 1.0
            place = Place(target.name, None, source.name, "runs", metric)
            scaled = (tuple(value / unit for value in some) for some in (theirs, values))
            found.append(Match(place, *scaled))
    return found
