"""Tidy rows: what the records of a journal say, flat, one row per cell, fold and seed.

Every row has the same columns (`COLUMNS` describes them); what a kind of cell does not have is None. A record
of an evolution is one row. A baseline's is one per fold, or one in all if the folds were not recorded apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gatree.config import EvolutionSettings
from gatree.experiments.record import Record
from gatree.registry import EVALUATORS

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
    "seed": "seed of the evolution",
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
    **_SETTINGS,
    **_PROTOCOL,
    **_OUTCOME,
    **_TIME,
    "checksum": "of the data",
    "key": "what the journal knows the cell by",
}
"""All columns of a row, in order, and what they hold."""

SETTING_COLUMNS: tuple[str, ...] = tuple(_SETTINGS)
"""The columns that are settings of the evolution."""

_EMPTY: Mapping[str, None] = dict.fromkeys(COLUMNS)


def rows_of(records: Iterable[Record]) -> Iterator[Row]:
    """Yield the rows of all records that are done, in their order."""
    for record in records:
        if record["status"] == "done":
            yield from record_rows(record)


def record_rows(record: Record) -> Iterator[Row]:
    """Yield the row of an evolution's record, or those of a baseline's."""
    about = {**_EMPTY, **_about(record)}
    if record["cell"]["kind"] == "baseline":
        for part in _baseline_parts(record):
            yield {**about, **part}
    else:
        yield {**about, **_evolution(record)}


def _about(record: Record) -> Row:
    cell, settings = record["cell"], record["settings"]
    return {
        "study": cell["study"],
        "kind": cell["kind"],
        "dataset": cell["dataset"],
        "method": cell.get("baseline", EVOLUTION),
        "replicate": cell["replicate"],
        "repeat": cell.get("repeat", 0),
        "fold": cell.get("fold"),
        **{name: _flat(settings[name]) for name in _FROM_SETTINGS if name in settings},
        "seed": record["seed"],
        "checksum": record["data"]["checksum"],
        "key": record["key"],
    }


_FROM_SETTINGS = (*SETTING_COLUMNS, "n_folds", "fold_seed")


def _flat(value: Any) -> Any:
    """Return a value that has a place in a column; weights of classes as text."""
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else value


def _evolution(record: Record) -> Row:
    outcome = record["outcome"]
    return {
        **_judged(outcome),
        **{name: outcome[name] for name in ("n_nodes", "n_leaves", "payoff", "n_evaluations")},
        "savings": _saved(outcome["ledger"], "instances_reclassified", "instances_total"),
        "checks_savings": _saved(outcome["ledger"], "node_instance_checks", "node_instance_checks_full"),
        **_seconds(record["timing"]),
    }


def _judged(outcome: Mapping[str, Any]) -> Row:
    """Return how a tree does on what it has learned from, and on other instances if there are any."""
    if "n_test" not in outcome:
        n_train, correct = outcome["n_instances"], outcome["n_correct"]
        test: Row = {}
    else:
        n_train, correct = outcome["n_train"], outcome["train_correct"]
        test = {"n_test": outcome["n_test"], "accuracy": outcome["test_correct"] / outcome["n_test"]}
    train_accuracy = correct / (outcome.get("total_weight") or n_train)
    return {"n_train": n_train, "train_accuracy": train_accuracy, **test}


def _saved(ledger: Mapping[str, int], done: str, of: str) -> float:
    return 100 * (1 - ledger[done] / ledger[of]) if ledger[of] else 0.0


def _seconds(timing: Mapping[str, Mapping[str, Sequence[float]]]) -> Row:
    shown = "new" if "new" in timing else list(timing)[-1]  # whose ledger the record has
    return {
        "evaluator": shown,
        "seconds": min(timing[shown]["wall"]),
        "cpu_seconds": min(timing[shown]["cpu"]),
        **{seconds_column(name): min(seconds["wall"]) for name, seconds in timing.items()},
    }


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
