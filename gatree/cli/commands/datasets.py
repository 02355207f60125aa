"""`gatree datasets`: list, describe and verify the data sets."""

from __future__ import annotations

import math
from textwrap import fill
from typing import Any

import click

from gatree.base.errors import DataError, counted, did_you_mean, percent, there_are, visible
from gatree.base.json_values import Json
from gatree.cli.data_options import class_option, data_argument, reading_options
from gatree.cli.options import format_option, read_with_progress
from gatree.cli.output import print_csv, print_json, print_rows, print_table
from gatree.data.arff import format_arff, read_with_liac
from gatree.data.catalog import CatalogEntry, catalog, load_dataset
from gatree.data.catalog import verify as verify_entry
from gatree.data.generate import chessboard
from gatree.data.source import ReadOptions

_WIDTH = 80
_LONGEST_NAME = 34
_OTHER_COLUMNS = 30  # and the gaps between them
_PROVENANCE = ("title", "origin", "source", "citation", "licence", "transformations")
_SYNONYMS = {"describe": "info", "show": "info", "summary": "info", "ls": "list", "check": "verify"}


class _Datasets(click.Group):
    """A group with whole summaries in its help, and a hint for a name that others give a command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            meant = _SYNONYMS.get(args[0].lower())
            hint = f"; did you mean {meant!r}?" if meant else did_you_mean(args[0], self.commands)
            ctx.fail(f"no command {args[0]!r}{hint or there_are(sorted(self.commands))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            lines = [(name, self.commands[name].get_short_help_str(10**6)) for name in sorted(self.commands)]
            formatter.write_dl(lines)


@click.group(cls=_Datasets)
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


def _summary(entry: CatalogEntry) -> dict[str, Json]:
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
@reading_options
@format_option
def info(data: str, class_name: str | None, reading: ReadOptions, output_format: str) -> None:
    """Describe DATA, a data set of the paper or an ARFF, CSV, Excel or Parquet file.

    Prints every attribute with its values or its range, and how the classes are spread. As CSV: one
    row per attribute, the class last.

    \b
    Examples:
      gatree datasets info vote
      gatree datasets info survey.arff.gz --class income --drop-strings --format json
    """
    description = read_with_progress(data, reading).dataset(class_name).describe()
    entry = next((entry for entry in catalog() if entry.name == data), None)
    provenance = {} if entry is None else {name: getattr(entry, name) for name in _PROVENANCE}
    if output_format == "json":
        print_json({**description, **provenance})
    elif output_format == "csv":
        print_csv(
            [_attribute_row(attribute) for attribute in (*description["attributes"], description["class"])]
        )
    else:
        _print_description(description, provenance)


def _attribute_row(attribute: dict[str, Any], room: int | None = None) -> dict[str, Json]:
    return {
        "attribute": attribute["name"] if room is None else _cut(attribute["name"], _LONGEST_NAME),
        "kind": attribute["kind"],
        "missing": attribute["missing"],
        "distinct": attribute["distinct"],
        "values": _values(attribute, room),
    }


def _values(attribute: dict[str, Any], room: int | None) -> str:
    """Return the counts of a nominal attribute, or the range of a numeric one, in one line."""
    if "counts" not in attribute:
        return "" if attribute["range"] is None else "{} to {}".format(*attribute["range"])
    text = ""
    for value, count in attribute["counts"].items():
        longer = f"{text}, {value}: {count}" if text else f"{value}: {count}"
        if room is not None and len(visible(longer)) > room - 3:
            more = f"{text}, …" if text else _cut(longer, room)
            return text if len(more) > room else more
        text = longer
    return text


def _cut(text: str, room: int) -> str:
    text = visible(text)
    return text if len(text) <= room else text[: room - 1] + "…"


def _print_description(description: dict[str, Any], provenance: dict[str, Any]) -> None:
    attributes, classes = description["attributes"], description["class"]
    click.echo(
        f"{visible(description['name'])}: {counted(description['instances'], 'instance')}, "
        f"{counted(len(attributes), 'attribute')}, {counted(len(classes['counts']), 'class', 'classes')}, "
        f"{counted(description['missing'], 'missing value')}"
    )
    for name, text in provenance.items():
        for line in [text] if isinstance(text, str) else text:
            words = f"{name.removesuffix('s')}: {line}"
            click.echo(fill(words, _WIDTH, initial_indent="  ", subsequent_indent="    "))
    if attributes:
        click.echo()
        longest = max(len(visible(attribute["name"])) for attribute in attributes)
        room = _WIDTH - _OTHER_COLUMNS - min(_LONGEST_NAME, max(longest, len("attribute")))
        print_table([_attribute_row(attribute, room) for attribute in attributes])
    click.echo(
        f"\nclass {classes['name']!r}" + (f", {classes['missing']} missing" if classes["missing"] else "")
    )
    for line in _histogram(classes["counts"]):
        click.echo(line)


def _histogram(counts: dict[str, int]) -> list[str]:
    """Return one bar per value, scaled to the width of the screen."""
    total, largest = max(sum(counts.values()), 1), max([*counts.values(), 1])
    named = [(_cut(value, _LONGEST_NAME), count) for value, count in counts.items()]
    width, digits = max((len(value) for value, _ in named), default=0), len(str(largest))
    longest = min(40, _WIDTH - len(f"  {'':<{width}}  {'':>{digits}}  {percent(1):>6}  "))
    return [
        f"  {value:<{width}}  {count:>{digits}}  {percent(count / total):>6}  "
        + "#" * math.ceil(longest * count / largest)
        for value, count in named
    ]


@datasets.command()
@click.argument("name", type=click.Choice(["chessboard"]))
@click.option("--noise", type=click.IntRange(0, 99), default=0, show_default=True, help="Wrong classes, %.")
@click.option("--instances", type=click.IntRange(1), default=4000, show_default=True, help="Number of rows.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
def generate(name: str, noise: int, instances: int, seed: int) -> None:
    """Print generated data as ARFF.

    chessboard: points of a 4 x 4 board and six irrelevant attributes, the simulation of the evtree
    paper. As the name of a data set, chessboard-5 is the one with 5 % noise.

    \b
    Example:
      gatree datasets generate chessboard --noise 5 > board.arff
    """
    made = chessboard(instances, noise / 100, seed=seed)
    click.echo(format_arff(made, comment=f"gatree datasets generate {name}, seed {seed}"), nl=False)


@datasets.command()
@format_option
def verify(output_format: str) -> None:
    """Check that the included data sets are unchanged and are read correctly.

    Every file is read twice, by our own reader and by liac-arff, and the cells are compared. The exit
    code is 1 if a file is missing, was changed or is read differently.

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
