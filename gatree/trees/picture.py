"""The drawing of a tree: a box per node with its test or its prediction, and what is known of its instances.

A box has a line about the training instances and, of a tree of classes, a bar of their classes. The page of
`gatree explore` has charts of the data at every node.

Boxes never overlap. Everything stands in inches, from the leftmost leaf and from the root down, and shrinks
to fit into given axes.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import visible
from gatree.base.extras import extras
from gatree.trees.genome import LEAF, Tree
from gatree.trees.model import DecisionTree
from gatree.trees.nodes import upper_levels
from gatree.trees.numbers import short
from gatree.trees.render import FAILED, PASSED, SCALE, children, colour, is_swapped, label, question

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Colour = tuple[float, float, float]
Pair = tuple[float, float]

MOST_CHARACTERS = 24  # in a line of a box
KEY_TO_BRANCHES = f"{PASSED} the test holds   {FAILED} it does not, or the value is missing"
MISSING_TOO = " or missing"

# Inches at full size.
_LINE, _MARGIN, _GAP_ACROSS, _GAP_DOWN = 0.16, 0.05, 0.13, 0.42
_BAR, _NARROWEST_BOX = 0.13, 0.84
_LEGEND_ROW, _LEGEND_PATCH = 0.2, 0.5
_KEY_WIDTH, _KEY_HEIGHT, _KEY_STEPS = 1.6, 0.12, 32
_POINTS, _SMALL = 8.5, 7.0


def draw_tree(
    model: DecisionTree,
    ax: Axes | None = None,
    write: Callable[[float], str] = short,
    figure: Figure | None = None,
    max_depth: int | None = None,
) -> Axes:
    """Draw a tree into axes, or else in a figure of fitting size, a new one that pyplot does not know.

    Below ``max_depth`` nothing is drawn.
    """
    with extras():
        from matplotlib.figure import Figure  # not pyplot: no window, no global state, nothing to close

    shown, ended = (model, {}) if max_depth is None else upper_levels(model, max_depth)
    picture = _Picture(shown, write, model, ended)
    if ax is None:
        figure = figure or Figure()
        figure.set_size_inches(*picture.inches)
        ax = figure.add_axes((0, 0, 1, 1))
    picture.draw(ax)
    return ax


def to_svg(model: DecisionTree) -> str:
    """Return a picture as an SVG element, to be put into a page or a notebook."""
    from matplotlib import rc_context

    text, figure = io.StringIO(), draw_tree(model).get_figure(root=True)
    assert figure is not None
    with rc_context({"svg.fonttype": "path"}):
        figure.savefig(text, format="svg")
    return text.getvalue()[text.getvalue().index("<svg") :]


@dataclass(frozen=True)
class _Picture:
    """Where everything stands, and how it is drawn."""

    model: DecisionTree
    write: Callable[[float], str]
    whole: DecisionTree
    ended: dict[int, int]  # leaves that are tests of the whole tree, by its nodes

    @cached_property
    def predicted(self) -> Pair:
        """The lowest and the highest number that a regression tree predicts."""
        numbers = [*map(self.model.prediction, np.flatnonzero(self.model.tree.attribute == LEAF).tolist())]
        return min(numbers), max(numbers)

    def colour(self, index: int, number: float | None) -> Colour:
        """Return the colour of a class, or of a regression tree's number: pale if low, strong if high."""
        from matplotlib.colors import to_rgb

        if number is None or not self.model.is_regression:
            return to_rgb(colour(index))
        (low, high), ends = self.predicted, zip(*map(to_rgb, SCALE), strict=True)
        share = float(np.clip((number - low) / (high - low), 0, 1)) if high > low else 0.5
        red, green, blue = (pale + (strong - pale) * share for pale, strong in ends)
        return red, green, blue

    @cached_property
    def classes(self) -> list[int]:
        """The classes of the training instances and of the leaves."""
        seen = np.bincount(
            self.model.tree.value[self.model.tree.attribute == LEAF], minlength=self.model.n_classes
        )
        return np.flatnonzero(seen if self.model.counts is None else seen + self.model.counts[0]).tolist()

    @cached_property
    def captions(self) -> list[list[str]]:
        """The lines of every box."""
        return [[*self._saying(node), *self._samples(node)] for node in range(self.model.n_nodes)]

    def _saying(self, node: int) -> list[str]:
        """Return a leaf's prediction, or a test, with the leaves below it that are not drawn."""
        if node in self.ended:
            n_leaves = (int(self.whole.tree.span[self.ended[node]]) + 1) // 2
            return [*self._test(self.whole, self.ended[node]), f"… {n_leaves} leaves below"]
        return [self._prediction(node)] if self.model.tree.is_leaf(node) else self._test(self.model, node)

    def _test(self, model: DecisionTree, node: int) -> list[str]:
        """Return a test, in two lines if it is long: its value is not cut off."""
        test, name = question(model, node, self.write), visible(model.attribute(node).name)
        return [test] if len(test) <= MOST_CHARACTERS else [_cut(name), _cut(test[len(name) + 1 :])]

    def _is_leaf(self, node: int) -> bool:
        return self.model.tree.is_leaf(node) and node not in self.ended

    def _prediction(self, leaf: int) -> str:
        regression = self.model.is_regression
        return short(self.model.prediction(leaf)) if regression else _cut(label(self.model, leaf))

    def _samples(self, node: int) -> list[str]:
        """Return a line about the training instances, if they are known."""
        numbers, counts, n = self.model.numbers, self.model.counts, self.model.n_rows
        if n is None:
            return []
        line = f"n = {n[node]}"
        if numbers is not None:
            mean = short(float(numbers.mean[node]))
            is_said = self._is_leaf(node) and mean == self._prediction(node)
            line = f"{'' if is_said else f'mean {mean}, '}sd {short(float(numbers.deviation[node]))}, {line}"
        elif counts is not None and not self.model.is_regression:
            by_class = " / ".join(map(str, counts[node, self.classes].tolist()))
            line = by_class if len(by_class) <= MOST_CHARACTERS else line
        return [line]

    @cached_property
    def box_width(self) -> float:
        widest = max(
            _text_width(line, bold=self._is_leaf(node))
            for node, lines in enumerate(self.captions)
            for line in lines
        )
        return max(widest, _NARROWEST_BOX) + 4 * _MARGIN

    @cached_property
    def heights(self) -> NDArray[np.float64]:
        bar = _BAR + _MARGIN if self.has_bars else 0.0
        return np.array([len(lines) * _LINE for lines in self.captions]) + bar + 2 * _MARGIN

    @property
    def has_bars(self) -> bool:
        return self.model.counts is not None and not self.model.is_regression

    @cached_property
    def x(self) -> NDArray[np.float64]:
        """The middle of every box."""
        swapped = [
            not self.model.tree.is_leaf(i) and is_swapped(self.model, i) for i in range(self.model.n_nodes)
        ]
        return columns(self.model.tree, swapped) * (self.box_width + _GAP_ACROSS)

    @cached_property
    def top(self) -> NDArray[np.float64]:
        """Where every box begins, downward from zero."""
        return self.model.tree.depths().astype(np.float64) * -(float(self.heights.max()) + _GAP_DOWN)

    @cached_property
    def inches(self) -> Pair:
        widths = [
            float(self.x.max()) + self.box_width,
            _text_width(_cut(self.model.class_attribute.name)),
            0.0 if self.model.n_nodes == 1 else _text_width(KEY_TO_BRANCHES),
            min(len(self.classes), 2) * self.legend_column,
        ]
        wide = max(widths) + 2 * _GAP_ACROSS
        return wide, self.legend_height(wide) + _LEGEND_ROW + 2 * _GAP_ACROSS - float(
            (self.top - self.heights).min()
        )

    @cached_property
    def legend_column(self) -> float:
        if self.model.is_regression:
            return _KEY_WIDTH / 2
        return _LEGEND_PATCH + max(_text_width(_cut(self.model.class_values[i])) for i in self.classes)

    def legend_columns(self, wide: float) -> int:
        return max(1, min(len(self.classes), int(wide / self.legend_column)))

    def legend_height(self, wide: float) -> float:
        rows = 1.5 if self.model.is_regression else ceil(len(self.classes) / self.legend_columns(wide))
        return _LEGEND_ROW * (1.5 + rows)

    def draw(self, ax: Axes) -> None:
        wide, high = self.inches
        given = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        scale = min(1.0, given.width / wide, given.height / high)
        left, top = float(self.x.max()) / 2 - wide / 2, self.legend_height(wide) + _LEGEND_ROW + _GAP_ACROSS
        ax.set_xlim(left, left + wide)
        ax.set_ylim(top - high, top)
        ax.axis("off")
        for node in range(self.model.n_nodes):
            if not self.model.tree.is_leaf(node):
                first, second = children(self.model, node)
                takes_missing = MISSING_TOO if is_swapped(self.model, node) else ""
                self._branch(ax, node, first, PASSED + takes_missing, scale)
                self._branch(ax, node, second, FAILED, scale)
            self._box(ax, node, scale)
        self._legend(ax, left + _GAP_ACROSS, top, scale)
        if self.model.n_nodes > 1:
            place = left + _GAP_ACROSS, _GAP_ACROSS + _LEGEND_ROW / 2
            ax.text(*place, KEY_TO_BRANCHES, **_style(_SMALL * scale, side="left"), color="0.35")

    def _branch(self, ax: Axes, node: int, child: int, answer: str, scale: float) -> None:
        """Draw the line from a test down to a branch, with the answer on it."""
        x, start, end = self.x[[node, child]], self.top[node] - self.heights[node], self.top[child]
        turn = float(end) + _GAP_DOWN / 2
        ax.plot([x[0], x[0], x[1], x[1]], [start, turn, turn, end], color="0.6", linewidth=1, zorder=1)
        white = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"}
        ax.text(x[1], turn, answer, **_style(_SMALL * scale), color="0.35", bbox=white, zorder=2)

    def _box(self, ax: Axes, node: int, scale: float) -> None:
        from matplotlib.patches import FancyBboxPatch

        lines, is_leaf = self.captions[node], self._is_leaf(node)
        left, bottom = self.x[node] - self.box_width / 2, self.top[node] - self.heights[node]
        if is_leaf:  # the colour of its prediction, mixed with white
            number = self.model.prediction(node) if self.model.is_regression else None
            strong = self.colour(int(self.model.tree.value[node]), number)
        face = [(part + 2) / 3 for part in strong] if is_leaf else "white"
        style = "round,pad=0,rounding_size=0.08"
        look: dict[str, Any] = {"facecolor": face, "edgecolor": "0.35", "zorder": 3}
        ax.add_patch(FancyBboxPatch((left, bottom), self.box_width, self.heights[node], style, **look))
        words = _style(_POINTS * scale, "bold" if is_leaf else "normal")
        middle = self.top[node] - _MARGIN - len(lines) * _LINE / 2
        ax.text(self.x[node], middle, "\n".join(lines), **words, zorder=4)
        if self.has_bars:
            self._bar(ax, node, (left + _MARGIN, bottom + _MARGIN))

    def _bar(self, ax: Axes, node: int, corner: Pair) -> None:
        """Draw the share of every class, from left to right."""
        assert self.model.counts is not None
        (left, bottom), width, counts = corner, self.box_width - 2 * _MARGIN, self.model.counts[node]
        for index in np.flatnonzero(counts).tolist():
            share = width / int(counts.sum()) * int(counts[index])
            _rectangle(ax, (left, bottom), share, _BAR, colour(index))
            left += share

    def _legend(self, ax: Axes, left: float, top: float, scale: float) -> None:
        from matplotlib.patches import Patch

        title, points = _cut(self.model.class_attribute.name), _POINTS * 0.95 * scale
        if self.model.is_regression:
            ax.text(left, top - _LEGEND_ROW / 2, title, **_style(points, side="left"))
            self._key(ax, left, top - 1.4 * _LEGEND_ROW, _SMALL * scale)
            return
        legend = ax.legend(
            handles=[
                Patch(facecolor=colour(i), label=_cut(self.model.class_values[i])) for i in self.classes
            ],
            title=title,
            loc="upper left",
            ncols=self.legend_columns(self.inches[0]),
            fontsize=points,
            title_fontsize=points,
            alignment="left",
            frameon=False,
            borderaxespad=0.2,
        )
        for text in (legend.get_title(), *legend.get_texts()):
            text.set_parse_math(False)

    def _key(self, ax: Axes, left: float, middle: float, points: float) -> None:
        """Draw the scale of the numbers with its ends, from a place on to the right."""
        if self.predicted[0] == self.predicted[1]:
            return
        for end, x, side in zip(self.predicted, (left, left + _KEY_WIDTH), ("left", "right"), strict=True):
            ax.text(x, middle - _KEY_HEIGHT, short(end), **_style(points, side=side) | {"va": "top"})
        for step, number in enumerate(np.linspace(*self.predicted, _KEY_STEPS).tolist()):
            width = _KEY_WIDTH / _KEY_STEPS
            corner = left + step * width, middle - _KEY_HEIGHT / 2
            _rectangle(ax, corner, width * 1.02, _KEY_HEIGHT, self.colour(0, number))


def columns(tree: Tree, swapped: Sequence[bool]) -> NDArray[np.float64]:
    """Return where nodes stand, one apart at least: a test in the middle above its branches.

    The two branches move together until they touch on some level; a branch's outline is the
    places of its outermost nodes, level by level.
    """
    aside = np.zeros(tree.n_nodes)  # from the parent
    outlines: dict[int, tuple[list[float], list[float]]] = {}
    for node in range(tree.n_nodes - 1, -1, -1):
        outlines[node] = [0.0], [0.0]
        if not tree.is_leaf(node):
            first, second = tree.left(node), tree.right(node)
            first, second = (second, first) if swapped[node] else (first, second)
            left, right = outlines.pop(first), outlines.pop(second)
            half = (1 + max(a - b for a, b in zip(left[1], right[0], strict=False))) / 2
            aside[first], aside[second] = -half, half
            leftmost = [x - half for x in left[0]] + [x + half for x in right[0][len(left[0]) :]]
            rightmost = [x + half for x in right[1]] + [x - half for x in left[1][len(right[1]) :]]
            outlines[node] = [0.0, *leftmost], [0.0, *rightmost]
    for inner in np.flatnonzero(tree.attribute != LEAF).tolist():
        aside[[tree.left(inner), tree.right(inner)]] += aside[inner]
    return np.asarray(aside - aside.min())


def _cut(text: str) -> str:
    """Return a text that fits into a line of a box."""
    text = visible(text)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _style(points: float, weight: str = "normal", side: str = "center") -> dict[str, Any]:
    """Return the style of a text of a given size."""
    return {"ha": side, "va": "center", "fontsize": points, "fontweight": weight, "parse_math": False}


def _rectangle(ax: Axes, corner: Pair, width: float, height: float, face: Any) -> None:
    """Draw a filled rectangle without an edge."""
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle(corner, width, height, facecolor=face, linewidth=0, zorder=4))


def _text_width(text: str, bold: bool = False) -> float:
    """Return the width of a line of text at full size, in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    if not text.strip():
        return 0.0  # nothing is drawn, and matplotlib has no path for it
    font = FontProperties(weight="bold" if bold else "normal")
    plain = text.replace("\\", "/").replace("$", "S")  # as wide, and no formula
    return float(TextPath((0, 0), plain, size=_POINTS, prop=font).get_extents().width) / 72
