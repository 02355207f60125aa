"""Tidy rows as CSV, JSON, Parquet, Markdown, or a table that fits the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import click

from gatree.base.errors import ResultError
from gatree.cli.output import draw_grid, on_a_terminal, write_text
from gatree.experiments.conditions import as_text
from gatree.experiments.rows import CsvWriter, Row
from gatree.rendering.documents import PrintedGrid, markdown_grid

_MOST_DRAWN = 1000  # rows on a terminal: beyond, nobody reads them


def write(rows: Sequence[Row], names: Sequence[str], format_: str | None, output: Path | None) -> None:
    """Write columns of rows in a format to a file, or to stdout."""
    if output is None and format_ is None and on_a_terminal():
        draw_grid(_grid(rows[:_MOST_DRAWN], names))
        if len(rows) > _MOST_DRAWN:
            more = f"{len(rows) - _MOST_DRAWN:,} more rows"
            click.echo(f"... and {more}: --where narrows them, --format csv has all")
        return
    if format_ == "parquet":
        assert output is not None
        _write_parquet(rows, names, output)
    else:
        write_text(_text(rows, names, format_ or ("md" if output is None else "csv")), output)


def print_columns(columns: Mapping[str, str]) -> None:
    """Print what columns there are and what they hold."""
    grid = PrintedGrid((("column", "holds"),), 2, tuple(columns.items()))
    if on_a_terminal():
        draw_grid(grid)
    else:
        click.echo(markdown_grid(grid))


def _text(rows: Sequence[Row], names: Sequence[str], format_: str) -> str:
    if format_ == "csv":
        writer = CsvWriter(names)
        return writer.text(writer.lines(rows))
    if format_ == "json":
        lines = (json.dumps({name: row[name] for name in names}) for row in rows)
        return "[\n" + ",\n".join(lines) + "\n]\n"
    return markdown_grid(_grid(rows, names)) + "\n"


def _write_parquet(rows: Sequence[Row], names: Sequence[str], output: Path) -> None:
    import pandas as pd
    import pyarrow as _  # noqa: F401  # or pandas complains, and names no extra of ours

    frame = pd.DataFrame({name: [row[name] for row in rows] for name in names})
    try:
        frame.to_parquet(output, index=False)
    except OSError as error:
        raise ResultError(f"{output}: cannot be written ({error.strerror or error})") from error


def _grid(rows: Sequence[Row], names: Sequence[str]) -> PrintedGrid:
    """Return rows as people read them: text to the left, as far as no number stands before it."""
    body = tuple(tuple(_shown(row[name]) for name in names) for row in rows)
    texts = takewhile(lambda name: any(isinstance(row[name], str) for row in rows), names)
    return PrintedGrid((tuple(names),), len(list(texts)), body, repeats_labels=True)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 1e4 else f"{value:.6g}"
    return "" if value is None else as_text(value)
