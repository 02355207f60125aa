"""A picture of a tree, drawn with matplotlib: of the tree alone, or with the data."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gatree.base.atomic_write import save_figure
from gatree.base.errors import ConfigError
from gatree.trees.boxes import draw_boxes, short
from gatree.trees.model import DecisionTree, as_decision_tree
from gatree.trees.picture import draw_with_data
from gatree.trees.render import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gatree.data.dataset import Dataset


def plot_tree(
    model: DecisionTree,
    ax: Axes | None = None,
    file: str | Path | None = None,
    decimals: int | None = None,
    data: Dataset | None = None,
) -> Axes:
    """Draw a tree.

    Parameters
    ----------
    model : DecisionTree
        A tree, or a fitted classifier that has one as its ``tree_``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of fitting size by default. In axes that are given, all shrinks
        to fit.
    file : path, optional
        Where to save the figure, as PNG, SVG or PDF by its suffix.
    decimals : int, optional
        Digits behind a threshold's point; about four digits in all by default.
    data : Dataset, optional
        Instances to show: every test then has a histogram of the tested attribute, every leaf a bar of
        its classes. In a new figure only.

    Returns
    -------
    matplotlib Axes
    """
    tree = as_decision_tree(model)
    if data is None:
        write = short if decimals is None else partial(number, decimals=decimals)
        ax = draw_boxes(tree, ax, write)
    elif ax is None:
        ax = draw_with_data(tree, data)
    else:
        raise ConfigError("plot_tree: a picture with data needs a figure of its own; leave out ax or data")
    figure = ax.get_figure(root=True)
    if file is not None and figure is not None:
        save_figure(figure, Path(file), dpi=150)
    return ax
