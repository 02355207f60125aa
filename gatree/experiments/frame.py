"""One tidy frame of an experiment's results: a row per cell, evaluator and seed, made here and nowhere else.

Tables, figures, the page, `gatree results` and `gatree compare` are queries on it. Every row has the same
columns (`COLUMNS` describes them); what a kind of cell does not have is missing. A cell that ran several
evaluators has a row for each: the evolution is the same in all of them, and ``repeats_outcome`` marks all but
the first, so that means count it once. A baseline has a row per fold, or one if its folds were not recorded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from gatree.base.errors import ResultError
from gatree.experiments.journal import newest_of_each
from gatree.experiments.places import find_journal
from gatree.experiments.record import Record
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
    failed: list[Record] = field(default_factory=list)
    settings: list[Mapping[str, Any]] = field(default_factory=list)  # all that are different
    machines: list[Mapping[str, Any]] = field(default_factory=list)
    last_run: str = ""
    is_part: bool = False  # rows were chosen

    @classmethod
    def of(cls, records: Iterable[Record], journal: Path = Path("cells.jsonl")) -> Results:
        """Return what some records tell."""
        results = cls(journal)
        return results._filled([results._kept(record) for record in records])

    @classmethod
    def read(cls, folder: Path) -> Results:
        """Read the journal that a folder of results means; a record is gone once its rows are made."""
        results = cls(find_journal(folder))
        return results._filled(newest_of_each(results.journal, results._kept))

    def __post_init__(self) -> None:
        self._points: list[dict[str, Any]] = []
        self._known: dict[Any, int] = {}  # the numbers of points, by what makes them different
        self._noted: set[tuple[int, bytes]] = set()

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

    def _filled(self, kept: Iterable[list[dict[str, Any]] | Record]) -> Results:
        rows: list[dict[str, Any]] = []
        for part in kept:
            if isinstance(part, list):
                rows += part
            else:
                self.failed.append(part)
        self.frame = _framed(rows, self._points)
        return self

    def _kept(self, record: Record) -> list[dict[str, Any]] | Record:
        """Return the rows of a finished cell's record, or the record of a failed one."""
        if record["status"] != "done":
            return record
        cell = record["cell"]
        machine = dict(record["machine"])
        self.last_run = max(self.last_run, machine.pop("utc"))
        self._note(self.machines, machine)
        settings = self._note(self.settings, record["settings"])
        about = {
            **{name: cell[name] for name in ("study", "kind", "dataset", "replicate")},
            "method": cell.get("baseline", EVOLUTION),
            "repeat": cell.get("repeat", 0),
            "fold": cell.get("fold"),
            "seed": record["seed"],
            "checksum": record["data"]["checksum"],
            "key": record["key"],
            "point": self._point(record, settings),
        }
        parts = _baseline_parts(record) if cell["kind"] == "baseline" else _evolution_parts(record)
        return [{**about, **part} for part in parts]

    def _note(self, into: list[Mapping[str, Any]], value: Mapping[str, Any]) -> bytes:
        """Add a value that many records share to a list, once; return what is equal for equal ones."""
        text = _encode(value)
        if (id(into), text) not in self._noted:
            self._noted.add((id(into), text))
            into.append(value)
        return text

    def _point(self, record: Record, settings: bytes) -> int:
        """Return the number of a record's point: equal for equal study, data, method and settings."""
        cell, history = record["cell"], "history" in record["outcome"]
        identity = {name: value for name, value in cell.items() if name not in _COUNTERS}
        place = (settings, _encode(identity), history)
        if place not in self._known:  # evaluators, which settings also name, make no point
            given = {**record["settings"], **identity, "history": history}
            values = {name: _flat(given[name]) for name in _OF_A_POINT if name in given}
            about = (*(cell.get(name) for name in ("study", "kind", "dataset", "baseline")), _encode(values))
            self._known[place] = self._known.setdefault(about, len(self._points))
            if self._known[place] == len(self._points):
                self._points.append(values)
        return self._known[place]


_COUNTERS = frozenset({"replicate", "repeat", "fold"})
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


def _flat(value: Any) -> Any:
    """Return a value that has a place in a column; weights of classes as text."""
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value


def _evolution_parts(record: Record) -> Iterator[dict[str, Any]]:
    """Yield the outcome of an evolution with the seconds of each evaluator, the ledger's own first."""
    outcome, timing = record["outcome"], record["timing"]
    found = {
        **_found(outcome, record["cell"]["population_size"]),
        "distinct_trees": (outcome.get("history", {}).get("distinct") or [None])[-1],
        "speed_up": _old_to_new(timing, "cpu"),
        "evaluation_speed_up": _old_to_new(timing, "evaluate_wall"),
        "generations_in_equal_time": _in_equal_time(outcome, timing),
    }
    shown = "new" if "new" in timing else list(timing)[-1]  # whose ledger the record has
    for name in (shown, *(name for name in timing if name != shown)):
        seconds = timing[name]
        yield {
            **found,
            "evaluator": name,
            "seconds": min(seconds["wall"]),
            "cpu_seconds": min(seconds["cpu"]),
            "trees_per_second": _ratio(found["n_evaluations"], min(seconds["cpu"])),
            "evaluate_seconds": min(seconds["evaluate_wall"]),
            "kept_bytes": outcome.get("kept_bytes", {}).get(name),
            "timed": ",".join(timing),  # compared with the first seed's when all rows are known
            "repeats_outcome": name != shown,
        }


def _found(outcome: Mapping[str, Any], population_size: int) -> dict[str, Any]:
    """Return how a tree does on what it has learned from, and on other instances if there are any."""
    ledger = outcome["ledger"]
    if "n_test" in outcome:
        n_train, correct, n_test = outcome["n_train"], outcome["train_correct"], outcome["n_test"]
        tested = {"n_test": n_test, "accuracy": outcome["test_correct"] / n_test}
        tested["test_correct"] = outcome["test_correct"]
    else:
        n_train, correct, tested = outcome["n_instances"], outcome["n_correct"], {}
    return {
        **tested,
        **ledger,
        **_of_all(ledger, n_train, outcome["n_evaluations"] - population_size),
        "n_train": n_train,
        "train_accuracy": correct / (outcome.get("total_weight") or n_train),
        **{name: outcome[name] for name in ("n_nodes", "n_leaves", "n_evaluations")},
        "best_payoff": outcome["payoff"],
        "savings": saved(ledger["instances_reclassified"], ledger["instances_total"]),
        "checks_savings": saved(ledger["node_instance_checks"], ledger["node_instance_checks_full"]),
    }


def _old_to_new(timing: Mapping[str, Mapping[str, Sequence[float]]], clock: str) -> float | None:
    """Return the seconds of old by those of new, where both ran."""
    both = [min(timing[name][clock]) for name in ("old", "new") if name in timing]
    return _ratio(*both) if len(both) == 2 else None


def _in_equal_time(outcome: Mapping[str, Any], timing: Mapping[str, Any]) -> float | None:
    """Return the generations of new while old runs 100: old is read when new is at its end."""
    generations = outcome.get("progress", {}).get("generation", ())
    old, new = (timing.get(name, {}).get("cpu_at", ()) for name in ("old", "new"))
    if not len(generations) == len(old) == len(new) > 0:
        return None
    reached = np.interp(new[-1], [0.0, *old], [0, *generations])
    return _ratio(100.0 * generations[-1], float(reached))


def _ratio(one: float, other: float) -> float | None:
    """Return a quotient; there is none by a time that was too short to measure."""
    return one / other if other > 0 else None


def _of_all(ledger: Mapping[str, int], n_train: int, n_offspring: int) -> dict[str, Any]:
    return {
        "n_evaluated": ledger["instances_total"] // n_train,
        "savings_of_all": saved(ledger["instances_reclassified"], n_offspring * n_train),
    }


def saved(done: float, of: float) -> float:
    """Return the percentage of work that was not done: of instances, the paper's Train Savings."""
    return 100 * (1 - done / of) if of else 0.0


def _baseline_parts(record: Record) -> Iterator[dict[str, Any]]:
    """Yield what a baseline did in each fold; if that was not recorded, in all of them together."""
    outcome, timing = record["outcome"], record["timing"]
    n = outcome["n_instances"]
    folds = [{**fold, "fold": number} for number, fold in enumerate(outcome.get("folds") or ())]
    if not folds:
        whole = {**outcome, "n_train": n, "n_test": n, "test_correct": outcome["cv_correct"], "fold": None}
        folds = [whole]
    seconds = timing["folds"] if outcome.get("folds") else [timing["build"]]
    for fold, took in zip(folds, seconds, strict=True):
        yield {
            **{name: fold[name] for name in ("fold", "n_train", "n_test")},
            **(_errors_of(fold) if "r2" in fold else _shares_of(fold)),
            "n_nodes": fold["size"],
            "n_leaves": fold["leaves"],
            "seconds": took,
            "timed": "",
            "repeats_outcome": False,
            "all_data_nodes": outcome["size"],
            "all_data_leaves": outcome["leaves"],
            "all_data_seconds": timing["build"],
        }


def _errors_of(fold: Mapping[str, Any]) -> dict[str, Any]:
    return {name: fold[name] for name in ("r2", "train_r2", "rmse", "mae")}


def _shares_of(fold: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "test_correct": fold["test_correct"],
        "accuracy": fold["test_correct"] / fold["n_test"],
        "train_accuracy": fold["train_correct"] / fold["n_train"],
    }


def _framed(rows: Sequence[Mapping[str, Any]], points: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows and the settings of their points as one frame."""
    own = pd.DataFrame({name: _typed([row.get(name) for row in rows]) for name in _OF_A_ROW})
    settings = pd.DataFrame({name: _typed([point.get(name) for point in points]) for name in _OF_A_POINT})
    first = own.sort_values("replicate", kind="stable").groupby("point")["timed"].transform("first")
    own["timed"] = own["timed"] == first.sort_index()  # with the evaluators of the first seed of its point
    joined = pd.concat([own, settings.take(own["point"].to_list()).reset_index(drop=True)], axis=1)
    return joined[list(COLUMNS)]


def _typed(values: list[Any]) -> pd.Series:
    """Return a column of the narrowest type that holds its values; what is missing stays missing."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pd.Series(values, dtype="bool" if None not in values else "boolean")
    if kinds == {int} and all(value is None or abs(value) < 2**63 for value in values):
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
