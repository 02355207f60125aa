"""`gatree report`: all results of an experiment on one page."""

from __future__ import annotations

from pathlib import Path

import click

from gatree.base.progress import Progress
from gatree.cli.options import (
    chosen_results,
    output_folder,
    results_option,
)
from gatree.cli.output import writing


@click.command()
@results_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Output file.  [default: report.html, next to the journal]",
)
def report(results: Path | None, output: Path | None) -> None:
    """Write one self-contained HTML page: what varies, plots, best settings and trees, machine.

    It needs no network and no other file; pages that explore its trees are in the folder trees next to it.
    The plots of accuracy, savings and time against size can be filtered and downloaded as CSV and SVG, show
    the values of every point, and keep the view in the page's address.
    The paper's experiment is also compared with the paper: numbers can be switched between ours, the
    published ones and the difference, and tables sorted. The page of an unfinished run
    says so.

    \b
    Examples:
      gatree report
      gatree report --results results/quick --output quick.html
    """
    from gatree.experiments.places import find_journal
    from gatree.report.page import write_page

    folder = chosen_results(results)
    if output is None:
        output = output_folder(results, find_journal(folder)) / "report.html"
        with writing(output):
            output.parent.mkdir(parents=True, exist_ok=True)
    with Progress() as progress:
        written = write_page(folder, output, progress)
    click.echo(written)
