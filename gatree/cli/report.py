"""`gatree table`, `gatree figure` and `gatree report`: results as tables, as figures, on one page."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import click

from gatree.base.errors import ResultError, counted
from gatree.base.progress import Progress
from gatree.cli.options import (
    chosen_results,
    complete_by,
    complete_table,
    metric_option,
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


@click.command()
@click.argument("number", metavar="N|NAME|all", callback=_table_number, shell_complete=complete_table)
@results_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["md", "csv", "latex", "json"]),
    help="Output format.  [default: a table for the terminal, md if piped; for `all`: every format]",
)
@click.option("--paper", is_flag=True, help="The published table, in the same layout.")
@click.option("--compare", is_flag=True, help="Ours, the paper's, and the differences, with a summary.")
@click.option("--spread", is_flag=True, help="Add the standard error over the seeds to each mean.")
@click.option("--all", "everything", is_flag=True, help="All data sets and sizes of the paper, with dashes.")
@where_option("Show a part: select rows of `gatree results`; repeatable.")
def table(
    number: int | str | None,
    results: Path | None,
    format_: str | None,
    paper: bool,
    compare: bool,
    spread: bool,
    everything: bool,
    where: tuple[str, ...],
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
        folder = output_folder(found.journal)
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


_PAPERS = ["5", "6", "savings", "times", "speed-up"]
_GRIDS = ["accuracy-size", "savings-size", "time-size"]
_RANKS, _EQUAL_TIME = "critical-difference", "equal-time"


def _known_figure(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    from gatree.report.metrics import METRICS  # pandas, which the help does not need

    known = [*_PAPERS, *_GRIDS, _EQUAL_TIME, _RANKS, "all", *METRICS]
    if name not in known:
        raise click.BadParameter(f"{name!r} is not one of {', '.join(dict.fromkeys(known))}")
    return name


@click.command()
@click.argument("name", metavar="N|METRIC|all", callback=_known_figure)
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

    `all` draws the first five of the paper's experiment, and the next three of any other. A METRIC of
    `gatree compare` is drawn by the settings that vary, with its standard errors.

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
    from gatree.report.grid_output import write_figure
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
        folder = output or output_folder(found.journal) / "figures"
        if name == "all":
            wanted = _PAPERS if is_papers(found, Points.of(found).design) else _GRIDS
    assert folder is not None
    with Progress() as progress, writing(folder):
        for figure in wanted:
            progress(f"figure {figure}")
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
    from gatree.report.contest import contest_of, what_varies
    from gatree.report.equal_time import equal_time_figure
    from gatree.report.metric_figures import metric_figure, rank_figure
    from gatree.report.metrics import METRICS, first_metric

    if name not in (_RANKS, *METRICS):
        raise click.UsageError(f"--by and --where are for {_RANKS} and metrics: {', '.join(METRICS)}")
    found = Results.read(chosen_results(results)).demand_finished()
    folder = output or output_folder(found.journal) / "figures"
    found = found.where(where)
    frame = found.frame
    if name == _EQUAL_TIME and not by:
        with Progress(f"figure {name}"), writing(folder):
            paths = save(lambda: equal_time_figure(found), folder, name)
        click.echo("\n".join(map(str, paths)))
        return
    by = by or tuple(what_varies(frame, metric if name == _RANKS else name)[:1])
    stem = "-by-".join([name, *by])
    with Progress(f"figure {stem}"), writing(folder):
        if name == _RANKS:
            contest = contest_of(frame, by[0], metric or first_metric(frame))
            paths = save(lambda: rank_figure(contest), folder, stem)
        else:
            paths = save(lambda: metric_figure(frame, name, by), folder, stem)
    for path in paths:
        click.echo(path)


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
        output = output_folder(find_journal(folder)) / "report.html"
        with writing(output):
            output.parent.mkdir(parents=True, exist_ok=True)
    with Progress() as progress:
        written = write_page(folder, output, progress)
    click.echo(written)
