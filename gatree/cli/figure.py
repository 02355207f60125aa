"""`gatree figure`: Figures 5 and 6, three beside the paper's numbers, and three of any experiment's grid."""

from __future__ import annotations

from pathlib import Path

import click

from gatree.base.errors import ResultError
from gatree.cli.options import chosen_results, output_folder, results_option

_PAPERS = ["5", "6", "savings", "times", "speed-up"]
_GRIDS = ["accuracy-size", "savings-size", "time-size"]


@click.command()
@click.argument("name", metavar="N|all", type=click.Choice([*_PAPERS, *_GRIDS, "all"]))
@results_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where to write.  [default: figures, beside the journal]",
)
def figure(name: str, results: Path | None, output: Path | None) -> None:
    """Draw a figure of the paper, one beside its numbers, or one of your grid; write SVG and PNG.

    `all` draws the first five of the paper's experiment, and the last three of any other.

    \b
      5              saved node-instance-checks by depth: theory and engine (needs no
                     results if --output is given)
      6              accuracy and size over the generations of a cross-validation
      savings        our mean savings against the paper's, per data set
      times          seconds of new against old, per cell
      speed-up       how many times faster new is, by number of instances
      accuracy-size  accuracy against size, every point of the grid, with the front
      savings-size   savings against size
      time-size      seconds against size

    \b
    Examples:
      gatree figure 5 --output .
      gatree figure all
    """
    from gatree.paper.design import is_papers
    from gatree.paper.figures import NEED_NO_RESULTS
    from gatree.paper.publish import read_results
    from gatree.report.grid_figures import write_figure
    from gatree.report.points import Points

    if output is not None and name in NEED_NO_RESULTS:
        _show(write_figure(name, [], output))
        return
    journal, records = read_results(chosen_results(results))
    folder = output or output_folder(journal) / "figures"
    if name != "all":
        _show(write_figure(name, records, folder))
        return
    for wanted in _PAPERS if is_papers(records, Points.of(records)) else _GRIDS:
        try:
            _show(write_figure(wanted, records, folder))
        except ResultError as error:
            click.echo(f"left out: {error}", err=True)


def _show(paths: list[Path]) -> None:
    for path in paths:
        click.echo(path)
