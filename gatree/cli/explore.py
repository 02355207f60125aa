"""`gatree explore`: write a page with the trees of all sizes for a data set."""

from __future__ import annotations

import shlex
import sys
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gatree.cli.options import (
    class_option,
    compare_option,
    costs_option,
    data_argument,
    drop_option,
    folds_option,
    keep_option,
    output_option,
    reading_options,
    regression_option,
)
from gatree.cli.requests import ExploreRequest
from gatree.cli.setting_options import as_class_weight

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.explore.finding import Finding

_PRESETS = ("default", "fast")


@click.command()
@data_argument
@class_option
@output_option("Output file.  [default: NAME-trees.html]")
@click.option("--open", "open_it", is_flag=True, help="Open the page in a browser.")
@click.option("--no-rows", is_flag=True, help="Do not include rows of the data in the page.")
@keep_option
@drop_option
@regression_option
@reading_options
@click.option(
    "--class-weight",
    callback=as_class_weight,
    metavar="WEIGHTS",
    help="Weight of a correct row of each class: balanced, or such as A=2,B=1.",
)
@costs_option
@click.option(
    "--preset", type=click.Choice(_PRESETS), default="default", show_default=True, help="How thorough."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the search.")
@folds_option
@compare_option
@click.option("--quiet", "-q", is_flag=True, help="Print only the file's name.")
@click.pass_context
def explore(context: click.Context, /, **given: Any) -> None:
    """Write a page that explores trees of all sizes for DATA.

    DATA is a data set of the paper, an ARFF, CSV, Excel or Parquet file, or - for stdin. The page is a single
    HTML file that works offline: how accurate trees of every size are, each tree with its data, what it gets
    wrong, and the path of a row. Trees can be pruned and grown by hand and saved as pictures, rules, SQL,
    Python or JSON for `gatree predict`.

    The page is written before the comparison with other methods starts, and again with it.

    \b
    Examples:
      gatree explore vote --open
      gatree explore customers.csv --class churn --output churn.html
      gatree explore customers.csv --class churn --no-rows
      gatree explore houses.csv --class price --regression
    """
    from gatree.cli.main import INTERRUPTED, refuse_too_little_memory

    refuse_too_little_memory()
    from gatree.base.machine import n_cores
    from gatree.base.progress import Progress
    from gatree.cli.learning import completed, found_by, tell_notes
    from gatree.explore.page import write_page
    from gatree.kernels.events import on_compilation
    from gatree.settings.presets import settings_of
    from gatree.smalltree.settings import front_settings_of

    request = ExploreRequest(**given)
    if request.costs is not None and request.class_weight is not None:
        raise click.UsageError("give --class-weight or --costs, not both")

    def refuse_classes(target: str) -> None:
        if request.costs or request.class_weight:
            raise click.UsageError(f"--class-weight, --costs: {target} has no classes")

    settings = settings_of(request.preset, {"seed": request.seed, "n_jobs": n_cores()})
    with Progress(quiet=request.quiet) as progress:
        on_compilation(progress.say)
        finding, is_interrupted = found_by(
            request,
            front_settings_of(request.preset, settings),
            request.class_weight,
            progress,
            refuse_classes,
            command=_command(),
        )
        tell_notes(finding, request, progress)
        path = request.output or Path(f"{_file_name(finding.dataset)}-trees.html")

        def write(finding: Finding) -> None:
            is_comparing = request.compare
            write_page(replace(finding, is_comparing=is_comparing), path, with_rows=not request.no_rows)
            click.echo(path)

        if not is_interrupted:
            finding, is_interrupted = completed(finding, request.compare, progress, write, firsts=True)
        if is_interrupted or request.compare:
            write_page(finding, path, with_rows=not request.no_rows)
    if request.open_it and not webbrowser.open(path.resolve().as_uri()):
        click.echo("note: no browser could be opened", err=True)
    if is_interrupted:
        click.echo(f"interrupted: {path} has what was found before", err=True)
        context.exit(INTERRUPTED)


def _file_name(dataset: Dataset) -> str:
    kept = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in dataset.name)
    return kept.strip("-")[:60] or "data"


def _command() -> str:
    arguments = [argument for argument in sys.argv[1:] if argument not in ("--open", "--quiet", "-q")]
    return shlex.join(["gatree", *arguments]) if arguments[:1] == ["explore"] else ""
