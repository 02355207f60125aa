"""A record of the journal, checked once where it is read: whoever gets a record can rely on it.

`parse_record` takes a line of any schema and returns a record of the newest one, or says what is wrong with
the line. docs/journal.md describes the fields. Fields that are not known here are kept as they are.
Who needs not all of a record reads it faster by `gatree.experiments.swift_record`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from gatree.experiments.record_types import SCHEMA, BaselineRun, Failed, Fold, Savings

Record = dict[str, Any]

_DONE: dict[bytes, Any] = {b"savings": Savings, b"cross-validation": Fold, b"baseline": BaselineRun}

# Which model a line is meant for is told from its text: asking pydantic takes as long as all its checks.
_KIND = re.compile(rb'"kind": ?"([a-z-]+)"')
_HAS_FAILED = (b'"status":"failed"', b'"status": "failed"')


class BadRecordError(ValueError):
    """A line that is no record, and why."""


def parse_record(line: bytes) -> Record:
    """Return the record in a line of a journal, or raise a BadRecordError that says what is wrong."""
    kind = _KIND.match(line, max(line.find(b'"kind":'), 0))  # to find a text is faster than to search it
    model = _DONE.get(kind[1]) if kind else None
    if model is None:
        raise BadRecordError("is not a record")
    has_failed = b'"failed"' in line and (_HAS_FAILED[0] in line or _HAS_FAILED[1] in line)
    try:
        return _completed(_check(Failed if has_failed else model)(line))
    except ValidationError as error:
        raise BadRecordError(_reason(error)) from None


@cache
def _check(model: Any) -> Callable[[bytes], Record]:
    return TypeAdapter(model).validator.validate_json


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
