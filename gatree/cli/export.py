"""`gatree export`: a tree that was kept in a file, in a form that other programs read."""

from __future__ import annotations

from pathlib import Path

import click

from gatree.base.atomic_write import write_whole
from gatree.cli.tree_files import in_a_folder, read_tree, tree_argument
from gatree.trees.export.sql import DIALECTS
from gatree.trees.forms import FORMS


@click.command()
@tree_argument
@click.option(
    "--to",
    "form",
    type=click.Choice(list(FORMS)),
    required=True,
    help=f"The form: {'; '.join(f'{name}, {form.meaning}' for name, form in FORMS.items())}.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    callback=in_a_folder,
    metavar="FILE",
    help="Where to write; onnx and sklearn need it.  [default: stdout]",
)
@click.option("--dialect", type=click.Choice(list(DIALECTS)), help="Of SQL: how names and texts are quoted.")
@click.option("--table", metavar="NAME", help="Of SQL: write a whole SELECT from this table.")
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
    written = model.to_sql(dialect or "ansi", table) if form == "sql" else FORMS[form].write(model)
    if output is not None:
        write_whole(output, written)
    elif isinstance(written, bytes):
        raise click.UsageError(f"{form} is no text; give --output FILE")
    else:
        click.echo(written, nl=False)
