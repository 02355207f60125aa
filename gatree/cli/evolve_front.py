"""`gatree evolve`: the tree that `GATreeClassifier` finds, of a size chosen from the data or a given one."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import click
import numpy as np

from gatree.base.errors import counted
from gatree.cli.j48 import Baseline, baselines_on, evaluated
from gatree.cli.j48 import details as details_of
from gatree.cli.output import print_json, print_table, size_text, time_text
from gatree.cli.predicting import warn_of_untested
from gatree.data.coding import code
from gatree.data.dataset import Dataset
from gatree.evolution.scoring import class_weights
from gatree.front.fit import FrontFit, fit_front
from gatree.front.settings import FrontSettings
from gatree.front.warm_up import warm_up_front
from gatree.j48.evaluation import Evaluation, pooled
from gatree.kernels.events import on_compilation
from gatree.trees.model import DecisionTree
from gatree.trees.named_tree import rounded
from gatree.weka.folds import check_n_folds, stratified_folds

if TYPE_CHECKING:
    from rich.progress import Progress


class SearchBar:
    """A progress bar over trees and the searches for each; use it as a context manager.

    Parameters
    ----------
    title : str
        What the trees are for.
    n_trees : int
    quiet : bool
        Show nothing, as where stderr is not a terminal.
    """

    def __init__(self, title: str, n_trees: int, quiet: bool) -> None:
        self._n_done = 0
        self._bar = None if quiet or not sys.stderr.isatty() else _bar()
        if self._bar is not None:
            self._task = self._bar.add_task(title, total=n_trees, phase="the tree")

    def __enter__(self) -> Self:
        if self._bar is not None:
            console = self._bar.console
            on_compilation(lambda text: console.print(text, markup=False, highlight=False))
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, phase: str) -> None:
        """Go on to the next tree."""
        self._n_done += 1
        if self._bar is not None:
            self._bar.update(self._task, completed=self._n_done, phase=phase)

    def searched(self, done: int, of: int) -> None:
        """Show how many searches for the tree are done."""
        if self._bar is not None:
            self._bar.update(self._task, completed=self._n_done + done / of)


def _bar() -> Progress:
    from rich.console import Console  # imported here: it takes a tenth of a second
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}: {task.fields[phase]}", markup=False),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@dataclass(frozen=True)
class Judged:
    """How the tree of a fold did on its test rows."""

    n_nodes: int
    evaluation: Evaluation

    @property
    def n_test(self) -> int:
        return self.evaluation.n_instances

    @property
    def n_correct(self) -> int:
        return self.evaluation.n_correct


@dataclass(frozen=True)
class FrontFindings:
    """The results of one call of the command."""

    dataset: Dataset
    settings: FrontSettings
    is_weighted: bool  # whether classes have weights
    found: FrontFit
    seconds: float
    elsewhere: tuple[tuple[str, float], ...] = ()  # what took the rest of the time, and how many seconds
    folds: tuple[Judged, ...] = ()  # none if there was no cross-validation, or not a whole one
    baselines: tuple[Baseline, ...] = ()  # what others do on the same folds
    interrupted: bool = False

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
                each.name: {"accuracy": each.accuracy, "n_nodes": each.n_nodes} for each in self.baselines
            },
        }

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


def find(
    dataset: Dataset, wanted: FrontSettings, class_weight: Any, n_folds: int, quiet: bool
) -> FrontFindings:
    """Find the tree and cross-validate the search; if interrupted after the tree, return the tree."""
    if n_folds:
        check_n_folds(n_folds, dataset.n_instances)
    if wanted.numeric_tests == "integer":
        warn_of_untested(dataset.attributes, code(dataset, "integer", wanted.max_thresholds), "integer")
    with SearchBar(dataset.name, 1 + n_folds, quiet) as bar:
        begun = time.perf_counter()
        warm_up_front(dataset, wanted)
        started = time.perf_counter()
        found = fit_front(dataset, wanted, class_weights(dataset, class_weight), bar.searched)
        findings = FrontFindings(
            dataset, wanted, class_weight is not None, found, time.perf_counter() - started
        )
        searched = time.perf_counter()
        try:
            folds = tuple(_judged(dataset, wanted, class_weight, n_folds, bar)) if n_folds else ()
            validated = time.perf_counter()
            others = tuple(baselines_on(dataset, n_folds)) if n_folds else ()
        except KeyboardInterrupt:
            return replace(findings, interrupted=True)
    spent = [("kernels", started - begun)]
    if n_folds:
        spent += [("cross-validation", validated - searched), ("J48", time.perf_counter() - validated)]
    return replace(findings, folds=folds, baselines=others, elsewhere=tuple(spent))


def _judged(
    dataset: Dataset, settings: FrontSettings, weights: Any, n_folds: int, bar: SearchBar
) -> Iterator[Judged]:
    for fold, (train_rows, test_rows) in enumerate(stratified_folds(dataset.classes, n_folds, seed=1), 1):
        bar.begin(f"fold {fold} of {n_folds}")
        train, test = dataset.take(train_rows), dataset.take(test_rows)
        tree = fit_front(train, settings, class_weights(train, weights), bar.searched).tree
        yield Judged(tree.n_nodes, evaluated(tree, test))


def print_findings(findings: FrontFindings, per_size: bool, details: bool = False) -> None:
    """Print the tree, its numbers and, on request, figures by class and the front."""
    click.echo(rounded(findings.tree, findings.dataset).to_text())
    for label, text in _lines(findings):
        click.echo(f"{label:<12} {text}")
    if details and findings.folds:
        lines = details_of([fold.evaluation for fold in findings.folds], findings.dataset.class_values)
        click.echo("\n" + "\n".join(lines))
    if per_size:
        weighted = ", accuracies by the weights of the classes" if findings.is_weighted else ""
        click.echo(f"\nthe best tree found of each size{weighted}")
        print_table(findings.per_size())


def _lines(findings: FrontFindings) -> Iterator[tuple[str, str]]:
    tree, n = findings.tree, findings.dataset.n_instances
    yield "accuracy", f"{findings.n_right / n:.4f} on the training data ({findings.n_right} of {n})"
    if cv := findings.cross_validation:
        size = f"trees of {cv['n_nodes']:.1f} nodes"
        yield "", f"{cv['accuracy']:.4f} in {cv['folds']}-fold cross-validation ({size})"
    for other in findings.baselines:
        size = f" (trees of {other.n_nodes:.1f} nodes)" if other.n_nodes > 1 else ""
        yield other.name, f"{other.accuracy:.4f} on the same folds{size}"
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
        "n_nodes": tree.n_nodes,
        "n_leaves": tree.n_leaves,
        "depth": tree.depth,
        "leaves": findings.settings.size,
        "seconds": findings.seconds,
        "seconds_elsewhere": dict(findings.elsewhere),
        "interrupted": findings.interrupted,
        "cross_validation": findings.cross_validation,
        "settings": asdict(findings.settings),
        "tree": json.loads(tree.to_json()),
    }
    if details and findings.folds:
        content["confusion_matrix"] = pooled([fold.evaluation for fold in findings.folds]).confusion.tolist()
    if per_size:
        content["per_size"] = _per_size_with_trees(findings)
    print_json(content)


def _per_size_with_trees(findings: FrontFindings) -> list[dict[str, Any]]:
    front, rows = findings.found.fronts["evolved"], findings.per_size()
    trees = [front.tree(row["n_leaves"]).with_counts(findings.dataset).to_json() for row in rows]
    return [{**row, "tree": json.loads(tree)} for row, tree in zip(rows, trees, strict=True)]
