"""`gatree table`: Tables 3-12 from a journal, as published, or side by side."""

from __future__ import annotations

from pathlib import Path

import click

from gatree.cli.completion import complete_table
from gatree.cli.options import chosen_results, output_folder, results_option
from gatree.cli.terminal import print_document

_ELSEWHERE = {"1": "lists the mutation operators", "2": "is the example's data: see `gatree example`"}


def _table_number(_context: click.Context, _parameter: click.Parameter, value: str) -> int | None:
    """Return the number of a table, or None for all."""
    if value in _ELSEWHERE:
        raise click.BadParameter(
            f"Table {value} of the paper {_ELSEWHERE[value]}; Tables 3 to 12 have results"
        )
    if value not in ("all", *map(str, range(3, 13))):
        raise click.BadParameter(f"{value!r} is not a table with results: give 3 to 12, or all")
    return None if value == "all" else int(value)


@click.command()
@click.argument("number", metavar="N|all", callback=_table_number, shell_complete=complete_table)
@results_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["md", "csv", "latex", "json"]),
    help="How to write it.  [default: as fits the terminal, md if piped; for `all`: every format]",
)
@click.option("--paper", is_flag=True, help="The published table, in the same layout.")
@click.option("--compare", is_flag=True, help="Ours, the paper's, and the differences, with a summary.")
@click.option("--extended", is_flag=True, help="More rows: checks saved, CPU and evaluation time, memory.")
@click.option("--spread", is_flag=True, help="Add the standard deviation over the seeds to each mean.")
@click.option("--decimal", type=click.Choice(["point", "comma"]), default="point", show_default=True)
@click.option(
    "--time-decimals",
    type=click.IntRange(0, 6),
    help="Decimals of seconds.  [default: 2 as in the paper, or 4 if there are times below 0.01 s]",
)
def table(
    number: int | None,
    results: Path | None,
    format_: str | None,
    paper: bool,
    compare: bool,
    extended: bool,
    spread: bool,
    decimal: str,
    time_decimals: int | None,
) -> None:
    """Print one of the paper's Tables 3-12 from our results, or write them all.

    Numbers are means over the seeds; CSV and JSON also have their count, standard deviation, least and
    largest. One table goes to stdout. `all` writes every table in every format to the folder `tables`
    beside the journal, and how they compare with the paper to comparison.md there; of an experiment that
    is not the paper's it writes what its grid has, a row for every data set and setting.

    \b
    Examples:
      gatree table 4
      gatree table 4 --paper --decimal comma
      gatree table 3 --compare
      gatree table 8 --format latex > table-8.tex
      gatree table all
    """
    from gatree.paper import publish
    from gatree.paper.grids import Style
    from gatree.paper.layout import TABLES
    from gatree.report.formats import FORMATS

    if paper + compare + extended > 1:
        raise click.UsageError("give one of --paper, --compare and --extended")
    if compare and number is None:
        raise click.UsageError("`gatree table all` always writes comparison.md; --compare is for one table")
    style = Style(decimal_comma=decimal == "comma", time_decimals=time_decimals, spread=spread)
    if paper:
        for wanted in TABLES if number is None else [number]:
            print_document(publish.papers(wanted, style), format_)
        return
    journal, records = publish.read_results(chosen_results(results))
    if number is None:
        formats = [format_] if format_ else list(FORMATS)
        written = publish.write_all(records, journal, output_folder(journal), style, formats, extended)
        click.echo(f"{len(written)} files written to {written[0].parent}", err=True)
    elif compare:
        print_document(publish.compared(number, records, journal, style), format_)
    else:
        print_document(publish.ours(number, records, journal, style, extended), format_)
