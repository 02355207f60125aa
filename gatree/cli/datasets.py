"""`gatree datasets`: list, describe and verify the data sets."""

from __future__ import annotations

import math
from typing import Any

import click

from gatree.base.errors import DataError, visible
from gatree.cli.options import class_option, data_argument, drop_strings_option, format_option
from gatree.cli.output import print_csv, print_json, print_rows, print_table
from gatree.data.arff import format_arff
from gatree.data.catalog import CatalogEntry, catalog, load_dataset
from gatree.data.catalog import verify as verify_entry
from gatree.data.generate import chessboard
from gatree.data.liac import read_with_liac
from gatree.data.load import load_data

_BAR_WIDTH = 40
_MOST_VALUES = 6


@click.group()
def datasets() -> None:
    """List, describe and verify the data sets.

    \b
    Examples:
      gatree datasets list
      gatree datasets info vote
      gatree datasets info people.csv --class income
    """


@datasets.command("list")
@format_option
def list_command(output_format: str) -> None:
    """List the data sets of the paper.

    Two of them stand in for data that are lost; the others are the paper's own.

    \b
    Example:
      gatree datasets list --format csv
    """
    print_rows([_summary(entry) for entry in catalog()], output_format)


def _summary(entry: CatalogEntry) -> dict[str, Any]:
    dataset = load_dataset(entry.name)
    n_nominal = sum(attribute.is_nominal for attribute in dataset.attributes)
    return {
        "name": entry.name,
        "instances": dataset.n_instances,
        "nominal": n_nominal,
        "numeric": dataset.n_attributes - n_nominal,
        "classes": dataset.n_classes,
        "missing": dataset.n_missing,
        "majority": round(float(dataset.class_counts.max()) / dataset.n_instances, 4),
        "data": entry.origin,
    }


@datasets.command()
@data_argument
@class_option
@drop_strings_option
@format_option
def info(data: str, class_name: str | None, drop_strings: bool, output_format: str) -> None:
    """Describe DATA, a data set of the paper or an ARFF, CSV or Parquet file.

    Prints every attribute with its values or its range, and how the classes are spread. As CSV: one
    row per attribute, the class last.

    \b
    Examples:
      gatree datasets info vote
      gatree datasets info survey.arff.gz --class income --drop-strings --format json
    """
    description = load_data(data, class_name, drop_strings).describe()
    provenance = next((_provenance(entry) for entry in catalog() if entry.name == data), {})
    if output_format == "json":
        print_json({**description, **provenance})
    elif output_format == "csv":
        print_csv(
            [_attribute_row(attribute) for attribute in (*description["attributes"], description["class"])]
        )
    else:
        _print_description(description, provenance)


def _provenance(entry: CatalogEntry) -> dict[str, Any]:
    return {
        "title": entry.title,
        "origin": entry.origin,
        "source": entry.source,
        "citation": entry.citation,
        "licence": entry.licence,
        "transformations": entry.transformations,
    }


def _attribute_row(attribute: dict[str, Any], most_values: int | None = None) -> dict[str, Any]:
    return {
        "attribute": attribute["name"],
        "kind": attribute["kind"],
        "missing": attribute["missing"],
        "distinct": attribute["distinct"],
        "values": _values(attribute, most_values),
    }


def _values(attribute: dict[str, Any], most: int | None) -> str:
    """Return the counts of a nominal attribute, or the range of a numeric one, in one line."""
    if "counts" not in attribute:
        return "" if attribute["range"] is None else "{} to {}".format(*attribute["range"])
    counts = [f"{value}: {count}" for value, count in attribute["counts"].items()]
    more = [] if most is None or len(counts) <= most else [f"and {len(counts) - most} more"]
    return ", ".join(counts[:most] + more)


def _print_description(description: dict[str, Any], provenance: dict[str, Any]) -> None:
    attributes, classes = description["attributes"], description["class"]
    click.echo(
        f"{visible(description['name'])}: {description['instances']} instances, "
        f"{len(attributes)} attributes, "
        f"{len(classes['counts'])} classes, {description['missing']} missing values"
    )
    for name, text in provenance.items():
        for line in [text] if isinstance(text, str) else text:
            click.echo(f"  {name.removesuffix('s')}: {line}")
    if attributes:
        click.echo()
        print_table([_attribute_row(attribute, _MOST_VALUES) for attribute in attributes])
    click.echo(
        f"\nclass {classes['name']!r}" + (f", {classes['missing']} missing" if classes["missing"] else "")
    )
    for line in _histogram(classes["counts"]):
        click.echo(line)


def _histogram(counts: dict[str, int]) -> list[str]:
    """Return one bar per value, the longest as long as the screen allows."""
    total, largest = max(sum(counts.values()), 1), max([*counts.values(), 1])
    named = [(visible(value), count) for value, count in counts.items()]
    width, digits = max((len(value) for value, _ in named), default=0), len(str(largest))
    return [
        f"  {value:<{width}}  {count:>{digits}}  {count / total:6.1%}  "
        + "#" * math.ceil(_BAR_WIDTH * count / largest)
        for value, count in named
    ]


@datasets.command()
@click.argument("name", type=click.Choice(["chessboard"]))
@click.option("--noise", type=click.IntRange(0, 99), default=0, show_default=True, help="Wrong classes, %.")
@click.option("--instances", type=click.IntRange(1), default=4000, show_default=True, help="Number of rows.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
def generate(name: str, noise: int, instances: int, seed: int) -> None:
    """Print generated data as ARFF.

    chessboard: points of a 4 x 4 board and six attributes that tell nothing, the simulation of the evtree
    paper. Wherever a data set is named, chessboard-5 stands for the one with 5 % noise.

    \b
    Example:
      gatree datasets generate chessboard --noise 5 > board.arff
    """
    made = chessboard(instances, noise / 100, seed=seed)
    click.echo(format_arff(made, comment=f"gatree datasets generate {name}, seed {seed}"), nl=False)


@datasets.command()
@format_option
def verify(output_format: str) -> None:
    """Check that the data sets are the bytes they were when gatree was made, and read right.

    Every file is read twice, by our own reader and by liac-arff, and the cells are compared. Ends with
    exit code 1 if a file is missing, was changed or reads differently, and names it.

    \b
    Example:
      gatree datasets verify
    """
    problems = {entry.name: _problem(entry) for entry in catalog()}
    rows = [
        {"name": entry.name, "file": entry.file.name, "verdict": "DIFFERS" if problems[entry.name] else "ok"}
        for entry in catalog()
    ]
    print_rows(rows, output_format)
    if any(problems.values()):
        raise DataError("\n".join(filter(None, problems.values())))


def _problem(entry: CatalogEntry) -> str | None:
    try:
        verify_entry(entry)
        if read_with_liac(entry.file) != load_dataset(entry.name):
            return f"{entry.file}: liac-arff reads other cells than gatree; this is a bug in one of the two"
    except DataError as error:
        return str(error)
    return None
