"""Thresholds with as few digits as tell the values of the data apart."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gatree.data.attribute import Column
from gatree.data.coding import Coding
from gatree.data.dataset import Dataset
from gatree.trees.named_tree import NamedTree

_FEWEST_DIGITS, _ALL_DIGITS = 4, 17

Model = TypeVar("Model", bound=NamedTree)


def rounded(model: Model, dataset: Dataset) -> Model:
    """Return a tree whose thresholds have as few digits as send all rows of a data set the same way."""
    thresholds = [
        exact if attribute.is_nominal or attribute.date_format is not None else _shortest(exact, column)
        for attribute, exact, column in zip(
            model.attributes, model.coding.thresholds, dataset.columns, strict=True
        )
    ]
    return replace(model, coding=Coding.of(model.attributes, thresholds))


def _shortest(exact: NDArray[np.float64], column: Column) -> NDArray[np.float64]:
    values = np.unique(column[~np.isnan(column)].astype(np.float64))
    short = np.array([_within_its_gap(threshold, values) for threshold in exact.tolist()])
    return short if np.all(short[1:] > short[:-1]) else exact


def _within_its_gap(threshold: float, values: NDArray[np.float64]) -> float:
    place = int(np.searchsorted(values, threshold, side="right"))
    low = values[place - 1] if place else -np.inf
    high = values[place] if place < len(values) else np.inf
    for digits in range(_FEWEST_DIGITS, _ALL_DIGITS):
        short = float(f"{threshold:.{digits}g}")
        if low <= short < high:
            return short
    return threshold
