"""Rows to stdout, as a table for people, or as JSON or CSV for programs; and text to a file."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from gatree.base.errors import ResultError, visible

Row = Mapping[str, Any]

# What json.dumps leaves as it is and a terminal or an encoding may stumble over.
_STEERING = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def print_json(value: object) -> None:
    """Print a value as JSON, in escapes if the stream's encoding lacks some of it."""
    text = _json(value, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = _json(value, ensure_ascii=True)
    click.echo(text)


def _json(value: object, ensure_ascii: bool) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=ensure_ascii, allow_nan=False)
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_csv(rows: Sequence[Row]) -> None:
    """Print rows as CSV with a header line."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    click.echo(text.getvalue(), nl=False)


def print_table(rows: Sequence[Row]) -> None:
    """Print rows as a table, numbers to the right, so that it fits if stdout is a terminal."""
    import tabulate

    from gatree.cli.terminal import draw_rows, on_a_terminal

    tabulate.MIN_PADDING = 0  # or every column of numbers is two wider than it need be
    numbers = {name for name in rows[0] if all(isinstance(row[name], int | float) for row in rows)}
    align = ["right" if name in numbers else "left" for name in rows[0]]
    cells = [[_shown(cell) for cell in row.values()] for row in rows]
    headers = [name.replace("_", " ") for name in rows[0]]
    if on_a_terminal():
        draw_rows(headers, cells)
        return
    click.echo(tabulate.tabulate(cells, headers, disable_numparse=True, colalign=align))


def _shown(cell: object) -> str:
    return f"{cell:.3f}" if isinstance(cell, float) else visible(str(cell))


def print_rows(rows: Sequence[Row], output_format: str) -> None:
    """Print rows in the format that ``--format`` names."""
    if output_format == "json":
        print_json(rows)
    elif output_format == "csv":
        print_csv(rows)
    else:
        print_table(rows)


def write_text(text: str, output: Path | None) -> None:
    """Write a text to a file, or to stdout."""
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise ResultError(f"{output}: cannot be written ({error.strerror})") from error
