"""A tree as boxes: every node has its test or its class, and the classes of its training instances.

These are counts and a bar in the classes' colours; at the nodes of a regression tree they are the number of
samples, their mean, standard deviation and histogram. Boxes never overlap. Places, texts and colours of nodes
are shared with `gatree.trees.picture`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gatree.trees.drawing import (
    KEY_TO_BRANCHES,
    MOST_CHARACTERS,
    Shades,
    classes_that_occur,
    columns,
    cut,
    draw_box,
    draw_branch,
    draw_class_bar,
    lines_of_test,
    pale,
    short,
    style,
    whole_axes,
)
from gatree.trees.named_tree import NamedTree
from gatree.trees.numbers import NodeNumbers
from gatree.trees.render import FAILED, PASSED, colour, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Inches at full size. Axes are drawn in inches, from the leftmost leaf and from the root down.
_BOX_HEIGHT, _GAP_ACROSS, _GAP_DOWN = 0.74, 0.13, 0.5
_BAR_HEIGHT, _HISTOGRAM_HEIGHT, _MARGIN = 0.13, 0.2, 0.05
_NARROWEST_BOX, _LEGEND_ROW, _LEGEND_PATCH = 0.84, 0.2, 0.5
_FONT_POINTS = 8.5


def draw_boxes(
    model: NamedTree,
    ax: Axes | None = None,
    write: Callable[[float], str] = short,
    figure: Figure | None = None,
) -> Axes:
    """Draw a tree, in a figure of fitting size, or into axes, where all shrinks to fit."""
    drawing = (_Drawing if model.numbers is None else _NumberDrawing)(model, write)
    if ax is None:
        ax = whole_axes(drawing.inches, figure)
    drawing.draw(ax)
    return ax


@dataclass(frozen=True)
class _Drawing:
    """Where everything stands, in inches, and how it is drawn."""

    model: NamedTree
    write: Callable[[float], str]

    @property
    def bar_height(self) -> float:
        """The height of what is below a box's text: nothing if the tree has no counts."""
        return 0.0 if self.model.counts is None or self.model.is_regression else _BAR_HEIGHT

    @cached_property
    def classes(self) -> list[int]:
        return classes_that_occur(self.model)

    @cached_property
    def captions(self) -> list[list[str]]:
        return [self._caption(node) for node in range(self.model.n_nodes)]

    def _caption(self, node: int) -> list[str]:
        is_leaf = self.model.tree.is_leaf(node)
        lines = [self.prediction(node)] if is_leaf else lines_of_test(self.model, node, self.write)
        return lines + self.samples(node)

    def prediction(self, leaf: int) -> str:
        return cut(label(self.model, leaf))

    def samples(self, node: int) -> list[str]:
        """Return a line about the training instances, if they are known."""
        if self.model.counts is None:
            return []
        here = self.model.counts[node]
        if self.model.is_regression:
            return [f"n = {here.sum()}"]
        counts = " / ".join(map(str, here[self.classes].tolist()))
        return [counts if len(counts) <= MOST_CHARACTERS else f"n = {here.sum()}"]

    def face(self, leaf: int) -> Any:
        return pale(colour(int(self.model.tree.value[leaf])))

    @cached_property
    def box_width(self) -> float:
        widest = max(
            _text_width(line, bold=self.model.tree.is_leaf(node))
            for node, lines in enumerate(self.captions)
            for line in lines
        )
        return max(widest, _NARROWEST_BOX) + 4 * _MARGIN

    @cached_property
    def x(self) -> NDArray[np.float64]:
        return columns(self.model.tree) * (self.box_width + _GAP_ACROSS)

    @cached_property
    def y(self) -> NDArray[np.float64]:
        return self.model.tree.depths().astype(np.float64) * -(_BOX_HEIGHT + _GAP_DOWN)

    @property
    def inches(self) -> tuple[float, float]:
        wide = float(self.x.max()) + self.box_width + 2 * _GAP_ACROSS
        high = -float(self.y.min()) + _BOX_HEIGHT + 2 * _GAP_ACROSS
        wide = max(wide, self.narrowest)
        return wide, high + self.legend_height(wide) + self.key_height

    @property
    def narrowest(self) -> float:
        """The width of the widest of what stands above the tree."""
        key = 0.0 if self.key_height == 0 else _text_width(KEY_TO_BRANCHES) + 2 * _GAP_ACROSS
        return max(min(len(self.classes), 2) * self.legend_column, self.legend_title_width, key)

    @property
    def key_height(self) -> float:
        return 0.0 if self.model.n_nodes == 1 else _LEGEND_ROW

    @cached_property
    def legend_column(self) -> float:
        return _LEGEND_PATCH + max(_text_width(cut(self.model.class_values[i])) for i in self.classes)

    @property
    def legend_title_width(self) -> float:
        return _text_width(cut(self.model.class_attribute.name)) + 2 * _GAP_ACROSS

    def legend_columns(self, wide: float) -> int:
        return max(1, min(len(self.classes), int(wide / self.legend_column)))

    def legend_height(self, wide: float) -> float:
        return _LEGEND_ROW * (1.5 + ceil(len(self.classes) / self.legend_columns(wide)))

    def draw(self, ax: Axes) -> None:
        wide, high = self.inches
        given = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        points = _FONT_POINTS * min(1.0, given.width / wide, given.height / high)
        middle, bottom = float(self.x.max()) / 2, float(self.y.min()) - _BOX_HEIGHT / 2 - _GAP_ACROSS
        ax.set_xlim(middle - wide / 2, middle + wide / 2)
        ax.set_ylim(bottom, bottom + high)
        ax.axis("off")
        for node in range(self.model.n_nodes):
            if not self.model.tree.is_leaf(node):
                self.branch(ax, node, self.model.tree.left(node), PASSED, points)
                self.branch(ax, node, self.model.tree.right(node), FAILED, points)
            self.box(ax, node, points)
        self.legend(ax, points)
        if self.key_height:
            place = middle - wide / 2 + _GAP_ACROSS, (_BOX_HEIGHT + _LEGEND_ROW) / 2 + _GAP_ACROSS
            ax.text(*place, KEY_TO_BRANCHES, **style(points * 0.85, side="left"), color="0.35")

    def branch(self, ax: Axes, node: int, child: int, answer: str, points: float) -> None:
        x, (start, end) = self.x[[node, child]], self.y[[node, child]].tolist()
        draw_branch(ax, x, start, end, answer, points * 0.85)

    def box(self, ax: Axes, node: int, points: float) -> None:
        leaf = self.model.tree.is_leaf(node)
        left, bottom = self.x[node] - self.box_width / 2, self.y[node] - _BOX_HEIGHT / 2
        draw_box(ax, (left, bottom), self.box_width, _BOX_HEIGHT, self.face(node) if leaf else "white")
        raised = (self.bar_height + _MARGIN) / 2 if self.bar_height else 0.0
        bold = style(points, "bold" if leaf else "normal")
        ax.text(self.x[node], self.y[node] + raised, "\n".join(self.captions[node]), **bold, zorder=4)
        if self.bar_height:
            self.bar(ax, node, left + _MARGIN, bottom + _MARGIN)

    def bar(self, ax: Axes, node: int, left: float, bottom: float) -> None:
        assert self.model.counts is not None
        width = self.box_width - 2 * _MARGIN
        draw_class_bar(ax, (left, bottom), width, _BAR_HEIGHT, self.model.counts[node])

    def legend(self, ax: Axes, points: float) -> None:
        from matplotlib.patches import Patch

        legend = ax.legend(
            handles=[Patch(facecolor=colour(i), label=cut(self.model.class_values[i])) for i in self.classes],
            title=cut(self.model.class_attribute.name),
            loc="upper left",
            ncols=self.legend_columns(self.inches[0]),
            fontsize=points * 0.95,
            title_fontsize=points * 0.95,
            alignment="left",
            frameon=False,
            borderaxespad=0.2,
        )
        for text in (legend.get_title(), *legend.get_texts()):
            text.set_parse_math(False)


class _NumberDrawing(_Drawing):
    """The same of a regression tree."""

    @cached_property
    def shades(self) -> Shades:
        return Shades.of(self.model)

    @property
    def bar_height(self) -> float:
        return _HISTOGRAM_HEIGHT

    def prediction(self, leaf: int) -> str:
        return short(float(self.model.label(leaf)))

    @property
    def numbers(self) -> NodeNumbers:
        assert self.model.numbers is not None
        return self.model.numbers

    def samples(self, node: int) -> list[str]:
        mean = short(float(self.numbers.mean[node]))
        is_said = self.model.tree.is_leaf(node) and mean == self.prediction(node)
        mean = "" if is_said else f"mean {mean} "
        return [f"{mean}± {short(float(self.numbers.deviation[node]))}, n = {self.numbers.n[node]}"]

    def face(self, leaf: int) -> Any:
        return pale(self.shades.colour(float(self.model.label(leaf))))

    def bar(self, ax: Axes, node: int, left: float, bottom: float) -> None:
        size = self.box_width - 2 * _MARGIN, _HISTOGRAM_HEIGHT
        self.shades.histogram(ax, self.numbers, node, (left, bottom), size)

    @property
    def legend_column(self) -> float:
        return 0.0

    def legend_height(self, _wide: float) -> float:
        return 3 * _LEGEND_ROW

    def legend(self, ax: Axes, points: float) -> None:
        left, top = ax.get_xlim()[0] + _GAP_ACROSS, ax.get_ylim()[1]
        name = cut(self.model.class_attribute.name)
        ax.text(left, top - _LEGEND_ROW / 2, name, **style(points * 0.95, side="left"))
        self.shades.key(ax, left, top - 1.4 * _LEGEND_ROW, short, **style(points * 0.85))


def _text_width(text: str, bold: bool = False) -> float:
    """Return the width of a line of text at full size, in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    if not text.strip():
        return 0.0  # nothing is drawn, and matplotlib has no path for it
    font = FontProperties(weight="bold" if bold else "normal")
    plain = text.replace("\\", "/").replace("$", "S")  # as wide, and no formula
    return float(TextPath((0, 0), plain, size=_FONT_POINTS, prop=font).get_extents().width) / 72
