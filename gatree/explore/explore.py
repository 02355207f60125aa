"""Explore a data set: find trees of all sizes, cross-validate them, compare them with others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gatree.base.errors import DataError, shown
from gatree.data.dataset import Dataset
from gatree.data.screen import LeftOut, concerns
from gatree.explore.content import Explored
from gatree.explore.cross_validation import cross_validated
from gatree.explore.find import ClassTrees, NumberTrees, found_in
from gatree.explore.found import Floats, Found
from gatree.explore.rivals import rivals
from gatree.front.fit import FrontFit
from gatree.front.regression.settings import RegressionSettings
from gatree.front.settings import FrontSettings
from gatree.trees.model import DecisionTree

OnStep = Callable[[str, int, int], Any]


def quietly(_step: str, _done: int, _of: int) -> None:
    """Ignore progress."""


def explore(
    dataset: Dataset,
    settings: FrontSettings | None = None,
    target: Floats | None = None,
    left_out: tuple[LeftOut, ...] = (),
    command: str = "",
    on_step: OnStep = quietly,
    fit: FrontFit | None = None,
) -> Explored:
    """Return trees of all sizes for a data set, with everything that a page shows of them.

    Parameters
    ----------
    dataset : Dataset
        Rows without a class are counted and left out.
    settings : FrontSettings, optional
    target : ndarray of float, optional
        The numbers to predict in place of classes, NaN where missing.
    left_out : tuple of LeftOut
        Columns that are not in the data set, to be named on the page.
    command : str
        What makes the page again.
    on_step : callable, optional
        Called with the name of a step, the number of its parts done, and of all.
    fit : FrontFit, optional
        What was found on these data already; by default it is searched for.
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
    others = () if crossed is None else tuple(rivals(dataset, target, crossed.n_folds))
    on_step("other trees", 1, 1)
    return Explored(
        dataset=dataset,
        found=found,
        target=target,
        row_numbers=known + 1,
        n_without_class=n_without_class,
        left_out=left_out,
        notes=(*concerns(dataset, target), *(rival.hint for rival in others if rival.hint)),
        crossed=crossed,
        rivals=others,
        command=command,
    )


def explored_tree(tree: DecisionTree, dataset: Dataset, command: str = "") -> Explored:
    """Return a single tree with its data, as a page shows it: no front, no cross-validation."""
    known = np.flatnonzero(dataset.classes >= 0)
    rows = dataset.take(known)
    return Explored(rows, Found((tree.with_counts(rows),)), row_numbers=known + 1, command=command)


def _check(dataset: Dataset, target: Floats | None) -> None:
    name = shown(dataset.class_attribute.name)
    if dataset.n_instances == 0:
        raise DataError(f"{dataset.name}: no row has a value of {name}, so there is nothing to learn from")
    if dataset.n_attributes == 0:
        raise DataError(f"{dataset.name}: no column is left to learn from")
    n_values = np.count_nonzero(dataset.class_counts) if target is None else len(np.unique(target))
    if n_values < 2:
        raise DataError(
            f"{dataset.name}: {name} has the same value in all rows; a tree needs two to tell apart. "
            "Name another column with --class"
        )


def _of_numbers(settings: FrontSettings) -> RegressionSettings:
    """Return the settings for numbers that go with those for classes: as many searches, as many offspring."""
    return RegressionSettings(
        size=settings.size,
        n_folds=settings.n_folds,
        most_repeats=settings.most_repeats,
        work=settings.work * (RegressionSettings.work / FrontSettings.work),
        most_offspring=settings.most_offspring,
        polished=settings.polished,
        seed=settings.seed,
    )
