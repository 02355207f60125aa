"""One tidy frame of an experiment's results: a row per cell, evaluator and seed, made here and nowhere else.

Tables, figures, the page, `gatree results` and `gatree compare` are queries on it. Every row has the same
columns (`COLUMNS` describes them); what a kind of cell does not have is missing. A cell that ran several
evaluators has a row for each: the evolution is the same in all of them, and ``repeats_outcome`` marks all but
the first, so that means count it once. A baseline has a row per fold, or one if its folds were not recorded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from gatree.base.errors import ResultError
from gatree.base.json_values import Scalar
from gatree.experiments.journal import newest_of_each
from gatree.experiments.places import find_journal
from gatree.experiments.record import Done, EvolutionRecord, Failed, Record, Setting
from gatree.experiments.record_rows import Row, rows_of
from gatree.experiments.setting_grid import as_text, conditions
from gatree.settings.evolution_settings import EvolutionSettings

EVOLUTION = "evolution"
"""The method of all rows that are no baseline's."""

_OF_A_ROW = {
    "study": "the study's name",
    "kind": "savings, cross-validation or baseline",
    "dataset": "the data set's name",
    "method": "evolution, or the baseline's name: small-tree, j48, ...",
    "replicate": "the number of the seed, counted from 0",
    "repeat": "the repetition of the cross-validation, counted from 0",
    "fold": "the fold, counted from 0; empty if the row is about all data",
    "n_train": "number of training instances",
    "n_test": "number of test instances",
    "test_correct": "test instances that are classified correctly",
    "accuracy": "share of the test instances that are classified correctly",
    "train_accuracy": "share of the training instances (with class_weight, of their weight) that are right",
    "r2": "share of the variance of the test instances that is explained (numbers)",
    "train_r2": "share of the variance of the training instances that is explained",
    "rmse": "root mean square error on the test instances",
    "mae": "mean absolute error on the test instances",
    "n_nodes": "nodes of the tree: its size",
    "n_leaves": "leaves of the tree",
    "best_payoff": "payoff of the tree",
    "distinct_trees": "different trees in the last population, with history: true",
    "n_evaluations": "trees examined: the initial population and all offspring, evaluated or not",
    "n_evaluated": "offspring that were evaluated: without the copies and exchanged roots that do not count",
    "savings": "instances of the evaluated offspring that were not classified again, %: the tables' savings",
    "savings_of_all": "instances of all offspring, evaluated or not, that were not classified again, %",
    "checks_savings": "node-instance-checks of the evaluated offspring that were not made, %",
    "instances_reclassified": "instances of the evaluated offspring that were classified again",
    "instances_total": "instances of the evaluated offspring: their number without inheritance",
    "node_instance_checks": "node-instance-checks that were made for the evaluated offspring",
    "node_instance_checks_full": "node-instance-checks for them without inheritance",
    "evaluator": "the evaluator that the next columns measure",
    "seconds": "wall-clock seconds, the fastest of the repeats; for a baseline: to build the tree",
    "cpu_seconds": "CPU seconds of the evolution, the fastest of the repeats",
    "evaluate_seconds": "wall-clock seconds of the evaluation alone, the fastest of the repeats",
    "trees_per_second": "trees examined (n_evaluations) by CPU second",
    "speed_up": "CPU seconds of old / those of new, in cells that ran both",
    "evaluation_speed_up": "evaluate_seconds of old / those of new, in cells that ran both",
    "generations_in_equal_time": "generations that new runs while old runs 100, in cells that ran both",
    "kept_bytes": "bytes that the evaluator keeps of the population",
    "timed": "whether the cell ran with the evaluators of the first seed; others may have a faster one",
    "repeats_outcome": "whether an earlier row has the same evolution, with another evaluator",
    "all_data_nodes": "nodes of the tree on all data (baselines)",
    "all_data_leaves": "leaves of the tree on all data (baselines)",
    "all_data_seconds": "seconds to build the tree on all data (baselines)",
    "seed": "seed of the evolution",
    "checksum": "checksum of the data",
    "key": "the cell's identifier in the journal",
    "point": "number of the point of the grid; its rows differ in seed, fold and evaluator alone",
}
_PROTOCOL = {
    "n_folds": "folds of the cross-validation",
    "fold_seed": "seed of the folds",
    "folds": "how the folds are made; empty: weka",
    "drop_remainder": "whether the last instances are dropped so that all folds have the same size",
    "history": "whether every generation was recorded",
}
_SETTINGS = {
    name: str(info.description)
    for name, info in EvolutionSettings.model_fields.items()
    if name not in ("seed", "evaluator")
} | {"class_weight": "weight of a correct instance of each class (in journals of earlier versions)"}

COLUMNS: Mapping[str, str] = {**_OF_A_ROW, **_PROTOCOL, **_SETTINGS}
"""All columns, in order, and what they hold."""

SETTING_COLUMNS: tuple[str, ...] = tuple(_SETTINGS)
"""The columns that are settings of the evolution."""

_OF_A_POINT = (*_PROTOCOL, *_SETTINGS)


@dataclass(eq=False)
class Results:
    """What a journal tells: the frame of the finished cells, and what is not a number of theirs."""

    journal: Path
    frame: pd.DataFrame = field(default_factory=pd.DataFrame)
    failed: list[Failed] = field(default_factory=list)
    settings: list[Mapping[str, Setting]] = field(default_factory=list)  # all that are different
    machines: list[Mapping[str, Setting]] = field(default_factory=list)
    last_run: str = ""
    is_part: bool = False  # rows were chosen

    @classmethod
    def of(cls, records: Iterable[Record], journal: Path = Path("cells.jsonl")) -> Results:
        """Return what some records tell."""
        reading = _Reading()
        return reading.results(journal, map(reading.kept, records))

    @classmethod
    def read(cls, folder: Path) -> Results:
        """Read the journal that a folder of results means; a record is gone once its rows are made."""
        journal = find_journal(folder)
        reading = _Reading()
        return reading.results(journal, newest_of_each(journal, reading.kept))

    def where(self, wanted: Iterable[str]) -> Results:
        """Return the rows that fit all of ``KEY=VALUE``; the same key twice means either value."""
        chosen = tuple(wanted)
        rows = chosen_rows(self.frame, chosen, keeps_baselines=True)
        return replace(self, frame=rows, is_part=bool(chosen))

    def demand_finished(self) -> Results:
        """Return these results, or raise an error if no cell is finished."""
        if self.frame.empty:
            failed = f" ({len(self.failed)} failed)" if self.failed else ""
            raise ResultError(
                f"{self.journal}: no finished cell yet{failed}; run the experiment first: gatree run"
            )
        return self


class _Reading:
    """The records that have been read so far: what they share, and the points of their grid."""

    def __init__(self) -> None:
        self._settings: dict[bytes, Mapping[str, Setting]] = {}  # each once, by what is equal for equal ones
        self._machines: dict[bytes, Mapping[str, Setting]] = {}
        self._last_run = ""
        self._points: list[Row] = []
        self._known: dict[tuple[Scalar | bytes, ...], int] = {}  # points by what distinguishes them

    def kept(self, record: Record) -> list[Row] | Failed:
        """Return the rows of a finished cell's record, or the record of a failed one."""
        if not isinstance(record, Done):
            assert isinstance(record, Failed)
            return record
        cell = record.cell
        self._last_run = max(self._last_run, record.machine.utc)
        machine = msgspec.to_builtins(record.machine)
        del machine["utc"]
        self._machines.setdefault(_encode(machine), machine)
        about: Row = {
            "study": cell.study,
            "kind": cell.kind,
            "dataset": cell.dataset,
            "replicate": cell.replicate,
            "method": cell.baseline or EVOLUTION,
            "repeat": cell.repeat,
            "fold": cell.fold,
            "seed": record.seed,
            "checksum": record.data.checksum,
            "key": record.key,
            "point": self._point(record),
        }
        return [{**about, **row} for row in rows_of(record)]

    def _point(self, record: Done) -> int:
        """Return the number of a record's point: equal for equal study, data, method and settings."""
        has_history = isinstance(record, EvolutionRecord) and record.outcome.history is not None
        identity = msgspec.structs.replace(record.cell, replicate=0, repeat=0, fold=None)
        settings = _encode(record.settings)
        self._settings.setdefault(settings, record.settings)
        place = (settings, _encode(identity), has_history)
        if place not in self._known:  # evaluators, which settings also name, make no point
            given = {**record.settings, **identity.fields, "history": has_history}
            values = {name: _flat(given[name]) for name in _OF_A_POINT if name in given}
            about = (identity.study, identity.kind, identity.dataset, identity.baseline, _encode(values))
            self._known[place] = self._known.setdefault(about, len(self._points))
            if self._known[place] == len(self._points):
                self._points.append(values)
        return self._known[place]

    def results(self, journal: Path, kept: Iterable[list[Row] | Failed]) -> Results:
        """Return what all records tell, once they have been read."""
        parts = list(kept)
        return Results(
            journal,
            _framed([row for part in parts if isinstance(part, list) for row in part], self._points),
            [part for part in parts if isinstance(part, Failed)],
            list(self._settings.values()),
            list(self._machines.values()),
            self._last_run,
        )


_encode = msgspec.json.encode


def frame(folder: Path | str) -> pd.DataFrame:
    """Return the finished cells of a folder of results, a row per cell, evaluator and seed."""
    return Results.read(Path(folder)).demand_finished().frame


def chosen_rows(frame: pd.DataFrame, where: Iterable[str], keeps_baselines: bool = False) -> pd.DataFrame:
    """Return the rows of a frame that fit all of ``KEY=VALUE``; the same key twice means either value.

    Baselines have no settings; they may stay whatever settings are chosen.
    """

    def texts(name: str) -> list[str]:
        return list(map(as_text, plain(frame[name].drop_duplicates())))

    for name, values in conditions("--where", "row", COLUMNS, texts, where).items():
        fits = pd.Series([as_text(value) in values for value in plain(frame[name])], frame.index, dtype=bool)
        has_none = keeps_baselines and name in SETTING_COLUMNS
        frame = frame[fits | (frame["method"] != EVOLUTION) if has_none else fits]
    return frame


def _flat(value: Setting) -> Scalar:
    """Return a value that has a place in a column; weights of classes as text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return json.dumps(value, sort_keys=True)


def _framed(rows: Sequence[Row], points: Sequence[Row]) -> pd.DataFrame:
    """Return rows and the settings of their points as one frame."""
    own = pd.DataFrame({name: _typed([row.get(name) for row in rows]) for name in _OF_A_ROW})
    settings = pd.DataFrame({name: _typed([point.get(name) for point in points]) for name in _OF_A_POINT})
    first = own.sort_values("replicate", kind="stable").groupby("point")["timed"].transform("first")
    own["timed"] = own["timed"] == first.sort_index()  # with the evaluators of the first seed of its point
    joined = pd.concat([own, settings.take(own["point"].to_list()).reset_index(drop=True)], axis=1)
    return joined[list(COLUMNS)]


def _typed(values: list[Scalar]) -> pd.Series:
    """Return a column of the narrowest type that holds its values; what is missing stays missing."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pd.Series(values, dtype="bool" if None not in values else "boolean")
    if kinds == {int} and all(abs(value) < 2**63 for value in values if isinstance(value, int)):
        return pd.Series(values, dtype="int64" if None not in values else "Int64")
    if kinds and kinds <= {int, float}:
        return pd.Series(values, dtype="float64")
    return pd.Series(values, dtype=object)


def plain(column: pd.Series) -> list[Any]:
    """Return the values of a column as Python's own, None for what is missing."""
    return [None if value is None or value is pd.NA or value != value else value for value in column.tolist()]


def plain_rows(frame: pd.DataFrame, names: Iterable[str] | None = None) -> list[tuple[Any, ...]]:
    """Return columns of a frame, all by default, as tuples of Python's own values."""
    chosen = frame.columns if names is None else names
    return list(zip(*(plain(frame[name]) for name in chosen), strict=True))


def evolutions(frame: pd.DataFrame, kind: str | None = None) -> pd.DataFrame:
    """Return one row for each evolution, of one kind or of all."""
    ours = (frame["method"] == EVOLUTION) & ~frame["repeats_outcome"]
    return frame[ours if kind is None else ours & (frame["kind"] == kind)]


def side_by_side(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the savings cells that ran both old and new, with the seconds of each as columns."""
    cells = frame[frame["kind"] == "savings"]
    old, new = (cells[cells["evaluator"] == name].set_index("key")["seconds"] for name in ("old", "new"))
    both = evolutions(cells).set_index("key", drop=False)
    return both.assign(old=old, new=new).dropna(subset=["old", "new"]).reset_index(drop=True)


def fold_kinds(frame: pd.DataFrame) -> pd.Series:
    """Return how the folds of each row were made; accuracies on folds of different kinds do not compare."""
    kinds = frame["folds"].fillna("weka")
    dropped = frame["drop_remainder"].fillna(False).astype(bool)
    return kinds.where(~dropped, kinds + ", remainder dropped")


def predicts_numbers(frame: pd.DataFrame) -> pd.Series:
    """Return whether each row is about numbers, which no evolution predicts."""
    return frame["r2"].notna()


def is_comparable(frame: pd.DataFrame) -> pd.Series:
    """Return whether a row is an evolution's, a baseline's on folds that evolutions have, or of numbers."""
    kinds = frame["dataset"] + "\0" + fold_kinds(frame)
    ours = frame["kind"] == "cross-validation"
    return (frame["method"] == EVOLUTION) | predicts_numbers(frame) | kinds.isin(set(kinds[ours]))
