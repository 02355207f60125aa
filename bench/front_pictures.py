"""The fronts of six data sets on held-out folds, with the points of CART and J48."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.model_selection import StratifiedKFold

from bench.contenders import CCP, J48, LEAVES, OURS, data_of
from gatree import SmallTreeClassifier

PICTURED = ("digits", "kr-vs-kp", "multiplexor", "lymph", "glass", "wdbc")

_MARKS = {OURS: ("*", "C1"), CCP: ("o", "C2"), LEAVES: ("s", "C3"), J48: ("^", "C4")}


def picture(rows: list[dict[str, Any]]) -> Figure:
    """Draw mean accuracies of five folds against leaves: curves of one seed, points of all."""
    found = {row["data"]: row for row in rows}
    figure = Figure(figsize=(11, 6.4), layout="constrained")
    for axes, name in zip(figure.subplots(2, 3).flat, PICTURED, strict=True):
        _draw(axes, name, found.get(name, {}))
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False)
    return figure


def _draw(axes: Axes, name: str, points: dict[str, Any]) -> None:
    sizes, curves = curves_of(name)
    for color, (kind, curve) in enumerate(curves.items()):
        axes.plot(sizes, curve, color=f"C{color}", linewidth=1.2, label=f"front, {kind}")
    for label, (marker, color) in _MARKS.items():
        if label in points:
            at = points[label]
            size = 130 if label == OURS else 40
            axes.scatter(at["leaves"], at["accuracy"], size, color, marker, label=label, zorder=3)
    axes.set(title=name, xscale="log", xlabel="leaves", ylabel="accuracy on held-out folds")
    axes.grid(visible=True, alpha=0.3)


def curves_of(name: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return sizes, and for both fronts the mean accuracy of their trees of at most that size."""
    X, y = data_of(name)
    found: dict[str, list[np.ndarray]] = {}
    most = min(256, len(y) // 4)
    sizes = np.unique(np.geomspace(1, most, 40).astype(int))
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        classifier = SmallTreeClassifier(random_state=0).fit(X.iloc[train], y[train])
        for kind, front in classifier.fronts_.items():
            scores = {}
            for size in sizes.tolist():
                leaves = int(front.leaves[front.leaves <= size][-1])
                if leaves not in scores:
                    classifier.tree_ = front.tree(leaves)
                    scores[leaves] = np.mean(classifier.predict(X.iloc[test]) == y[test])
            curve = [scores[int(front.leaves[front.leaves <= size][-1])] for size in sizes.tolist()]
            found.setdefault(kind, []).append(np.array(curve))
    return sizes, {kind: np.mean(curves, axis=0) for kind, curves in found.items()}
