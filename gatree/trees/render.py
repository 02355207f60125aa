"""Trees as text: scikit-learn's layout, a plain one like WEKA's, Graphviz's dot, and the way of one instance.

All of them write the branch that passes a test first, on the left. A test of an attribute with two values
names the value of each branch; true, yes or 1 is first, whichever of them the tree tests.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal, NamedTuple

from gatree.base.errors import DataError, brief, counted, visible
from gatree.data.answer import label as class_label
from gatree.data.attribute import Attribute
from gatree.data.dates import date_text
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import number, short

PALETTE = (
    "#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2",
    "#eeca3b", "#b279a2", "#ff9da6", "#9d755d", "#bab0ac",
    "#1b3a6b", "#a14a00", "#1e5c22", "#8f1d2c", "#12706f",
    "#97a800", "#5e2f7a", "#d6409f", "#4a2f1f", "#5a5a5a",
)  # fmt: skip
"""One colour per class, in their order; more classes start again from the first."""


SCALE = ("#c6dbef", "#084081")
"""The colours of the lowest and the highest number that a regression tree predicts."""


PASSED, FAILED = "\N{CHECK MARK}", "\N{BALLOT X}"
"""The labels of branches in pictures: no class is called so."""


def colour(class_index: int) -> str:
    """Return the colour of a class, as ``#rrggbb``."""
    return PALETTE[class_index % len(PALETTE)]


def number_text(attribute: Attribute, x: float, write: Callable[[float], str] = number) -> str:
    """Return a number of a numeric attribute: a date if the attribute is one."""
    return write(x) if attribute.date_format is None else date_text(attribute.date_format, x)


def threshold_text(model: DecisionTree, node: int, write: Callable[[float], str] = number) -> str:
    """Return the threshold of an inner node: a date if its attribute is one."""
    return number_text(model.attribute(node), model.threshold(node), write)


def label(model: DecisionTree, node: int) -> str:
    """Return the class that a leaf gives, or its number with six digits."""
    return short(model.prediction(node), 6) if model.is_regression else visible(model.label(node))


class Support(NamedTuple):
    """The training instances at a leaf."""

    n: int
    n_right: int | None  # of the leaf's class; None where numbers are predicted

    @property
    def text(self) -> str:
        """``3 of 5`` are right, or ``5 rows`` where numbers are predicted."""
        return counted(self.n, "row") if self.n_right is None else f"{self.n_right} of {self.n}"


def leaf_support(model: DecisionTree, leaf: int) -> Support | None:
    """Return the support of a leaf; None of a tree that does not know its training instances."""
    if model.counts is None:
        return None if model.numbers is None else Support(int(model.numbers.n[leaf]), None)
    counts = model.counts[leaf]
    n_right = None if model.is_regression else int(counts[model.tree.value[leaf]])
    return Support(int(counts.sum()), n_right)


def branches(
    model: DecisionTree, node: int, write: Callable[[float], str] = number, greater: str = "> "
) -> tuple[str, str]:
    """Return what holds on the left and on the right branch of an inner node; `write` writes thresholds."""
    attribute = model.attribute(node)
    name = visible(attribute.name)
    if attribute.is_nominal:
        category = visible(model.category(node))
        if len(attribute.values) == 2:
            return f"{name} = {category}", f"{name} = {visible(other_value(model, node))}"
        return f"{name} = {category}", f"{name} != {category}"
    threshold = threshold_text(model, node, write)
    return f"{name} <= {threshold}", f"{name} {greater}{threshold}"


def other_value(model: DecisionTree, node: int) -> str:
    """Return the value of two that a node does not test."""
    return model.attribute(node).values[1 - int(model.tree.value[node])]


def is_swapped(model: DecisionTree, node: int) -> bool:
    """Tell whether the branch that fails the test of an inner node is shown first."""
    first = model.attribute(node).first
    return first is not None and first != int(model.tree.value[node])


def question(model: DecisionTree, node: int, write: Callable[[float], str] = number) -> str:
    """Return what holds on the branch of an inner node that is shown first."""
    return branches(model, node, write)[is_swapped(model, node)]


def children(model: DecisionTree, node: int) -> tuple[int, int]:
    """Return the branches of an inner node in the order in which they are shown."""
    both = model.tree.left(node), model.tree.right(node)
    return (both[1], both[0]) if is_swapped(model, node) else both


def to_text(
    model: DecisionTree,
    style: Literal["plain", "sklearn"] = "plain",
    decimals: int | None = None,
    show_counts: bool = True,
) -> str:
    """Return a tree as text.

    Parameters
    ----------
    model : DecisionTree
    style : {"plain", "sklearn"}
        ``plain``: a line per branch, the class behind its colon, then the training instances there
        and how many of them have another class. ``sklearn``: the layout of ``sklearn.tree.export_text``.
    decimals : int, optional
        Digits behind a threshold's point; as many as it has by default.
    show_counts : bool
        Whether to show the class counts, or the number of rows of a regression tree's leaves.
    """
    lines = _plain if style == "plain" else _sklearn
    write = partial(number, decimals=decimals)
    return "\n".join(lines(model, write, show_counts)) + "\n"


def _lines(
    model: DecisionTree, write: Callable[[float], str], greater: str = "> "
) -> Iterator[tuple[int, str, int]]:
    """Yield all nodes in the order of a text: a node, the test that leads to it, and the tests before."""
    parents, depths = model.tree.parents().tolist(), model.tree.depths().tolist()
    pending = [0]
    while pending:
        node = pending.pop()
        parent, depth = parents[node], depths[node]
        yield node, branches(model, parent, write, greater)[node != parent + 1] if depth else "", depth - 1
        if not model.tree.is_leaf(node):
            pending += reversed(children(model, node))


def _plain(model: DecisionTree, write: Callable[[float], str], show_counts: bool) -> Iterator[str]:
    for node, test, level in _lines(model, write):
        leaf = _plain_leaf(model, node, show_counts) if model.tree.is_leaf(node) else ""
        if test:
            yield _indented(level) + test + leaf
        elif leaf:
            yield leaf.removeprefix(": ")


def _plain_leaf(model: DecisionTree, node: int, show_counts: bool) -> str:
    """Return a leaf's label, and its training instances if they are to be shown."""
    return f": {label(model, node)}{_plain_support(model, node) if show_counts else ''}"


def _plain_support(model: DecisionTree, node: int) -> str:
    """Return a leaf's rows, with those of other classes, or with the mean if shrinkage changes it."""
    numbers, support = model.numbers, leaf_support(model, node)
    if numbers is not None:
        mean = float(numbers.mean[node])
        is_shown = abs(model.prediction(node) - mean) <= _SAME * max(abs(mean), float(numbers.deviation[0]))
        return f" ({numbers.n[node]})" if is_shown else f" ({numbers.n[node]}, shrunk from {mean:.6g})"
    if support is None or support.n_right is None:
        return ""
    wrong = support.n - support.n_right
    return f" ({support.n}/{wrong})" if wrong else f" ({support.n})"


_SAME = 1e-4  # a mean that is this near, as a share, is shown by the prediction itself


def _sklearn(model: DecisionTree, write: Callable[[float], str], show_counts: bool) -> Iterator[str]:
    for node, test, level in _lines(model, write, greater=">  "):
        if test:
            yield f"{_indented(level)}|--- {test}"
        if model.tree.is_leaf(node):
            counts = ""
            if show_counts and model.counts is not None and not model.is_regression:
                counts = "weights: [" + ", ".join(f"{n:.2f}" for n in model.counts[node]) + "] "
            yield f"{_indented(level + 1)}|--- {counts}class: {label(model, node)}"


def _indented(level: int) -> str:
    """Return the beginning of a line; the lines of deep levels have their numbers instead of more bars."""
    return _INDENT * level if level <= _MOST_BARS else _INDENT * _MOST_BARS + f"[level {level}] "


_MOST_BARS = 200


MOST_LINES = 40
_INDENT = "|   "


def brief_text(tree: DecisionTree, most_lines: int = MOST_LINES) -> str:
    """Return a tree as text, down to the depth at which it fits, with what is left out."""
    lines = to_text(_with_short_names(tree)).splitlines()
    if len(lines) <= most_lines:
        return "\n".join(lines)
    depths = [_depth(line) for line in lines]
    most = next(d for d in range(max(depths), -1, -1) if d == 0 or sum(x <= d for x in depths) <= most_lines)
    kept: list[str] = []
    hidden = n_hidden = 0  # leaves below the last line, and all of them
    for line, depth, next_depth in zip([*lines, ""], [*depths, 0], [*depths[1:], 0, 0], strict=True):
        if depth > most:
            hidden += next_depth <= depth  # or it is a test
            continue
        if hidden:
            kept[-1] += f" ... {counted(hidden, 'leaf', 'leaves')}"
            n_hidden, hidden = n_hidden + hidden, 0
        kept.append(line)
    return "\n".join(
        [*kept[:-1], f"... {counted(n_hidden, 'more leaf', 'more leaves')}: --all, --picture FILE"]
    )


def _with_short_names(tree: DecisionTree) -> DecisionTree:
    """Return a tree to print, whose names and categories are not longer than a line."""
    shorter = [
        replace(each, name=brief(each.name), values=tuple(map(brief, each.values)))
        for each in (*tree.attributes, tree.class_attribute)
    ]
    return replace(tree, attributes=tuple(shorter[:-1]), class_attribute=shorter[-1])


def _depth(line: str) -> int:
    depth = 0
    while line.startswith(_INDENT, depth * len(_INDENT)):
        depth += 1
    return depth


def size_text(tree: DecisionTree) -> str:
    """Return the size of a tree in words."""
    return f"{counted(tree.n_nodes, 'node')}, {counted(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}"


def to_dot(model: DecisionTree) -> str:
    """Return a tree as a graph for Graphviz, leaves in the colours of their classes."""
    lines = [
        "digraph tree {",
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname=Helvetica];',
        "  edge [fontname=Helvetica];",
    ]
    for node in range(model.n_nodes):
        leaf = model.tree.is_leaf(node)
        words = label(model, node) if leaf else question(model, node)
        if model.counts is not None:
            words = f"{words}\n{model.counts[node].tolist()}".removeprefix("\n")
        text = json.dumps(words, ensure_ascii=False)  # Graphviz reads JSON's escapes
        if leaf:
            half_transparent = f"{colour(int(model.tree.value[node]))}80"
            lines.append(f'  {node} [label={text}, fillcolor="{half_transparent}"];')
            continue
        lines.append(f"  {node} [label={text}];")
        for child, answer in zip(children(model, node), (PASSED, FAILED), strict=True):
            lines.append(f'  {node} -> {child} [label="{answer}"];')
    return "\n".join([*lines, "}", ""])


def explain(model: DecisionTree, row: Mapping[str, object]) -> str:
    """Return how a tree comes to the class of a row, a line per test and one for the class.

    Parameters
    ----------
    model : DecisionTree
    row : mapping
        Values by the names of the attributes, such as a row of a frame. What is None, NaN or not there is
        missing. Dates are milliseconds since 1970 or have a ``timestamp``; those without a time zone are
        in UTC.
    """
    node, lines = 0, []
    while not model.tree.is_leaf(node):
        passed, words = _answer(model, node, row.get(model.attribute(node).name))
        lines.append(words)
        node = model.tree.left(node) if passed else model.tree.right(node)
    shares, support = "", leaf_support(model, node)
    if support is not None and support.n_right is not None:
        shares = f", as for {support.n_right} of the {support.n} training instances here"
    lines.append(f"so {model.class_attribute.name} is {label(model, node)}{shares}")
    return "".join(f"{visible(line)}\n" for line in lines)


def _answer(model: DecisionTree, node: int, value: Any) -> tuple[bool, str]:
    """Return whether a value passes the test of a node, and both in words."""
    attribute = model.attribute(node)
    if is_missing(value):
        wanted = model.category(node) if attribute.is_nominal else f"at most {threshold_text(model, node)}"
        return False, f"{attribute.name} is missing, so not {wanted}"
    if attribute.is_nominal:
        text = class_label(value)
        passed = text in attribute.spellings(model.category(node))
        is_clear = passed or (
            len(attribute.values) == 2 and text in attribute.spellings(other_value(model, node))
        )
        return passed, f"{attribute.name} is {text}" + ("" if is_clear else f", not {model.category(node)}")
    passed = comparable(attribute.name, value) <= model.threshold(node)
    relation = "at most" if passed else "above"
    return passed, f"{attribute.name} is {value}, {relation} {threshold_text(model, node)}"


def is_missing(value: Any) -> bool:
    """Tell whether a value is None, NaN, NaT or NA."""
    try:
        return value is None or bool(value != value)  # NaN and NaT are not equal to themselves
    except TypeError:
        return True  # pandas' NA is neither equal nor unequal


def comparable(name: str, value: Any) -> float:
    """Return a number, or a date in milliseconds since 1970, or raise a DataError."""
    if isinstance(value, datetime) and value.tzinfo is None:
        value = value.replace(tzinfo=UTC)  # as in frames, whatever the clock here shows
    try:
        number = value.timestamp() * 1000 if hasattr(value, "timestamp") else float(value)
    except (TypeError, ValueError):
        raise DataError(f"the tree compares {name!r} with numbers, but the row has {value!r}") from None
    if math.isinf(number):
        raise DataError(f"the row has an infinite {name!r}")
    return float(number)
