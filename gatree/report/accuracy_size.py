"""Accuracy against size, data set by data set: GATree's trees and both J48, as small multiples."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from statistics import fmean
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatree.errors import ResultError
from gatree.experiments.record import Record
from gatree.report.figures import BLUE, GREEN, ORANGE, PURPLE
from gatree.report.layout import ACCURACY, BASELINES, Setting
from gatree.report.runs import Spread
from gatree.report.tables import our_samples

_SETTING_LOOKS = ((BLUE, "o"), (BLUE, "^"), (ORANGE, "o"), (ORANGE, "^"))
_BASELINE_LOOKS = ((GREEN, "*"), (PURPLE, "X"))
_COLUMNS = 3


def _series(setting: Setting) -> str:
    return f"m = {setting.mutation}, x = {setting.x}"


# Colour and marker of each series.
_LOOKS = dict(
    zip([*map(_series, ACCURACY.values()), *BASELINES], [*_SETTING_LOOKS, *_BASELINE_LOOKS], strict=True)
)


class Point(NamedTuple):
    """One place in the plane: the mean size over the folds, and the accuracy of a cross-validation.

    With several seeds it is the mean over these, and `sd` the standard deviation of the accuracy.
    """

    dataset: str
    series: str  # a setting of the evolution, or a baseline
    size: float
    accuracy: float
    sd: float


def accuracy_size_points(records: Sequence[Record]) -> list[Point]:
    """Return all pairs of accuracy and size of Tables 8-11, the baselines' once."""
    points: dict[Point, None] = {}
    for number, setting in ACCURACY.items():
        samples = our_samples(number, records)
        for spot, values in samples.items():
            if spot.metric == "accuracy":
                series = spot.column if spot.column in BASELINES else _series(setting)
                size = fmean(samples[spot._replace(metric="size")].values())
                accuracy = Spread.of(values.values())
                points[Point(spot.dataset, series, size, accuracy.mean, accuracy.sd or 0.0)] = None
    return list(points)


def accuracy_size_figure(records: Sequence[Record]) -> Figure:
    """Draw a panel per data set: every size of every setting, and J48's two trees."""
    points = accuracy_size_points(records)
    if not points:
        raise ResultError("accuracy against size needs a whole cross-validation; run: gatree run")
    datasets = list(dict.fromkeys(point.dataset for point in points))
    n_rows = ceil(len(datasets) / _COLUMNS)
    figure = Figure(figsize=(7.6, 0.6 + 2.0 * n_rows), layout="constrained")
    panels = list(figure.subplots(n_rows, _COLUMNS, squeeze=False).flat)
    for axes, dataset in zip(panels, datasets, strict=False):
        _panel(axes, dataset, [point for point in points if point.dataset == dataset])
    for axes in panels[len(datasets) :]:
        axes.set_visible(False)
    figure.supxlabel("size (nodes)", fontsize=9)
    figure.supylabel("accuracy in cross-validation", fontsize=9)
    _legend(figure, points)
    return figure


def _panel(axes: Axes, dataset: str, points: Sequence[Point]) -> None:
    for series, (colour, marker) in _LOOKS.items():
        area, above = (70, 3) if series in BASELINES else (14, 2)
        look: Any = {"s": area, "color": colour, "marker": marker, "zorder": above, "lw": 0.4, "ec": "white"}
        shown = [point for point in points if point.series == series]
        at = [point.size for point in shown], [point.accuracy for point in shown]
        axes.errorbar(*at, [point.sd for point in shown], fmt="none", ecolor=colour, lw=0.5, alpha=0.5)
        axes.scatter(*at, **look)
    axes.set_title(dataset, fontsize=9, parse_math=False)
    axes.tick_params(labelsize=7)
    axes.set_xlim(left=0)
    axes.margins(y=0.15)


def _legend(figure: Figure, points: Sequence[Point]) -> None:
    used = {point.series for point in points}
    handles = [
        Line2D([], [], color=colour, marker=marker, ls="none", label=series.replace("(", " ("))
        for series, (colour, marker) in _LOOKS.items()
        if series in used
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=3, fontsize=8)
