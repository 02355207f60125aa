"""A picture of a tree, drawn with matplotlib."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gatree.base.extras import extras
from gatree.base.files import save_figure
from gatree.trees.model import DecisionTree, as_decision_tree
from gatree.trees.numbers import number, short
from gatree.trees.picture import draw_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_tree(
    model: DecisionTree,
    ax: Axes | None = None,
    file: str | Path | None = None,
    decimals: int | None = None,
    max_depth: int | None = None,
) -> Axes:
    """Draw a tree.

    Parameters
    ----------
    model : DecisionTree
        A tree, or a fitted classifier or regressor that has one as its ``tree_``.
    ax : matplotlib Axes, optional
        Where to draw; pyplot's current figure by default, as scikit-learn does, in fitting size, or its
        current axes if it has several. In axes all shrinks to fit.
    file : path, optional
        Where to save a figure of its own, as PNG, SVG or PDF by its suffix.
    decimals : int, optional
        Digits behind a threshold's point; about four digits in all by default.
    max_depth : int, optional
        The last level to draw, the root's being 0; a test there says how many leaves are below it.

    Returns
    -------
    matplotlib Axes
    """
    figure = current_figure() if ax is None and file is None else None
    if figure is not None and len(figure.axes) > 1:
        ax = figure.gca()
        ax.clear()
    elif figure is not None:
        figure.clear()
    write = short if decimals is None else partial(number, decimals=decimals)
    ax = draw_tree(as_decision_tree(model), ax, write, figure, max_depth)
    if file is not None:
        save_figure(ax.get_figure(root=True), Path(file), dpi=150)
    return ax


def current_figure() -> Any:
    """Return pyplot's current figure, which scikit-learn's plots use, too."""
    with extras():
        from matplotlib import pyplot

    return pyplot.gcf()
