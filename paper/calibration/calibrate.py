"""Run candidate settings, score them against published numbers, and select one.

    python paper/calibration/calibrate.py
    python paper/calibration/calibrate.py --runs original_runs.csv --choose-by runs
    python paper/calibration/calibrate.py --config my.yaml --format csv > candidates.csv

The file lists candidates and targets. One target selects the candidate; the others are held out and only
reported, as is the selection without each data set or table. Finished cells are not run again. The table
goes to stdout, and with a figure into the folder of results.
"""

from __future__ import annotations

from pathlib import Path

import click

from calibration_plan import read_calibration
from calibration_scores import document, figure, matches, read_runs, result_of
from gatree.base.machine import n_cores
from gatree.cli.commands.run import run_with_progress
from gatree.cli.output import print_document
from gatree.experiments.journal import read_journal
from gatree.experiments.places import find_journal
from gatree.experiments.run import Plan
from gatree.rendering.documents import FORMATS
from gatree.rendering.figures import save

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
ORIGINAL = Path(__file__).resolve().parent / "original.yaml"


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--config", type=FILE, default=ORIGINAL, help="The calibration, a YAML file.")
@click.option(
    "--runs", type=FILE, help="Runs of the original program (CSV), for targets that compare with them."
)
@click.option("--choose-by", metavar="TARGET", help="The target that selects the candidate.")
@click.option(
    "--results", type=click.Path(path_type=Path), default=Path("results"), help="Folder of the results."
)
@click.option("--jobs", type=click.IntRange(min=1), help="Number of worker processes.")
@click.option("--format", "format_", type=click.Choice(["md", "csv", "json"]), default="md")
def calibrate(
    config: Path, runs: Path | None, choose_by: str | None, results: Path, jobs: int | None, format_: str
) -> None:
    """Run, score and write the candidates of a calibration."""
    calibration = read_calibration(config, choose_by, has_runs=runs is not None)
    original = read_runs(runs) if runs else None
    plan = Plan.of(calibration.experiment())
    run_with_progress(plan, results, jobs or n_cores())
    folder = plan.folder(results)
    result = result_of(calibration, matches(calibration, read_journal(find_journal(folder)), original))
    table = document(result)
    for name in ("md", "csv", "json"):
        (folder / f"candidates.{name}").write_text(FORMATS[name][1](table), encoding="utf-8")
    save(lambda: figure(result), folder, "candidates")
    print_document(table, format_)
    click.echo(f"written: {folder / 'candidates'}.md, .csv, .json, .svg, .png", err=True)


if __name__ == "__main__":
    calibrate()
