"""Descriptions of attributes: for JSON, and as a table for notebooks."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from gatree.base.errors import visible
from gatree.data.attribute import Attribute, Column, missing
from gatree.data.dates import date_text

_MOST_VALUES = 6


def describe_attribute(attribute: Attribute, column: Column) -> dict[str, Any]:
    """Return an attribute's name, kind and missing values, and its value counts or its range."""
    known = column[~missing(column)]
    kind = "date" if attribute.date_format is not None else attribute.kind
    common = {
        "name": attribute.name,
        "kind": kind,
        "missing": len(column) - len(known),
        "distinct": len(np.unique(known)),
    }
    if attribute.is_nominal:
        counts = np.bincount(known, minlength=len(attribute.values)).tolist()
        return {**common, "counts": dict(zip(attribute.values, counts, strict=True))}
    range_ = [_printable(attribute, float(end)) for end in (known.min(), known.max())] if len(known) else None
    return {**common, "range": range_}


def to_html(title: str, described: Iterable[dict[str, Any]]) -> str:
    """Return a table of described attributes."""
    rows = "".join(map(_html_row, described))
    head = "<tr><th>attribute</th><th>kind</th><th>missing</th><th>distinct</th><th>values</th></tr>"
    return f"<p>{html.escape(visible(title))}</p><table>{head}{rows}</table>"


def _html_row(part: dict[str, Any]) -> str:
    if "counts" in part:
        shown = [f"{value}: {count}" for value, count in part["counts"].items()]
        values = ", ".join(shown[:_MOST_VALUES]) + (", …" if len(shown) > _MOST_VALUES else "")
    else:
        values = "" if part["range"] is None else "{} to {}".format(*part["range"])
    cells = (part["name"], part["kind"], part["missing"], part["distinct"], values)
    return "<tr>" + "".join(f"<td>{html.escape(visible(str(cell)))}</td>" for cell in cells) + "</tr>"


def _printable(attribute: Attribute, number: float) -> float | int | str:
    """Return a number as JSON may hold it: a date as its text, and the infinite by name."""
    if not math.isfinite(number):
        return str(number)
    if attribute.date_format is not None:
        return date_text(attribute.date_format, number)
    return int(number) if number.is_integer() else number
