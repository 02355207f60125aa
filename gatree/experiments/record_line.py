"""A line of a journal: a record as JSON.

A line of any schema version becomes a record of the newest one, or an error says what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.json import Decoder

from gatree.experiments.record import (
    EARLIER_NAMES,
    BaselineRecord,
    CellIdentity,
    Failed,
    FoldRecord,
    NumberRecord,
    Record,
    SavingsRecord,
)

SCHEMA = 2

_TYPES: Mapping[str, type[Record]] = {
    "savings": SavingsRecord,
    "cross-validation": FoldRecord,
    "baseline": BaselineRecord,
}

_OF_A_CELL = frozenset(CellIdentity.__struct_fields__) - {"varied"}
_NO_SETTINGS = frozenset({"study", "kind", "dataset", "replicate", "repeat", "fold", "baseline"})
_OF_AN_EVOLUTION = ("mutation_rate", "x_factor", "population_size", "n_generations")
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "savings": _OF_AN_EVOLUTION,
    "cross-validation": (*_OF_AN_EVOLUTION, "fold"),
    "baseline": ("baseline",),
}


class BadRecordError(ValueError):
    """A line is not a record; the message says why."""


REFUSALS = (msgspec.DecodeError, LookupError, TypeError, ValueError, RecursionError)
"""The errors that a line raises if it is not a record."""

_Fields = dict[str, Any]  # of a line, before they are checked
_OPEN: Decoder[_Fields] = Decoder(_Fields)


def parse_record(line: bytes) -> Record:
    """Return the record in a line of a journal, or raise a BadRecordError that says what is wrong."""
    try:
        fields = _OPEN.decode(line)
        _check_schema(fields["schema"])
        return msgspec.convert(_of_today(fields), _type_of(fields))
    except BadRecordError:
        raise
    except REFUSALS as error:
        raise BadRecordError(_reason(error)) from None


def line_of(record: Record) -> bytes:
    """Return a record as a line of a journal."""
    fields = {"schema": SCHEMA, **msgspec.structs.asdict(record), "cell": record.cell.fields}
    return msgspec.json.encode(fields) + b"\n"


def is_whole(line: bytes) -> bool:
    """Tell whether a line is a whole JSON object: a record that was cut off, wherever, is none."""
    try:
        _OPEN.decode(line)
    except REFUSALS:
        return False
    return True


def _check_schema(schema: int) -> None:
    if schema > SCHEMA:
        raise BadRecordError(
            f"was written by a newer gatree (this one knows schema {SCHEMA}): upgrade gatree to use it"
        )
    if schema < 1:
        raise ValueError("Expected `int` >= 1 - at `$.schema`")


def _type_of(fields: _Fields) -> type[Record]:
    if fields["status"] == "failed":
        return Failed
    predicts_numbers = "train_r2" in fields.get("outcome", {})
    return NumberRecord if predicts_numbers else _TYPES[fields["cell"]["kind"]]


def _of_today(fields: _Fields) -> _Fields:
    """Return the fields as `Record` has them, those that early records lack included, with today's names."""
    cell = {"replicate": 0, **_renamed("cell", fields["cell"])}
    cell["baseline"] = EARLIER_NAMES.get(cell.get("baseline", ""), cell.get("baseline"))
    for name in _NEEDED[cell["kind"]]:
        if cell.get(name) is None:
            raise ValueError(f"Object missing required field `{name}` - at `$.cell`")
    settings = {name: value for name, value in cell.items() if name not in _NO_SETTINGS}
    settings = _renamed("settings", fields.get("settings", settings))
    if "mutation_rate" in settings:  # of an evolution; all were paid by Eq. 1 at first
        settings.setdefault("payoff", "eq-1")
    known = {name: value for name, value in cell.items() if name in _OF_A_CELL}
    varied = {name: value for name, value in cell.items() if name not in _OF_A_CELL}
    data = fields.get("data", {"name": cell["dataset"], "checksum": None})
    return {"seed": None, **fields, "cell": {**known, "varied": varied}, "settings": settings, "data": data}


def _renamed(where: str, settings: _Fields) -> _Fields:
    """Return settings with their names of today."""
    if not isinstance(settings, dict):
        raise msgspec.ValidationError(f"Expected `object` - at `$.{where}`")
    return {("size_measure" if name == "size" else name): value for name, value in settings.items()}


def _reason(error: BaseException) -> str:
    """Return what is wrong with a line: the first error."""
    if not isinstance(error, msgspec.DecodeError | ValueError):
        return "is not a record"
    what, _, place = str(error).partition(" - at `$.")
    return f"is not a record: {place.rstrip('`')}: {what}" if place else f"is not a record ({what})"
