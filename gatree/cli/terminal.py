"""Tables on stdout: drawn by rich so that they fit a terminal, Markdown where nobody looks at the width."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from gatree.base.errors import visible

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.table import Table

    from gatree.paper.grids import Document, PrintedGrid


_MOST_LETTERS = 100_000  # in a row of a table, however wide it is


def on_a_terminal() -> bool:
    """Tell whether stdout is a terminal."""
    return sys.stdout.isatty()


def print_document(document: Document, format_: str | None) -> None:
    """Print a table in a format; by default as suits stdout, a terminal or a pipe."""
    from gatree.report.formats import FORMATS

    if format_ is None and on_a_terminal():
        draw_document(document)
        return
    name = format_ or "md"
    click.echo(FORMATS[name][1](document), nl=False)
    if name in ("csv", "json"):  # which have no place for notes
        for note in document.notes:
            click.echo(note, err=True)


def draw_document(document: Document) -> None:
    """Draw a table with its caption and its notes, in the width of the terminal."""
    console = _console()
    console.print(document.caption, style="bold", markup=False, end="\n\n")
    for grid in document.grids:
        _draw(grid, console)
    for note in document.notes:
        console.print(note, markup=False)


def draw_grid(grid: PrintedGrid) -> None:
    """Draw one table in the width of the terminal."""
    _draw(grid, _console())


def draw_rows(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Draw rows of texts in the width of the terminal; should it not do, the first column comes again."""
    from gatree.paper.grids import PrintedGrid

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

    from gatree.report.formats import printed_rows

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
    """Tell whether no number stands in a column."""
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
