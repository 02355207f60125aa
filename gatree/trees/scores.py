"""What held-out classes say of a tree's probabilities: log loss, and the area under the ROC curve.

All samples of a leaf have the same probabilities, so both need only the class counts of the leaves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.trees.numbers import Floats

Counts = NDArray[np.integer]

_SURE = 1e-15  # the smallest probability in a log loss


def surprises(probabilities: Floats) -> Floats:
    """Return the log loss of a sample of every class, ``[node, class]``."""
    return np.asarray(-np.log(np.maximum(probabilities, _SURE)))


class Ranking(NamedTuple):
    """The area under the ROC curve, the mean over the classes, and its variance."""

    area: float
    variance: float


def ranking(probabilities: Floats, counts: Counts) -> Ranking | None:
    """Return how well probabilities rank the samples of each class before all others; None of one class.

    The variance is that of a share among as many samples as the smaller group has.
    """
    areas, variances, total = [], [], counts.sum(axis=1)
    for label in range(counts.shape[1]):
        own, others = counts[:, label], total - counts[:, label]
        fewer = min(int(own.sum()), int(others.sum()))
        if fewer > 0:
            area = area_under_curve(probabilities[:, label], own, others)
            areas.append(area)
            variances.append(area * (1 - area) / fewer)
    if not areas:
        return None
    return Ranking(float(np.mean(areas)), float(np.sum(variances)) / len(areas) ** 2)


def area_under_curve(scores: Floats, own: Counts, others: Counts) -> float:
    """Return the share of pairs in which the sample of a class has the higher score; ties count half."""
    distinct, group = np.unique(scores, return_inverse=True)
    ours = np.bincount(group, weights=own, minlength=len(distinct))
    theirs = np.bincount(group, weights=others, minlength=len(distinct))
    lower = np.cumsum(theirs) - theirs / 2
    return float((ours * lower).sum() / (ours.sum() * theirs.sum()))


class Scores(NamedTuple):
    """How good class probabilities are."""

    log_loss: float  # the mean of a sample
    roc_auc: float  # NaN if all samples are of one class
    n: int

    @property
    def fields(self) -> dict[str, float | None]:
        """Both for JSON, which has no NaN."""
        return {"log_loss": self.log_loss, "roc_auc": None if math.isnan(self.roc_auc) else self.roc_auc}

    @classmethod
    def of(cls, probabilities: Floats, counts: Counts, class_weight: Sequence[int] | None = None) -> Scores:
        """Return the scores of the leaves' probabilities, given their class counts."""
        weighted = counts * (1 if class_weight is None else np.array(class_weight))
        loss = float((surprises(probabilities) * weighted).sum()) / max(1, int(weighted.sum()))
        ranked = ranking(probabilities, counts)
        return cls(loss, math.nan if ranked is None else ranked.area, int(counts.sum()))

    @classmethod
    def mean(cls, parts: Sequence[Scores]) -> Scores:
        """Return the mean scores of parts; the area of those with more than one class."""
        losses, areas, n = (np.array(each) for each in zip(*parts, strict=True))
        known = ~np.isnan(areas) & (n > 0)
        area = float(np.average(areas[known], weights=n[known])) if known.any() else math.nan
        return cls(float((losses * n).sum()) / max(1, int(n.sum())), area, int(n.sum()))
