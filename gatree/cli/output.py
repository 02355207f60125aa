"""Print to stdout: rows and tables that fit a terminal, JSON or CSV for programs; write text to a file."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gatree.base.errors import ResultError, visible
from gatree.base.json_values import Json
from gatree.base.progress import wrapped

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.table import Table

    from gatree.rendering.documents import Document, PrintedGrid

Row = Mapping[str, Json]

# Characters that json.dumps keeps, but a terminal or an encoding may not support.
_STEERING = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def print_labelled(lines: Iterable[tuple[str, str]]) -> None:
    """Print texts behind their labels, in two columns."""
    for label, text in lines:
        click.echo(wrapped(text, sys.stdout, f"{label:<12} "))


def print_notes(notes: Sequence[str], quiet: bool = False) -> None:
    """Print how columns were read, a line each; warnings are printed in any case."""
    for note in notes:
        if not quiet or note.startswith("warning: "):
            click.echo(wrapped(visible(note), sys.stderr), err=True)


def print_json(value: object) -> None:
    """Print a value as JSON, escaped where the stream's encoding lacks a character."""
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

    numbers = {name for name in rows[0] if all(isinstance(row[name], int | float) for row in rows)}
    align = ["right" if name in numbers else "left" for name in rows[0]]
    cells = [[_cell_text(cell) for cell in row.values()] for row in rows]
    headers = [name.replace("_", " ") for name in rows[0]]
    if on_a_terminal():
        draw_rows(headers, cells)
        return
    padding = tabulate.MIN_PADDING
    tabulate.MIN_PADDING = 0  # otherwise every column of numbers is two characters too wide
    try:
        text = tabulate.tabulate(cells, headers, disable_numparse=True, colalign=align)
    finally:
        tabulate.MIN_PADDING = padding  # other tables of this process keep theirs
    click.echo(text)


def _cell_text(cell: object) -> str:
    return f"{cell:.3f}" if isinstance(cell, float) else visible(str(cell))


def print_rows(rows: Sequence[Row], output_format: str) -> None:
    """Print rows in the format that ``--format`` names."""
    if output_format == "json":
        print_json(rows)
    elif output_format == "csv":
        print_csv(rows)
    else:
        print_table(rows)


@contextmanager
def writing(output: Path) -> Iterator[None]:
    """Name the file or folder that cannot be written."""
    try:
        yield
    except OSError as error:
        raise ResultError(
            f"{error.filename or output}: cannot be written ({error.strerror or error})"
        ) from error


def write_text(text: str, output: Path | None) -> None:
    """Write a text to a file, or to stdout."""
    if output is None:
        sys.stdout.write(text)
        return
    with writing(output):
        output.write_text(text, encoding="utf-8", newline="")


_MOST_LETTERS = 100_000  # in a row of a table, however wide it is


def on_a_terminal() -> bool:
    """Tell whether stdout is a terminal."""
    return sys.stdout.isatty()


def print_document(document: Document, format_: str | None) -> None:
    """Print a table in a format; the default depends on whether stdout is a terminal."""
    from gatree.rendering.documents import FORMATS

    if format_ is None and on_a_terminal():
        draw_document(document)
        return
    name = format_ or "md"
    click.echo(FORMATS[name][1](document), nl=False)
    if name in ("csv", "json"):  # which have no place for notes
        for note in (*document.lead, *document.notes):
            click.echo(note, err=True)


def draw_document(document: Document) -> None:
    """Draw a table with its caption and its notes, in the width of the terminal."""
    console = _console()
    for sentence in document.lead:
        console.print(sentence, markup=False)
    console.print(document.caption, style="bold", markup=False, end="\n\n")
    for grid in (*document.grids, *document.below):
        _draw(grid, console)
    for note in document.notes:
        console.print(note, markup=False)


def draw_grid(grid: PrintedGrid) -> None:
    """Draw one table in the width of the terminal."""
    _draw(grid, _console())


def print_grid(grid: PrintedGrid) -> None:
    """Print one table: drawn on a terminal, otherwise in Markdown."""
    from gatree.rendering.documents import markdown_grid

    if on_a_terminal():
        draw_grid(grid)
    else:
        click.echo(markdown_grid(grid))


def draw_rows(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Draw rows of text in the width of the terminal; wrapped parts repeat the first column."""
    from gatree.rendering.documents import PrintedGrid

    draw_grid(PrintedGrid((tuple(headings),), 1, tuple(map(tuple, rows)), repeats_labels=True))


def _draw(grid: PrintedGrid, console: Console) -> None:
    for table in _fitting(grid, console):
        console.print(table)
        console.print()


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, emoji=False)


def _fitting(grid: PrintedGrid, console: Console) -> Iterator[Table]:
    """Yield a grid as one table, or as several below each other if it is too wide, each with the labels."""
    boundless = console.options.update(max_width=_MOST_LETTERS)
    columns = list(range(grid.n_labels, len(grid.headings[0])))
    if not columns:
        yield _table(grid, [])
    while columns:
        n = len(columns)
        while n > 1 and console.measure(_table(grid, columns[:n]), options=boundless).maximum > console.width:
            n -= 1
        yield _table(grid, columns[:n])
        columns = columns[n:]


def _table(grid: PrintedGrid, columns: Sequence[int]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from gatree.rendering.documents import printed_rows

    shown = [*range(grid.n_labels), *columns]
    title = " ".join(grid.title) if grid.title else None
    table = Table(title=title, box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column, heading in enumerate(_continued(grid)):
        if column in shown:
            align: JustifyMethod = "left" if column < grid.n_labels or _is_text(grid, column) else "right"
            table.add_column(
                Text(heading), justify=align, overflow="fold", no_wrap=column >= grid.n_labels > 0
            )
    for row in printed_rows(grid):
        table.add_row(*(Text(visible(row[column])) for column in shown))
    return table


def _is_text(grid: PrintedGrid, column: int) -> bool:
    """Tell whether a column holds no number."""
    return not any((row[column] or "")[:1] in "+-0123456789" for row in grid.rows if row[column])


def _continued(grid: PrintedGrid) -> list[str]:
    """Return the headings; an upper one stands over every column that it is for."""
    if len(grid.headings) == 1:
        return list(grid.headings[0])
    upper, lower = grid.headings
    texts, above = [], ""
    for column, (high, low) in enumerate(zip(upper, lower, strict=True)):
        above = high or (above if column > grid.n_labels else "")
        texts.append(f"{above}\n{low}")
    return texts
