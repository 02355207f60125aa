"""`gatree explore`: write a page with the trees of all sizes for a data set."""

from __future__ import annotations

import shlex
import sys
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gatree.cli.commands.tree import DEFAULTS, small_tree_settings
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
from gatree.cli.setting_options import GroupedCommand, naming_options, setting_options
from gatree.settings.small_tree import SmallTreeSettings

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.study.finding import Finding

_GROUPS = {
    "Page options": "output open_it no_rows quiet",
    "Tree options": "size size_rule scoring first max_leaves max_depth min_leaf min_split class_weight costs "
    "shrinkage",
    "Data options": "class_name keep drop regression kinds day_first header sheet drop_strings",
    "Search options": "",
}


@click.command(cls=GroupedCommand, groups=_GROUPS, context_settings=DEFAULTS)
@data_argument
@class_option
@output_option("Output file.  [default: NAME-trees.html]")
@click.option("--open", "open_it", is_flag=True, help="Open the page in a browser.")
@click.option("--no-rows", is_flag=True, help="Do not include rows of the data in the page.")
@keep_option
@drop_option
@regression_option
@reading_options
@setting_options(SmallTreeSettings)
@costs_option
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
    settings = small_tree_settings(given)
    request = ExploreRequest(**given)
    from gatree.cli.main import INTERRUPTED, refuse_too_little_memory

    refuse_too_little_memory()
    from gatree.base.progress import Progress
    from gatree.cli.learning import completed, found_by, tell_notes
    from gatree.kernels.events import on_compilation
    from gatree.study.page import write_page

    with naming_options(), Progress(quiet=request.quiet) as progress:
        on_compilation(progress.note)
        finding, is_interrupted = found_by(context, request, settings, progress, command=_command())
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
