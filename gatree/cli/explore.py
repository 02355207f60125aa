"""`gatree explore`: write a page with the trees of all sizes for a data set."""

from __future__ import annotations

import shlex
import sys
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gatree.cli.options import (
    class_option,
    data_argument,
    drop_option,
    drop_strings_option,
    keep_option,
    output_option,
    regression_option,
)

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset

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
@drop_strings_option
@click.option(
    "--preset", type=click.Choice(_PRESETS), default="default", show_default=True, help="How thorough."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the search.")
@click.option("--quiet", "-q", is_flag=True, help="Print only the file's name.")
def explore(
    data: str,
    class_name: str | None,
    output: Path | None,
    open_it: bool,
    no_rows: bool,
    keep: tuple[str, ...],
    drop: tuple[str, ...],
    regression: bool | None,
    drop_strings: bool,
    preset: str,
    seed: int,
    quiet: bool,
) -> None:
    """Write a page that explores trees of all sizes for DATA.

    DATA is a data set of the paper, an ARFF, CSV or Parquet file, or - for stdin. The page is a single HTML
    file that works offline: how accurate trees of every size are, each tree with its data, what it gets
    wrong, and the path of a row. Trees can be pruned and grown by hand and saved as pictures, rules, SQL,
    Python or JSON for `gatree predict`.

    \b
    Examples:
      gatree explore vote --open
      gatree explore customers.csv --class churn --output churn.html
      gatree explore customers.csv --class churn --no-rows
      gatree explore houses.csv --class price --regression
    """
    from gatree.cli.predicting import Steps, is_guessed, reading, say_what_is_predicted
    from gatree.data.load import load_with_target
    from gatree.data.screen import screened
    from gatree.explore.explore import explore as explored
    from gatree.explore.page import write_page
    from gatree.front.settings import FRONT_PRESETS

    with reading(data, quiet):
        dataset, target = load_with_target(data, class_name, drop_strings, regression)
    dataset, left_out = screened(dataset, keep, drop)
    if not quiet:
        say_what_is_predicted(dataset, target, left_out, is_guessed(data, class_name))
    settings = replace(FRONT_PRESETS[preset], seed=seed)  # type: ignore[index]  # one of _PRESETS
    path = output or Path(f"{_file_name(dataset)}-trees.html")
    with Steps(quiet) as on_step:
        found = explored(dataset, settings, target, left_out, _command(), on_step)
    write_page(found, path, with_rows=not no_rows)
    click.echo(path)
    if open_it and not webbrowser.open(path.resolve().as_uri()):
        click.echo("note: no browser could be opened", err=True)


def _file_name(dataset: Dataset) -> str:
    kept = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in dataset.name)
    return kept.strip("-")[:60] or "data"


def _command() -> str:
    arguments = [argument for argument in sys.argv[1:] if argument not in ("--open", "--quiet", "-q")]
    return shlex.join(["gatree", *arguments]) if arguments[:1] == ["explore"] else ""
