"""`gatree evolve --leaves penalty`: one evolution on one data set, the tree it finds, and what it cost."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

import click
import numpy as np

from gatree.base.errors import ConfigError, counted
from gatree.cli.j48 import Baseline, CrossValidated, baselines_on, evaluated
from gatree.cli.j48 import details as details_of
from gatree.cli.output import (
    print_json,
    print_labelled,
    print_table,
    report_if_slow,
    size_fields,
    size_text,
    time_text,
)
from gatree.cli.predicting import warn_of_untested
from gatree.data.dataset import Dataset
from gatree.evolution.cross_validation import Validated, cross_validate
from gatree.evolution.evolve import Evolution, evolve, problem_of
from gatree.evolution.folds import fold_rows
from gatree.evolution.outcome import BestPerSize, Champion, Outcome
from gatree.evolution.payoff import payoff
from gatree.evolution.problem import Problem
from gatree.evolution.warm_up import warm_up
from gatree.j48.evaluation import Evaluation, pooled
from gatree.kernels.events import on_compilation
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import LEAF
from gatree.trees.model import DecisionTree
from gatree.trees.named_tree import rounded
from gatree.weka.folds import check_n_folds

if TYPE_CHECKING:
    from gatree.cli.live import LiveView
    from gatree.data.pieces import DataInPieces


_STEPS = ("kernels", "search", "cross-validation", "J48")
_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
_SECONDS_BETWEEN_CHECKS = 1.0


class Watch:
    """A callback for `evolve`, and a context manager, which shows the evolution unless it is ``quiet``.

    The first Ctrl-C or SIGTERM asks the evolution to stop after its generation, which keeps the best tree; a
    second one, or one before the first generation, interrupts as usual. So does the first one if the cluster
    of ``client`` has no workers, because the generation would not end. ``n_folds`` evolutions of a
    cross-validation follow the first one.
    """

    def __init__(self, title: str, n_folds: int, quiet: bool, client: Any = None) -> None:
        self.interrupted = False
        self.state = "starting"
        self._n_folds, self._quiet, self._client = n_folds, quiet, client
        self._n_started = 0
        self._is_over = threading.Event()
        self._stack = ExitStack()
        self._view = None if quiet or not sys.stderr.isatty() else _live_view(title)

    def __enter__(self) -> Self:
        self._usual_handlers = {kind: signal.signal(kind, self._on_interrupt) for kind in _INTERRUPTS}
        self._stack.callback(self._interrupt_as_usual)
        if self._view is not None:
            self._stack.enter_context(self._view)
            self._view.say("starting")
            on_compilation(self._view.say)
        elif not self._quiet:
            self._stack.enter_context(report_if_slow(lambda: self.state))
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._stack.close()

    def __call__(self, evolution: Evolution) -> bool:
        """Show a generation; return whether it shall be the last one."""
        if evolution.generation == 1:
            self._n_started += 1
        fold = self._n_started - 1
        phase = f"fold {fold} of {self._n_folds}" if fold else ""
        self.state = f"generation {evolution.generation}/{evolution.settings.n_generations}  {phase}".rstrip()
        if self._view is not None:
            self._view.show(evolution, phase)
        return self.interrupted

    def _on_interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if self._n_started == 0:
            raise KeyboardInterrupt
        self.interrupted = True
        self._interrupt_as_usual()
        if self._client is not None:
            threading.Thread(target=self._interrupt_without_workers, daemon=True).start()

    def _interrupt_without_workers(self) -> None:
        """Interrupt again as soon as the cluster has no workers, unless the evolution ends before."""
        from gatree.evolution.evaluators.shards.cluster import workers_of

        while not self._is_over.is_set():
            with suppress(ConfigError):  # the scheduler is gone, which the evolution reports
                if not workers_of(self._client, self._client.scheduler.address):
                    os.kill(os.getpid(), signal.SIGINT)
                    return
            self._is_over.wait(_SECONDS_BETWEEN_CHECKS)

    def _interrupt_as_usual(self) -> None:
        for kind, handler in self._usual_handlers.items():
            signal.signal(kind, handler)


def _live_view(title: str) -> LiveView:
    from rich.console import Console  # imported here: it takes a tenth of a second

    from gatree.cli.live import LiveView

    return LiveView(title, Console(stderr=True, highlight=False))


def find(
    data: Dataset | DataInPieces,
    settings: EvolutionSettings,
    n_folds: int,
    per_size: bool,
    quiet: bool,
    where: dict[str, Any] | None = None,
) -> Findings:
    """Run the evolution and the cross-validation, somewhere; if interrupted, return what there is."""
    champions, where = BestPerSize(), _worth_while(data, where or {}, quiet)
    in_shards = any(where.values())
    problem = problem_of(data, settings, in_memory=not in_shards)
    if n_folds:
        check_n_folds(n_folds, problem.dataset_in_memory.n_instances)
    warn_of_untested(problem.dataset.attributes, problem.coding, settings.numeric_tests)
    folds: list[Validated] = []
    others: list[Baseline] = []
    with Watch(_title(problem, settings), n_folds, quiet, where.get("client")) as watch:

        def watch_sizes(evolution: Evolution) -> bool:
            champions.watch(evolution.population)
            return watch(evolution)

        marks = [time.perf_counter()]
        warm_up(problem, settings, in_shards)
        marks.append(time.perf_counter())
        outcome = evolve(problem, settings, watch_sizes if per_size else watch, **where)
        marks.append(time.perf_counter())
        if isinstance(data, Dataset) and n_folds and not watch.interrupted:
            folds = list(cross_validate(data, settings, n_folds, on_generation=watch, **where))
            marks.append(time.perf_counter())
            watch.state = "J48"
            rows = fold_rows(data.classes, n_folds, seed=1)
            others = [] if watch.interrupted else baselines_on(data, rows)
            marks.append(time.perf_counter())
    # Without a single generation there was nothing to watch.
    alternatives = champions.champions() or [Champion(outcome.best, outcome.n_correct)]
    raw_tree, whole = outcome.tree, () if watch.interrupted else tuple(folds)
    return Findings(
        data=data,
        problem=problem,
        settings=settings,
        outcome=outcome,
        tree=raw_tree.simplified(),
        raw_tree=raw_tree,
        folds=whole,
        crossed=CrossValidated(
            tuple((fold.outcome.best.n_nodes, fold.test_correct, fold.n_test) for fold in whole),
            tuple(others),
        ),
        champions=tuple(alternatives) if per_size else None,
        interrupted=watch.interrupted,
        spent=tuple(zip(_STEPS, np.diff(marks).tolist(), strict=False)),
    )


_WORTH_SHARDS = 100_000  # instances


def _worth_while(data: Dataset | DataInPieces, where: dict[str, Any], quiet: bool) -> dict[str, Any]:
    """Return where to evaluate: in this process, if the data are here and few; the outcome is the same."""
    n = data.n_instances if isinstance(data, Dataset) else _WORTH_SHARDS
    if n >= _WORTH_SHARDS or not where.get("shards") or where.get("client") is not None:
        return where
    if not quiet:
        reason = f"shards pay from {_WORTH_SHARDS:,} on"
        click.echo(f"note: {n} instances are evaluated faster in one process; {reason}", err=True)
    return {}


def _title(problem: Problem, settings: EvolutionSettings) -> str:
    instances = counted(problem.n_instances, "instance")
    return (
        f"{problem.dataset.name}: {instances}, population {settings.population_size}, "
        f"mutation rate {settings.mutation_rate:g}, x {settings.x_factor}"
    )


@dataclass(frozen=True)
class Findings:
    """The results of one call of the command."""

    data: Dataset | DataInPieces  # as read: also with rows that have no class
    problem: Problem
    settings: EvolutionSettings
    outcome: Outcome
    tree: DecisionTree  # as it is shown
    raw_tree: DecisionTree  # as it evolved
    folds: tuple[Validated, ...]  # none if there was no cross-validation, or not a whole one
    crossed: CrossValidated  # the numbers of these folds, with baselines
    champions: tuple[Champion, ...] | None  # the best tree of each size, if asked for
    interrupted: bool
    spent: tuple[tuple[str, float], ...] = ()  # what took how many seconds

    @property
    def is_weighted(self) -> bool:
        return self.settings.class_weight is not None

    @property
    def n_right(self) -> int:
        """The training instances that the tree classifies correctly, each counted once."""
        if not self.is_weighted:
            return self.outcome.n_correct
        tree, counts = self.tree.tree, self.tree.counts
        assert counts is not None, "a tree that was learnt knows its instances"
        at_leaves = np.flatnonzero(tree.attribute == LEAF)
        return int(counts[at_leaves, tree.value[at_leaves]].sum())

    def per_size(self) -> list[dict[str, Any]]:
        """Return one row for each size that has lived."""
        champions, settings = self.champions or (), self.settings
        sizes = [(c.tree.n_nodes, c.tree.n_leaves)[settings.size == "leaves"] for c in champions]
        payoffs = payoff(
            np.array([champion.n_correct for champion in champions], dtype=np.int64),
            self.outcome.total_weight,
            np.array(sizes, dtype=np.int64),
            settings.x_factor.at(self.outcome.n_generations, settings.n_generations),
        )
        return [
            {
                "n_nodes": champion.tree.n_nodes,
                "n_leaves": champion.tree.n_leaves,
                "accuracy": champion.n_correct / self.outcome.total_weight,
                "payoff": worth,
            }
            for champion, worth in zip(champions, payoffs.tolist(), strict=True)
        ]


def evaluations(findings: Findings) -> list[Evaluation]:
    """Return how the tree of every fold did on its test rows."""
    data = findings.data
    assert isinstance(data, Dataset)  # those in pieces have no folds
    rows = fold_rows(data.classes, len(findings.folds), seed=1)
    return [
        evaluated(fold.outcome.tree, data.take(test[data.classes[test] >= 0]))
        for fold, (_, test) in zip(findings.folds, rows, strict=True)
    ]


def print_findings(findings: Findings, details: bool = False) -> None:
    """Print the tree, its numbers and, on request, figures by class and the best tree of each size."""
    data = findings.data
    click.echo((rounded(findings.tree, data) if isinstance(data, Dataset) else findings.tree).to_text())
    print_labelled(_lines(findings))
    if details and findings.folds:
        click.echo("\n" + "\n".join(details_of(evaluations(findings), findings.tree.class_values)))
    if findings.champions is not None:
        click.echo("\nthe best tree found of each size")
        print_table([{**row, "payoff": f"{row['payoff']:.4f}"} for row in findings.per_size()])


def _lines(findings: Findings) -> Iterator[tuple[str, str]]:
    outcome, tree = findings.outcome, findings.tree
    weighted = ", by the weights of the classes" if findings.is_weighted else ""
    correct = f"{findings.n_right} of {outcome.n_instances}"
    yield "accuracy", f"{outcome.accuracy:.4f} on the training data{weighted} ({correct})"
    yield from findings.crossed.lines(*["without weights"] * findings.is_weighted)
    raw = findings.raw_tree.n_nodes
    evolved = f" ({raw} before simplification, see --raw)" if raw > tree.n_nodes else ""
    yield "size", f"{size_text(tree)}{evolved}"
    yield "chosen", _how_chosen(findings)
    yield "payoff", f"{outcome.payoff:.4f}"
    yield "saved", f"{outcome.ledger.instances_saved:.1%} of the instances by lossless inheritance"
    seconds = outcome.timing.total
    rate = f", {outcome.n_evaluations / seconds:,.0f} per second" if seconds else ""
    yield "evaluations", f"{outcome.n_evaluations} in {seconds:.3f} s{rate}"
    yield "time", time_text(findings.spent)


def _how_chosen(findings: Findings) -> str:
    how = f"by the payoff of one evolution, x-factor {findings.settings.x_factor}"
    is_whole = isinstance(findings.problem.dataset, Dataset)  # and not in pieces, which have no other way
    return f"{how} (from the data instead: --leaves auto)" if is_whole else how


def print_findings_as_json(findings: Findings, details: bool = False) -> None:
    """Print everything, the tree in the form that `gatree predict` reads."""
    outcome, tree = findings.outcome, findings.tree
    content: dict[str, Any] = {
        "data": findings.problem.dataset.name,
        "n_instances": outcome.n_instances,
        "accuracy": outcome.accuracy,
        "n_correct": findings.n_right,
        "total_weight": outcome.total_weight,
        **size_fields(tree),
        "leaves": "penalty",
        "payoff": outcome.payoff,
        "savings": outcome.ledger.instances_saved,
        "evaluations": outcome.n_evaluations,
        "generations": outcome.n_generations,
        "seconds": outcome.timing.total,
        "seconds_spent": dict(findings.spent),
        "interrupted": findings.interrupted,
        "cross_validation": findings.crossed.as_dict(),
        "settings": findings.settings.model_dump(mode="json"),
        "tree": json.loads(tree.to_json()),
        "raw_tree": json.loads(findings.raw_tree.to_json()),
    }
    if details and findings.folds:
        content["confusion_matrix"] = pooled(evaluations(findings)).confusion.tolist()
    if findings.champions is not None:
        content["per_size"] = _per_size_with_trees(findings, findings.champions)
    print_json(content)


def _per_size_with_trees(findings: Findings, champions: tuple[Champion, ...]) -> list[dict[str, Any]]:
    trees = [findings.problem.decision_tree(champion.tree).to_json() for champion in champions]
    return [{**row, "tree": json.loads(tree)} for row, tree in zip(findings.per_size(), trees, strict=True)]
