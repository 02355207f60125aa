"""Read the data that a command learns from, and print what is predicted from what."""

from __future__ import annotations

from collections.abc import Sequence

import click
import numpy as np

from gatree.base.errors import brief, counted
from gatree.cli.options import read_to_learn
from gatree.cli.output import print_notes
from gatree.cli.requests import DataRequest
from gatree.data.answer import Classes, Numbers
from gatree.data.attribute import Attribute
from gatree.data.catalog import dataset_names
from gatree.data.coding import Coding, NumericTests
from gatree.data.dataset import Dataset
from gatree.data.files import STDIN
from gatree.data.load import format_of
from gatree.data.screen import LeftOut, screened
from gatree.trees.numbers import grouped

_MOST_CLASSES = _MOST_NAMES = 6


def _say_what_is_predicted(dataset: Dataset, left_out: Sequence[LeftOut], is_guess: bool) -> None:
    """Print what is predicted from what, and what was left out."""
    answer = dataset.answer
    name, known = brief(answer.name), answer.known
    what = _classes(answer) if isinstance(answer, Classes) else _numbers(answer)
    n_columns, n_rows = dataset.n_attributes, int(np.count_nonzero(known))
    line = f"predicting {name} ({what}) from {counted(n_columns, 'column')} of {counted(n_rows, 'row')}"
    if left_out:
        line += f"; left out: {_grouped(left_out)}"
    print_notes([line])
    notes = []
    if is_guess:
        notes.append(f"{name} is a guess: the last column; --class NAME predicts another one")
    if n_without := len(known) - n_rows:
        rows = "1 row has" if n_without == 1 else f"{n_without} rows have"
        notes.append(f"{rows} no {name} and {'is' if n_without == 1 else 'are'} left out")
    if any(each.why != "on request" for each in left_out):
        notes.append("--keep NAME keeps a column")
    if notes:
        print_notes(["; ".join(notes)])


def _classes(answer: Classes) -> str:
    counts = zip(answer.attribute.values, answer.counts.tolist(), strict=True)
    pairs = [(brief(value), count) for value, count in counts if count]
    if len(pairs) > _MOST_CLASSES:
        largest = sorted(pairs, key=lambda pair: -pair[1])[: _MOST_CLASSES - 1]
        listed = ", ".join(f"{value} {count}" for value, count in largest)
        return f"{len(pairs)} classes: {listed}, ..."
    return ", ".join(f"{value} {count}" for value, count in pairs)


def _numbers(answer: Numbers) -> str:
    known = answer.values[answer.known]
    if len(known) == 0:
        return "numbers"
    return f"numbers from {grouped(known.min(), 6)} to {grouped(known.max(), 6)}"


def _grouped(left_out: Sequence[LeftOut]) -> str:
    """Return the names by the reason why they were left out."""
    by_reason: dict[str, list[str]] = {}
    for each in left_out:
        by_reason.setdefault(each.why, []).append(brief(each.name))
    return "; ".join(f"{_some(names)} ({why})" for why, names in by_reason.items())


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def read_and_announce(
    request: DataRequest, regression: bool | None, keeps_known: bool = False
) -> tuple[Dataset, tuple[LeftOut, ...]]:
    """Read the data of a command, leave out identifiers, and print what is predicted from what.

    ``regression`` is whether to predict numbers, or None if the data decide. With ``keeps_known`` all columns
    of the paper's data sets are kept, as its experiments do.
    """
    dataset = read_to_learn(request.data, request.reading, request.class_name, regression, request.quiet)
    keep = request.keep
    if keeps_known and request.data in dataset_names():
        keep = tuple(each.name for each in dataset.attributes if each.name not in request.drop)
    dataset, left_out = screened(dataset, keep, request.drop)
    if not request.quiet:
        of_paper = request.data in dataset_names()
        names_no_class = request.data == STDIN or format_of(request.data) not in ("arff", None)
        is_guess = request.class_name is None and not of_paper and names_no_class
        _say_what_is_predicted(dataset, left_out, is_guess)
    return dataset, left_out


def warn_of_untested(attributes: Sequence[Attribute], coding: Coding, numeric_tests: NumericTests) -> None:
    """Name the numeric attributes that have no integer between their values, where integers are tested."""
    tests = zip(attributes, coding.n_tests, strict=True)
    untested = [brief(attribute.name) for attribute, n in tests if n == 0 and not attribute.is_nominal]
    if untested and numeric_tests == "integer":
        click.echo(
            f"warning: {', '.join(untested)}: no integer lies between the values, so they are never "
            "tested; --numeric-tests auto finds thresholds",
            err=True,
        )
