"""Trees as text: scikit-learn's layout, a plain one like WEKA's, and Graphviz's dot.

All of them write the branch that passes a test first, on the left.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

from gatree.base.errors import visible
from gatree.data.dates import date_text
from gatree.trees.named_tree import NamedTree

PALETTE = (
    "#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2",
    "#eeca3b", "#b279a2", "#ff9da6", "#9d755d", "#bab0ac",
    "#1b3a6b", "#a14a00", "#1e5c22", "#8f1d2c", "#12706f",
    "#97a800", "#5e2f7a", "#d6409f", "#4a2f1f", "#5a5a5a",
)  # fmt: skip
"""One colour per class, in their order; more classes start again from the first."""


def colour(class_index: int) -> str:
    """Return the colour of a class, as ``#rrggbb``."""
    return PALETTE[class_index % len(PALETTE)]


def number(x: float, decimals: int | None = None) -> str:
    """Write a threshold with so many decimals, or with as few as it takes to read it back."""
    return f"{x:.{decimals}f}" if decimals is not None else repr(float(x)).removesuffix(".0")


def threshold_text(model: NamedTree, node: int, write: Callable[[float], str] = number) -> str:
    """Return the threshold of an inner node: a date if its attribute is one."""
    date_format, threshold = model.attribute(node).date_format, model.threshold(node)
    return write(threshold) if date_format is None else date_text(date_format, threshold)


def label(model: NamedTree, node: int) -> str:
    """Return the class that a leaf gives."""
    return visible(model.label(node))


def branches(
    model: NamedTree, node: int, write: Callable[[float], str] = number, greater: str = "> "
) -> tuple[str, str]:
    """Return what holds on the left and on the right branch of an inner node; `write` writes thresholds."""
    attribute = model.attribute(node)
    name = visible(attribute.name)
    if attribute.is_nominal:
        category = visible(model.category(node))
        return f"{name} = {category}", f"{name} != {category}"
    threshold = threshold_text(model, node, write)
    return f"{name} <= {threshold}", f"{name} {greater}{threshold}"


def to_text(
    model: NamedTree,
    style: Literal["plain", "sklearn"] = "plain",
    decimals: int | None = None,
    show_counts: bool = True,
) -> str:
    """Return a tree as text.

    Parameters
    ----------
    model : NamedTree
    style : {"plain", "sklearn"}
        ``plain``: a line per branch, the class behind its colon, then the training instances there
        and how many of them have another class. ``sklearn``: the layout of ``sklearn.tree.export_text``.
    decimals : int, optional
        Digits behind a threshold's point; as many as it has by default.
    show_counts : bool
        Whether to show the class counts, where the tree has them.
    """
    show_counts = show_counts and model.counts is not None
    lines = _plain if style == "plain" else _sklearn
    write = partial(number, decimals=decimals)
    return "\n".join(lines(model, write, show_counts)) + "\n"


def _visits(model: NamedTree) -> Iterator[tuple[int, int, int]]:
    """Visit nodes in preorder, and inner nodes again before their right child: (node, visit, level)."""
    stack = [(0, 0, 0)]
    while stack:  # not recursive: a tree may be deeper than Python's stack
        node, visit, level = stack.pop()
        yield node, visit, level
        if not model.tree.is_leaf(node):
            if visit == 0:
                stack += [(node, 1, level), (model.tree.left(node), 0, level + 1)]
            else:
                stack.append((model.tree.right(node), 0, level + 1))


def _plain(model: NamedTree, write: Callable[[float], str], show_counts: bool) -> Iterator[str]:
    if model.tree.is_leaf(0):
        yield _plain_leaf(model, 0, show_counts)
    for node, visit, level in _visits(model):
        if model.tree.is_leaf(node):
            continue
        child = (model.tree.left, model.tree.right)[visit](node)
        branch = "|   " * level + branches(model, node, write)[visit]
        yield branch + (_plain_leaf(model, child, show_counts) if model.tree.is_leaf(child) else "")


def _plain_leaf(model: NamedTree, node: int, show_counts: bool) -> str:
    if not show_counts or model.counts is None:
        return f": {label(model, node)}"
    n = int(model.counts[node].sum())
    wrong = n - int(model.counts[node, model.tree.value[node]])
    return f": {label(model, node)} ({n}/{wrong})" if wrong else f": {label(model, node)} ({n})"


def _sklearn(model: NamedTree, write: Callable[[float], str], show_counts: bool) -> Iterator[str]:
    for node, visit, level in _visits(model):
        indent = "|   " * level + "|--- "
        if not model.tree.is_leaf(node):
            yield indent + branches(model, node, write, greater=">  ")[visit]
            continue
        counts = ""
        if show_counts and model.counts is not None:
            counts = "weights: [" + ", ".join(f"{n:.2f}" for n in model.counts[node]) + "] "
        yield f"{indent}{counts}class: {label(model, node)}"


def to_dot(model: NamedTree) -> str:
    """Return a tree as a graph for Graphviz, leaves in the colours of their classes."""
    lines = [
        "digraph tree {",
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname=Helvetica];',
        "  edge [fontname=Helvetica];",
    ]
    for node in range(model.n_nodes):
        leaf = model.tree.is_leaf(node)
        text = _quoted(label(model, node) if leaf else branches(model, node)[0], _counts(model, node))
        if leaf:
            half_transparent = f"{colour(int(model.tree.value[node]))}80"
            lines.append(f'  {node} [label={text}, fillcolor="{half_transparent}"];')
            continue
        lines.append(f"  {node} [label={text}];")
        lines.append(f"  {node} -> {model.tree.left(node)} [label=yes];")
        lines.append(f"  {node} -> {model.tree.right(node)} [label=no];")
    return "\n".join([*lines, "}", ""])


def _counts(model: NamedTree, node: int) -> str:
    return "" if model.counts is None else str(model.counts[node].tolist())


def _quoted(*lines: str) -> str:
    """Return lines of text as one quoted label; Graphviz reads JSON's escapes of quotes and newlines."""
    return json.dumps("\n".join(line for line in lines if line), ensure_ascii=False)
