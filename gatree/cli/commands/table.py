"""`gatree table`: Tables 3-12 of the paper, and tables of any metric."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import click

from gatree.base.errors import counted
from gatree.base.progress import Progress
from gatree.cli.data_options import gathered
from gatree.cli.options import (
    chosen_results,
    complete_table,
    output_folder,
    results_option,
    where_option,
)
from gatree.cli.output import print_document, writing

_ELSEWHERE = {"1": "lists the mutation operators", "2": "is the example's data: see `gatree example`"}


def _table_number(_context: click.Context, _parameter: click.Parameter, value: str) -> int | str | None:
    """Return the number of a table, the name of one of any grid, or None for all."""
    from gatree.report.metrics import METRICS  # pandas, which the help does not need

    if value in METRICS:
        return value
    if value in _ELSEWHERE:
        raise click.BadParameter(
            f"Table {value} of the paper {_ELSEWHERE[value]}; Tables 3 to 12 have results"
        )
    if value not in ("all", *map(str, range(3, 13))):
        raise click.BadParameter(
            f"{value!r} is not a table with results: give 3 to 12, savings, accuracy, all, or a metric"
        )
    return None if value == "all" else int(value)


class _Shown(NamedTuple):
    """What a table shows."""

    paper: bool
    compare: bool
    spread: bool
    everything: bool


_SHOWN_OPTIONS = (
    click.option("--paper", is_flag=True, help="The published table, in the same layout."),
    click.option("--compare", is_flag=True, help="Ours, the paper's, and the differences, with a summary."),
    click.option("--spread", is_flag=True, help="Add the standard error over the seeds to each mean."),
    click.option(
        "--all", "everything", is_flag=True, help="All data sets and sizes of the paper, with dashes."
    ),
)


@click.command()
@click.argument("number", metavar="N|NAME|all", callback=_table_number, shell_complete=complete_table)
@results_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["md", "csv", "latex", "json"]),
    help="Output format.  [default: a table for the terminal, md if piped; for `all`: every format]",
)
@gathered("shown", lambda given: _Shown(**given), *_SHOWN_OPTIONS)
@where_option("Show a part: select rows of `gatree results`; repeatable.")
def table(
    number: int | str | None, results: Path | None, format_: str | None, shown: _Shown, where: tuple[str, ...]
) -> None:
    """Print one of the paper's Tables 3-12 from our results, or write them all.

    Numbers are means over the seeds (what each is: docs/definitions.md); CSV and JSON also have their count,
    standard deviation, minimum and maximum. A table goes to stdout, with the data sets and sizes that were
    run. `savings` and `accuracy` have the paper's layout for any grid: rows are data sets and settings,
    columns sizes. So has every other metric of `gatree compare`, such as `equal-time`, the generations that
    new runs while old runs 100. `all` writes every table in every format to the folder `tables` next to the
    journal, of the paper's experiment also comparison.md. LaTeX is a fragment to input where booktabs and
    longtable are loaded.

    \b
    Examples:
      gatree table 4
      gatree table 4 --where dataset=vote --compare
      gatree table accuracy --results results/mine --spread
      gatree table 4 --paper
      gatree table 3 --compare
      gatree table 8 --format latex > table-8.tex
      gatree table all
    """
    from gatree.experiments.frame import Results
    from gatree.paper import publish
    from gatree.paper.grids import Style
    from gatree.paper.published import TABLES
    from gatree.paper.tables import demand_cells, has_cells
    from gatree.rendering.documents import FORMATS

    paper, compare, spread, everything = shown
    if where and (paper or number is None):
        raise click.UsageError("--where is for one table of ours")
    if isinstance(number, str) and (paper or compare or everything):
        raise click.UsageError("--paper, --compare and --all are for the paper's Tables 3 to 12")
    if paper and compare:
        raise click.UsageError("give one of --paper and --compare")
    if compare and number is None:
        raise click.UsageError("`gatree table all` always writes comparison.md; --compare is for one table")
    style = Style(spread=spread)
    if paper:
        for wanted in TABLES:
            if number in (None, wanted):
                print_document(publish.papers(wanted, style), format_)
        return
    if number is None:
        found = Results.read(chosen_results(results)).demand_finished()
        from gatree.report.grid_output import write_all  # draws figures, too: half a second

        formats = [format_] if format_ else list(FORMATS)
        folder = output_folder(results, found.journal)
        with Progress("all tables"), writing(folder):
            written = write_all(found, folder, style, formats)
        click.echo(f"{counted(len(written), 'file')} written to {written[0].parent}", err=True)
        return
    if isinstance(number, str):
        from gatree.report.own_tables import own_table

        found = Results.read(chosen_results(results)).demand_finished().where(where)
        print_document(own_table(number, found, style), format_)
        return
    read = cache(Results.read)
    found = read(chosen_results(results, lambda run: has_cells(number, read(run)))).where(where)
    demand_cells(number, found)
    make = publish.compared if compare else publish.ours
    print_document(make(number, found, style, everything), format_)
