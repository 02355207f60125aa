"""A picture of a tree, drawn with matplotlib: of the tree alone, or with the data."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gatree.base.errors import ConfigError
from gatree.base.extras import extras
from gatree.base.files import save_figure
from gatree.data.attribute import MISSING
from gatree.data.dataset import Dataset
from gatree.data.target import label
from gatree.trees.boxes import draw_boxes
from gatree.trees.drawing import short
from gatree.trees.model import DecisionTree, as_decision_tree
from gatree.trees.numbers import Floats, number
from gatree.trees.picture import draw_with_data

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_tree(
    model: DecisionTree,
    ax: Axes | None = None,
    file: str | Path | None = None,
    decimals: int | None = None,
    data: Any = None,
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
    data : Dataset, (X, y) or X, optional
        Instances to show, those of X with what the tree predicts for them: every test then has a histogram
        of the tested attribute, every leaf a bar of its classes or, of a regression tree, a histogram of
        its numbers. Not in axes that are given.

    Returns
    -------
    matplotlib Axes
    """
    tree = as_decision_tree(model)
    dataset, target = (None, None) if data is None else as_shown(tree, data)
    figure = current_figure() if ax is None and file is None else None
    if figure is not None and len(figure.axes) > 1:
        ax = figure.gca()
        ax.clear()
    if dataset is not None and ax is not None:
        raise ConfigError("plot_tree: a picture with data needs a figure of its own; leave out ax or data")
    write = short if decimals is None else partial(number, decimals=decimals)
    if ax is None and figure is not None:
        figure.clear()
    if dataset is None:
        ax = draw_boxes(tree, ax, write, figure)
    else:
        ax = draw_with_data(tree, dataset, figure, target)
    if file is not None:
        save_figure(ax.get_figure(root=True), Path(file), dpi=150)
    return ax


def tree_figure(tree: DecisionTree, data: Dataset | None) -> Any:
    """Return a new figure of a tree, with data if they are here, that pyplot does not know."""
    ax = draw_boxes(tree) if data is None else draw_with_data(tree, data)
    return ax.get_figure(root=True)


def current_figure() -> Any:
    """Return pyplot's current figure, which scikit-learn's plots use, too."""
    with extras():
        from matplotlib import pyplot

    return pyplot.gcf()


def as_shown(tree: DecisionTree, data: Any) -> tuple[Dataset, Floats | None]:
    """Return data to show with a tree, and the numbers of a regression tree.

    They come as a data set, ``(X, y)``, or X, for which the tree then predicts.
    """
    X, y = data if isinstance(data, tuple) else (data, None)
    if not tree.is_regression:
        return (X if isinstance(X, Dataset) else _with_classes(tree, X, y)), None
    dataset = X if isinstance(X, Dataset) else _with_classes(tree, X, None)
    if y is None:
        return dataset, np.array([tree.prediction(leaf) for leaf in tree.apply(dataset).tolist()])
    target = np.asarray(y, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(target))
    return dataset.take(known), target[known]


def _with_classes(tree: DecisionTree, X: Any, y: Any) -> Dataset:
    """Return X as a data set with its classes, or those that the tree predicts."""
    with extras():
        import pandas as pd

    names = [attribute.name for attribute in tree.attributes]
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X), columns=names)
    name = tree.class_attribute.name
    if name in map(str, frame.columns):
        frame = frame.drop(columns=[name])
    labels = [""] * len(frame) if y is None else [label(cell) for cell in np.asarray(y).tolist()]
    dataset = Dataset.from_frame(frame.assign(**{name: labels}).reset_index(drop=True), name)
    if y is None:
        classes = tree.predict(dataset)
    else:
        place = {value: index for index, value in enumerate(tree.class_values)}
        classes = np.array([place.get(text, MISSING) for text in labels], dtype=np.int32)
    return replace(dataset, class_attribute=replace(tree.class_attribute, kind="nominal"), classes=classes)
