"""`gatree results`: an experiment as tidy rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gatree.base.errors import ConfigError, did_you_mean
from gatree.base.json_values import Scalar
from gatree.cli.options import (
    chosen_results,
    complete_columns,
    results_option,
    where_option,
)
from gatree.cli.output import (
    draw_grid,
    on_a_terminal,
    print_grid,
    write_text,
    writing,
)

if TYPE_CHECKING:
    import pandas as pd

    from gatree.rendering.documents import PrintedGrid

_ALWAYS_SHOWN = ("dataset", "method", "replicate", "repeat", "fold")

_MOST_DRAWN = 1000  # rows on a terminal: further rows are only counted

_NUMBERS_SHOWN = ("accuracy", "train_accuracy", "r2", "rmse", "n_nodes", "savings", "seconds")


@click.command()
@click.option(
    "--format",
    "format_",
    type=click.Choice(["csv", "json", "parquet", "md"]),
    help="Output format.  [default: by FILE's suffix; otherwise a table for the terminal, md if piped]",
)
@click.option(
    "--columns",
    metavar="NAMES",
    shell_complete=complete_columns,
    help="Columns, such as dataset,fold,accuracy.  [default: all; in a terminal: those that vary]",
)
@where_option("Select rows; repeatable. The same key twice selects either value.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Output file; parquet requires it.  [default: stdout]",
)
@click.option("--history", is_flag=True, help="A row per generation, of studies with history: true.")
@click.option("--list-columns", is_flag=True, help="List the columns and exit.")
@results_option
def results(
    format_: str | None,
    columns: str | None,
    where: tuple[str, ...],
    output: Path | None,
    history: bool,
    list_columns: bool,
    results: Path | None,
) -> None:
    """Print one row per cell, evaluator and seed, with every setting, outcome and time.

    A cell that ran several evaluators has a row for each, all with its one outcome; `repeats_outcome` marks
    all but the first. In Python the same is `gatree.experiments.frame.frame`, a pandas DataFrame.

    \b
    Examples:
      gatree results --results results/mine
      gatree results --format csv > rows.csv
      gatree results --columns dataset,x_factor,fold,accuracy --where method=evolution --where fold=0
      gatree results --where repeats_outcome=false --output rows.parquet
      gatree results --history --where fold=0
      gatree results --list-columns
    """
    if list_columns:
        _print_columns(history)
        return
    if output is not None:
        format_ = format_ or _FORMATS.get(output.suffix.lower(), "csv")
    elif format_ == "parquet":
        raise click.UsageError("parquet is a binary format: give --output FILE")
    from gatree.experiments.frame import Results, chosen_rows
    from gatree.experiments.history_rows import HISTORY_COLUMNS, history_rows

    names = _known(columns, HISTORY_COLUMNS if history else ()) if columns else None
    found = Results.read(chosen_results(results)).demand_finished()
    if history:
        rows = history_rows(found.where(where))
        filled = [name for name in map(str, rows) if rows[name].notna().any()]
        _write(rows.reindex(columns=names or filled), format_, output)
        return
    rows = chosen_rows(found.frame, where)
    _write(rows[names or _default(rows, format_)], format_, output)


_FORMATS = {".json": "json", ".md": "md", ".parquet": "parquet"}


def _print_columns(history: bool) -> None:
    from gatree.experiments.frame import COLUMNS
    from gatree.experiments.history_rows import HISTORY_COLUMNS
    from gatree.rendering.documents import PrintedGrid

    shown = HISTORY_COLUMNS if history else COLUMNS
    print_grid(PrintedGrid((("column", "holds"),), 2, tuple(shown.items())))


def _write(rows: pd.DataFrame, format_: str | None, output: Path | None) -> None:
    """Write rows in a format to a file, or to stdout."""
    if output is None and format_ is None and on_a_terminal():
        draw_grid(_grid(rows[:_MOST_DRAWN]))
        if len(rows) > _MOST_DRAWN:
            more = f"{len(rows) - _MOST_DRAWN:,} more rows"
            click.echo(f"... and {more}: --where narrows them, --format csv has all")
    elif format_ == "parquet":
        import pyarrow as _  # noqa: F401  # or pandas complains, and names no extra of ours

        assert output is not None
        with writing(output):
            rows.to_parquet(output, index=False)
    else:
        write_text(_text(rows, format_ or ("md" if output is None else "csv")), output)


def _text(rows: pd.DataFrame, format_: str) -> str:
    from gatree.experiments.frame import plain_rows
    from gatree.rendering.documents import markdown_grid

    if format_ == "csv":
        text: str = rows.to_csv(index=False, lineterminator="\n")
        return text
    if format_ == "json":
        found = (dict(zip(rows, values, strict=True)) for values in plain_rows(rows))
        return "[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n"
    return markdown_grid(_grid(rows)) + "\n"


def _grid(rows: pd.DataFrame) -> PrintedGrid:
    """Return rows as people read them: text to the left, as far as no number stands before it."""
    from gatree.experiments.frame import plain_rows
    from gatree.rendering.documents import PrintedGrid

    body = plain_rows(rows)
    texts = takewhile(lambda values: any(isinstance(value, str) for value in values), zip(*body, strict=True))
    shown = tuple(tuple(map(_shown, values)) for values in body)
    return PrintedGrid((tuple(map(str, rows)),), len(list(texts)), shown, repeats_labels=True)


def _shown(value: Scalar) -> str:
    from gatree.experiments.setting_grid import as_text

    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 1e4 else f"{value:.6g}"
    return "" if value is None else as_text(value)


def _known(columns: str, more: Iterable[str]) -> list[str]:
    from gatree.experiments.frame import COLUMNS

    names = [name.strip().replace("-", "_") for name in columns.split(",")]
    known = [*COLUMNS, *more]
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or "; gatree results --list-columns shows them"
            raise ConfigError(f"--columns: no column {name!r}{near}")
    return list(dict.fromkeys(names))


def _default(rows: pd.DataFrame, format_: str | None) -> list[str]:
    """Return all columns for programs; for people what varies, and the numbers that there are."""
    from gatree.experiments.design import design_of
    from gatree.experiments.frame import COLUMNS

    if format_ in ("csv", "json", "parquet"):
        return list(COLUMNS)
    axes = [axis.name for axis in design_of(rows).axes]
    first = [name for name in _ALWAYS_SHOWN if rows[name].nunique(dropna=False) > 1]
    if rows["evaluator"].nunique() > 1:  # baselines have none, which is no difference
        first.append("evaluator")
    numbers = [name for name in _NUMBERS_SHOWN if rows[name].notna().any()]
    return [*first, *(name for name in axes if name not in first), *numbers]
