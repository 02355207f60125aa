"""The schema of the journal's records, validated once when they are read.

`parse_record` takes a line of any schema version and returns a record of the newest one, or raises an error
that says what is wrong. The types define the fields of each kind of record and their values; docs/journal.md
describes them. Unknown fields are kept.
"""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, NotRequired, TypeVar

import msgspec
from msgspec import Meta
from msgspec.json import Decoder
from typing_extensions import TypedDict

from gatree.settings.evolution_settings import EvaluatorName

SCHEMA = 2

Record = dict[str, Any]

Baseline = Literal["small-tree", "j48", "j48-reduced-error", "cart", "majority", "mean"]
"""The methods that an experiment compares evolutions with; `gatree.learners.registry` has them."""

EARLIER_NAMES = {"front": "small-tree", "size": "size_measure"}
"""The names that a baseline and a setting had, and those of today."""

Text = Annotated[str, Meta(max_length=1000)]
Key = Annotated[str, Meta(min_length=1, max_length=100)]
Count = Annotated[int, Meta(ge=0, le=2**62)]
Positive = Annotated[int, Meta(ge=1, le=2**62)]
Share = Annotated[float, Meta(ge=0, le=1)]
Number = float  # JSON has no infinite ones
Seconds = Annotated[float, Meta(gt=0)]
Attribute = Annotated[int, Meta(ge=-1, lt=2**31)]
Value = Annotated[int, Meta(ge=0, lt=2**31)]
XFactorText = Annotated[str, Meta(pattern=r"^[0-9.e+-]{1,60}\Z")]


CellKind = Literal["savings", "cross-validation", "baseline"]


class CellFields(TypedDict):
    """The identity of a cell; other settings that the grid varies come on top. Kinds need some of them."""

    study: Text
    kind: CellKind
    dataset: Text
    replicate: NotRequired[Count]
    mutation_rate: NotRequired[Share]
    x_factor: NotRequired[XFactorText]
    population_size: NotRequired[Annotated[int, Meta(ge=2, le=2**62)]]
    n_generations: NotRequired[Count]
    fold: NotRequired[Count]
    baseline: NotRequired[Baseline | Literal["front"]]


_EVOLUTION = ("mutation_rate", "x_factor", "population_size", "n_generations")
_NEEDED: dict[str, tuple[str, ...]] = {
    "savings": _EVOLUTION,
    "cross-validation": (*_EVOLUTION, "fold"),
    "baseline": ("baseline",),
}


class LedgerRecord(TypedDict):
    """The counts of the evaluations."""

    instances_reclassified: Count
    instances_total: Count
    node_instance_checks: Count
    node_instance_checks_full: Count


class TreeRecord(TypedDict):
    """A tree in preorder."""

    attribute: Annotated[list[Attribute], Meta(min_length=1)]
    value: Annotated[list[Value], Meta(min_length=1)]


class History(TypedDict):
    """The best tree of every generation, and the population; records of earlier versions have less."""

    accuracy: list[Number]
    test_accuracy: list[Number]
    size: list[Positive]
    payoff: NotRequired[list[Number]]
    mean_payoff: NotRequired[list[Number]]
    distinct: NotRequired[list[Positive]]
    savings: NotRequired[list[Number]]


class Progress(TypedDict):
    """The evolution at a few points: the best payoff, and the number of trees examined."""

    generation: Annotated[list[Positive], Meta(min_length=1)]
    payoff: list[Number]
    examined: list[Positive]


class EvolutionOutcome(TypedDict):
    """What an evolution ends with."""

    n_nodes: Positive
    n_leaves: Positive
    payoff: Number
    n_evaluations: Count
    ledger: LedgerRecord
    total_weight: NotRequired[Positive]
    best: TreeRecord
    class_weight: NotRequired[list[Count]]


class SavingsOutcome(EvolutionOutcome):
    """The outcome on all instances."""

    n_instances: Positive
    n_correct: Count
    kept_bytes: dict[str, Count]
    progress: NotRequired[Progress]
    history: NotRequired[History]


class Tested(TypedDict):
    """On how many instances a tree was trained and tested, and how many are correct."""

    n_train: Positive
    n_test: Positive
    train_correct: Count
    test_correct: Count


class FoldOutcome(EvolutionOutcome, Tested):
    """The outcome on a fold."""

    history: NotRequired[History]


class BaselineFold(Tested):
    """The outcome of a baseline on a fold."""

    size: Positive
    leaves: Positive


class BaselineOutcome(TypedDict):
    """The outcome of a baseline."""

    n_instances: Positive
    cv_correct: Count
    size: Positive
    leaves: Positive
    train_correct: Count
    folds: NotRequired[list[BaselineFold]]


class NumberFold(TypedDict):
    """The outcome of a baseline that predicts numbers on a fold."""

    n_train: Positive
    n_test: Positive
    train_r2: Number
    r2: Number
    rmse: Number
    mae: Number
    size: Positive
    leaves: Positive


class NumberOutcome(TypedDict):
    """The outcome of a baseline that predicts numbers."""

    n_instances: Positive
    train_r2: Number
    size: Positive
    leaves: Positive
    folds: Annotated[list[NumberFold], Meta(min_length=1)]


class EvolutionSeconds(TypedDict):
    """The seconds of an evaluator, a number per repeat."""

    wall: Annotated[list[Seconds], Meta(min_length=1)]
    cpu: Annotated[list[Number], Meta(min_length=1)]
    evaluate_wall: Annotated[list[Number], Meta(min_length=1)]
    compiled: NotRequired[Positive]  # kernels, while the clock ran: the seconds are not those of the cell
    cpu_at: NotRequired[list[Number]]  # CPU seconds so far at the points of the progress
    generation_wall: NotRequired[list[Number]]  # of each generation, with a history


class BaselineSeconds(TypedDict):
    """The seconds of a baseline."""

    build: Seconds
    cross_validate: Seconds
    compiled: NotRequired[Positive]
    folds: NotRequired[list[Seconds]]


Timing = Annotated[dict[EvaluatorName, EvolutionSeconds], Meta(min_length=1)]


class Machine(TypedDict):
    """Where and when a cell ran."""

    utc: Text


class Data(TypedDict):
    """The data of a cell."""

    name: Text
    checksum: Text | None


class AnyRecord(TypedDict):
    """The fields of every record."""

    schema: Annotated[int, Meta(ge=1, le=SCHEMA)]
    key: Key
    cell: CellFields
    settings: NotRequired[dict[str, Any]]
    seed: NotRequired[Count | None]
    data: NotRequired[Data]


OutcomeT = TypeVar("OutcomeT")
TimingT = TypeVar("TimingT")


class Done(AnyRecord, Generic[OutcomeT, TimingT]):
    """The record of a finished cell."""

    status: Literal["done"]
    machine: Machine
    outcome: OutcomeT
    timing: TimingT


class Failed(AnyRecord):
    """The record of a cell that has failed."""

    status: Literal["failed"]
    error: str


class BadRecordError(ValueError):
    """A line is not a record; the message says why."""


REFUSALS = (msgspec.DecodeError, LookupError, TypeError, ValueError, RecursionError)
"""The errors that a line raises if it is not a record."""

_OPEN: Decoder[Record] = Decoder(dict[str, Any])
_DONE: dict[Any, Any] = {
    "savings": Done[SavingsOutcome, Timing],
    "cross-validation": Done[FoldOutcome, Timing],
    "baseline": Done[BaselineOutcome, BaselineSeconds],
    "baseline of numbers": Done[NumberOutcome, BaselineSeconds],
}


def parse_record(line: bytes) -> Record:
    """Return the record in a line of a journal, or raise a BadRecordError that says what is wrong."""
    try:
        record = _OPEN.decode(line)
        _refuse_newer(record)
        kind = record["cell"]["kind"]
        of_numbers = " of numbers" if kind == "baseline" and "train_r2" in record.get("outcome", {}) else ""
        is_failed = record.get("status") == "failed"
        msgspec.convert(record, Failed if is_failed else _DONE[f"{kind}{of_numbers}"])
        for name in _NEEDED[kind]:
            if name not in record["cell"]:
                raise ValueError(f"Object missing required field `{name}` - at `$.cell`")
        _check_lengths(record.get("outcome", {}))
    except BadRecordError:
        raise
    except REFUSALS as error:
        raise BadRecordError(_reason(error)) from None
    return _completed(record)


def is_whole(line: bytes) -> bool:
    """Tell whether a line is a whole JSON object: a record that was cut off, wherever, is none."""
    try:
        _OPEN.decode(line)
    except REFUSALS:
        return False
    return True


def _check_lengths(outcome: Record) -> None:
    """Raise a ValueError if the lists of a tree's nodes, or of its course, differ in length."""
    best = outcome.get("best")
    if best is not None and len(best["attribute"]) != len(best["value"]):
        raise ValueError("has lists of different lengths - at `$.outcome.best`")
    for name in ("history", "progress"):
        if len({len(values) for values in outcome.get(name, {}).values() if values}) > 1:
            raise ValueError(f"has lists of different lengths - at `$.outcome.{name}`")


_NO_SETTINGS = frozenset({"study", "kind", "dataset", "replicate", "repeat", "fold", "baseline"})


def _completed(record: Record) -> Record:
    """Add the fields that early records lack, as far as they are known, and give the names of today."""
    cell = record["cell"]
    if cell.get("baseline") in EARLIER_NAMES:
        cell["baseline"] = EARLIER_NAMES[cell["baseline"]]
    for values in (cell, record.get("settings", {})):
        if "size" in values:
            values[EARLIER_NAMES["size"]] = values.pop("size")
    cell.setdefault("replicate", 0)
    if "settings" not in record:
        record["settings"] = {name: value for name, value in cell.items() if name not in _NO_SETTINGS}
    if "mutation_rate" in record["settings"]:  # of an evolution; all were paid by Eq. 1 at first
        record["settings"].setdefault("payoff", "eq-1")
    record.setdefault("seed", None)
    if "data" not in record:
        record["data"] = {"name": cell["dataset"], "checksum": None}
    return record


def _refuse_newer(record: Record) -> None:
    schema = record.get("schema")
    if isinstance(schema, int) and schema > SCHEMA:
        raise BadRecordError(
            f"was written by a newer gatree (this one knows schema {SCHEMA}): upgrade gatree to use it"
        )


def _reason(error: BaseException) -> str:
    """Return what is wrong with a line: the first error."""
    if not isinstance(error, msgspec.DecodeError | ValueError):
        return "is not a record"
    what, _, place = str(error).partition(" - at `$.")
    return f"is not a record: {place.rstrip('`')}: {what}" if place else f"is not a record ({what})"
