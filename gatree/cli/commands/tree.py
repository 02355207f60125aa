"""`gatree tree`: find a small tree, print it, evaluate it, and compare it with others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from gatree.base.progress import Progress
from gatree.cli.compilation import compile_for_study
from gatree.cli.data_options import gathered
from gatree.cli.main import INTERRUPTED
from gatree.cli.options import picture_option, save_option, save_tree
from gatree.cli.output import print_json, print_labelled, print_table
from gatree.cli.setting_options import GroupedCommand, naming_options
from gatree.cli.study_options import DEFAULTS, GROUPS, refuse_for_numbers, study_options
from gatree.kernels.events import on_compilation

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.learners.comparison import Baseline
    from gatree.study.finding import Finding
    from gatree.study.study import StudyRequest

_GROUPS = {**GROUPS, "Search options": "effort max_seconds folds compare seed n_jobs", "Output options": ""}


_OUTPUT_OPTIONS = (
    click.option(
        "--all", "everything", is_flag=True, help="Print a large tree whole, not its first 40 lines."
    ),
    click.option("--per-size", is_flag=True, help="Also show the best tree of each size."),
    click.option(
        "--details",
        is_flag=True,
        help="Also show the confusion matrix and the figures by class of the cross-validation.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print everything as JSON."),
    save_option,
    picture_option,
    click.option("--quiet", "-q", is_flag=True, help="Show no progress and no notes on the data."),
)


class _Output(NamedTuple):
    """What is shown of a finding, and where its tree is written."""

    everything: bool
    per_size: bool
    details: bool
    as_json: bool
    save: Path | None
    picture: Path | None
    quiet: bool


@click.command("tree", cls=GroupedCommand, groups=_GROUPS, context_settings=DEFAULTS)
@study_options
@gathered("output", lambda given: _Output(**given), *_OUTPUT_OPTIONS)
@click.pass_context
def tree(context: click.Context, /, request: StudyRequest, output: _Output) -> None:
    """Find a small decision tree for DATA.

    The data are a data set of the paper, an ARFF, CSV, Excel or Parquet file, several files with the same
    columns, or - for stdin. Classes or numbers are predicted.

    The best tree of every size is searched, and the size is chosen from the data, as SmallTreeClassifier and
    SmallTreeRegressor do it. The tree is printed as soon as it is found, then how good it is in a
    cross-validation, then J48, CART and the majority class on the same folds. Ctrl-C ends what still runs.

    \b
    Examples:
      gatree tree vote
      gatree tree glass --leaves 8 --folds 10
      gatree tree glass --first Mg --size-rule 1-se
      gatree tree people.csv --class income --save tree.json --picture tree.svg
      gatree tree loans.csv --class default --costs costs.csv --no-compare
      gatree tree houses.csv --class price --regression
      gatree tree zoo --per-size --json
      gatree tree 'parts/*.parquet' --class label --max-seconds 60
    """
    if output.details and request.n_folds == 0:
        raise click.UsageError("--details shows the cross-validation; leave out --folds 0")
    from gatree.study.study import study  # which takes longer to import than the help

    with naming_options(), _Printer(context, output) as printer:
        on_compilation(printer.note)
        try:
            finding = study(replace(request, may_be_constant=True), printer)
        except KeyboardInterrupt:
            printer.say("interrupted before there was a tree")
            context.exit(INTERRUPTED)
    (_print_as_json if output.as_json else _print_rest)(finding, output.per_size, output.details)
    if finding.is_interrupted:
        click.echo("interrupted: this is the tree, without what was still to come", err=True)
        context.exit(INTERRUPTED)


class _Printer(Progress):
    """Saves a tree when it is found, and prints a finding as it grows, unless it will be JSON."""

    def __init__(self, context: click.Context, output: _Output) -> None:
        super().__init__(quiet=output.quiet)
        self._context, self._output = context, output

    def read(self, dataset: Dataset) -> None:
        """Refuse options that do not fit the data, and compile what comes after the search."""
        refuse_for_numbers(self._context, dataset)
        compile_for_study(dataset, compares=self._context.params["compare"])

    def found(self, finding: Finding) -> None:
        """Save and print the tree."""
        from gatree.study.text import answer_lines
        from gatree.trees.render import MOST_LINES, brief_text

        save_tree(finding.tree, self._output.save, self._output.picture)
        self.clear()
        for note in finding.notes:
            self.note(f"note: {note}")
        if not self._output.as_json:
            click.echo(brief_text(finding.tree, 10**9 if self._output.everything else MOST_LINES) + "\n")
            print_labelled(answer_lines(finding))

    def validated(self, finding: Finding) -> None:
        """Print the cross-validation."""
        from gatree.study.text import smaller_lines, validated_lines

        self.clear()
        if not self._output.as_json:
            print_labelled([*validated_lines(finding), *smaller_lines(finding)])

    def tried(self, baseline: Baseline) -> None:
        """Print another method."""
        from gatree.study.text import baseline_line

        self.clear()
        if not self._output.as_json:
            print_labelled([baseline_line(baseline)])


def _print_rest(finding: Finding, per_size: bool, details: bool) -> None:
    """Print the times, and details that were asked for."""
    from gatree.study.text import detail_lines, size_rows, time_text

    print_labelled([("time", time_text(finding.spent))])
    if details and finding.crossed is not None:
        click.echo("\n" + "\n".join(detail_lines(finding)))
    if per_size:
        click.echo(f"\nthe best tree found of each size, {finding.measure.name} on the training data")
        print_table(size_rows(finding))


def _print_as_json(finding: Finding, per_size: bool, details: bool) -> None:
    from gatree.study.text import as_dict, confusion

    content = as_dict(finding, per_size) | {"interrupted": finding.is_interrupted}
    if details and finding.crossed is not None:
        content["confusion_matrix"] = confusion(finding)
    print_json(content)
