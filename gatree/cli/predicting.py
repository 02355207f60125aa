"""What a command says on stderr before it learns: what is predicted, from what, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence

import click
import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import visible
from gatree.data.catalog import dataset_names
from gatree.data.dataset import Dataset
from gatree.data.files import STDIN
from gatree.data.formats import ARFF, format_of
from gatree.data.screen import LeftOut

_MOST_CLASSES = 6
_MOST_NAMES = 6

keep_option = click.option(
    "--keep",
    multiple=True,
    metavar="NAME",
    help="Learn from this column although it seems to be an identifier.",
)
drop_option = click.option("--drop", multiple=True, metavar="NAME", help="Do not learn from this column.")
regression_option = click.option(
    "--regression/--classification",
    "regression",
    default=None,
    help="Predict numbers, or classes.  [default: numbers if the class has many different ones]",
)


def is_guessed(data: str, class_name: str | None) -> bool:
    """Return whether the class is only the last column of a file whose format does not name a class."""
    if class_name is not None or data in dataset_names():
        return False
    return data == STDIN or format_of(data) not in (ARFF, None)


def say_what_is_predicted(
    dataset: Dataset,
    target: NDArray[np.float64] | None,
    left_out: Sequence[LeftOut],
    is_guessed: bool,
) -> None:
    """Print what is predicted from what, and what was left out."""
    name = visible(dataset.class_attribute.name)
    known = dataset.classes >= 0 if target is None else ~np.isnan(target)
    what = _classes(dataset) if target is None else _numbers(target[known])
    n_columns, n_rows = dataset.n_attributes, int(np.count_nonzero(known))
    columns = f"{n_columns} {'column' if n_columns == 1 else 'columns'}"
    line = f"predicting {name} ({what}) from {columns} of {n_rows} {'row' if n_rows == 1 else 'rows'}"
    if left_out:
        line += f"; left out: {_grouped(left_out)}"
    click.echo(line, err=True)
    notes = []
    if is_guessed:
        notes.append(f"{name} is a guess: the last column; --class NAME predicts another one")
    if n_without := len(known) - n_rows:
        rows = "1 row has" if n_without == 1 else f"{n_without} rows have"
        notes.append(f"{rows} no {name} and {'is' if n_without == 1 else 'are'} left out")
    if any(each.why != "on request" for each in left_out):
        notes.append("--keep NAME keeps a column")
    if notes:
        click.echo("; ".join(notes), err=True)


def _classes(dataset: Dataset) -> str:
    counts = dataset.class_counts.tolist()
    pairs = [
        (visible(value), count) for value, count in zip(dataset.class_values, counts, strict=True) if count
    ]
    if len(pairs) > _MOST_CLASSES:
        largest = sorted(pairs, key=lambda pair: -pair[1])[: _MOST_CLASSES - 1]
        listed = ", ".join(f"{value} {count}" for value, count in largest)
        return f"{len(pairs)} classes: {listed}, ..."
    return ", ".join(f"{value} {count}" for value, count in pairs)


def _numbers(target: NDArray[np.float64]) -> str:
    if len(target) == 0:
        return "numbers"
    return f"numbers from {target.min():g} to {target.max():g}"


def _grouped(left_out: Sequence[LeftOut]) -> str:
    """Return the names by the reason why they were left out."""
    by_reason: dict[str, list[str]] = {}
    for each in left_out:
        by_reason.setdefault(each.why, []).append(visible(each.name))
    return "; ".join(f"{_some(names)} ({why})" for why, names in by_reason.items())


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
