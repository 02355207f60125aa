"""Explore a data set: find trees of all sizes, cross-validate them, compare them with baselines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gatree.base.errors import DataError, shown
from gatree.data.dataset import Dataset
from gatree.data.screen import LeftOut, concerns
from gatree.explore.cross_validation import baselines_of, cross_validated
from gatree.explore.find import ClassTrees, Floats, Found, NumberTrees, found_in
from gatree.explore.page import Explored
from gatree.front.fit import FrontFit
from gatree.front.settings import FrontSettings, RegressionSettings
from gatree.trees.model import DecisionTree

OnStep = Callable[[str, int, int], Any]


def explore(
    dataset: Dataset,
    settings: FrontSettings | None = None,
    target: Floats | None = None,
    left_out: tuple[LeftOut, ...] = (),
    command: str = "",
    on_step: OnStep = lambda *_: None,
    fit: FrontFit | None = None,
) -> Explored:
    """Return trees of all sizes for a data set, with everything that a page shows about them.

    Parameters
    ----------
    dataset : Dataset
        Rows without a class are counted and left out.
    settings : FrontSettings, optional
    target : ndarray of float, optional
        The numbers to predict in place of classes, NaN where missing.
    left_out : tuple of LeftOut
        Columns that were removed from the data set; the page lists them.
    command : str
        The command that creates the page.
    on_step : callable, optional
        Called with the name of a step, the number of its finished parts and the number of its parts.
    fit : FrontFit, optional
        The result of an earlier search on these data; by default a new search runs.
    """
    settings = settings or FrontSettings()
    known = np.flatnonzero(dataset.classes >= 0 if target is None else ~np.isnan(target))
    n_without_class = len(dataset.classes) - len(known)
    dataset = dataset.take(known)
    target = None if target is None else target[known]
    _check(dataset, target)
    finder: Any = ClassTrees(settings) if target is None else NumberTrees(target, _of_numbers(settings))
    if fit is None:
        found = finder.find(dataset, lambda done, of: on_step("search", done, of))
    else:
        found = found_in(fit, dataset)
    crossed = cross_validated(
        dataset, finder, found.leaves, lambda done, of: on_step("cross-validation", done, of)
    )
    on_step("other trees", 0, 1)
    baselines = () if crossed is None else tuple(baselines_of(dataset, target, crossed.n_folds))
    on_step("other trees", 1, 1)
    return Explored(
        dataset=dataset,
        found=found,
        target=target,
        row_numbers=known + 1,
        n_without_class=n_without_class,
        left_out=left_out,
        notes=(*concerns(dataset, target), *(each.hint for each in baselines if each.hint)),
        crossed=crossed,
        baselines=baselines,
        command=command,
    )


def explored_tree(tree: DecisionTree, dataset: Dataset) -> Explored:
    """Return the content of a page for a single tree, without a front and a cross-validation."""
    known = np.flatnonzero(dataset.classes >= 0)
    rows = dataset.take(known)
    return Explored(rows, Found((tree.with_counts(rows),)), row_numbers=known + 1)


def _check(dataset: Dataset, target: Floats | None) -> None:
    name = shown(dataset.class_attribute.name)
    if dataset.n_instances == 0:
        raise DataError(f"{dataset.name}: no row has a value of {name}, so there is nothing to learn from")
    if dataset.n_attributes == 0:
        raise DataError(f"{dataset.name}: no column is left to learn from")
    n_values = np.count_nonzero(dataset.class_counts) if target is None else len(np.unique(target))
    if n_values < 2:
        raise DataError(
            f"{dataset.name}: {name} has the same value in all rows; a tree needs at least two values. "
            "Name another column with --class"
        )


def _of_numbers(settings: FrontSettings) -> RegressionSettings:
    """Return the regression settings with the same number of searches and offspring."""
    return RegressionSettings(
        size=settings.size,
        n_folds=settings.n_folds,
        most_repeats=settings.most_repeats,
        work=settings.work * (RegressionSettings.work / FrontSettings.work),
        most_offspring=settings.most_offspring,
        polished=settings.polished,
        seed=settings.seed,
    )
