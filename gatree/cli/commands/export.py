"""`gatree export`: write a saved tree for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gatree.base.files import write_whole
from gatree.cli.options import (
    output_option,
    read_tree,
    tree_argument,
)
from gatree.trees.export.registry import EXPORTS
from gatree.trees.languages import DIALECTS

if TYPE_CHECKING:
    pass


@click.command()
@tree_argument
@click.option(
    "--to",
    "form",
    type=click.Choice(list(EXPORTS)),
    required=True,
    help=f"The form: {'; '.join(f'{name}, {form.meaning}' for name, form in EXPORTS.items())}.",
)
@output_option("Output file; onnx and sklearn require it.  [default: stdout]")
@click.option(
    "--dialect",
    type=click.Choice(list(DIALECTS)),
    help="SQL dialect, which decides how names and texts are quoted.",
)
@click.option("--table", metavar="NAME", help="For SQL, write a complete SELECT from this table.")
def export(tree: Path, form: str, output: Path | None, dialect: str | None, table: str | None) -> None:
    """Write a saved TREE in another form: rules, SQL, Python and more.

    Every form gives the class that the tree gives, for missing values too; only those of J48, which go down
    all branches, take the right one. A pickled tree of scikit-learn
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
    written = model.to_sql(dialect or "ansi", table) if form == "sql" else EXPORTS[form].write(model)
    if output is not None:
        write_whole(output, written)
    elif isinstance(written, bytes):
        raise click.UsageError(f"{form} is a binary format; give --output FILE")
    else:
        click.echo(written, nl=False)
