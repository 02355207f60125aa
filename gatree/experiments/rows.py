"""Tidy rows: what the records of a journal say, flat, one row per cell, fold and seed.

Every row has the same columns (`COLUMNS` describes them); what a kind of cell does not have is None. A record
of an evolution is one row. A baseline's is one per fold, or one in all if the folds were not recorded apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gatree.experiments.record import Record
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
    "fold": "the fold, counted from 0; empty if the row is of all data",
}
_PROTOCOL = {
    "n_folds": "folds of the cross-validation",
    "fold_seed": "seed of the folds",
}
_OUTCOME = {
    "n_train": "instances that were learned from",
    "n_test": "instances that the tree was tried on",
    "accuracy": "share of the test instances that are classified correctly",
    "train_accuracy": "the same of the training instances (of their weight, with class_weight)",
    "n_nodes": "nodes of the tree: its size",
    "n_leaves": "leaves of the tree",
    "payoff": "payoff of the tree (Eq. 1)",
    "n_evaluations": "trees that were evaluated",
    "savings": "instances that inheritance spared from being classified again, %",
    "checks_savings": "node-instance-checks that it spared, %",
}
_TIME = {
    "evaluator": "the evaluator that the next two are of",
    "seconds": "wall-clock seconds, the fastest of the repeats; a baseline's: to build the tree",
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
    "checksum": "of the data",
    "key": "what the journal knows the cell by",
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


def record_rows(record: Record) -> Iterator[Row]:
    """Yield the row of an evolution's record that is done, or those of a baseline's."""
    yield from RowMaker().rows(record)


def record_outcomes(record: Record) -> Iterator[Row]:
    """Yield of the same rows only what was found and the seconds, which is most of the rows' time spared."""
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
        yield {
            "n_train": outcome["n_instances"],
            "n_test": outcome["n_instances"],
            "accuracy": outcome["cv_correct"] / outcome["n_instances"],
            "train_accuracy": outcome["train_correct"] / outcome["n_instances"],
            "n_nodes": outcome["size"],
            "n_leaves": outcome["leaves"],
            "seconds": timing["build"],
        }
        return
    for number, (fold, seconds) in enumerate(zip(folds, timing["folds"], strict=True)):
        yield {
            "fold": number,
            "n_train": fold["n_train"],
            "n_test": fold["n_test"],
            "accuracy": fold["test_correct"] / fold["n_test"],
            "train_accuracy": fold["train_correct"] / fold["n_train"],
            "n_nodes": fold["size"],
            "n_leaves": fold["leaves"],
            "seconds": seconds,
        }
