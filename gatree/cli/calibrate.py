"""`gatree calibrate`: search settings against published numbers."""

from __future__ import annotations

from pathlib import Path

import click

from gatree.cli.run import FAILED_CELLS, find_config, run_with_progress
from gatree.cli.terminal import print_document
from gatree.experiments.machine import n_cores
from gatree.experiments.run import Plan


@click.command()
@click.option(
    "--config",
    default="original",
    show_default=True,
    metavar="FILE",
    help="The calibration: a YAML file, or the one that comes with gatree: original.",
)
@click.option(
    "--runs",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="CSV",
    help="Runs of the original program, for targets that compare with them; left out without it.",
)
@click.option("--choose-by", metavar="TARGET", help="The target that chooses.  [default: what the file says]")
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    metavar="DIR",
    help="Where results land, in DIR/NAME.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes to run in [default: the cores]."
)
@click.option(
    "--format", "format_", type=click.Choice(["md", "csv", "json"]), default="md", show_default=True
)
def calibrate(
    config: str, runs: Path | None, choose_by: str | None, results: Path, jobs: int | None, format_: str
) -> None:
    """Run candidate settings and score them against published numbers, and say which one is chosen by what.

    Candidates and targets stand in the file. One target chooses; the others are held out and only
    reported, and so is what would be chosen without each data set or table. What is done already is not run
    again. The table goes to stdout, and with a figure into the folder of results.

    \b
    Examples:
      gatree calibrate
      gatree calibrate --runs original_runs.csv --choose-by runs
      gatree calibrate --config my.yaml --format csv > candidates.csv
    """
    from gatree.paper.calibration.plan import read_calibration
    from gatree.paper.calibration.summary import document, figure, result_of
    from gatree.paper.calibration.targets import matches, read_runs
    from gatree.paper.figures import save
    from gatree.paper.publish import read_results
    from gatree.report.formats import FORMATS

    calibration = read_calibration(find_config(config, "calibrations"), choose_by, has_runs=runs is not None)
    original = read_runs(runs) if runs else None
    plan = Plan.of(calibration.experiment())
    progress = run_with_progress(plan, results, jobs or n_cores())
    _, records = read_results(plan.folder(results))
    result = result_of(calibration, matches(calibration, records, original))
    table, folder = document(result), plan.folder(results)
    for name in ("md", "csv", "json"):
        (folder / f"candidates.{name}").write_text(FORMATS[name][1](table), encoding="utf-8")
    save(lambda: figure(result), folder, "candidates")
    print_document(table, format_)
    click.echo(f"written: {folder / 'candidates'}.md, .csv, .json, .svg, .png", err=True)
    if progress.n_failed:
        click.get_current_context().exit(FAILED_CELLS)
