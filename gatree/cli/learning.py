"""What `evolve` and `explore` share: options of a search, costs in a file, the stages of a finding."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gatree.base.errors import DataError, did_you_mean, shown
from gatree.base.limits import MOST_FOLDS

if TYPE_CHECKING:
    from gatree.base.progress import Progress
    from gatree.data.dataset import Dataset
    from gatree.explore.comparison import Baseline
    from gatree.explore.finding import Finding

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def _more_than_one(_context: click.Context, _parameter: click.Parameter, value: int | None) -> int | None:
    if value == 1:
        raise click.BadParameter("should be 0, for none, or at least 2, got 1")
    return value


folds_option = click.option(
    "--folds",
    type=click.IntRange(0, MOST_FOLDS),
    callback=_more_than_one,
    metavar="K",
    help="Cross-validate with K folds; 0: skip it.  [default: 5, twice for up to 500 rows, one of five held "
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
