"""`gatree predict` and `gatree export`: use a saved tree on other data, or write it for other programs."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from gatree.base.errors import DataError, counted
from gatree.base.files import write_whole
from gatree.cli.options import data_argument, drop_strings_option, output_option, read_tree, tree_argument
from gatree.trees.export.registry import exports
from gatree.trees.languages import DIALECTS

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
    help="Output file.  [default: stdout]",
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
    from gatree.cli.predicting import reading

    model = read_tree(tree)
    with reading(data):
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
        click.echo(_judged(model, known), err=True)


def _judged(model: DecisionTree, known: list[tuple[str, str]]) -> str:
    """Return the number of correct predictions, or the R2 of numbers."""
    n_correct = sum(predicted == actual for predicted, actual in known)
    try:
        numbers = [(float(predicted), float(actual)) for predicted, actual in known]
    except ValueError:
        numbers = []
    labels = set(model.class_values)
    n_others = sum(actual not in labels for _, actual in known)
    if not numbers or n_others <= len(known) / 2:  # a tree of means has labels that hardly a row has
        return f"{n_correct} of {len(known)} correct ({n_correct / len(known):.4f})"
    mean = sum(actual for _, actual in numbers) / len(numbers)
    error = sum((predicted - actual) ** 2 for predicted, actual in numbers)
    spread = sum((actual - mean) ** 2 for _, actual in numbers)
    return f"R2 {1 - error / spread if spread else 0.0:.4f} on {counted(len(numbers), 'row')}"


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


@click.command()
@tree_argument
@click.option(
    "--to",
    "form",
    type=click.Choice(list(exports())),
    required=True,
    help=f"The form: {'; '.join(f'{name}, {form.meaning}' for name, form in exports().items())}.",
)
@output_option("Output file; onnx and sklearn require it.  [default: stdout]")
@click.option(
    "--dialect",
    type=click.Choice(list(DIALECTS)),
    help="SQL dialect, which decides how names and texts are quoted.",
)
@click.option("--table", metavar="NAME", help="For SQL, write a complete SELECT from this table.")
def export(tree: Path, form: str, output: Path | None, dialect: str | None, table: str | None) -> None:
    """Write TREE, a file that `gatree evolve --save` or `gatree j48 --save` wrote, in another form.

    Every form gives the class that the tree gives, for missing values too. A pickled scikit-learn classifier
    is read with `joblib.load`; open pickles only if you trust where they come from.

    \b
    Examples:
      gatree evolve vote --save tree.json
      gatree export tree.json --to rules
      gatree export tree.json --to sql --dialect postgres --table votes
      gatree export tree.json --to onnx --output tree.onnx
    """
    if form != "sql" and (dialect is not None or table is not None):
        raise click.UsageError("--dialect and --table are for --to sql")
    model = read_tree(tree)
    written = model.to_sql(dialect or "ansi", table) if form == "sql" else exports()[form].write(model)
    if output is not None:
        write_whole(output, written)
    elif isinstance(written, bytes):
        raise click.UsageError(f"{form} is a binary format; give --output FILE")
    else:
        click.echo(written, nl=False)
