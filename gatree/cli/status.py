"""`gatree status`: how far an experiment is, also while it runs in another terminal."""

from __future__ import annotations

from pathlib import Path

import click
from tabulate import tabulate

from gatree.cli.duration import duration
from gatree.cli.terminal import draw_rows, on_a_terminal
from gatree.experiments.journal import find_journal
from gatree.experiments.journal_writer import running_process
from gatree.experiments.machine import n_cores
from gatree.experiments.status import StudyStatus, status_of


@click.command()
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    metavar="DIR",
    help="The folder of an experiment's results, or a folder of such folders.",
)
def status(results: Path) -> None:
    """Say what is done, failed and missing, and how long the rest will take.

    \b
    Example:
      gatree status --results results/paper
    """
    journal = find_journal(results)
    studies = status_of(journal)
    click.echo(f"journal: {journal}")
    rows = [(s.study, s.n_done, s.n_failed, s.n_missing) for s in [*studies, _total(studies)]]
    headings = ("study", "done", "failed", "missing")
    if on_a_terminal():
        draw_rows(headings, [list(map(str, row)) for row in rows])
    else:
        click.echo(tabulate(rows, headers=headings, tablefmt="simple"))
    cores = n_cores()
    if seconds := _total(studies).seconds_left:
        click.echo(f"time left: about {duration(seconds / cores)} on {cores} cores")
    process = running_process(journal.parent)
    click.echo(f"running now: process {process}" if process else "running now: no")


def _total(studies: list[StudyStatus]) -> StudyStatus:
    return StudyStatus(
        "all",
        sum(study.n_done for study in studies),
        sum(study.n_failed for study in studies),
        sum(study.n_missing for study in studies),
        sum(study.seconds_left for study in studies),
    )
