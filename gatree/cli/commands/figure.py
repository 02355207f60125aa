"""`gatree figure`: the figures of the paper, of its numbers, and of any grid."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

import click

from gatree.base.errors import ResultError
from gatree.base.progress import Progress
from gatree.cli.options import (
    chosen_results,
    complete_by,
    completer,
    metric_option,
    output_folder,
    results_option,
    where_option,
)
from gatree.cli.output import writing

_PAPERS = ["5", "6", "savings", "times", "speed-up"]

_GRIDS = ["accuracy-size", "savings-size", "time-size", "r2-size", "rmse-size", "mae-size"]

_RANKS, _EQUAL_TIME = "critical-difference", "equal-time"


def _figures() -> list[str]:
    from gatree.report.metrics import METRICS  # pandas, which the help does not need

    return list(dict.fromkeys([*_PAPERS, *_GRIDS, _EQUAL_TIME, _RANKS, "all", *METRICS]))


complete_figure = completer(_figures)


def _known_figure(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    known = _figures()
    if name not in known:
        raise click.BadParameter(f"{name!r} is not one of {', '.join(known)}")
    return name


@click.command()
@click.argument("name", metavar="N|METRIC|all", callback=_known_figure, shell_complete=complete_figure)
@click.option(
    "--by",
    multiple=True,
    metavar="SETTING",
    shell_complete=complete_by,
    help="Draw a metric by what varies; twice: a heat map.  [default: the first that varies]",
)
@metric_option("What to rank by, in critical-difference.")
@where_option("Select rows of `gatree results`; repeatable.")
@results_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Output folder.  [default: figures, next to the journal]",
)
def figure(
    name: str,
    by: tuple[str, ...],
    metric: str | None,
    where: tuple[str, ...],
    results: Path | None,
    output: Path | None,
) -> None:
    """Draw a figure of the paper, of its numbers, or of your grid, as SVG and PNG.

    `all` draws the first five and equal-time of the paper's experiment, and of any other what it has against
    the size. A METRIC of `gatree compare` is drawn by the settings that vary, with its standard errors.

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
      r2-size, ...   where numbers are predicted: R2, rmse or mae against size
      equal-time     best payoff and trees examined after a time, old against new
      critical-difference  average ranks of settings or methods
      accuracy, leaves, speed-up, ...  a metric, by one setting or two

    \b
    Examples:
      gatree figure 5 --output .
      gatree figure speed-up --by mutation_rate
      gatree figure accuracy --by generation_gap --by x_factor
      gatree figure critical-difference --by method
      gatree figure all
    """
    from gatree.experiments.frame import Results
    from gatree.paper.figures import NEED_NO_RESULTS, has_cells
    from gatree.paper.tables import is_papers
    from gatree.report.grid_output import figures_of_grid, write_figure
    from gatree.report.points import Points

    if name not in (*_PAPERS, *_GRIDS, "all") or by or where:
        _draw_metric(name, by, metric, where, results, output)
        return
    if metric:
        raise click.UsageError("--metric is for critical-difference")
    found, folder, wanted = None, output, [name]
    if output is None or name not in NEED_NO_RESULTS:
        read = cache(Results.read)

        def has_some(run: Path) -> bool:
            found = read(run)
            return not found.frame.empty and (name not in _PAPERS or has_cells(name, found))

        found = read(chosen_results(results, has_some)).demand_finished()
        folder = output or output_folder(results, found.journal) / "figures"
        if name == "all":
            wanted = (
                [*_PAPERS, _EQUAL_TIME]
                if is_papers(found, Points.of(found).design)
                else figures_of_grid(found)
            )
    assert folder is not None
    with Progress() as progress, writing(folder):
        for figure in wanted:
            progress.progress(f"figure {figure}")
            try:
                paths = write_figure(figure, found, folder)
            except ResultError as error:
                if name != "all":
                    raise
                progress.say(f"left out: {error}")
                continue
            progress.clear()
            for path in paths:
                click.echo(path)


def _draw_metric(
    name: str,
    by: tuple[str, ...],
    metric: str | None,
    where: tuple[str, ...],
    results: Path | None,
    output: Path | None,
) -> None:
    """Draw a metric by what varies, or the ranks by one."""
    from gatree.experiments.frame import Results
    from gatree.rendering.figures import save
    from gatree.report.comparison import comparison_of, first_comparison
    from gatree.report.grid_output import write_figure
    from gatree.report.metric_figures import metric_figure, rank_figure
    from gatree.report.metrics import METRICS, first_metric

    if name not in (_RANKS, *METRICS):
        raise click.UsageError(f"--by and --where are for {_RANKS} and metrics: {', '.join(METRICS)}")
    found = Results.read(chosen_results(results)).demand_finished()
    folder = output or output_folder(results, found.journal) / "figures"
    found = found.where(where)
    frame = found.frame
    if name == _EQUAL_TIME and not by:
        with Progress(f"figure {name}"), writing(folder):
            paths = write_figure(name, found, folder)
        click.echo("\n".join(map(str, paths)))
        return
    shown = metric if name == _RANKS else name
    if by:
        comparison = comparison_of(frame, by[0], shown or first_metric(frame))
    else:
        comparison, _ = first_comparison(frame, shown)
    stem = "-by-".join([name, *(by or [comparison.by])])
    with Progress(f"figure {stem}"), writing(folder):
        draw = (
            partial(rank_figure, comparison) if name == _RANKS else partial(metric_figure, comparison, by[1:])
        )
        paths = save(draw, folder, stem)
    for path in paths:
        click.echo(path)
