"""Parts of a record, read in a fraction of `parse_record`'s time: a journal may have 100,000 lines.

msgspec reads no more than it is asked for. A line that it refuses goes to `parse_record`, which says what is
wrong with it; or returns the whole record, if it is of the first schema, a failed cell's or a baseline's.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Raw
from msgspec.json import Decoder
from typing_extensions import TypedDict

from gatree.experiments.record import (
    REFUSALS,
    SCHEMA,
    Count,
    Data,
    FoldCell,
    FoldNumbers,
    FoldOutcome,
    Key,
    Machine,
    Record,
    SavingsCell,
    SavingsNumbers,
    SavingsOutcome,
    Seconds,
    Text,
    Timing,
    check_lengths,
    parse_record,
)
from gatree.settings.evolution_settings import EvaluatorName


def read_timing(line: bytes) -> Record:
    """Return study, kind, key, status and seconds of the record in a line; nothing else is looked at."""
    if line.isascii():
        with suppress(*REFUSALS):
            record: Record = _TIMING.decode(line)
            return record
    return parse_record(line)


def read_numbers(line: bytes) -> Record:
    """Return the record in a line without tree, history and machine: all that `gatree results` shows."""
    return _read(line, _NUMBERS) or parse_record(line)


def read_for_page(line: bytes) -> Record:
    """Return the record in a line with all that a page shows of it."""
    return _read(line, _PAGE) or parse_record(line)


class _Place(TypedDict):
    study: Text
    kind: Literal["savings", "cross-validation"]


class _Walls(TypedDict):
    wall: Annotated[list[Seconds], Meta(min_length=1)]


class _TimedRecord(TypedDict):
    schema: Annotated[int, Meta(ge=1, le=SCHEMA)]
    key: Key
    status: Literal["done"]
    cell: _Place
    timing: Annotated[dict[EvaluatorName, _Walls], Meta(min_length=1)]


class _Done(msgspec.Struct):
    """What all kinds of evolution have; the rest differs by kind, or is the same in many lines."""

    schema: Annotated[int, Meta(ge=SCHEMA, le=SCHEMA)]
    key: Key
    status: Literal["done"]
    cell: Raw
    settings: Raw
    seed: Count | None
    data: Raw
    outcome: Raw
    timing: Timing


class _DoneSomewhere(_Done):
    machine: Raw


class _Kind(NamedTuple):
    """What the cell of a kind must have, which may have more, and what is read of its outcome."""

    cell: Decoder[Any]
    outcome: Decoder[Any]


class _Reader(NamedTuple):
    done: Decoder[Any]
    kinds: Mapping[Any, _Kind]

    @classmethod
    def of(cls, done: Any, savings: Any, fold: Any) -> _Reader:
        kinds = {
            "savings": _Kind(Decoder(SavingsCell), Decoder(savings)),
            "cross-validation": _Kind(Decoder(FoldCell), Decoder(fold)),
        }
        return cls(Decoder(done), kinds)


_TIMING: Decoder[Any] = Decoder(_TimedRecord)
_NUMBERS = _Reader.of(_Done, SavingsNumbers, FoldNumbers)
_PAGE = _Reader.of(_DoneSomewhere, SavingsOutcome, FoldOutcome)
_MACHINE, _OPEN = Decoder(Machine), Decoder(dict[str, Any])


def _read(line: bytes, reader: _Reader) -> Record | None:
    """Return what there is of a record in a line, if it is as the newest schema has it."""
    if not line.isascii():  # fields that are skipped might not be text
        return None
    try:
        done = reader.done.decode(line)
        cell = _OPEN.decode(done.cell)
        kind = reader.kinds[cell["kind"]]
        cell.update(kind.cell.decode(done.cell))
        cell.setdefault("replicate", 0)
        record: Record = {
            "schema": SCHEMA,
            "key": done.key,
            "status": "done",
            "cell": cell,
            "settings": _settings(bytes(done.settings)),
            "seed": done.seed,
            "data": _data(bytes(done.data)),
            "outcome": kind.outcome.decode(done.outcome),
            "timing": done.timing,
        }
        if isinstance(done, _DoneSomewhere):
            record["machine"] = _OPEN.decode(done.machine) | _MACHINE.decode(done.machine)
            check_lengths(record["outcome"])
    except REFUSALS:
        return None
    return record


# These are the same in many lines, whose records then hold the same objects.
_settings = lru_cache(maxsize=100_000)(Decoder(dict[str, Any]).decode)
_data = lru_cache(maxsize=100_000)(Decoder(Data).decode)
