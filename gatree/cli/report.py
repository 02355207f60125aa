"""`gatree report`: the whole experiment as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from gatree.cli.options import chosen_results, output_folder, results_option


@click.command()
@results_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write.  [default: report.html, beside the journal]",
)
def report(results: Path | None, output: Path | None) -> None:
    """Write one self-contained HTML page: what varies, plots, best settings and trees, machine.

    It needs no network and no other file. The plots of accuracy, savings and time against size can be
    filtered, tell every point, and are downloaded as CSV and SVG; the page's address keeps the view.
    The paper's experiment is also compared with the paper: numbers can be switched between ours, the
    published ones and the difference, and tables sorted. A run that is not finished gives a page that
    says so.

    \b
    Examples:
      gatree report
      gatree report --results results/quick --output quick.html
    """
    from gatree.experiments.journal import find_journal
    from gatree.report.page import write_page

    folder = chosen_results(results)
    if output is None:
        output = output_folder(find_journal(folder)) / "report.html"
        output.parent.mkdir(parents=True, exist_ok=True)
    click.echo(write_page(folder, output))
