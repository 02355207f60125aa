"""`gatree evolve`: the tree that `GATreeClassifier` finds, of a size chosen from the data or a given one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import click
import numpy as np

from gatree.base.errors import counted
from gatree.cli.j48 import CrossValidated, baselines_on, evaluated
from gatree.cli.j48 import details as details_of
from gatree.cli.output import print_json, print_labelled, print_table, size_fields, size_text, time_text
from gatree.cli.predicting import Steps, warn_of_untested
from gatree.data.coding import code
from gatree.data.dataset import Dataset
from gatree.evolution.scoring import class_weights
from gatree.front.fit import FrontFit, fit_front, warm_up_front
from gatree.front.settings import FrontSettings
from gatree.j48.evaluation import Evaluation, pooled
from gatree.trees.model import DecisionTree
from gatree.trees.named_tree import rounded
from gatree.weka.folds import Rows, check_n_folds, stratified_folds


@dataclass(frozen=True)
class FrontFindings:
    """The results of one call of the command."""

    dataset: Dataset
    settings: FrontSettings
    is_weighted: bool  # whether classes have weights
    found: FrontFit
    seconds: float
    elsewhere: tuple[tuple[str, float], ...] = ()  # what took the rest of the time, and how many seconds
    crossed: CrossValidated = field(default_factory=CrossValidated)  # of a complete cross-validation
    evaluations: tuple[Evaluation, ...] = ()  # of its folds
    interrupted: bool = False

    @property
    def tree(self) -> DecisionTree:
        return self.found.tree

    @property
    def n_right(self) -> int:
        return int(np.count_nonzero(self.tree.predict(self.dataset) == self.dataset.classes))

    def per_size(self) -> list[dict[str, Any]]:
        """Return a row for each size of the evolved front."""
        front = self.found.fronts["evolved"]
        rows: list[dict[str, Any]] = [
            {"n_nodes": 2 * leaves - 1, "n_leaves": leaves, "accuracy": accuracy, "proven": proven}
            for leaves, accuracy, proven in zip(
                front.leaves.tolist(), front.accuracy.tolist(), front.proven.tolist(), strict=True
            )
        ]
        if front.validated is not None:
            for row, share in zip(rows, front.validated.tolist(), strict=True):
                row["cross-validated"] = share
        return rows


_MANY_CELLS = 10_000_000


def find(
    dataset: Dataset, wanted: FrontSettings, class_weight: Any, n_folds: int, quiet: bool
) -> FrontFindings:
    """Find the tree and cross-validate the search; if interrupted after the tree, return the tree."""
    if n_folds:
        check_n_folds(n_folds, dataset.n_instances)
    if wanted.numeric_tests == "integer":
        warn_of_untested(dataset.attributes, code(dataset, "integer", wanted.max_thresholds), "integer")
    if not quiet and n_folds and dataset.n_instances * dataset.n_attributes >= _MANY_CELLS:
        click.echo(
            f"note: {dataset.n_instances:,} rows; time and memory grow with them. --folds 0 skips the "
            "cross-validation, five sixths of the time; --in-pieces runs one evolution in less memory",
            err=True,
        )
    with Steps(quiet, f"{dataset.name}: the tree", 1 + n_folds) as show:

        def fit(data: Dataset, phase: str, n_done: int) -> FrontFit:
            def on_search(done: int, of: int) -> None:
                show(f"{dataset.name}: {phase}", n_done + done / of, 1 + n_folds)

            on_search(0, 1)
            return fit_front(data, wanted, class_weights(data, class_weight), on_search)

        begun = time.perf_counter()
        warm_up_front(dataset, wanted)
        started = time.perf_counter()
        found = fit(dataset, "the tree", 0)
        findings = FrontFindings(
            dataset, wanted, class_weight is not None, found, time.perf_counter() - started
        )
        searched = time.perf_counter()
        try:
            show(f"{dataset.name}: the folds", 1, 1 + n_folds)
            rows = stratified_folds(dataset.classes, n_folds, seed=1) if n_folds else []
            judged = list(_judged(dataset, rows, fit))
            validated = time.perf_counter()
            show(f"{dataset.name}: J48", 1 + n_folds, 1 + n_folds)
            others = tuple(baselines_on(dataset, rows)) if n_folds else ()
        except KeyboardInterrupt:
            return replace(findings, interrupted=True)
    spent = [("kernels", started - begun)]
    if n_folds:
        spent += [("cross-validation", validated - searched), ("J48", time.perf_counter() - validated)]
    evaluations = tuple(evaluation for _, evaluation in judged)
    folds = tuple((n_nodes, each.n_correct, each.n_instances) for n_nodes, each in judged)
    crossed = CrossValidated(folds, others)
    return replace(findings, crossed=crossed, evaluations=evaluations, elsewhere=tuple(spent))


def _judged(
    dataset: Dataset, rows: list[tuple[Rows, Rows]], fit: Callable[[Dataset, str, int], FrontFit]
) -> Iterator[tuple[int, Evaluation]]:
    """Yield the nodes of every fold's tree, and how it did on the test rows."""
    for fold, (train, test) in enumerate(rows, 1):
        tree = fit(dataset.take(train), f"fold {fold} of {len(rows)}", fold).tree
        yield tree.n_nodes, evaluated(tree, dataset.take(test))


def print_findings(findings: FrontFindings, per_size: bool, details: bool = False) -> None:
    """Print the tree, its numbers and, on request, figures by class and the front."""
    click.echo(rounded(findings.tree, findings.dataset).to_text())
    print_labelled(_lines(findings))
    if details and findings.evaluations:
        click.echo("\n" + "\n".join(details_of(findings.evaluations, findings.dataset.class_values)))
    if per_size:
        weighted = ", accuracies by the weights of the classes" if findings.is_weighted else ""
        click.echo(f"\nthe best tree found of each size{weighted}")
        print_table(findings.per_size())


def _lines(findings: FrontFindings) -> Iterator[tuple[str, str]]:
    tree, n = findings.tree, findings.dataset.n_instances
    yield "accuracy", f"{findings.n_right / n:.4f} on the training data ({findings.n_right} of {n})"
    yield from findings.crossed.lines()
    yield "size", size_text(tree)
    yield "chosen", f"{_how_chosen(findings)} (one evolution instead: --leaves penalty)"
    front = findings.found.fronts["evolved"]
    largest = front.leaves[front.proven].max(initial=1)
    if largest > 1:
        yield "proven", f"trees of up to {largest} leaves: none gets more of the training data right"
    yield "time", time_text((("search", findings.seconds), *findings.elsewhere))


def _how_chosen(findings: FrontFindings) -> str:
    size = findings.settings.size
    if size == "auto":
        return "from the data, among evolved trees of all sizes"
    return f"among evolved trees of at most {counted(size, 'leaf', 'leaves')}"


def print_findings_as_json(findings: FrontFindings, per_size: bool, details: bool = False) -> None:
    """Print everything, the tree in the form that `gatree predict` reads."""
    tree, n = findings.tree, findings.dataset.n_instances
    content: dict[str, Any] = {
        "data": findings.dataset.name,
        "n_instances": n,
        "accuracy": findings.n_right / n,
        "n_correct": findings.n_right,
        **size_fields(tree),
        "leaves": findings.settings.size,
        "seconds": findings.seconds,
        "seconds_elsewhere": dict(findings.elsewhere),
        "interrupted": findings.interrupted,
        "cross_validation": findings.crossed.as_dict(),
        "settings": asdict(findings.settings),
        "tree": json.loads(tree.to_json()),
    }
    if details and findings.evaluations:
        content["confusion_matrix"] = pooled(findings.evaluations).confusion.tolist()
    if per_size:
        content["per_size"] = _per_size_with_trees(findings)
    print_json(content)


def _per_size_with_trees(findings: FrontFindings) -> list[dict[str, Any]]:
    front, rows = findings.found.fronts["evolved"], findings.per_size()
    trees = [front.tree(row["n_leaves"]).with_counts(findings.dataset).to_json() for row in rows]
    return [{**row, "tree": json.loads(tree)} for row, tree in zip(rows, trees, strict=True)]
