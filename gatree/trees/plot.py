"""A picture of a tree, drawn with matplotlib: of the tree alone, or with the data."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gatree.base.extras import extras
from gatree.base.files import save_figure
from gatree.data.attribute import MISSING
from gatree.data.dataset import Dataset
from gatree.data.target import label
from gatree.trees.histograms import Histogram, histograms
from gatree.trees.model import DecisionTree, as_decision_tree
from gatree.trees.numbers import NodeNumbers, number, short
from gatree.trees.picture import draw_tree

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
        its numbers.

    Returns
    -------
    matplotlib Axes
    """
    tree, charts = as_decision_tree(model), None
    if data is not None:
        tree, charts = with_data(tree, data)
    figure = current_figure() if ax is None and file is None else None
    if figure is not None and len(figure.axes) > 1:
        ax = figure.gca()
        ax.clear()
    elif figure is not None:
        figure.clear()
    write = short if decimals is None else partial(number, decimals=decimals)
    ax = draw_tree(tree, ax, write, figure, charts)
    if file is not None:
        save_figure(ax.get_figure(root=True), Path(file), dpi=150)
    return ax


def tree_figure(tree: DecisionTree, data: Dataset | None) -> Any:
    """Return a new figure of a tree, with data if they are here, that pyplot does not know."""
    shown, charts = (tree, None) if data is None else with_data(tree, data)
    return draw_tree(shown, charts=charts).get_figure(root=True)


def current_figure() -> Any:
    """Return pyplot's current figure, which scikit-learn's plots use, too."""
    with extras():
        from matplotlib import pyplot

    return pyplot.gcf()


def with_data(tree: DecisionTree, data: Any) -> tuple[DecisionTree, dict[int, Histogram]]:
    """Return a tree with the counts or the numbers of other data, and histograms for its tests.

    The data are a data set, ``(X, y)``, or X, for which the tree then predicts.
    """
    X, y = data if isinstance(data, tuple) else (data, None)
    if not tree.is_regression:
        dataset = X if isinstance(X, Dataset) else _with_classes(tree, X, y)
        return tree.with_counts(dataset), histograms(tree, dataset)
    dataset = X if isinstance(X, Dataset) else _with_classes(tree, X, None)
    reached = tree.apply(dataset)
    if y is None:
        target = np.array([tree.prediction(leaf) for leaf in reached.tolist()])
    else:
        target = np.asarray(y, dtype=np.float64)
        known = np.flatnonzero(~np.isnan(target))
        dataset, target, reached = dataset.take(known), target[known], reached[known]
    numbers = NodeNumbers.of(tree.tree, reached, target)
    return replace(tree, counts=None, numbers=numbers), histograms(tree, dataset, target)


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
