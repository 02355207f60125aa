"""Tidy rows: what the records of a journal say, flat, one row per cell, fold and seed; and as CSV.

Every row has the same columns (`COLUMNS` describes them); what a kind of cell does not have is None. A record
of an evolution is one row. A baseline's is one per fold, or one in all if the folds were not recorded apart.

`design_of` finds what an experiment varies from its rows: axes, data sets, baselines and studies. An
axis is a setting that evolutions of the experiment have different values of. Data set, axes, replicate,
repetition and fold tell all rows of a kind apart: where two studies have the same settings, the study is
an axis, too.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, takewhile
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

from gatree.base.errors import ResultError
from gatree.experiments.conditions import Conditions
from gatree.experiments.journal import find_journal, newest_of_each
from gatree.experiments.record import Record
from gatree.experiments.record_decoder import read_numbers
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EVALUATORS

Row = dict[str, Any]

EVOLUTION = "evolution"
"""The method of all rows that are no baseline's."""


def seconds_column(evaluator: str) -> str:
    """Return the column with the seconds of an evaluator."""
    return f"seconds_{evaluator.replace('-', '_')}"


_ABOUT = {
    "study": "the study's name",
    "kind": "savings, cross-validation or baseline",
    "dataset": "the data set's name",
    "method": "evolution, or the baseline's name",
    "replicate": "the number of the seed, counted from 0",
    "repeat": "the repetition of the cross-validation, counted from 0",
    "fold": "the fold, counted from 0; empty if the row is about all data",
}
_PROTOCOL = {
    "n_folds": "folds of the cross-validation",
    "fold_seed": "seed of the folds",
    "folds": "how the folds are made; empty: weka",
    "drop_remainder": "whether the last instances are dropped so that all folds have the same size",
}
_OUTCOME = {
    "n_train": "number of training instances",
    "n_test": "number of test instances",
    "accuracy": "share of the test instances that are classified correctly",
    "train_accuracy": "the same for the training instances (for their weight, with class_weight)",
    "n_nodes": "nodes of the tree: its size",
    "n_leaves": "leaves of the tree",
    "payoff": "payoff of the tree (Eq. 1)",
    "n_evaluations": "trees that were evaluated",
    "savings": "instances that inheritance saved from being classified again, %",
    "checks_savings": "node-instance-checks that it saved, %",
}
_TIME = {
    "evaluator": "the evaluator that the next two columns measure",
    "seconds": "wall-clock seconds, the fastest of the repeats; for a baseline: to build the tree",
    "cpu_seconds": "CPU seconds, likewise",
    **{seconds_column(name): f"wall-clock seconds with the evaluator {name}" for name in EVALUATORS},
}
_SETTINGS = {
    name: str(field.description)
    for name, field in EvolutionSettings.model_fields.items()
    if name not in ("seed", "evaluator")
}

COLUMNS: Mapping[str, str] = {
    **_ABOUT,
    **_OUTCOME,
    **_TIME,
    "seed": "seed of the evolution",
    "checksum": "checksum of the data",
    "key": "the cell's identifier in the journal",
    **_PROTOCOL,
    **_SETTINGS,
}
"""All columns of a row, in order, and what they hold."""

SETTING_COLUMNS: tuple[str, ...] = tuple(_SETTINGS)
"""The columns that are settings of the evolution."""

REPEATED_COLUMNS = frozenset({*_PROTOCOL, *_SETTINGS})
"""The columns in which many rows are the same."""

_EMPTY: Mapping[str, None] = dict.fromkeys(COLUMNS)


class RowMaker:
    """Makes rows of records. Those read from a journal share their settings, which are laid out only once."""

    def __init__(self) -> None:
        self._templates: dict[int, tuple[Any, Row]] = {}

    def rows(self, record: Record) -> list[Row]:
        """Return the row of an evolution's record, or those of a baseline's; none if it is not done."""
        if record["status"] != "done":
            return []
        template = self._template(record["settings"])
        return [_filled(template.copy(), record, found) for found in record_outcomes(record)]

    def _template(self, settings: Mapping[str, Any]) -> Row:
        """Return a row with nothing in it but settings."""
        known = self._templates.get(id(settings))
        if known is None or known[0] is not settings:
            told = {name: _flat(settings[name]) for name in REPEATED_COLUMNS if name in settings}
            known = self._templates[id(settings)] = (settings, {**_EMPTY, **told})
        return known[1]


def rows_of(records: Iterable[Record]) -> Iterator[Row]:
    """Yield the rows of all records that are done, in their order."""
    maker = RowMaker()
    for record in records:
        yield from maker.rows(record)


def record_outcomes(record: Record) -> Iterator[Row]:
    """Yield only outcomes and seconds of the same rows, in a fraction of the time."""
    if record["cell"]["kind"] == "baseline":
        yield from _baseline_parts(record)
    else:
        yield _found(record["outcome"]) | _seconds(record["timing"])


def _filled(row: Row, record: Record, found: Row) -> Row:
    cell = record["cell"]
    row["study"] = cell["study"]
    row["kind"] = cell["kind"]
    row["dataset"] = cell["dataset"]
    row["method"] = cell.get("baseline", EVOLUTION)
    row["replicate"] = cell["replicate"]
    row["repeat"] = cell.get("repeat", 0)
    row["fold"] = cell.get("fold")
    row["seed"] = record["seed"]
    row["checksum"] = record["data"]["checksum"]
    row["key"] = record["key"]
    row.update(found)
    return row


def _flat(value: Any) -> Any:
    """Return a value that has a place in a column; weights of classes as text."""
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value


def _found(outcome: Mapping[str, Any]) -> Row:
    """Return how a tree does on what it has learned from, and on other instances if there are any."""
    ledger = outcome["ledger"]
    if "n_test" in outcome:
        n_train, correct, n_test = outcome["n_train"], outcome["train_correct"], outcome["n_test"]
        accuracy = outcome["test_correct"] / n_test
    else:
        n_train, correct, n_test, accuracy = outcome["n_instances"], outcome["n_correct"], None, None
    return {
        "n_train": n_train,
        "n_test": n_test,
        "accuracy": accuracy,
        "train_accuracy": correct / (outcome.get("total_weight") or n_train),
        "n_nodes": outcome["n_nodes"],
        "n_leaves": outcome["n_leaves"],
        "payoff": outcome["payoff"],
        "n_evaluations": outcome["n_evaluations"],
        "savings": _saved(ledger["instances_reclassified"], ledger["instances_total"]),
        "checks_savings": _saved(ledger["node_instance_checks"], ledger["node_instance_checks_full"]),
    }


def _saved(done: int, of: int) -> float:
    return 100 * (1 - done / of) if of else 0.0


def _seconds(timing: Mapping[str, Mapping[str, Sequence[float]]]) -> Row:
    shown = "new" if "new" in timing else list(timing)[-1]  # whose ledger the record has
    fastest: Row = {_SECONDS_OF[name]: min(seconds["wall"]) for name, seconds in timing.items()}
    fastest["evaluator"] = shown
    fastest["seconds"] = fastest[_SECONDS_OF[shown]]
    fastest["cpu_seconds"] = min(timing[shown]["cpu"])
    return fastest


_SECONDS_OF = {name: seconds_column(name) for name in EVALUATORS}


def _baseline_parts(record: Record) -> Iterator[Row]:
    """Yield what a baseline did in each fold; if that was not recorded, in all of them together."""
    outcome, timing = record["outcome"], record["timing"]
    folds = outcome.get("folds")
    if not folds:
        whole = {"n_train": outcome["n_instances"], "n_test": outcome["n_instances"]}
        yield _baseline_part(whole | outcome, outcome["cv_correct"], timing["build"])
        return
    for number, (fold, seconds) in enumerate(zip(folds, timing["folds"], strict=True)):
        yield {"fold": number} | _baseline_part(fold, fold["test_correct"], seconds)


def _baseline_part(found: Mapping[str, Any], test_correct: int, seconds: float) -> Row:
    return {
        "n_train": found["n_train"],
        "n_test": found["n_test"],
        "accuracy": test_correct / found["n_test"],
        "train_accuracy": found["train_correct"] / found["n_train"],
        "n_nodes": found["size"],
        "n_leaves": found["leaves"],
        "seconds": seconds,
    }


class CsvWriter:
    """Writes some columns. Settings at the end, the same in many rows, are written only once."""

    def __init__(self, names: Sequence[str]) -> None:
        settings = list(takewhile(REPEATED_COLUMNS.__contains__, reversed(names)))[::-1]
        others = names[: len(names) - len(settings)]
        if len(others) < 2:  # csv writes one value alone in quotes if it is empty
            others, settings = names, []
        self._names = names
        self._others, self._settings = _getter(others), _getter(settings)
        self._ends: dict[tuple[Any, ...], str] = {}
        self._written = _Lines()
        self._write = csv.writer(self._written, lineterminator="").writerow

    def text(self, lines: Iterable[str]) -> str:
        """Return lines with their header, as a file has them."""
        return "\n".join([self._line(self._names), *lines, ""])

    def lines(self, rows: Iterable[Row]) -> list[str]:
        """Return a line for each row."""
        return [self._line(self._others(row)) + self._end(self._settings(row)) for row in rows]

    def _line(self, values: Sequence[Any]) -> str:
        self._write(values)
        return self._written.pop()

    def _end(self, settings: tuple[Any, ...]) -> str:
        if settings not in self._ends:
            self._ends[settings] = self._line(("", *settings)) if settings else ""
        return self._ends[settings]


class _Lines(list[str]):
    """What a csv.writer has written, line by line."""

    write = list.append


def _getter(names: Sequence[str]) -> Callable[[Row], tuple[Any, ...]]:
    if len(names) > 1:
        return itemgetter(*names)
    return lambda row: tuple(row[name] for name in names)


class CsvRecords:
    """Reads lines of a journal; what is left of a record is what tells its cell, and its lines of CSV."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def __reduce__(self) -> tuple[Any, ...]:
        return CsvRecords, (self._names,)  # a second process has a writer of its own

    @cached_property
    def _writer(self) -> CsvWriter:
        return CsvWriter(self._names)

    @cached_property
    def _maker(self) -> RowMaker:
        return RowMaker()

    def __call__(self, line: bytes) -> Record:
        record = read_numbers(line)
        lines = self._writer.lines(self._maker.rows(record))
        return {"key": record["key"], "cell": record["cell"], "status": record["status"], "lines": lines}


Found = TypeVar("Found")


def read_rows(journal: Path) -> list[Row]:
    """Return the rows of the newest record of every cell; faster than by way of whole records."""
    return list(chain.from_iterable(newest_of_each(journal, read_numbers, RowMaker().rows)))


def csv_text(results: Path, names: Sequence[str]) -> str:
    """Return columns of all rows of a folder of results as CSV; faster than by way of rows."""
    journal = find_journal(results)
    found = newest_of_each(journal, CsvRecords(tuple(names)), itemgetter("lines"), in_two=True)
    return CsvWriter(names).text(_some(list(chain.from_iterable(found)), journal))


def chosen_rows(results: Path, where: Iterable[str] = ()) -> list[Row]:
    """Return the rows of a folder of results that fit all of ``KEY=VALUE``; the same key twice is either."""
    journal = find_journal(results)
    rows = _some(read_rows(journal), journal)
    return Conditions[Row]("--where", COLUMNS, lambda row, name: [row[name]]).chosen(rows, where)


def _some(found: list[Found], journal: Path) -> list[Found]:
    if not found:
        raise ResultError(f"{journal}: no finished cell yet; run the experiment first: gatree run")
    return found


_FIRST = ("mutation_rate", "x_factor", "population_size", "n_generations")
_IN_ORDER = (*_FIRST, *(name for name in SETTING_COLUMNS if name not in _FIRST))


@dataclass(frozen=True)
class Axis:
    """A setting that varies, its values in order, and the settings that change with it one to one."""

    name: str  # a column of the rows
    values: tuple[Any, ...]
    along: tuple[str, ...] = ()  # such as n_generations, where a grid has them like the population's size


@dataclass(frozen=True)
class Design:
    """The plan of an experiment as its results show it."""

    axes: tuple[Axis, ...]
    datasets: tuple[str, ...]
    baselines: tuple[str, ...]
    studies: tuple[str, ...]
    kinds: tuple[str, ...]  # savings, cross-validation or both


def design_of(rows: Sequence[Row]) -> Design:
    """Return what the rows of an experiment have in common and in what they differ."""
    evolutions = [row for row in rows if row["method"] == EVOLUTION]
    return Design(
        axes=tuple(_axes(evolutions)),
        datasets=_distinct(row["dataset"] for row in rows),
        baselines=_distinct(row["method"] for row in rows if row["method"] != EVOLUTION),
        studies=_distinct(row["study"] for row in rows),
        kinds=_distinct(row["kind"] for row in evolutions),
    )


def _axes(rows: Sequence[Row]) -> list[Axis]:
    points = _distinct((row["kind"], row["study"], *(row[name] for name in _IN_ORDER)) for row in rows)
    columns = dict(zip(_IN_ORDER, list(zip(*points, strict=True))[2:], strict=True)) if points else {}
    varied = {name: values for name, values in columns.items() if len(set(values)) > 1}
    axes: list[Axis] = []
    while varied:
        name, values = next(iter(varied.items()))
        along = [other for other in varied if other != name and _one_to_one(values, varied[other])]
        axes.append(Axis(name, in_order(values), tuple(along)))
        varied = {other: column for other, column in varied.items() if other not in (name, *along)}
    if len({(kind, *settings) for kind, _, *settings in points}) < len(points):
        axes.insert(0, Axis("study", _distinct(study for _, study, *_ in points)))
    return axes


def _one_to_one(these: Sequence[Any], those: Sequence[Any]) -> bool:
    pairs = set(zip(these, those, strict=True))
    return len(pairs) == len(set(these)) == len(set(those))


def in_order(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the different ones among some values of a setting: none first, then numbers, then text."""
    return tuple(sorted(set(values), key=rank))


def rank(value: Any) -> tuple[int, float, str]:
    """Return what to sort values of a setting by."""
    if value is None:
        return 0, 0.0, ""
    if isinstance(value, int | float):
        return 1, float(value), ""
    return 2, 0.0, str(value)


def _distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))
