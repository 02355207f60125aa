"""`gatree status`: an experiment's progress."""

from __future__ import annotations

from pathlib import Path

import click
from tabulate import tabulate

from gatree.base.errors import counted
from gatree.base.machine import n_cores
from gatree.base.progress import duration
from gatree.cli.options import chosen_results, results_option
from gatree.cli.output import draw_rows, on_a_terminal
from gatree.experiments.estimate import status_of, wall_seconds
from gatree.experiments.journal_writer import running_process
from gatree.experiments.places import find_journal


@click.command()
@results_option
def status(results: Path | None) -> None:
    """Show finished, failed and missing cells, and the remaining time.

    \b
    Example:
      gatree status --results results/paper
    """
    journal = find_journal(chosen_results(results, lambda _run: True))
    studies = status_of(journal)
    click.echo(f"journal: {journal}")
    rows: list[tuple[str | int, ...]] = [(s.study, s.n_done, s.n_failed, s.n_missing) for s in studies]
    _, *columns = zip(("all", 0, 0, 0), *rows, strict=True)
    rows.append(("all", *map(sum, columns)))
    headings = ("study", "done", "failed", "missing")
    if on_a_terminal():
        draw_rows(headings, [list(map(str, row)) for row in rows])
    else:
        click.echo(tabulate(rows, headers=headings, tablefmt="simple"))
    cores, process = n_cores(), running_process(journal.parent)
    if seconds := sum(study.seconds_left for study in studies):
        left = seconds / cores if process else wall_seconds(seconds, cores)
        click.echo(f"time left: about {duration(left)} on {counted(cores, 'core')}")
    click.echo(f"running now: process {process}" if process else "running now: no")
