"""What the page draws, as JSON: the columns, the trees of all sizes, their mistakes and the rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gatree.data.answer import Classes, Numbers
from gatree.data.attribute import Attribute, Column, missing
from gatree.learners.comparison import OURS
from gatree.learners.measures import Floats, Judged, Measure, Predicted, Rows
from gatree.study.finding import Finding
from gatree.study.text import how_chosen, lost_text, smaller, summary
from gatree.trees.export.code import PYTHON_HELPERS, python_head
from gatree.trees.genome import LEAF
from gatree.trees.json_form import json_head
from gatree.trees.languages import LANGUAGES, WRITTEN, as_texts
from gatree.trees.model import DecisionTree
from gatree.trees.render import PALETTE, SCALE

_MOST_SHOWN = 12
_CALIBRATION_BINS = 10
_MOST_POINTS = 400
_MOST_SCORES = 200


class _OfSize(NamedTuple):
    """What a cross-validation shows of one size, and its worst predictions: a row of the data, and more."""

    fields: dict[str, object]
    worst: list[tuple[int, float, float]]

    def on(self, page_rows: Mapping[int, int]) -> dict[str, object]:
        """Return all of it, the rows of the worst predictions as they are numbered on the page."""
        return {**self.fields, "worst": [[page_rows.get(row, row), *rest] for row, *rest in self.worst]}


def of_classes(answer: Classes, predicted: Predicted, judged: Judged) -> _OfSize:
    """Return the confusion matrix, the calibration and the most confident mistakes.

    The matrix has a list per predicted class: that class, then the classes of its rows with their counts.
    """
    classes, given, confidence = answer.codes[predicted.rows], predicted.given, predicted.values
    right = given == classes
    bins = np.minimum((confidence * _CALIBRATION_BINS).astype(int), _CALIBRATION_BINS - 1)
    calibration = [
        [round(float(confidence[here].mean()), 4), round(float(right[here].mean()), 4), int(here.sum())]
        for here in (bins == place for place in range(_CALIBRATION_BINS))
        if here.any()
    ]
    wrong = np.flatnonzero(~right)
    worst = _first_shown(predicted.rows, wrong[np.argsort(-confidence[wrong], kind="stable")])
    fields = {
        **_figures(judged),
        "balanced": judged.balanced,
        "confusion": [
            [label, *_sparse(np.bincount(classes[given == label]).tolist())]
            for label in np.unique(given).tolist()
        ],
        "calibration": calibration,
    }
    return _OfSize(
        fields, [(int(predicted.rows[at]), int(given[at]), round(float(confidence[at]), 4)) for at in worst]
    )


def of_numbers(answer: Numbers, predicted: Predicted, judged: Judged) -> _OfSize:
    """Return R2, mean errors, pairs of actual and predicted numbers, and the largest residuals."""
    actual, given = answer.values[predicted.rows], predicted.values
    residuals = actual - given
    some = np.linspace(0, len(actual) - 1, min(_MOST_POINTS, len(actual))).astype(int)
    by_size = _first_shown(predicted.rows, np.argsort(-np.abs(residuals), kind="stable"))
    fields = {
        **_figures(judged),
        "rmse": judged.rmse,
        "mae": judged.mae,
        "points": [[float(f"{actual[row]:.6g}"), float(f"{given[row]:.6g}")] for row in some],
    }
    return _OfSize(
        fields, [(int(predicted.rows[at]), float(given[at]), float(residuals[at])) for at in by_size]
    )


def _first_shown(rows: Rows, order: Rows) -> Rows:
    """Return the first places in an order, each row once, although it may have been held out twice."""
    _, first = np.unique(rows[order], return_index=True)
    return order[np.sort(first)][:_MOST_SHOWN]


def _figures(judged: Judged) -> dict[str, object]:
    return {"worth": judged.worth, "error": judged.error, "n": judged.n, **judged.of_probabilities}


_MOST_CELLS = 300_000  # in the rows of a page
_MOST_ROWS = 5_000
_MOST_COLUMNS = 60
_MOST_VALUES = 1_000  # of a column that no tree tests; further categories appear by number
_MOST_WRITTEN = 200  # values of a column that no tree tests, for tests that a reader adds
_LARGEST = float(np.finfo(np.float64).max)  # JSON has no infinity
_BINS = 16


def content(finding: Finding, with_rows: bool = True) -> dict[str, object]:
    """Return the data that the page's script draws."""
    dataset, found, crossed = finding.dataset, finding.searched, finding.crossed
    judged, tested = _judged(finding), set(_tested(finding))
    sample, n_sampled = _rows_on_page(finding, judged)
    place = {int(row): at for at, row in enumerate(sample)} if with_rows else {}
    written = set(_shown_columns(finding)) if with_rows else tested  # in tests that a reader may add
    page: dict[str, object] = {
        "name": dataset.name,
        "target": _target(finding),
        "measure": finding.measure.name,
        "terms": finding.measure.terms,
        "shows_classes": finding.measure.shows_classes,
        "shrinkage": found.shrinkage,
        "gains": None if finding.measure.gains is None else finding.measure.gains.tolist(),
        "attributes": [
            _attribute(each, spread, index in tested, index in written)
            for index, (each, spread) in enumerate(
                zip(dataset.attributes, dataset.spreads.tolist(), strict=True)
            )
        ],
        "heads": _heads(finding),
        "n_rows": dataset.n_instances,
        "folds_text": "" if crossed is None else crossed.folds.text,
        "chosen": found.chosen,
        "scoring": finding.request.settings.scoring,
        "how_chosen": how_chosen(finding),
        "best": None if crossed is None else crossed.best,
        "smaller": [[index, lost_text(finding, lost)] for index, lost in smaller(finding)],
        "within": None if crossed is None else crossed.within_one_error,
        "sizes": [
            {
                "leaves": tree.n_leaves,
                "train": finding.training[index].worth,
                "proven": tree.n_leaves in found.proven,
            }
            for index, tree in enumerate(found.trees)
        ],
        "judged": [one.on(place) for one in judged],
        "procedure": _procedure(finding),
        "rivals": [
            {
                "name": each.name,
                "leaves": each.n_leaves,
                "is_ours": each.name == OURS,
                "tried": each.tried_on,
                **_figures(each.judged),
            }
            if each.judged is not None
            else {"name": each.name, "why_not": each.why_not}
            for each in finding.baselines or ()
        ],
        "comparing": finding.is_comparing,
        "summary": summary(finding),
        "command": finding.request.command,
        "palette": PALETTE,
        "scale": SCALE,
        "rows": _rows(finding, sample, n_sampled) if with_rows else None,
    }
    sampled = not with_rows or n_sampled < dataset.n_instances
    numbers = found.numbers or (None,) * len(found.trees)
    page["trees"] = [
        _nodes(finding, *tree, counted=sampled) for tree in zip(found.trees, numbers, strict=True)
    ]
    page["firsts"] = [
        {
            "attribute": each.attribute,
            "worth": each.worth,
            "tree": _nodes(finding, each.tree, each.numbers, counted=sampled),
        }
        for each in finding.firsts
    ]
    return page


def _procedure(finding: Finding) -> dict[str, object] | None:
    """Return what the cross-validation of the whole procedure shows."""
    crossed = finding.crossed
    if crossed is None:
        return None
    return {
        **_figures(crossed.procedure),
        "leaves": crossed.n_leaves,
        "first": crossed.first_tests(),
        "importance": [[each.attribute, each.lost, each.spread] for each in crossed.importance],
        "balanced": crossed.procedure.balanced,
        "roc": _scores(finding.measure, crossed.predicted, crossed.scores),
    }


def _scores(measure: Measure, predicted: Predicted, scores: Floats) -> list[list[float]] | None:
    """Return, for two classes, the rows of both by the score of the second, the highest score first."""
    if not len(scores):
        return None
    classes = measure.dataset.classes[predicted.rows]
    levels, place = np.unique(-scores, return_inverse=True)
    if len(levels) > _MOST_SCORES:
        place = place * _MOST_SCORES // len(levels)
    n = int(place.max()) + 1
    positive = np.bincount(place, classes == 1, n).astype(int).tolist()
    negative = np.bincount(place, classes == 0, n).astype(int).tolist()
    return [list(pair) for pair in zip(positive, negative, strict=True)]


def as_json(page: dict[str, object]) -> str:
    """Return the block of JSON, escaped so that no text in it ends the block or begins a comment."""
    text = json.dumps(page, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text.encode("utf-8", "replace").decode()


def _target(finding: Finding) -> dict[str, object]:
    answer = finding.dataset.answer
    if isinstance(answer, Classes):
        values = answer.attribute.values
        return {
            "name": answer.name,
            "values": values,
            "texts": {name: [*map(LANGUAGES[name].word, values)] for name in WRITTEN},
            "counts": answer.counts.tolist(),
        }
    counts, edges = np.histogram(answer.values, _BINS)
    return {
        "name": answer.name,
        "mean": float(answer.values.mean()),
        "sd": float(answer.values.std()),
        "edges": [float(edge) for edge in edges],
        "counts": counts.tolist(),
    }


def _attribute(attribute: Attribute, spread: float, is_tested: bool, is_written: bool) -> dict[str, object]:
    part: dict[str, object] = {"name": attribute.name}
    if attribute.is_nominal:
        part["values"] = attribute.values if is_tested else attribute.values[:_MOST_VALUES]
    if attribute.first is not None:
        part["first"] = attribute.first
    if not np.isnan(spread):
        part["spread"] = spread
    if attribute.date_format is not None:
        part["date"] = attribute.date_format
    if is_tested or (is_written and len(attribute.values) <= _MOST_WRITTEN):
        part["texts"] = as_texts(attribute)
    return part


def _heads(finding: Finding) -> dict[str, object]:
    """Return how texts that the page writes begin; see `gatree.trees.languages`."""
    dataset, answer = finding.dataset, finding.dataset.answer
    return {
        "rules": LANGUAGES["rules"].word(answer.name),
        "python": python_head(finding.tree.is_regression),
        "helpers": list(PYTHON_HELPERS.items()),
        "json": json_head(answer.attribute, dataset.attributes, dataset.spreads, finding.tree.shrinkage),
    }


def _judged(finding: Finding) -> list[_OfSize]:
    crossed, answer = finding.crossed, finding.dataset.answer
    if crossed is None:
        return []
    by_size = zip(crossed.by_size, crossed.sizes, strict=True)
    if isinstance(answer, Classes):
        return [of_classes(answer, *of_size) for of_size in by_size]
    return [of_numbers(answer, *of_size) for of_size in by_size]


def _nodes(finding: Finding, model: DecisionTree, numbers: Floats | None, counted: bool) -> dict[str, object]:
    """Return a tree as parallel lists in preorder, with counts if the page has not all rows."""
    nodes: dict[str, object] = {
        "attribute": model.tree.attribute.tolist(),
        "value": [_value(model, node, numbers) for node in range(model.n_nodes)],
    }
    if numbers is not None:
        nodes["mean"] = numbers.tolist()
    if counted:
        nodes["counts"] = _counts(finding, model)
    return nodes


def _value(model: DecisionTree, node: int, means: Floats | None) -> float | int:
    """Return a threshold, the index of a category, or a leaf's prediction."""
    if model.tree.is_leaf(node):
        return int(model.tree.value[node]) if means is None else float(means[node])
    if model.attribute(node).is_nominal:
        return int(model.tree.value[node])
    return model.threshold(node)


def _counts(finding: Finding, model: DecisionTree) -> list[list[float]]:
    """Return the class counts of every leaf or, for numbers, the figures of every node.

    Inner nodes have no class counts, which are the sums of those below. The figures are the number of rows,
    their mean and deviation, and their histogram.
    """
    answer = finding.dataset.answer
    if isinstance(answer, Classes):
        assert model.counts is not None
        by_node = enumerate(model.counts.tolist())
        return [_sparse(counts) if model.tree.is_leaf(node) else [] for node, counts in by_node]
    reached = model.apply(finding.dataset)
    lowest, highest = float(answer.values.min()), float(answer.values.max())
    found: list[list[float]] = []
    for node in range(model.n_nodes):
        here = answer.values[(reached >= node) & (reached < node + model.tree.span[node])]
        bins = np.histogram(here, _BINS, (lowest, highest))[0]
        mean, deviation = (float(here.mean()), float(here.std())) if len(here) else (0.0, 0.0)
        found.append([len(here), mean, deviation, *bins.tolist()])
    return found


def _sparse(counts: list[int]) -> list[float]:
    """Return the classes that occur, each followed by its count."""
    return [number for label, count in enumerate(counts) if count for number in (label, count)]


def _rows_on_page(finding: Finding, judged: Sequence[_OfSize]) -> tuple[Rows, int]:
    """Return all rows, or a sample of evenly spaced ones, with the rows of listed mistakes; and its size.

    The size does not count the rows that were added for mistakes only.
    """
    n, n_columns = finding.dataset.n_instances, len(_shown_columns(finding))
    n_sampled = max(1, min(n, _MOST_ROWS, _MOST_CELLS // max(1, n_columns)))
    sample = np.linspace(0, n - 1, n_sampled).astype(np.intp) if n else np.zeros(0, dtype=np.intp)
    sampled = set(sample.tolist())
    more = dict.fromkeys(row for one in judged for row, *_ in one.worst if row not in sampled)
    return np.concatenate([sample, np.array([*more], dtype=np.intp)]), len(sample)


def _rows(finding: Finding, rows: Rows, n_sampled: int) -> dict[str, object]:
    """Return the cells of rows, of which the first are all rows or a sample."""
    dataset, shown = finding.dataset, _shown_columns(finding)
    numbers = finding.row_numbers
    if numbers is None:
        numbers = np.arange(1, dataset.n_instances + 1)
    return {
        "n": n_sampled,
        "numbers": numbers[rows].tolist(),
        "shown": shown,
        "columns": {str(index): _cells(dataset.columns[index][rows]) for index in shown},
        "target": dataset.answer.column[rows].tolist(),
        "others": [
            {"name": each.name, "cells": [_whole(cell) for cell in each.cells[numbers[rows] - 1].tolist()]}
            for each in finding.request.left_out
            if each.cells is not None
        ],
    }


def _whole(cell: object) -> object:
    """Return an identifier without a decimal point."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _tested(finding: Finding) -> list[int]:
    trees = (*finding.searched.trees, *(each.tree for each in finding.firsts))
    tested = np.concatenate([tree.tree.attribute for tree in trees])
    return [int(index) for index in np.unique(tested[tested != LEAF])]


def _shown_columns(finding: Finding) -> list[int]:
    """Return the columns that trees test, then others up to a limit."""
    first = _tested(finding)
    others = [index for index in range(finding.dataset.n_attributes) if index not in set(first)]
    return [*first, *others[: max(0, _MOST_COLUMNS - len(first))]]


def _cells(column: Column) -> list[float | None]:
    """Return cells as JSON values: integers without a decimal point, null if missing."""
    if column.dtype.kind != "f":
        return [None if code < 0 else code for code in column.tolist()]
    gone = missing(column)
    bounded = np.clip(np.where(gone, 0.0, column), -_LARGEST, _LARGEST)
    return [
        None if is_gone else int(cell) if cell == int(cell) and abs(cell) < 2**53 else cell
        for cell, is_gone in zip(bounded.tolist(), gone.tolist(), strict=True)
    ]
