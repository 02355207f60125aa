"""`gatree evolve` where the class is a quantity: a regression tree, and what it is worth."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import click

from gatree.base.errors import counted
from gatree.cli.output import print_json, print_labelled, size_fields, size_text, time_text
from gatree.cli.predicting import Steps
from gatree.data.dataset import Dataset
from gatree.explore.cross_validation import Baseline
from gatree.explore.explore import explore
from gatree.explore.find import Floats
from gatree.explore.page import of_numbers
from gatree.front.settings import FrontSettings
from gatree.kernels.events import seconds_compiling
from gatree.trees.model import DecisionTree
from gatree.trees.named_tree import rounded, with_numbers
from gatree.trees.numbers import NodeNumbers


@dataclass(frozen=True)
class NumberFindings:
    """What one call of the command has found."""

    name: str
    tree: DecisionTree
    text: str  # the tree with thresholds of few digits
    n_rows: int
    training: dict[str, Any]  # r2, root mean squared and mean absolute error
    validated: dict[str, Any] | None
    n_folds: int
    baselines: tuple[Baseline, ...]
    most_leaves: int | None  # None where the data chose
    spent: tuple[tuple[str, float], ...]  # what took how many seconds

    @property
    def seconds(self) -> float:
        return sum(seconds for _, seconds in self.spent)


class _Clock:
    """Passes steps on, and notes how long each took; compiling is a step of its own."""

    def __init__(self, on_step: Callable[[str, int, int], None]) -> None:
        self._on_step, self._seconds = on_step, {"search": 0.0, "kernels": 0.0}
        self._last, self._compiled = time.perf_counter(), seconds_compiling()

    def __call__(self, step: str, done: int, of: int) -> None:
        now, compiled = time.perf_counter(), seconds_compiling() - self._compiled
        self._seconds[step] = self._seconds.get(step, 0.0) + now - self._last - compiled
        self._seconds["kernels"] += compiled
        self._last, self._compiled = now, self._compiled + compiled
        self._on_step(step, done, of)

    @property
    def spent(self) -> tuple[tuple[str, float], ...]:
        return tuple(self._seconds.items())


def find(dataset: Dataset, target: Floats, settings: FrontSettings, quiet: bool) -> NumberFindings:
    """Find a regression tree and cross-validate trees of its size."""
    with Steps(quiet) as on_step:
        clock = _Clock(on_step)
        explored = explore(dataset, settings, target, on_step=clock)
    found, crossed = explored.found, explored.crossed
    assert found.means is not None
    assert explored.target is not None
    name = dataset.class_attribute.name
    tree = with_numbers(found.trees[found.chosen], found.means[found.chosen], name)
    numbers = NodeNumbers.of(tree.tree, tree.apply(explored.dataset), explored.target)
    _, given = found.predicted(found.chosen, explored.dataset)
    return NumberFindings(
        name=dataset.name,
        tree=replace(tree, numbers=numbers),
        text=rounded(tree, explored.dataset).to_text(),
        n_rows=explored.dataset.n_instances,
        training=of_numbers(explored.target, given),
        validated=None if crossed is None else of_numbers(explored.target, crossed.values[found.chosen]),
        n_folds=0 if crossed is None else crossed.n_folds,
        baselines=explored.baselines,
        most_leaves=None if settings.size == "auto" else settings.size,
        spent=clock.spent,
    )


def print_findings(findings: NumberFindings) -> None:
    """Print the tree and its numbers."""
    click.echo(findings.text)
    print_labelled(_lines(findings))


def _lines(findings: NumberFindings) -> Iterator[tuple[str, str]]:
    tree, training = findings.tree, findings.training
    yield "R2", f"{training['worth']:.4f} on the training data ({_errors(training)})"
    if findings.validated is not None:
        how = f"{findings.n_folds}-fold cross-validation"
        yield "", f"{findings.validated['worth']:.4f} in {how} ({_errors(findings.validated)})"
    for baseline in findings.baselines:
        if baseline.points:
            leaves, worth = max(baseline.points, key=lambda point: point[1])
            best = f" (the best of its prunings, {leaves:.1f} leaves)" if len(baseline.points) > 1 else ""
            yield baseline.name, f"{worth:.4f} on the same folds{best}"
    yield "size", size_text(tree)
    if findings.most_leaves is None:
        yield "chosen", "from the data: the smallest tree that cross-validates nearly as well as the best"
    else:
        yield "chosen", f"the best tree found of at most {counted(findings.most_leaves, 'leaf', 'leaves')}"
    yield "time", time_text(findings.spent)


def _errors(judged: dict[str, Any]) -> str:
    return f"errors: root mean square {judged['rmse']:.5g}, mean absolute {judged['mae']:.5g}"


def print_findings_as_json(findings: NumberFindings) -> None:
    """Print everything, the tree in the form that `gatree predict` reads."""
    tree = findings.tree
    print_json(
        {
            "data": findings.name,
            "n_instances": findings.n_rows,
            "training": _figures(findings.training),
            "cross_validation": None if findings.validated is None else _figures(findings.validated),
            "folds": findings.n_folds,
            **size_fields(tree),
            "seconds": findings.seconds,
            "tree": json.loads(tree.to_json()),
        }
    )


def _figures(judged: dict[str, Any]) -> dict[str, float]:
    return {"r2": judged["worth"], "rmse": judged["rmse"], "mae": judged["mae"]}
