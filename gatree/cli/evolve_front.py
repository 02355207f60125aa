"""`gatree evolve --leaves`: the tree that `GATreeClassifier` finds, of a chosen size or a given one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

import click
import numpy as np
from click.core import ParameterSource

from gatree.cli.beside import Beside, beside
from gatree.cli.output import print_json, print_table
from gatree.cli.setting_options import option_of
from gatree.config import EvolutionSettings
from gatree.evolution.scoring import class_weights
from gatree.front.fit import FrontFit, fit_front
from gatree.front.settings import KNOWN_TO_FRONTS, FrontSettings
from gatree.weka.folds import check_n_folds, stratified_folds

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.trees.model import DecisionTree

Size = int | Literal["auto"]


@dataclass(frozen=True)
class Judged:
    """How the tree of a fold did on its test rows."""

    n_test: int
    n_correct: int
    n_nodes: int


@dataclass(frozen=True)
class FrontFindings:
    """All that one call of the command has found."""

    dataset: Dataset
    settings: FrontSettings
    found: FrontFit
    folds: tuple[Judged, ...]
    beside: tuple[Beside, ...]
    seconds: float

    @property
    def tree(self) -> DecisionTree:
        return self.found.tree

    @property
    def n_right(self) -> int:
        return int(np.count_nonzero(self.tree.predict(self.dataset) == self.dataset.classes))

    @property
    def cross_validation(self) -> dict[str, Any] | None:
        if not self.folds:
            return None
        n_test = sum(fold.n_test for fold in self.folds)
        return {
            "folds": len(self.folds),
            "accuracy": sum(fold.n_correct for fold in self.folds) / n_test,
            "n_nodes": fmean(fold.n_nodes for fold in self.folds),
            "fold_accuracies": [fold.n_correct / fold.n_test for fold in self.folds],
            "beside": {
                each.name: {"accuracy": each.accuracy, "n_nodes": each.n_nodes} for each in self.beside
            },
        }

    def per_size(self) -> list[dict[str, Any]]:
        """Return a row for each size of the evolved front."""
        front = self.found.fronts["evolved"]
        rows: list[dict[str, Any]] = [
            {"n_nodes": 2 * leaves - 1, "n_leaves": leaves, "accuracy": accuracy}
            for leaves, accuracy in zip(front.leaves.tolist(), front.accuracy.tolist(), strict=True)
        ]
        if front.validated is not None:
            for row, share in zip(rows, front.validated.tolist(), strict=True):
                row["cross-validated"] = share
        return rows


def refuse_other_settings(context: click.Context) -> None:
    """Refuse settings of the genetic algorithm, which has no part in this."""
    others = [name for name in EvolutionSettings.model_fields if name not in KNOWN_TO_FRONTS]
    for name in (*others, "prefer", "raw", "shards", "scheduler", "in_pieces"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{option_of(name)} is for the genetic algorithm with its payoff; leave out --leaves"
            )


def find(dataset: Dataset, settings: FrontSettings, weights: Any, n_folds: int) -> FrontFindings:
    """Find the tree, and cross-validate how it is found."""
    dataset = dataset.take(np.flatnonzero(dataset.classes >= 0))
    if n_folds:
        check_n_folds(n_folds, dataset.n_instances)
    started = time.perf_counter()
    found = fit_front(dataset, settings, class_weights(dataset, weights))
    found = replace(found, tree=found.tree.simplified())
    seconds = time.perf_counter() - started
    folds = tuple(_judged(dataset, settings, weights, n_folds)) if n_folds else ()
    others = tuple(beside(dataset, n_folds)) if n_folds else ()
    return FrontFindings(dataset, settings, found, folds, others, seconds)


def _judged(dataset: Dataset, settings: FrontSettings, weights: Any, n_folds: int) -> Iterator[Judged]:
    for train_rows, test_rows in stratified_folds(dataset.classes, n_folds, seed=1):
        train, test = dataset.take(train_rows), dataset.take(test_rows)
        tree = fit_front(train, settings, class_weights(train, weights)).tree
        right = np.count_nonzero(tree.predict(test) == test.classes)
        yield Judged(test.n_instances, int(right), tree.n_nodes)


def print_front_findings(findings: FrontFindings, per_size: bool) -> None:
    """Print the tree, its numbers and, if asked for, the front."""
    click.echo(findings.tree.to_text())
    for label, text in _lines(findings):
        click.echo(f"{label:<12} {text}")
    if per_size:
        click.echo("\nthe best tree found of each size")
        print_table(findings.per_size())


def _lines(findings: FrontFindings) -> Iterator[tuple[str, str]]:
    tree, n = findings.tree, findings.dataset.n_instances
    yield "accuracy", f"{findings.n_right / n:.4f} on the training data ({findings.n_right} of {n})"
    if cv := findings.cross_validation:
        size = f"trees of {cv['n_nodes']:.1f} nodes"
        yield "", f"{cv['accuracy']:.4f} in {cv['folds']}-fold cross-validation ({size})"
    for other in findings.beside:
        size = f" (trees of {other.n_nodes:.1f} nodes)" if other.n_nodes > 1 else ""
        yield other.name, f"{other.accuracy:.4f} on the same folds{size}"
    yield "size", f"{tree.n_nodes} nodes, {tree.n_leaves} leaves, depth {tree.depth}"
    how = "chosen by cross-validation" if findings.settings.size == "auto" else "of the size asked for"
    yield "found", f"among {findings.found.chosen} trees, {how}, in {findings.seconds:.3f} s"


def print_front_findings_as_json(findings: FrontFindings, per_size: bool) -> None:
    """Print everything, the tree in the form that `gatree predict` reads."""
    tree, n = findings.tree, findings.dataset.n_instances
    content: dict[str, Any] = {
        "data": findings.dataset.name,
        "n_instances": n,
        "accuracy": findings.n_right / n,
        "n_correct": findings.n_right,
        "n_nodes": tree.n_nodes,
        "n_leaves": tree.n_leaves,
        "depth": tree.depth,
        "front": findings.found.chosen,
        "seconds": findings.seconds,
        "cross_validation": findings.cross_validation,
        "settings": asdict(findings.settings),
        "tree": json.loads(tree.to_json()),
    }
    print_json({**content, "per_size": findings.per_size()} if per_size else content)
