"""What `evolve` and `explore` share: options of a search, costs in a file, the stages of a finding."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gatree.base.errors import DataError, did_you_mean, shown
from gatree.base.limits import MOST_FOLDS

if TYPE_CHECKING:
    from gatree.base.progress import Progress
    from gatree.data.dataset import Dataset
    from gatree.explore.cross_validation import Baseline
    from gatree.explore.finding import Finding

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


@dataclass(frozen=True)
class Output:
    """The options that say what is printed, saved and drawn."""

    compare: bool
    per_size: bool
    details: bool
    everything: bool
    as_json: bool
    save: Path | None
    picture: Path | None
    quiet: bool


def _more_than_one(_context: click.Context, _parameter: click.Parameter, value: int | None) -> int | None:
    if value == 1:
        raise click.BadParameter("should be 0, for none, or at least 2, got 1")
    return value


folds_option = click.option(
    "--folds",
    type=click.IntRange(0, MOST_FOLDS),
    callback=_more_than_one,
    metavar="K",
    help="Cross-validate with K folds; 0: skip it.  [default: 5, twice for up to 250 rows, one of five held "
    "out for more than 100,000]",
)
costs_option = click.option(
    "--costs",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="What predictions cost: a CSV file with a row per class and a column per predicted class.",
)
compare_option = click.option(
    "--compare/--no-compare",
    "compare",
    default=True,
    show_default=True,
    help="Compare with J48, CART and the majority class on the same folds, after the answer.",
)


def read_costs(path: Path | None, dataset: Dataset) -> Any:
    """Return the costs in a file: of every class, and every predicted class; None without a file."""
    import numpy as np

    from gatree.data.files import read_text

    if path is None:
        return None
    head, *lines = [row for row in csv.reader(io.StringIO(read_text(path))) if row] or [[]]
    names = [cell.strip() for cell in head[1:]]
    table = {row[0].strip(): row[1:] for row in lines}
    classes = dataset.class_values
    for name in (*names, *table):
        if name not in classes:
            raise DataError(f"{path}: {dataset.name} has no class {shown(name)}{did_you_mean(name, classes)}")
    costs = np.zeros((len(classes), len(classes)))
    for row, true in enumerate(classes):
        if true not in table or true not in names or len(table[true]) != len(names):
            raise DataError(f"{path}: a row and a column per class are needed, but {shown(true)} has none")
        for column, given in enumerate(classes):
            cell = table[true][names.index(given)].strip()
            try:
                costs[row, column] = float(cell)
            except ValueError:
                cost = f"the cost of {shown(given)} for {shown(true)}"
                raise DataError(f"{path}: {cost} should be a number, got {shown(cell)}") from None
    if not np.isfinite(costs).all() or (costs < 0).any():
        raise DataError(f"{path}: costs should be numbers from 0 on")
    return costs


def print_notes(finding: Finding, quiet: bool) -> None:
    """Print what the reader should know of the data."""
    for note in () if quiet else finding.notes:
        click.echo(f"note: {note}", err=True)


def completed(
    finding: Finding,
    compare: bool,
    progress: Progress,
    on_validated: Callable[[Finding], Any],
    on_baseline: Callable[[Baseline], Any] = lambda _: None,
    firsts: bool = False,
) -> tuple[Finding, bool]:
    """Cross-validate a finding and compare it with other methods; return it, and whether it was interrupted.

    ``on_validated`` is called before the comparison starts; with ``firsts`` trees with another first test are
    compared, too.
    """
    from gatree.explore.finding import compared, validated, with_firsts

    try:
        finding = validated(finding, progress)
        progress.clear()
        on_validated(finding)
        if compare:
            finding = with_firsts(finding, progress) if firsts else finding
            finding = compared(finding, progress, on_baseline)
    except KeyboardInterrupt:
        return finding, True
    return finding, False


def tell(
    context: click.Context, request: Output, finding: Finding, progress: Progress, watch: Any = None
) -> None:
    """Save and print the tree, then its cross-validation, then the comparison; or everything as JSON."""
    from gatree.cli.j48 import details
    from gatree.cli.options import save_tree
    from gatree.cli.output import print_json, print_labelled, print_table
    from gatree.data.dataset import Dataset
    from gatree.explore import text
    from gatree.j48.evaluation import pooled

    data: Any = finding.dataset if isinstance(finding.dataset, Dataset) else None
    with_target = data if finding.target is None else (data, finding.target)
    save_tree(finding.tree, with_target, request.save, request.picture)
    progress.clear()
    print_notes(finding, request.quiet)
    is_text = not request.as_json
    if is_text:
        most = 10**9 if request.everything else text.MOST_LINES
        click.echo(text.tree_text(finding.tree, most) + "\n")
        print_labelled(text.answer_lines(finding))

    def on_validated(finding: Finding) -> None:
        if is_text and not (watch and watch.interrupted):
            print_labelled(text.validated_lines(finding))

    def on_baseline(baseline: Any) -> None:
        progress.clear()
        if is_text:
            print_labelled([text.baseline_line(baseline)])

    is_interrupted = watch is not None and watch.interrupted
    if not is_interrupted:
        compare = request.compare
        finding, is_interrupted = completed(finding, compare, progress, on_validated, on_baseline)
    if watch is not None and watch.interrupted:  # in a fold, of which too little is known
        finding, is_interrupted = replace(finding, crossed=None, baselines=None), True
    progress.clear()
    if is_text:
        print_labelled([("time", text.time_text(finding.spent))])
        if request.details and finding.crossed is not None:
            click.echo("\n" + "\n".join(details(_evaluated(finding), finding.dataset.class_values)))
        if request.per_size:
            click.echo(f"\nthe best tree found of each size, {finding.measure.name} on the training data")
            rows = finding.fields.get("per_size") or text.size_rows(finding)
            print_table([{name: row[name] for name in row if name != "tree"} for row in rows])
    else:
        content = text.as_dict(finding, request.per_size) | {"interrupted": is_interrupted}
        if request.details and finding.crossed is not None:
            content["confusion_matrix"] = pooled(_evaluated(finding)).confusion.tolist()
        print_json(content)
    if is_interrupted:
        without = "the best tree so far" if watch is not None else "the tree, without what was still to come"
        click.echo(f"interrupted: this is {without}", err=True)
        context.exit(INTERRUPTED)


def _evaluated(finding: Finding) -> list[Any]:
    """Return how the tree of every fold did on the rows that were held out."""
    from gatree.cli.j48 import evaluated

    crossed, dataset = finding.crossed, finding.dataset
    assert crossed is not None
    folds = zip(crossed.trees, crossed.folds.rows(dataset), strict=True)
    held_out = ((fold.trees[0], dataset.take(test)) for fold, (_, test) in folds)
    return [evaluated(tree, test, tree.predict(test), test.classes) for tree, test in held_out]
