"""A picture of a tree with its data: a histogram in every test, a bar of the classes in every leaf.

At a test, the bars are the tested attribute's values, coloured by class; the line is the threshold, and what
lies to its left goes to the left. For a nominal attribute the first bar is the value that is tested for.
Missing values are a bar of their own on the right. Of a regression tree, bars have the colour of their mean.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import visible
from gatree.data.attribute import Column, missing
from gatree.data.dataset import Dataset
from gatree.trees.align import aligned_columns
from gatree.trees.drawing import (
    KEY_TO_BRANCHES,
    Shades,
    classes_that_occur,
    columns,
    cut,
    draw_box,
    draw_branch,
    draw_class_bar,
    lines_of_test,
    pale,
    rectangle,
    short,
    style,
    whole_axes,
)
from gatree.trees.genome import LEAF
from gatree.trees.named_tree import NamedTree
from gatree.trees.numbers import Floats, NodeNumbers
from gatree.trees.render import FAILED, PASSED, colour, number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from gatree.data.dataset import Dataset

# Inches.
_WIDTH, _CHART, _LINE, _BAR, _HISTOGRAM, _MARGIN = 2.1, 0.6, 0.17, 0.14, 0.24, 0.06
_TEST_HEIGHT = 2 * _LINE + _CHART + _LINE + 2 * _MARGIN
_LEAF_HEIGHT = 2 * _LINE + 3 * _MARGIN  # and the bar
_GAP_ACROSS, _GAP_DOWN, _LEGEND_ROW, _LEGEND_COLUMN = 0.16, 0.42, 0.22, 2.1
_POINTS, _SMALL, _LETTER = 8.5, 6.5, 0.062
_NARROWEST = 2 * _LEGEND_COLUMN


def draw_with_data(
    model: NamedTree, dataset: Dataset, figure: Figure | None = None, target: Floats | None = None
) -> Axes:
    """Return the picture of a tree and the instances of a data set, in a figure of fitting size.

    A regression tree needs the instances' numbers as ``target``.
    """
    drawing: _Picture
    if target is None:
        drawing = _Picture(model.with_counts(dataset), histograms(model, dataset))
    else:
        here = NodeNumbers.of(model.tree, model.apply(dataset), target)
        drawing = _NumberPicture(model, histograms(model, dataset, target), here)
    ax = whole_axes(drawing.inches, figure)
    drawing.draw(ax)
    return ax


def inline_svg(ax: Axes) -> str:
    """Return a picture as an SVG element, to be put into a page."""
    from matplotlib import rc_context

    text, figure = io.StringIO(), ax.get_figure(root=True)
    assert figure is not None
    with rc_context({"svg.fonttype": "path"}):
        figure.savefig(text, format="svg")
    return text.getvalue()[text.getvalue().index("<svg") :]


@dataclass(frozen=True)
class _Picture:
    model: NamedTree
    histograms: dict[int, Histogram]

    @cached_property
    def x(self) -> NDArray[np.float64]:
        return columns(self.model.tree) * (_WIDTH + _GAP_ACROSS)

    @cached_property
    def top(self) -> NDArray[np.float64]:
        """Where each node's box begins, downward from zero."""
        return self.model.tree.depths().astype(np.float64) * -(self.test_height + _GAP_DOWN)

    @property
    def test_height(self) -> float:
        return _TEST_HEIGHT

    @property
    def bar_height(self) -> float:
        """The height of the bar in a leaf."""
        return _BAR

    def height(self, node: int) -> float:
        return _LEAF_HEIGHT + self.bar_height if self.model.tree.is_leaf(node) else self.test_height

    @cached_property
    def lowest(self) -> float:
        return min(float(self.top[node]) - self.height(node) for node in range(self.model.n_nodes))

    @property
    def _wide(self) -> float:
        return max(float(self.x.max()) + _WIDTH, _NARROWEST) + 2 * _GAP_ACROSS

    @cached_property
    def classes(self) -> list[int]:
        return classes_that_occur(self.model)

    @property
    def _legend_columns(self) -> int:
        return max(1, min(len(self.classes), int(self._wide / _LEGEND_COLUMN)))

    @property
    def _legend_height(self) -> float:
        return _LEGEND_ROW * (1.6 + ceil(len(self.classes) / self._legend_columns)) + self._key_height

    @property
    def _key_height(self) -> float:
        return 0.0 if self.model.n_nodes == 1 else _LEGEND_ROW

    @property
    def inches(self) -> tuple[float, float]:
        return self._wide, self._legend_height - self.lowest + 2 * _GAP_ACROSS

    def draw(self, ax: Axes) -> None:
        middle = float(self.x.max()) / 2
        ax.set_xlim(middle - self._wide / 2, middle + self._wide / 2)
        ax.set_ylim(self.lowest - _GAP_ACROSS, self._legend_height + _GAP_ACROSS)
        ax.axis("off")
        for node in range(self.model.n_nodes):
            if self.model.tree.is_leaf(node):
                self._leaf(ax, node)
            else:
                gone = ", missing" if self.histograms[node].n_missing else ""
                self._branch(ax, node, self.model.tree.left(node), PASSED)
                self._branch(ax, node, self.model.tree.right(node), f"{FAILED}{gone}")
                self._test(ax, node)
        self._legend(ax)
        if self._key_height:
            place = middle - self._wide / 2 + _GAP_ACROSS, _LEGEND_ROW / 2
            ax.text(*place, KEY_TO_BRANCHES, **style(_SMALL + 0.5, side="left"), color="0.35")

    def _branch(self, ax: Axes, node: int, child: int, answer: str) -> None:
        start, end = float(self.top[node]) - self.height(node), float(self.top[child])
        draw_branch(ax, self.x[[node, child]], start, end, answer, _SMALL + 0.5)

    def _box(self, ax: Axes, node: int, face: Any) -> tuple[float, float]:
        """Draw a node's box; return its left and its upper end."""
        left, top, height = float(self.x[node]) - _WIDTH / 2, float(self.top[node]), self.height(node)
        draw_box(ax, (left, top - height), _WIDTH, height, face)
        return left, top

    def _leaf(self, ax: Axes, node: int) -> None:
        left, top = self._box(ax, node, self._face(node))
        prediction, words = self._leaf_words(node)
        ax.text(self.x[node], top - _MARGIN - _LINE / 2, prediction, **style(_POINTS, "bold"), zorder=4)
        ax.text(self.x[node], top - _MARGIN - 1.5 * _LINE, words, **style(_SMALL + 1), zorder=4)
        self._leaf_bar(ax, node, left + _MARGIN, top - self.height(node) + _MARGIN)

    def _face(self, leaf: int) -> Any:
        return pale(colour(int(self.model.tree.value[leaf])))

    def _leaf_words(self, leaf: int) -> tuple[str, str]:
        """Return what a leaf gives, and a line about its instances."""
        assert self.model.counts is not None
        counts = self.model.counts[leaf]
        total, right = int(counts.sum()), int(counts[self.model.tree.value[leaf]])
        words = "no instance" if total == 0 else f"{right} of {total}" if right < total else f"all {total}"
        return cut(self.model.label(leaf)), words

    def _leaf_bar(self, ax: Axes, leaf: int, left: float, bottom: float) -> None:
        assert self.model.counts is not None
        draw_class_bar(ax, (left, bottom), _WIDTH - 2 * _MARGIN, _BAR, self.model.counts[leaf])

    def _test(self, ax: Axes, node: int) -> None:
        left, top = self._box(ax, node, "white")
        lines = "\n".join(lines_of_test(self.model, node))
        ax.text(self.x[node], top - _MARGIN - _LINE, lines, **style(_POINTS), zorder=4)
        self._chart(ax, node, left + 2 * _MARGIN, top - self.test_height + _LINE)

    def _chart(self, ax: Axes, node: int, left: float, bottom: float) -> None:
        histogram = self.histograms[node]
        counts, wide = histogram.counts, _WIDTH - 4 * _MARGIN
        n_bars, tallest = len(counts), max(1, int(counts.sum(axis=1).max(initial=0)))
        n_steps = n_bars + (0.5 if histogram.n_missing else 0)
        step = min(wide / n_steps, wide / 3)
        left += (wide - n_steps * step) / 2
        for bar in range(n_bars):
            apart = 0.5 * step if histogram.n_missing and bar == n_bars - 1 else 0.0
            base = bottom
            for label in np.flatnonzero(counts[bar]).tolist():
                height = _CHART * int(counts[bar, label]) / tallest
                face = self._bar_colour(histogram, bar, label)
                rectangle(ax, (left + bar * step + apart, base), step * 0.92, height, face)
                base += height
        for bar, category in enumerate(histogram.labels):
            room = max(1, int(step / _LETTER))
            name = category if len(category) <= room else category[: max(1, room - 1)] + "…" * (room > 1)
            place = left + (bar + 0.46) * step
            ax.text(place, bottom - _LINE / 2, visible(name), **style(_SMALL), color="0.35", zorder=5)
        if histogram.n_missing:
            ax.text(left + n_bars * step, bottom - _LINE / 2, "?", **style(_SMALL), color="0.35", zorder=5)
        ends = [left, left + n_steps * step]
        ax.plot(ends, [bottom, bottom], color="0.7", linewidth=0.6, zorder=4)
        cut = left + histogram.cut * step - 0.04 * step
        ax.plot([cut, cut], [bottom - 0.03, bottom + _CHART + 0.04], color="black", linewidth=1, zorder=5)
        if histogram.ends is not None:
            last = left + (n_bars - (histogram.n_missing > 0)) * step
            for place, end, side in zip((left, last), histogram.ends, ("left", "right"), strict=True):
                if last - left > wide / 3:  # else the two would overlap
                    text = number_text(self.model.attribute(node), end, short)
                    aligned = style(_SMALL, side=side)
                    ax.text(place, bottom - _LINE / 2, text, **aligned, color="0.35", zorder=5)

    def _bar_colour(self, _histogram: Histogram, _bar: int, label: int) -> Any:
        return colour(label)

    def _legend(self, ax: Axes) -> None:
        left, top = ax.get_xlim()[0] + _GAP_ACROSS, self._legend_height
        aligned = style(_POINTS, side="left")
        ax.text(left, top - _LEGEND_ROW / 2, cut(self.model.class_attribute.name), **aligned)
        for place, label in enumerate(self.classes):
            row, column = divmod(place, self._legend_columns)
            x, y = left + column * _LEGEND_COLUMN, top - (row + 1.6) * _LEGEND_ROW
            rectangle(ax, (x, y - 0.05), 0.16, 0.11, colour(label))
            ax.text(x + 0.22, y, cut(self.model.class_values[label]), **aligned)


@dataclass(frozen=True)
class _NumberPicture(_Picture):
    """The same of a regression tree and numbers."""

    numbers: NodeNumbers  # of what is shown; the tree has those that it was learned from

    @cached_property
    def _shades(self) -> Shades:
        return Shades.of(self.model)

    @property
    def test_height(self) -> float:
        return _TEST_HEIGHT + _LINE

    @property
    def bar_height(self) -> float:
        return _HISTOGRAM

    @property
    def _legend_height(self) -> float:
        return 3 * _LEGEND_ROW + self._key_height

    def _face(self, leaf: int) -> Any:
        return pale(self._shades.colour(self._predicted(leaf)))

    def _predicted(self, leaf: int) -> float:
        return float(self.model.label(leaf))

    def _leaf_words(self, leaf: int) -> tuple[str, str]:
        return short(self._predicted(leaf)), self._numbers_here(leaf)

    def _numbers_here(self, node: int) -> str:
        n, deviation = int(self.numbers.n[node]), float(self.numbers.deviation[node])
        if n == 0:
            return "no instance"
        return f"mean {short(float(self.numbers.mean[node]))} ± {short(deviation)}, n = {n}"

    def _leaf_bar(self, ax: Axes, leaf: int, left: float, bottom: float) -> None:
        size = _WIDTH - 2 * _MARGIN, _HISTOGRAM
        self._shades.histogram(ax, self.numbers, leaf, (left, bottom), size)

    def _test(self, ax: Axes, node: int) -> None:
        super()._test(ax, node)
        y = float(self.top[node]) - _MARGIN - 2.4 * _LINE
        ax.text(self.x[node], y, self._numbers_here(node), **style(_SMALL + 1), color="0.35", zorder=4)

    def _bar_colour(self, histogram: Histogram, bar: int, _label: int) -> Any:
        assert histogram.means is not None
        return self._shades.colour(float(histogram.means[bar]))

    def _legend(self, ax: Axes) -> None:
        left, top = ax.get_xlim()[0] + _GAP_ACROSS, self._legend_height
        aligned = style(_POINTS, side="left")
        ax.text(left, top - _LEGEND_ROW / 2, cut(self.model.class_attribute.name), **aligned)
        self._shades.key(ax, left, top - 1.4 * _LEGEND_ROW, short, **style(_SMALL + 1))


_MOST_BINS = 20
_MOST_CATEGORIES = 8


class Histogram(NamedTuple):
    """The instances at an inner node by value and class. Missing values, if any, are the last bar."""

    counts: NDArray[np.int64]  # [bar, class]
    n_missing: int
    cut: float  # how many bars, and which part of the next, pass the test
    ends: tuple[float, float] | None  # the smallest and the largest number
    labels: tuple[str, ...] = ()  # of bars that are categories
    means: Floats | None = None  # [bar]: of the numbers to predict, which have one class


def histograms(model: NamedTree, dataset: Dataset, target: Floats | None = None) -> dict[int, Histogram]:
    """Return a histogram for every inner node, of the instances of a data set that have a class.

    With the instances' numbers as ``target``, of all instances.
    """
    if target is not None:
        dataset = replace(dataset, classes=np.zeros(dataset.n_instances, dtype=np.int32))
    known = dataset.take(np.flatnonzero(dataset.classes >= 0))
    tested = np.unique(model.tree.attribute[model.tree.attribute != LEAF])
    columns = aligned_columns(model.attributes, tested, known)
    reached = model.apply(known)
    found = {}
    for node in np.flatnonzero(model.tree.attribute != LEAF).tolist():
        here = (reached >= node) & (reached < node + model.tree.span[node])
        column = columns[int(model.tree.attribute[node])][here]
        numbers = None if target is None else target[here]
        found[node] = _histogram(model, node, column, known.classes[here], numbers)
    return found


def _histogram(
    model: NamedTree, node: int, column: Column, classes: NDArray[np.int32], numbers: Floats | None
) -> Histogram:
    gone = missing(column)
    if model.attribute(node).is_nominal:
        bars, codes = _categories(column[~gone], int(model.tree.value[node]))
        cut, ends = 1.0, None
        labels = tuple(model.attribute(node).values[code] for code in codes)
    else:
        bars, cut, ends = _bins(column[~gone].astype(np.float64), model.threshold(node))
        labels = ()
    n_bars = int(bars.max(initial=0)) + 1
    n_missing = int(np.count_nonzero(gone))
    counts = np.zeros((n_bars + (n_missing > 0), model.n_classes), dtype=np.int64)
    np.add.at(counts, (bars, classes[~gone]), 1)
    if n_missing:
        np.add.at(counts[-1], classes[gone], 1)
    means = None
    if numbers is not None:
        bar_of = np.full(len(column), n_bars)
        bar_of[~gone] = bars
        totals = np.bincount(bar_of, numbers, minlength=len(counts))
        means = totals[: len(counts)] / counts.sum(axis=1).clip(1)
    return Histogram(counts, n_missing, cut, ends, labels, means)


def _categories(codes: Column, wanted: int) -> tuple[NDArray[np.int64], list[int]]:
    """Return the bar of every value, first the one that is tested for, then the others by frequency.

    And the values of the bars that stand for one.
    """
    others, frequency = np.unique(codes[codes != wanted], return_counts=True)
    others = others[np.argsort(-frequency, kind="stable")]
    place = {int(wanted): 0} | {
        int(value): 1 + min(rank, _MOST_CATEGORIES) for rank, value in enumerate(others)
    }
    bars = np.array([place[int(value)] for value in codes], dtype=np.int64)
    single = others if len(others) <= _MOST_CATEGORIES + 1 else others[:_MOST_CATEGORIES]
    return bars, [wanted, *map(int, single)]


def _bins(
    values: NDArray[np.float64], threshold: float
) -> tuple[NDArray[np.int64], float, tuple[float, float] | None]:
    """Return the bar of every number: one per distinct number, or bins of one width if there are many."""
    if len(values) == 0:
        return np.empty(0, dtype=np.int64), 0.0, None
    distinct, index = np.unique(values, return_inverse=True)
    low, high = float(distinct[0]), float(distinct[-1])
    if len(distinct) <= _MOST_BINS:
        return index.astype(np.int64), float(np.count_nonzero(distinct <= threshold)), (low, high)
    width = high / _MOST_BINS - low / _MOST_BINS  # not the difference, which may overflow
    bars = ((values / width) - (low / width)).astype(np.int64).clip(0, _MOST_BINS - 1)
    cut = threshold / width - low / width
    return bars, float(np.clip(cut, 0, _MOST_BINS)), (low, high)
