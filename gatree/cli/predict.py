"""`gatree predict`: a tree that was kept in a file, used on other data."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from gatree.base.errors import DataError
from gatree.cli.options import data_argument, drop_strings_option
from gatree.cli.tree_files import read_tree, tree_argument

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.trees.model import DecisionTree


@click.command()
@tree_argument
@data_argument
@drop_strings_option
@click.option(
    "--output",
    type=click.File("w", encoding="utf-8", lazy=True),
    default="-",
    metavar="FILE",
    help="Where to write.  [default: stdout]",
)
def predict(tree: Path, data: str, drop_strings: bool, output: TextIO) -> None:
    """Predict the classes of DATA with TREE, a file that `gatree evolve --save` wrote.

    DATA may be - for stdin. Writes CSV: the number of the row, the predicted class and, where DATA has
    it, the actual class. Attributes are found by their names. How many are correct goes to stderr.

    \b
    Examples:
      gatree evolve vote --save tree.json
      gatree predict tree.json vote
      gatree predict tree.json new.csv --output predictions.csv
      zcat new.csv.gz | gatree predict tree.json -
    """
    model = read_tree(tree)
    dataset = _load(data, model, drop_strings)
    predicted = [model.class_values[index] for index in model.predict(dataset)]
    actual = _actual_classes(dataset, model)
    writer = csv.writer(output, lineterminator="\n")
    if actual is None:
        writer.writerow(["row", "predicted"])
        writer.writerows(enumerate(predicted, start=1))
        return
    writer.writerow(["row", "predicted", "actual"])
    writer.writerows((row, *pair) for row, pair in enumerate(zip(predicted, actual, strict=True), start=1))
    known = [(p, a) for p, a in zip(predicted, actual, strict=True) if a]
    if known:
        n_correct = sum(p == a for p, a in known)
        click.echo(f"{n_correct} of {len(known)} correct ({n_correct / len(known):.4f})", err=True)


def _load(data: str, model: DecisionTree, drop_strings: bool) -> Dataset:
    """Read the data with the tree's class as the class, or without a class if it is not there."""
    from gatree.data.load import load_data, load_unlabelled

    try:
        return load_data(data, model.class_attribute.name, drop_strings)
    except DataError as with_class:
        try:
            return load_unlabelled(data, drop_strings)
        except DataError:
            raise with_class from None


def _actual_classes(dataset: Dataset, model: DecisionTree) -> list[str] | None:
    """Return the classes of the data as the tree calls them, empty where missing, or None if it has none."""
    from gatree.trees.align import positions

    if dataset.class_attribute.name != model.class_attribute.name:
        return None
    known = positions(dataset.class_values, model.class_attribute)
    called = [
        model.class_values[at] if at >= 0 else text
        for at, text in zip(known, dataset.class_values, strict=True)
    ]
    return [called[index] if index >= 0 else "" for index in dataset.classes]
