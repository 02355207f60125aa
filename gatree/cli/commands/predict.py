"""`gatree predict`: use a saved tree on other data."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

import click
import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, counted, did_you_mean, shown, there_are, visible
from gatree.cli.data_options import data_argument, gathered, reading_options
from gatree.cli.options import read_tree, read_with_progress, tree_argument
from gatree.data.answer import Numbers
from gatree.data.attribute import MISSING, missing
from gatree.trees.numbers import number
from gatree.trees.probabilities import class_probabilities
from gatree.trees.render import number_text

if TYPE_CHECKING:
    from gatree.data.attribute import Attribute, Column
    from gatree.data.dataset import Dataset, Table
    from gatree.data.source import ReadOptions
    from gatree.trees.model import DecisionTree

_MOST_CLASSES = 30  # whose figures are printed

_UNKNOWN = -2  # the code of a class that the tree does not know


_COLUMN_OPTIONS = (
    click.option("--probabilities", is_flag=True, help="Also write the probability of every class."),
    click.option(
        "--with",
        "others",
        multiple=True,
        metavar="COLUMNS|all",
        help="Also write these columns of DATA, separated by commas, or all of them. Numbers and dates are "
        "written as they were read: $465.96 as 465.96.",
    ),
    click.option(
        "--flips",
        is_flag=True,
        help="Also write the smallest change of every row that would change its prediction, and to what: "
        "fewest columns first; of a number, one change that raises it and one that lowers it.",
    ),
    click.option(
        "--fixed",
        multiple=True,
        metavar="COLUMNS",
        help="Columns that --flips does not change, separated by commas.",
    ),
)


class _Written(NamedTuple):
    """What is written next to the predictions."""

    probabilities: bool
    others: tuple[str, ...]
    flips: bool
    fixed: tuple[str, ...]


@click.command()
@tree_argument
@data_argument
@reading_options
@gathered("written", lambda given: _Written(**given), *_COLUMN_OPTIONS)
@click.option(
    "--output",
    type=click.File("w", encoding="utf-8", lazy=True),
    default="-",
    metavar="FILE",
    help="Output file.  [default: stdout]",
)
def predict(tree: Path, data: str, reading: ReadOptions, written: _Written, output: TextIO) -> None:
    """Predict the classes or numbers of DATA with a saved TREE.

    DATA may be - for stdin. Writes CSV: the number of the row, the predicted class or number and, where DATA
    has it, the actual one. Attributes are found by their names. How good the predictions are goes to stderr:
    how many are correct, by class too, or the errors of numbers.

    \b
    Examples:
      gatree evolve vote --save tree.json
      gatree predict tree.json vote
      gatree predict tree.json new.csv --output predictions.csv
      gatree predict tree.json new.csv --with id,name --probabilities
      gatree predict tree.json new.csv --flips --fixed age,sex
      zcat new.csv.gz | gatree predict tree.json -
    """
    model = read_tree(tree)
    if written.probabilities and model.is_regression:
        raise click.UsageError("--probabilities: the tree predicts numbers, not classes")
    read_in = read_with_progress(data, replace(reading, like=model.attributes))
    dataset = _labelled(read_in, model)
    kept = _columns(dataset, written.others)
    table: dict[str, Sequence[object]] = {_free("row", kept): range(1, dataset.n_instances + 1), **kept}
    predicted = model.predict(dataset)
    for line in _unseen(model, dataset):
        click.echo(line, err=True)
    table[_free("predicted", kept)] = _named(model, predicted)
    actual = _actual(dataset, model)
    if actual is not None:
        table[_free("actual", kept)] = actual.texts
    if written.probabilities:
        shares = class_probabilities(model, dataset)
        for label, column in zip(model.class_values, shares.T, strict=True):
            table[_free(f"p({label})", kept)] = [f"{share:.6g}" for share in column.tolist()]
    if written.flips:
        names = [attribute.name for attribute in model.attributes]
        table[_free("flip", kept)] = _flips(model, dataset, _given("--fixed", written.fixed, names))
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    if actual is not None and any(actual.texts):
        judge = _errors_of_numbers if model.is_regression else _judged
        click.echo(judge(model, dataset, predicted, actual.codes), err=True)


_MOST_NAMED = 5  # categories in a line


def _unseen(model: DecisionTree, dataset: Dataset) -> Iterator[str]:
    """Yield a line for every tested column with categories that the tree has never seen."""
    attributes = (*dataset.attributes, dataset.answer.attribute)
    columns = (*dataset.columns, dataset.answer.column)
    place = {attribute.name: index for index, attribute in enumerate(attributes)}
    for index, known in enumerate(model.columns_of(dataset)):
        if not model.attributes[index].is_nominal or index not in model.tree.attribute:
            continue
        at = place[model.attributes[index].name]
        given = columns[at][(known == MISSING) & ~missing(columns[at])]
        if len(given):
            texts = [text or "''" for text in _texts(attributes[at], np.unique(given))]
            more = f" and {len(texts) - _MOST_NAMED} more" if len(texts) > _MOST_NAMED else ""
            yield (
                f"note: {shown(attributes[at].name)} has categories that the tree has never seen, in "
                f"{counted(len(given), 'row')}: {', '.join(map(visible, texts[:_MOST_NAMED]))}{more}; "
                "they count as missing"
            )


def _columns(dataset: Dataset, others: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the texts of columns by name, in the order of the data."""
    names = [attribute.name for attribute in dataset.attributes]
    wanted = names if "all" in others and "all" not in names else _given("--with", others, names)
    return {
        attribute.name: _texts(attribute, column)
        for attribute, column in zip(dataset.attributes, dataset.columns, strict=True)
        if attribute.name in wanted
    }


def _given(option: str, lists: tuple[str, ...], names: Sequence[str]) -> list[str]:
    """Return the columns of an option: names, or lists of them with commas."""
    wanted = [name for given in lists for name in ([given] if given in names else given.split(","))]
    for name in wanted:
        if name not in names:
            raise DataError(f"{option}: no column {shown(name)}{did_you_mean(name, names)}{there_are(names)}")
    return wanted


def _flips(model: DecisionTree, dataset: Dataset, fixed: Collection[str]) -> list[str]:
    """Return the smallest change of every row as a text; of numbers, one up and one down."""
    from gatree.trees.flips import Flips

    of_model, most = Flips(model, fixed), 2 if model.is_regression else 1
    rows = zip(*(column.tolist() for column in model.columns_of(dataset)), strict=True)
    return ["; ".join(map(str, of_model.of(row)[:most])) for row in rows]


def _texts(attribute: Attribute, column: Column) -> list[str]:
    if attribute.is_nominal:
        return _picked([*attribute.values, ""], column.astype(np.intp))  # MISSING is -1: the last
    return ["" if cell != cell else number_text(attribute, cell) for cell in column.tolist()]


def _picked(texts: Sequence[str], places: NDArray[np.integer]) -> list[str]:
    picked: list[str] = np.array(texts, dtype=object)[places].tolist()
    return picked


def _free(name: str, taken: Collection[str]) -> str:
    """Return the name of a column of ours, with underscores behind it while a column of the data has it."""
    while name in taken:
        name += "_"
    return name


def _named(model: DecisionTree, predicted: NDArray[np.int32]) -> list[str]:
    labels = model.class_values
    return _picked([number(float(label)) for label in labels] if model.is_regression else labels, predicted)


def _judged(model: DecisionTree, dataset: Dataset, predicted: NDArray[np.int32], actual: Column) -> str:
    """Return how many predictions are correct, by class too."""
    n_known, n_correct = np.count_nonzero(actual != MISSING), np.count_nonzero(actual == predicted)
    lines = [f"{n_correct} of {n_known} correct ({n_correct / n_known:.4f})"]
    if n_others := int(np.count_nonzero(actual == _UNKNOWN)):
        lines.append(f"{counted(n_others, 'row')} of classes that the tree does not know")
    if (actual >= 0).any() and 1 < model.n_classes <= _MOST_CLASSES:
        from gatree.j48.evaluation import details, evaluated

        lines += ["", *details([evaluated(model, dataset, predicted, actual)], model.class_values)]
    return "\n".join(lines)


def _errors_of_numbers(
    model: DecisionTree, dataset: Dataset, predicted: NDArray[np.int32], actual: Column
) -> str:
    """Return the errors of the predicted numbers."""
    from gatree.learners.measures import Predicted, measure_of

    there = np.flatnonzero(~np.isnan(actual))
    given = np.array([*map(float, model.class_values)])[predicted[there]]
    measure = measure_of(dataset.take(there))
    judged = measure.judged(Predicted.of_numbers(np.arange(len(there)), given))
    return f"R2 {judged.worth:.4f} on {counted(judged.n, 'row')} ({measure.text(judged)})"


def _labelled(table: Table, model: DecisionTree) -> Dataset:
    """Return the data with the tree's class as the class, or without one if it is not there."""
    name = model.class_attribute.name
    if name not in table.names:
        return table.unlabelled()
    is_declared = table.declares and not table.attributes[table.position(name)].is_nominal
    if is_declared and not model.is_regression:
        return table.unlabelled()
    return table.dataset(name, regression=model.is_regression)


class _Actual(NamedTuple):
    """The classes of the data as texts, empty where missing, and as the tree's codes; or their numbers."""

    texts: list[str]
    codes: Column


def _actual(dataset: Dataset, model: DecisionTree) -> _Actual | None:
    """Return the classes of the data as the tree calls them and counts them, or numbers, if it has any."""
    from gatree.trees.align import positions

    answer = dataset.answer
    if answer.name != model.class_attribute.name:
        return None
    if isinstance(answer, Numbers):
        texts = ["" if number != number else f"{number!r}" for number in answer.values.tolist()]
        return _Actual(texts, answer.values)
    known = positions(dataset.class_values, model.class_attribute)
    called = [
        model.class_values[at] if at >= 0 else text
        for at, text in zip(known, dataset.class_values, strict=True)
    ]
    codes = np.array([*(at if at >= 0 else _UNKNOWN for at in known), MISSING])  # which is the last
    return _Actual(_picked([*called, ""], dataset.classes), codes[dataset.classes])
