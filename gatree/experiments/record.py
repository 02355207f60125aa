"""What a record of the journal is, checked once where it is read: whoever gets a record can rely on it.

`parse_record` takes a line of any schema and returns a record of the newest one, or says what is wrong with
the line. docs/journal.md describes the fields. Fields that are not known here are kept as they are.
`glimpse` looks only at what counting cells needs, in a third of the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal, NotRequired

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import from_json
from typing_extensions import TypedDict

from gatree.config import EvaluatorName
from gatree.experiments.experiment import Baseline

SCHEMA = 2

Record = dict[str, Any]

_Text = Annotated[str, Field(max_length=1000)]
_Count = Annotated[int, Field(ge=0, le=2**62)]
_Positive = Annotated[int, Field(ge=1, le=2**62)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Number = Annotated[float, Field(allow_inf_nan=False)]
_Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_OPEN: ConfigDict = {"extra": "allow"}


def _alike(lists: Any) -> Any:
    """Demand lists of one length, such as those of the nodes of a tree."""
    lengths = {len(values) for values in lists.values() if values}
    if len(lengths) > 1:
        raise ValueError("has lists of different lengths")
    return lists


class _Cell(TypedDict):
    __pydantic_config__ = _OPEN  # type: ignore[misc]
    study: _Text
    dataset: _Text
    replicate: NotRequired[_Count]


class _EvolutionCell(_Cell):
    mutation_rate: _Share
    x_factor: Annotated[str, Field(pattern=r"^[0-9.e+-]{1,60}$")]
    population_size: Annotated[int, Field(ge=2, le=2**62)]
    n_generations: _Count


class _SavingsCell(_EvolutionCell):
    kind: Literal["savings"]


class _FoldCell(_EvolutionCell):
    kind: Literal["cross-validation"]
    fold: _Count


class _BaselineCell(_Cell):
    kind: Literal["baseline"]
    baseline: Baseline


class _Ledger(TypedDict):
    __pydantic_config__ = _OPEN  # type: ignore[misc]
    instances_reclassified: _Count
    instances_total: _Count
    node_instance_checks: _Count
    node_instance_checks_full: _Count


class _Nodes(TypedDict):
    attribute: Annotated[list[Annotated[int, Field(ge=-1, lt=2**31)]], Field(min_length=1)]
    value: Annotated[list[Annotated[int, Field(ge=0, lt=2**31)]], Field(min_length=1)]


class _History(TypedDict):
    accuracy: list[_Number]
    test_accuracy: list[_Number]
    size: list[_Positive]


class _FoundNumbers(TypedDict):
    n_nodes: _Positive
    n_leaves: _Positive
    payoff: _Number
    n_evaluations: _Count
    ledger: _Ledger
    total_weight: NotRequired[_Positive]


class _SavingsNumbers(_FoundNumbers):
    n_instances: _Positive
    n_correct: _Count


class _FoldNumbers(_FoundNumbers):
    n_train: _Positive
    n_test: _Positive
    train_correct: _Count
    test_correct: _Count


class _SavingsOutcome(_SavingsNumbers):
    __pydantic_config__ = _OPEN  # type: ignore[misc]
    best: Annotated[_Nodes, AfterValidator(_alike)]
    class_weight: NotRequired[list[_Count]]
    kept_bytes: dict[str, _Count]


class _FoldOutcome(_FoldNumbers):
    __pydantic_config__ = _OPEN  # type: ignore[misc]
    best: Annotated[_Nodes, AfterValidator(_alike)]
    class_weight: NotRequired[list[_Count]]
    history: NotRequired[Annotated[_History, AfterValidator(_alike)]]


class _BaselineFold(TypedDict):
    n_train: _Positive
    n_test: _Positive
    train_correct: _Count
    test_correct: _Count
    size: _Positive
    leaves: _Positive


class _BaselineOutcome(TypedDict):
    __pydantic_config__ = _OPEN  # type: ignore[misc]
    n_instances: _Positive
    cv_correct: _Count
    size: _Positive
    leaves: _Positive
    train_correct: _Count
    folds: NotRequired[list[_BaselineFold]]


class _EvolutionSeconds(TypedDict):
    wall: Annotated[list[_Seconds], Field(min_length=1)]
    cpu: Annotated[list[_Number], Field(min_length=1)]
    evaluate_wall: Annotated[list[_Number], Field(min_length=1)]


class _BaselineSeconds(TypedDict):
    build: _Seconds
    cross_validate: _Seconds
    folds: NotRequired[list[_Seconds]]


_Timing = Annotated[dict[EvaluatorName, _EvolutionSeconds], Field(min_length=1)]


class _Machine(TypedDict):
    __pydantic_config__ = _OPEN  # type: ignore[misc]
    utc: _Text


class _Data(TypedDict):
    name: _Text
    checksum: _Text | None


class _Any(TypedDict):
    __pydantic_config__ = _OPEN  # type: ignore[misc]
    schema: Annotated[int, Field(ge=1, le=SCHEMA)]
    key: Annotated[str, Field(min_length=1, max_length=100)]
    settings: NotRequired[dict[str, Any]]
    seed: NotRequired[_Count | None]
    data: NotRequired[_Data]


class _Done(_Any):
    status: Literal["done"]
    machine: _Machine


class _Savings(_Done):
    cell: _SavingsCell
    outcome: _SavingsOutcome
    timing: _Timing


class _Fold(_Done):
    cell: _FoldCell
    outcome: _FoldOutcome
    timing: _Timing


class _BaselineRun(_Done):
    cell: _BaselineCell
    outcome: _BaselineOutcome
    timing: _BaselineSeconds


class _Failed(_Any):
    status: Literal["failed"]
    cell: _SavingsCell | _FoldCell | _BaselineCell
    error: str


class _Place(TypedDict):
    study: _Text
    kind: str


class _Glimpse(TypedDict):
    schema: Annotated[int, Field(ge=1, le=SCHEMA)]
    key: Annotated[str, Field(min_length=1, max_length=100)]
    status: Literal["done", "failed"]
    cell: _Place


class _Walls(TypedDict):
    wall: Annotated[list[_Seconds], Field(min_length=1)]


class _EvolutionGlimpse(_Glimpse):
    timing: Annotated[dict[EvaluatorName, _Walls], Field(min_length=1)]


class _BaselineGlimpse(_Glimpse):
    timing: _BaselineSeconds


class _Numbers(TypedDict):
    schema: Annotated[int, Field(ge=1, le=SCHEMA)]
    key: Annotated[str, Field(min_length=1, max_length=100)]
    seed: NotRequired[_Count | None]
    data: NotRequired[_Data]
    status: Literal["done"]


class _SavingsCellNumbers(_Numbers):
    cell: _SavingsCell
    outcome: _SavingsNumbers
    timing: _Timing


class _FoldCellNumbers(_Numbers):
    cell: _FoldCell
    outcome: _FoldNumbers
    timing: _Timing


Check = Callable[[bytes], Record]


class _Checks:
    """The check of every kind of line, compiled when the first line is read."""

    def __init__(self, failed: Any, **done: Any) -> None:
        self._failed, self._done = failed, done

    @cached_property
    def failed(self) -> Check:
        return TypeAdapter(self._failed).validator.validate_json

    @cached_property
    def done(self) -> dict[bytes, Check]:
        return {
            kind.replace("_", "-").encode(): TypeAdapter(model).validator.validate_json
            for kind, model in self._done.items()
        }


_WHOLE = _Checks(_Failed, savings=_Savings, cross_validation=_Fold, baseline=_BaselineRun)
_GLIMPSED = _Checks(
    _Glimpse, savings=_EvolutionGlimpse, cross_validation=_EvolutionGlimpse, baseline=_BaselineGlimpse
)

_NUMBERS = _Checks(
    _Failed, savings=_SavingsCellNumbers, cross_validation=_FoldCellNumbers, baseline=_BaselineRun
)

# Which model a line is meant for is told from its text: asking pydantic takes as long as all its checks.
_KIND = re.compile(rb'"kind": ?"([a-z-]+)"')
_HAS_FAILED = (b'"status":"failed"', b'"status": "failed"')


class BadRecordError(ValueError):
    """A line that is no record, and why."""


def parse_record(line: bytes) -> Record:
    """Return the record in a line of a journal, or raise a BadRecordError that says what is wrong."""
    return _completed(_checked(line, _WHOLE))


def glimpse(line: bytes) -> Record:
    """Return study, kind, key, status and seconds of the record in a line; nothing else is looked at."""
    return _checked(line, _GLIMPSED)


def numbers(line: bytes) -> Record:
    """Return the record in a line without trees, history and machine: all that `gatree results` shows."""
    record = _checked(line, _NUMBERS)
    if (settings := _settings_in(line)) is not None:
        if not isinstance(settings, dict):
            raise BadRecordError("is not a record: settings: Input should be a valid dictionary")
        record["settings"] = settings
    return _completed(record)


def _settings_in(line: bytes) -> Any:
    """Return the settings in a line, read once however many lines have the same."""
    start = line.find(_SETTINGS)
    end = line.find(b"}", start) + 1
    if start >= 0 and line.find(b"{", start + len(_SETTINGS), end) < 0:
        return _read_once(line[start + len(_SETTINGS) - 1 : end])
    return from_json(line).get("settings", {}) if b'"settings"' in line else None


_SETTINGS = b'"settings":{'


@lru_cache(maxsize=100_000)
def _read_once(text: bytes) -> Any:
    return from_json(text)


def _checked(line: bytes, checks: _Checks) -> Record:
    kind = _KIND.match(line, max(line.find(b'"kind":'), 0))  # to find a text is faster than to search it
    check = checks.done.get(kind[1]) if kind else None
    if check is None:
        raise BadRecordError("is not a record")
    has_failed = b'"failed"' in line and (_HAS_FAILED[0] in line or _HAS_FAILED[1] in line)
    try:
        return (checks.failed if has_failed else check)(line)
    except ValidationError as error:
        raise BadRecordError(_reason(error)) from None


_NO_SETTINGS = frozenset({"study", "kind", "dataset", "replicate", "repeat", "fold", "baseline"})


def _completed(record: Record) -> Record:
    """Add what schema 1 does not have, as far as it can be known."""
    cell = record["cell"]
    cell.setdefault("replicate", 0)
    if "settings" not in record:
        record["settings"] = {name: value for name, value in cell.items() if name not in _NO_SETTINGS}
    record.setdefault("seed", None)
    if "data" not in record:
        record["data"] = {"name": cell["dataset"], "checksum": None}
    return record


def _reason(error: ValidationError) -> str:
    """Say what is wrong with a line, the first thing if there are several."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    if place == "schema" and first["type"] == "less_than_equal":
        return f"was written by a newer gatree (this one knows schema {SCHEMA}): upgrade gatree to use it"
    if not place:
        return f"is not a record ({first['msg']})"
    return f"is not a record: {place}: {first['msg']}"
