"""Tidy rows as CSV, JSON, Parquet, Markdown, or a table that fits the terminal."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from operator import itemgetter
from pathlib import Path
from typing import Any, TextIO

import click

from gatree.cli.terminal import draw_grid, on_a_terminal
from gatree.errors import ResultError
from gatree.experiments.conditions import as_text
from gatree.experiments.rows import REPEATED_COLUMNS, Row
from gatree.report.formats import markdown_grid
from gatree.report.grids import PrintedGrid

_MOST_DRAWN = 1000  # rows on a terminal: beyond, nobody reads them


def format_of(path: Path) -> str:
    """Return the format that a file's ending stands for."""
    return {".json": "json", ".md": "md", ".parquet": "parquet"}.get(path.suffix.lower(), "csv")


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
    elif output is None:
        _write_text(rows, names, format_ or "md", sys.stdout)
    else:
        try:
            with output.open("w", encoding="utf-8", newline="") as file:
                _write_text(rows, names, format_ or "csv", file)
        except OSError as error:
            raise ResultError(f"{output}: cannot be written ({error.strerror})") from error


def print_columns(columns: Mapping[str, str]) -> None:
    """Print what columns there are and what they hold."""
    grid = PrintedGrid((("column", "holds"),), 2, tuple(columns.items()))
    if on_a_terminal():
        draw_grid(grid)
    else:
        click.echo(markdown_grid(grid))


def _write_text(rows: Sequence[Row], names: Sequence[str], format_: str, file: TextIO) -> None:
    if format_ == "csv":
        _write_csv(rows, names, file)
    elif format_ == "json":
        lines = (json.dumps({name: row[name] for name in names}) for row in rows)
        file.write("[\n" + ",\n".join(lines) + "\n]\n")
    else:
        file.write(markdown_grid(_grid(rows, names)) + "\n")


def _write_csv(rows: Sequence[Row], names: Sequence[str], file: TextIO) -> None:
    """Write rows. Settings at the end, the same in many rows, are written once: a third of the time."""
    settings = list(takewhile(REPEATED_COLUMNS.__contains__, reversed(names)))[::-1]
    others = names[: len(names) - len(settings)]
    parts = [part for part in (_csv_lines(rows, others), _csv_tails(rows, settings)) if part]
    file.write("\n".join([_csv_line(names), *map(",".join, zip(*parts, strict=True)), ""]))


class _Lines(list[str]):
    """What a csv.writer has written, line by line."""

    write = list.append


def _csv_lines(rows: Sequence[Row], names: Sequence[str]) -> list[str]:
    lines = _Lines()
    if names:
        csv.writer(lines, lineterminator="").writerows(map(_getter(names), rows))
    return lines


def _csv_tails(rows: Sequence[Row], names: Sequence[str]) -> list[str]:
    if not names:
        return []
    cells = list(map(_getter(names), rows))
    written = {values: _csv_line(values) for values in set(cells)}
    return [written[values] for values in cells]


def _csv_line(values: Sequence[Any]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(values)
    return text.getvalue()


def _getter(names: Sequence[str]) -> Callable[[Row], tuple[Any, ...]]:
    return itemgetter(*names) if len(names) > 1 else lambda row: (row[names[0]],)


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
