"""A calibration: how well candidate settings explain published numbers, and how a choice by them holds up.

The continuous ranked probability score (CRPS) asks how good a forecast our runs are for a published number:
it is in the number's unit, rewards runs that are near it, and does not punish a spread that is real. The mean
absolute deviation and the bias of our means are reported next to it, as in the comparison with Table 3.

Numbers come from the published tables, from runs of the original program, and from a calibration's journal.

The result of a calibration is a table of the candidates, what others would choose, and a figure.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, pstdev
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from calibration_plan import Calibration, RunsTarget, SavingsTarget, study_name
from gatree.base.errors import ResultError
from gatree.experiments.record import EvolutionRecord, Record
from gatree.experiments.record_rows import saved
from gatree.paper.published import SAVINGS, TABLES, Setting, Spot, mean_savings, published
from gatree.rendering.documents import Document, PrintedGrid
from gatree.rendering.figures import BLUE, GREY, ORANGE, new_figure


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
        """The share of the published numbers that lie within the prediction interval of our runs."""
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
    by_study: dict[str, list[EvolutionRecord]] = defaultdict(list)
    for record in records:
        if isinstance(record, EvolutionRecord):
            by_study[record.cell.study].append(record)
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


def _savings_matches(target: SavingsTarget, cells: list[EvolutionRecord]) -> list[Match]:
    ours: dict[tuple[Setting, str], dict[int, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for record in cells:
        cell, ledger = record.cell, record.outcome.ledger
        setting = Setting(str(cell.mutation_rate), cell.x_factor)
        by_size = ours[setting, cell.dataset][cell.replicate]
        by_size[cell.population_size] = saved(ledger.instances_reclassified, ledger.instances_total)
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
    if TABLES[table].is_lost:
        mean = published()[mean_savings(setting, dataset)]
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


def _run_matches(target: RunsTarget, cells: list[EvolutionRecord], runs: Runs) -> list[Match]:
    """Return the matches of nodes and training accuracy, in standard deviations of the original's runs."""
    found = []
    for name, source in target.datasets.items():
        outcomes = [record.outcome for record in cells if record.cell.dataset == source.name]
        if not runs.get(name) or not outcomes:
            continue
        ours = {
            "nodes": [float(outcome.n_nodes) for outcome in outcomes],
            "accuracy": [outcome.train_correct / outcome.n_train for outcome in outcomes],
        }
        for metric, values in ours.items():
            theirs = [run[metric] for run in runs[name] if run[metric] == run[metric]]
            unit = pstdev(theirs) or 1.0
            place = Place(target.name, None, source.name, "runs", metric)
            scaled = (tuple(value / unit for value in some) for some in (theirs, values))
            found.append(Match(place, *scaled))
    return found


@dataclass(frozen=True)
class Result:
    """The scores of all candidates by target, and who is chosen."""

    calibration: Calibration
    scores: Mapping[str, Mapping[str, Score]]  # candidate, target
    chosen: str
    held_out: Sequence[HeldOut]  # within the target that chooses, a data set or a table at a time

    @property
    def ranked(self) -> list[str]:
        """The candidates, the best by the target that chooses first."""
        by = self.calibration.choose_by
        return sorted(self.scores, key=lambda name: self.scores[name][by].crps)


def result_of(calibration: Calibration, matches: Mapping[str, Sequence[Match]]) -> Result:
    """Score all candidates and choose one, by nothing but the target that chooses."""
    by = calibration.choose_by
    complete = {
        name: some for name, some in matches.items() if any(match.place.target == by for match in some)
    }
    if not complete:
        raise ResultError(f"no candidate has runs for the target {by!r}, by which to choose; run it first")
    scores = {
        name: {target: Score.of(of_target) for target, of_target in _by_target(some).items()}
        for name, some in complete.items()
    }

    def dataset(place: Place) -> str | None:
        return f"without {place.dataset}" if place.target == by else None

    def table(place: Place) -> str | None:
        return f"without Table {place.table}" if place.target == by and place.table else None

    winner = chosen(complete, lambda place: place.target == by)
    return Result(calibration, scores, winner, [*held_out(complete, dataset), *held_out(complete, table)])


def _by_target(matches: Sequence[Match]) -> dict[str, list[Match]]:
    found: dict[str, list[Match]] = defaultdict(list)
    for match in matches:
        found[match.place.target].append(match)
    return found


def document(result: Result) -> Document:
    """Return the table of candidates, the best first."""
    by = result.calibration.choose_by
    targets = [by, *(target.name for target in result.calibration.targets if target.name != by)]
    columns = ("CRPS", "deviation", "bias", "inside")
    headings = (
        ("candidate", *(part for target in targets for part in (target, *[""] * (len(columns) - 1)))),
        ("", *(column for _ in targets for column in columns)),
    )
    rows = tuple(
        (name, *(text for target in targets for text in _texts(result.scores[name].get(target))))
        for name in result.ranked
    )
    records = tuple(
        {
            "candidate": name,
            "settings": result.calibration.tried()[name],
            **{target: vars(score) for target, score in result.scores[name].items()},
        }
        for name in result.ranked
    )
    caption = f"Candidates of {result.calibration.name}, chosen by {by}"
    return Document(caption, (PrintedGrid(headings, 1, rows),), records, tuple(_notes(result)))


def _texts(score: Score | None) -> tuple[str | None, ...]:
    if score is None:
        return (None,) * 4
    inside = f"{100 * score.share_inside:.0f} %"
    return f"{score.crps:.2f}", f"{score.deviation:.2f}", f"{score.bias:+.2f}", inside


def _notes(result: Result) -> list[str]:
    given = ", ".join(f"{name} {value}" for name, value in result.calibration.tried()[result.chosen].items())
    notes = [f"Chosen by {result.calibration.choose_by}: {result.chosen} ({given or 'the preset as it is'})."]
    notes += [
        f"Chosen {one.group}: {one.candidate}; on what was left out: CRPS {one.score.crps:.2f}, deviation "
        f"{one.score.deviation:.2f}, bias {one.score.bias:+.2f}."
        for one in result.held_out
    ]
    return notes


def figure(result: Result) -> Figure:
    """Draw every candidate by the target that chooses and by the next one."""
    by = result.calibration.choose_by
    others = [target.name for target in result.calibration.targets if target.name != by]
    picture, axes = new_figure(5.6, 4.0)
    for rank, name in enumerate(result.ranked):
        scores = result.scores[name]
        x, y = scores[by].crps, scores[by].deviation
        if others and others[0] in scores:
            y = scores[others[0]].crps
        colour = ORANGE if name == result.chosen else BLUE if rank < 5 else GREY
        axes.scatter(x, y, color=colour, s=24 if rank < 5 else 10, zorder=3 - (rank >= 5))
        if rank < 5:
            axes.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=8)
    axes.set(xlabel=f"CRPS on {by}, which chooses", ylabel=f"CRPS on {others[0]}" if others else "deviation")
    axes.set_title(f"Candidates of {result.calibration.name}")
    return picture
