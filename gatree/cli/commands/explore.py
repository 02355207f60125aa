"""`gatree explore`: write a page with the trees of all sizes for a data set."""

from __future__ import annotations

import shlex
import sys
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gatree.base.progress import Progress
from gatree.cli.compilation import compile_for_study
from gatree.cli.main import INTERRUPTED
from gatree.cli.options import output_option
from gatree.cli.setting_options import GroupedCommand, naming_options
from gatree.cli.study_options import DEFAULTS, GROUPS, refuse_for_numbers, study_options
from gatree.kernels.events import on_compilation

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.learners.comparison import Baseline
    from gatree.study.finding import Finding
    from gatree.study.study import StudyRequest

_GROUPS = {"Page options": "output open_it no_rows quiet", **GROUPS, "Search options": ""}


@click.command(cls=GroupedCommand, groups=_GROUPS, context_settings=DEFAULTS)
@study_options
@output_option("Output file.  [default: NAME-trees.html]")
@click.option("--open", "open_it", is_flag=True, help="Open the page in a browser.")
@click.option("--no-rows", is_flag=True, help="Do not include rows of the data in the page.")
@click.option("--quiet", "-q", is_flag=True, help="Print only the file's name.")
@click.pass_context
def explore(
    context: click.Context,
    /,
    request: StudyRequest,
    output: Path | None,
    open_it: bool,
    no_rows: bool,
    quiet: bool,
) -> None:
    """Write a page that explores trees of all sizes for DATA.

    DATA is a data set of the paper, an ARFF, CSV, Excel or Parquet file, or - for stdin. The page is a single
    HTML file that works offline: how accurate trees of every size are, each tree with its data, what it gets
    wrong, and the path of a row. Trees can be pruned and grown by hand and saved as pictures, rules, SQL,
    Python or JSON for `gatree predict`. It holds up to 5,000 rows of the data; --no-rows leaves them out.

    The page is written before the comparison with other methods starts, and again with it.

    \b
    Examples:
      gatree explore vote --open
      gatree explore customers.csv --class churn --output churn.html
      gatree explore customers.csv --class churn --no-rows
      gatree explore houses.csv --class price --regression
    """
    from gatree.study.study import study  # which takes longer to import than the help

    with naming_options(), _PageWriter(context, output, not no_rows, quiet) as writer:
        on_compilation(writer.note)
        finding = study(replace(request, tries_firsts=True, command=_command()), writer)
        if finding.is_interrupted or request.compares:
            writer.write(finding)
    path = writer.path_of(finding.dataset)
    if open_it and not webbrowser.open(path.resolve().as_uri()):
        click.echo("note: no browser could be opened", err=True)
    if finding.is_interrupted:
        click.echo(f"interrupted: {path} has what was found before", err=True)
        context.exit(INTERRUPTED)


class _PageWriter(Progress):
    """Writes the page of a finding, and prints its path when it can be opened."""

    def __init__(self, context: click.Context, output: Path | None, with_rows: bool, quiet: bool) -> None:
        super().__init__(quiet=quiet)
        self._context, self._output, self._with_rows = context, output, with_rows

    def read(self, dataset: Dataset) -> None:
        """Refuse options that do not fit the data, and compile what comes after the search."""
        refuse_for_numbers(self._context, dataset)
        compile_for_study(dataset, compares=self._context.params["compare"])

    def found(self, finding: Finding) -> None:
        """Print the notes on the data."""
        self.clear()
        for note in finding.notes:
            self.note(f"note: {note}")

    def validated(self, finding: Finding) -> None:
        """Write the page, which says that the comparison is still to come."""
        self.clear()
        self.write(replace(finding, is_comparing=self._context.params["compare"]))
        click.echo(self.path_of(finding.dataset))

    def tried(self, baseline: Baseline) -> None:
        """Ignore a method; the page is written again when all are known."""

    def write(self, finding: Finding) -> None:
        """Write the page."""
        from gatree.study.page import write_page

        write_page(finding, self.path_of(finding.dataset), with_rows=self._with_rows)

    def path_of(self, dataset: Dataset) -> Path:
        """Return where the page is written."""
        if self._output is not None:
            return self._output
        kept = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in dataset.name)
        return Path(f"{kept.strip('-')[:60] or 'data'}-trees.html")


def _command() -> str:
    arguments = [argument for argument in sys.argv[1:] if argument not in ("--open", "--quiet", "-q")]
    return shlex.join(["gatree", *arguments]) if arguments[:1] == ["explore"] else ""
