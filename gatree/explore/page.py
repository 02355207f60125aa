"""The page: its content, in one block of JSON, and one self-contained HTML file that fetches nothing.

The content is the columns, the trees of all sizes, their mistakes and the rows.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.base.files import write_whole
from gatree.data.attribute import Attribute, Column, missing
from gatree.data.dataset import Dataset
from gatree.data.screen import LeftOut
from gatree.explore.cross_validation import Baseline, CrossValidation, r2
from gatree.explore.find import Floats, Found
from gatree.trees.drawing import short
from gatree.trees.export.code import python_head
from gatree.trees.genome import LEAF
from gatree.trees.json_form import json_head
from gatree.trees.languages import LANGUAGES, WRITTEN, as_texts
from gatree.trees.model import DecisionTree
from gatree.trees.render import PALETTE, SCALE

_MOST_SHOWN = 12
_CALIBRATION_BINS = 10
_MOST_POINTS = 400


def of_classes(classes: NDArray[np.int32], given: NDArray[np.int32], confidence: Floats) -> dict[str, Any]:
    """Return the confusion matrix, the calibration and the most confident mistakes.

    The matrix is a list of (class, predicted class, number of rows) without empty cells.
    """
    pairs, n_rows = np.unique(np.stack([classes, given]), axis=1, return_counts=True)
    right = given == classes
    bins = np.minimum((confidence * _CALIBRATION_BINS).astype(int), _CALIBRATION_BINS - 1)
    calibration = [
        [round(float(confidence[here].mean()), 4), round(float(right[here].mean()), 4), int(here.sum())]
        for here in (bins == place for place in range(_CALIBRATION_BINS))
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
    some = np.linspace(0, len(target) - 1, min(_MOST_POINTS, len(target))).astype(int)
    by_size = np.argsort(-np.abs(residuals), kind="stable")[:_MOST_SHOWN]
    return {
        "worth": r2(target, given),
        "rmse": float(np.sqrt((residuals**2).mean())),
        "mae": float(np.abs(residuals).mean()),
        "points": [[float(f"{target[row]:.6g}"), float(f"{given[row]:.6g}")] for row in some],
        "worst": [[int(row), float(given[row]), float(residuals[row])] for row in by_size],
    }


_MOST_CELLS = 300_000  # in the rows of a page
_MOST_ROWS = 5_000
_MOST_COLUMNS = 60
_MOST_VALUES = 1_000  # of a column that no tree tests; further categories appear by number
_MOST_WRITTEN = 200  # values of a column that no tree tests, for tests that a reader adds
_LARGEST = float(np.finfo(np.float64).max)  # JSON has no infinity
_BINS = 16


@dataclass(frozen=True)
class Explored:
    """Everything that a page shows."""

    dataset: Dataset  # rows that have a class, and the columns that the trees were trained on
    found: Found
    target: Floats | None = None  # the numbers to predict, if they are not classes
    row_numbers: NDArray[np.intp] | None = None  # of every row in the original data, from 1 on
    n_without_class: int = 0
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()  # on the data, for the reader
    crossed: CrossValidation | None = None
    baselines: tuple[Baseline, ...] = ()
    command: str = ""  # the command that creates the page


def content(explored: Explored, with_rows: bool = True) -> dict[str, Any]:
    """Return the data that the page's script draws."""
    dataset, found = explored.dataset, explored.found
    judged, tested = _judged(explored), set(_tested(explored))
    page: dict[str, Any] = {
        "name": dataset.name,
        "target": _target(explored),
        "attributes": [_attribute(each, index in tested) for index, each in enumerate(dataset.attributes)],
        "heads": _heads(explored),
        "n_rows": dataset.n_instances,
        "folds": 0 if explored.crossed is None else explored.crossed.n_folds,
        "chosen": found.chosen,
        "sizes": [
            {
                "leaves": tree.n_leaves,
                "train": _worth(explored, index),
                "proven": tree.n_leaves in found.proven,
            }
            for index, tree in enumerate(found.trees)
        ],
        "trees": [_nodes(explored, index, counted=not with_rows) for index in range(len(found.trees))],
        "judged": judged,
        "rivals": [{"name": each.name, "points": each.points} for each in explored.baselines],
        "command": explored.command,
        "palette": PALETTE,
        "scale": SCALE,
        "rows": None,
    }
    if with_rows:
        page["rows"] = _rows(explored, judged)
    return page


def as_json(page: dict[str, Any]) -> str:
    """Return the block of JSON, escaped so that no text in it ends the block or begins a comment."""
    text = json.dumps(page, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text.encode("utf-8", "replace").decode()


def _target(explored: Explored) -> dict[str, Any]:
    dataset, target = explored.dataset, explored.target
    if target is None:
        return {
            "name": dataset.class_attribute.name,
            "values": dataset.class_values,
            "texts": {name: [*map(LANGUAGES[name].word, dataset.class_values)] for name in WRITTEN},
            "counts": dataset.class_counts.tolist(),
        }
    counts, edges = np.histogram(target, _BINS)
    return {
        "name": dataset.class_attribute.name,
        "mean": float(target.mean()),
        "sd": float(target.std()),
        "edges": [float(edge) for edge in edges],
        "counts": counts.tolist(),
    }


def _attribute(attribute: Attribute, is_tested: bool) -> dict[str, Any]:
    part: dict[str, Any] = {"name": attribute.name}
    if attribute.is_nominal:
        part["values"] = attribute.values if is_tested else attribute.values[:_MOST_VALUES]
    if attribute.date_format is not None:
        part["date"] = attribute.date_format
    if is_tested or len(attribute.values) <= _MOST_WRITTEN:
        part["texts"] = as_texts(attribute)
    return part


def _heads(explored: Explored) -> dict[str, str]:
    """Return how texts that the page writes begin; see `gatree.trees.languages`."""
    is_number, target = explored.target is not None, explored.dataset.class_attribute
    target = replace(target, kind="numeric", values=()) if is_number else target
    return {
        "rules": LANGUAGES["rules"].word(target.name),
        "python": python_head(is_number),
        "json": json_head(target, explored.dataset.attributes),
    }


def _worth(explored: Explored, index: int) -> float:
    """Return a tree's accuracy, or R2, on the training rows."""
    given, values = explored.found.predicted(index, explored.dataset)
    if explored.target is None:
        return float((given == explored.dataset.classes).mean())
    return float(of_numbers(explored.target, values)["worth"])


def _judged(explored: Explored) -> list[dict[str, Any]]:
    crossed, target = explored.crossed, explored.target
    if crossed is None:
        return []
    if target is None:
        classes = explored.dataset.classes
        return [of_classes(classes, *of_size) for of_size in zip(crossed.given, crossed.values, strict=True)]
    return [of_numbers(target, values) for values in crossed.values]


def _nodes(explored: Explored, index: int, counted: bool) -> dict[str, Any]:
    """Return a tree as parallel lists in preorder, with counts if the page has no rows."""
    model, means = explored.found.trees[index], explored.found.means
    nodes: dict[str, Any] = {
        "attribute": model.tree.attribute.tolist(),
        "value": [
            _value(model, node, None if means is None else means[index]) for node in range(model.n_nodes)
        ],
    }
    if means is not None:
        nodes["mean"] = means[index].tolist()
    if counted:
        nodes["counts"] = _counts(explored, index)
    return nodes


def _value(model: DecisionTree, node: int, means: Floats | None) -> float | int:
    """Return a threshold, the index of a category, or a leaf's prediction."""
    if model.tree.is_leaf(node):
        return int(model.tree.value[node]) if means is None else float(means[node])
    if model.attribute(node).is_nominal:
        return int(model.tree.value[node])
    return model.threshold(node)


def _counts(explored: Explored, index: int) -> list[list[float]]:
    """Return the class counts of every node or, for numbers, its rows, mean, deviation and histogram."""
    model, target = explored.found.trees[index], explored.target
    if target is None:
        assert model.counts is not None
        return [list(counts) for counts in model.counts.tolist()]
    reached = model.apply(explored.dataset)
    found: list[list[float]] = []
    for node in range(model.n_nodes):
        here = target[(reached >= node) & (reached < node + model.tree.span[node])]
        bins = np.histogram(here, _BINS, (float(target.min()), float(target.max())))[0]
        mean, deviation = (float(here.mean()), float(here.std())) if len(here) else (0.0, 0.0)
        found.append([len(here), mean, deviation, *bins.tolist()])
    return found


def _rows(explored: Explored, judged: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return all rows, or an evenly spaced sample, followed by the rows of listed mistakes.

    ``n`` does not count the rows that were added for mistakes only.
    """
    dataset = explored.dataset
    shown = _shown_columns(explored)
    n = dataset.n_instances
    n_shown = max(1, min(n, _MOST_ROWS, _MOST_CELLS // max(1, len(shown))))
    chosen = np.linspace(0, n - 1, n_shown).astype(np.intp) if n else np.zeros(0, dtype=np.intp)
    place = {int(row): at for at, row in enumerate(chosen)}
    more = list(dict.fromkeys(each[0] for one in judged for each in one["worst"] if each[0] not in place))
    for at, row in enumerate(more, len(chosen)):
        place[row] = at
    for one in judged:
        one["worst"] = [[place[row], *rest] for row, *rest in one["worst"]]
    rows = np.concatenate([chosen, np.array(more, dtype=np.intp)])
    numbers = np.arange(1, n + 1) if explored.row_numbers is None else explored.row_numbers
    target = explored.target
    return {
        "n": len(chosen),
        "numbers": numbers[rows].tolist(),
        "shown": shown,
        "columns": {str(index): _cells(dataset.columns[index][rows]) for index in shown},
        "target": (dataset.classes[rows] if target is None else target[rows]).tolist(),
    }


def _tested(explored: Explored) -> list[int]:
    tested = np.concatenate([tree.tree.attribute for tree in explored.found.trees])
    return [int(index) for index in np.unique(tested[tested != LEAF])]


def _shown_columns(explored: Explored) -> list[int]:
    """Return the columns that trees test, then others up to a limit."""
    first = _tested(explored)
    others = [index for index in range(explored.dataset.n_attributes) if index not in set(first)]
    return [*first, *others[: max(0, _MOST_COLUMNS - len(first))]]


def _cells(column: Column) -> list[Any]:
    """Return cells as JSON values: integers without a decimal point, null if missing."""
    if column.dtype.kind != "f":
        return [None if code < 0 else code for code in column.tolist()]
    gone = missing(column)
    bounded = np.clip(np.where(gone, 0.0, column), -_LARGEST, _LARGEST)
    return [
        None if is_gone else int(cell) if cell == int(cell) and abs(cell) < 2**53 else cell
        for cell, is_gone in zip(bounded.tolist(), gone.tolist(), strict=True)
    ]


_SCRIPTS = ("words.js", "tree.js", "draw.js", "front.js", "node.js", "mistakes.js", "explore.js")
_STYLES = ("explore.css",)


def page(explored: Explored, with_rows: bool = True) -> str:
    """Return the page as HTML."""
    from gatree.rendering.html import render_page  # imported here: `gatree evolve` needs no jinja2

    drawn_from = content(explored, with_rows)
    return render_page(
        "gatree.explore",
        "explore.html",
        _SCRIPTS,
        _STYLES,
        explored=explored,
        dataset=explored.dataset,
        drawn_from=drawn_from,
        is_number=explored.target is not None,
        short=short,
        tree_style=Markup(_tree_style()),
        block=Markup(as_json(drawn_from)),
    )


def write_page(explored: Explored, output: Path, with_rows: bool = True) -> None:
    """Write the page to a file."""
    try:
        write_whole(output, page(explored, with_rows))
    except OSError as error:
        raise DataError(f"{output}: cannot be written ({error.strerror})") from error


@dataclass(frozen=True)
class NotebookPage:
    """A page that a notebook shows in a separate frame; ``save`` writes it to a file."""

    text: str
    height: int = 900

    def _repr_html_(self) -> str:
        """Return the frame that a notebook shows."""
        style = f"width:100%;height:{self.height}px;border:0"
        allowed = "allow-scripts allow-downloads"
        page = html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{page}" style="{style}" sandbox="{allowed}"></iframe>'

    def __repr__(self) -> str:
        return f"<page of {len(self.text):,} characters; save(path) writes it>"

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        write_whole(Path(path), self.text)


def _tree_style() -> str:
    """Return the style of trees, which downloaded pictures include."""
    return files("gatree.explore").joinpath("templates", "tree.css").read_text(encoding="utf-8")
