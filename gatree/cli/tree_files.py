"""Trees in files: read for commands that use one, written and drawn by commands that find one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gatree.base.atomic_write import write_whole

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.trees.model import DecisionTree

_PICTURES = (".svg", ".png", ".pdf", ".dot")
_FILE = click.Path(path_type=Path, dir_okay=False, writable=True)


def in_a_folder(_context: click.Context, _parameter: click.Parameter, value: Path | None) -> Path | None:
    """Refuse a file in a folder that is not there before the work, not after it."""
    if value is not None and not value.parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(value.parent)!r}")
    return value


def _is_a_picture(context: click.Context, parameter: click.Parameter, value: Path | None) -> Path | None:
    if value is not None and value.suffix.lower() not in _PICTURES:
        raise click.BadParameter(f"{value.name!r} should end in one of {', '.join(_PICTURES)}")
    return in_a_folder(context, parameter, value)


tree_argument = click.argument("tree", metavar="TREE", type=click.Path(path_type=Path))

save_option = click.option(
    "--save", type=_FILE, callback=in_a_folder, metavar="FILE", help="Write the tree as JSON."
)

picture_option = click.option(
    "--picture",
    type=_FILE,
    callback=_is_a_picture,
    metavar="FILE",
    help="Draw the tree, as .svg, .png, .pdf or .dot.",
)


def read_tree(path: Path) -> DecisionTree:
    """Return the tree in a file that ``--save`` wrote."""
    from gatree.data.files import read_text
    from gatree.trees.model import DecisionTree

    return DecisionTree.from_json(read_text(path), str(path))


def keep(tree: DecisionTree, data: Dataset | None, save: Path | None, picture: Path | None) -> None:
    """Write a tree, and draw it, with its data if they are here, where that was asked for."""
    if save is not None:
        write_whole(save, tree.to_json())
    if picture is not None and picture.suffix.lower() == ".dot":
        write_whole(picture, tree.to_dot())
    elif picture is not None:
        from gatree.trees.plot import plot_tree

        plot_tree(tree, file=picture, data=data)
