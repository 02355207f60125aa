"""Summarise the errors of trees of one size on held-out rows, for a page."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.explore.found import Floats

_MOST_SHOWN = 12
_BINS = 10
_MOST_POINTS = 400


def of_classes(classes: NDArray[np.int32], given: NDArray[np.int32], confidence: Floats) -> dict[str, Any]:
    """Return the confusion matrix, the calibration and the most confident mistakes.

    The matrix is a list of (class, predicted class, number of rows) without empty cells.
    """
    pairs, n_rows = np.unique(np.stack([classes, given]), axis=1, return_counts=True)
    right = given == classes
    bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    calibration = [
        [round(float(confidence[here].mean()), 4), round(float(right[here].mean()), 4), int(here.sum())]
        for here in (bins == place for place in range(_BINS))
        if here.any()
    ]
    wrong = np.flatnonzero(~right)
    worst = wrong[np.argsort(-confidence[wrong], kind="stable")][:_MOST_SHOWN]
    return {
        "worth": float(right.mean()),
        "confusion": [[*pair, n] for pair, n in zip(pairs.T.tolist(), n_rows.tolist(), strict=True)],
        "calibration": calibration,
        "worst": [[int(row), int(given[row]), round(float(confidence[row]), 4)] for row in worst],
    }


def of_numbers(target: Floats, given: Floats) -> dict[str, Any]:
    """Return R2, mean errors, pairs of actual and predicted numbers, and the largest residuals."""
    residuals = target - given
    total = float(((target - target.mean()) ** 2).sum())
    some = np.linspace(0, len(target) - 1, min(_MOST_POINTS, len(target))).astype(int)
    by_size = np.argsort(-np.abs(residuals), kind="stable")[:_MOST_SHOWN]
    return {
        "worth": 1 - float((residuals**2).sum()) / total if total else 0.0,
        "rmse": float(np.sqrt((residuals**2).mean())),
        "mae": float(np.abs(residuals).mean()),
        "points": [[float(f"{target[row]:.6g}"), float(f"{given[row]:.6g}")] for row in some],
        "worst": [[int(row), float(given[row]), float(residuals[row])] for row in by_size],
    }
