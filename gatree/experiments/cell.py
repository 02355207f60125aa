"""Run one cell: settings and data in, one record out.

A `savings` cell runs every evaluator in turn on the same seed and requires that the evolutions are equal
in every generation: a difference is an error, never a row of a table. Kernels are compiled before the
timing starts, and garbage collection is off while the clock runs.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np

from gatree.base.errors import GatreeError
from gatree.base.machine import machine_facts
from gatree.data.answer import Numbers
from gatree.data.coding import NumericTests
from gatree.data.dataset import Dataset
from gatree.evolution.evolve import evolve
from gatree.evolution.history import RECORD
from gatree.evolution.outcome import Outcome
from gatree.evolution.problem import Problem
from gatree.evolution.warm_up import kernels_of, warm_up
from gatree.experiments.fold import Fold
from gatree.experiments.generations import Clock, history_of, progress_of
from gatree.experiments.grid import Cell, Split
from gatree.experiments.record import (
    BaselineFold,
    BaselineOutcome,
    BaselineRecord,
    BaselineSeconds,
    EvolutionSeconds,
    Failed,
    FoldOutcome,
    FoldRecord,
    LedgerRecord,
    Machine,
    NumberFold,
    NumberOutcome,
    NumberRecord,
    Record,
    SavingsOutcome,
    SavingsRecord,
    TreeRecord,
)
from gatree.kernels.events import n_compilations
from gatree.learners.fitted import Fitted
from gatree.learners.measures import Judged
from gatree.learners.registry import LEARNERS, Learner
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import Tree
from gatree.weka.folds import Rows

# All but the work that has been saved, in which the evaluators are meant to differ.
_SHARED_BY_EVALUATORS = [name for name in RECORD.names or () if name != "instances_reclassified"]


class DisagreementError(GatreeError):
    """Two evaluators did not run the same evolution: a bug in one of them."""


def run_cell(cell: Cell, data: Dataset) -> Record:
    """Run a cell and return its record; any error is recorded as its failure."""
    try:
        match cell.identity.kind:
            case "savings":
                return _savings(cell, data)
            case "cross-validation":
                return _fold(cell, data)
            case "baseline":
                return _baseline(cell, data)
    except Exception as error:
        return failure(cell, f"{type(error).__name__}: {error}")


def failure(cell: Cell, error: str) -> Failed:
    """Return the record of a cell that could not be finished."""
    return Failed(*cell.about, error=error)


def _machine() -> Machine:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return msgspec.convert({**machine_facts(), "utc": now}, Machine)


def _savings(cell: Cell, data: Dataset) -> SavingsRecord:
    problem = _problem(data, cell.settings.numeric_tests)
    variants = {name: cell.settings_with(name) for name in cell.evaluators}
    for settings in variants.values():
        _warm_up_once(problem, settings)
    runs: dict[str, list[Outcome]] = {name: [] for name in variants}
    clocks: dict[str, list[Clock]] = {name: [] for name in variants}
    n_compiled = dict.fromkeys(variants, 0)
    for _ in range(cell.repeats):
        for name, settings in variants.items():
            with _undisturbed() as noted:
                clocks[name].append(Clock(settings, cell.history))
                runs[name].append(evolve(problem, settings, clocks[name][-1]))
            n_compiled[name] += noted.n_compiled
    _demand_one_evolution([(name, run) for name, outcomes in runs.items() for run in outcomes])
    shown = runs.get("new", runs[cell.evaluators[-1]])[-1]  # whose ledger is the one of interest
    first = next(iter(variants.values()))
    outcome = SavingsOutcome(
        n_nodes=shown.best.n_nodes,
        n_leaves=shown.best.n_leaves,
        payoff=shown.payoff,
        n_evaluations=shown.n_evaluations,
        ledger=_ledger(shown),
        best=_tree(shown),
        n_instances=shown.n_instances,
        n_correct=shown.n_correct,
        n_rejected=shown.n_rejected,
        digest=f"{int(shown.history['digest'][-1]):016x}",
        kept_bytes={name: outcomes[-1].n_bytes for name, outcomes in runs.items()},
        progress=progress_of(shown, first) if len(variants) > 1 else None,
        history=history_of(shown, first) if cell.history else None,
    )
    timing = {name: _seconds(runs[name], clocks[name], n_compiled[name]) for name in runs}
    return SavingsRecord(*cell.about, outcome=outcome, timing=timing, machine=_machine())


@dataclass
class _Noted:
    """What happened while a clock ran."""

    n_compiled: int = 0  # kernels, as few as none


@contextmanager
def _undisturbed() -> Iterator[_Noted]:
    """Switch garbage collection off while a clock runs; count kernels that are compiled."""
    noted, before = _Noted(), n_compilations()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield noted
    finally:
        if was_enabled:
            gc.enable()
        noted.n_compiled = n_compilations() - before


def _demand_one_evolution(runs: list[tuple[str, Outcome]]) -> None:
    """Raise an error at the first generation in which two evolutions differ."""
    (reference, first), *others = runs
    for name, other in others:
        same = first.history[_SHARED_BY_EVALUATORS] == other.history[_SHARED_BY_EVALUATORS]
        if not same.all():
            generation = int(np.argmin(same))
            raise DisagreementError(f"{reference} and {name} differ from generation {generation} on")
        if first.best != other.best:
            raise DisagreementError(f"{reference} and {name} end with different trees")


def _ledger(run: Outcome) -> LedgerRecord:
    return msgspec.convert(run.ledger, LedgerRecord, from_attributes=True)


def _tree(run: Outcome) -> TreeRecord:
    return TreeRecord(run.best.attribute.tolist(), run.best.value.tolist())


def _seconds(runs: list[Outcome], clocks: list[Clock], n_compiled: int) -> EvolutionSeconds:
    """Return the seconds of all repeats, and the course of the fastest."""
    fastest = min(range(len(runs)), key=lambda place: runs[place].timing.total_cpu)
    return EvolutionSeconds(
        compiled=n_compiled,
        cpu_at=clocks[fastest].cpu_at,
        generation_wall=clocks[fastest].generation_wall,
        wall=[_positive(run.timing.total) for run in runs],
        cpu=[round(run.timing.total_cpu, 6) for run in runs],
        evaluate_wall=[round(run.timing.evaluate, 6) for run in runs],
    )


def _fold(cell: Cell, data: Dataset) -> FoldRecord:
    (evaluator,) = cell.evaluators
    assert cell.identity.fold is not None
    settings = cell.settings_with(evaluator)
    fold = _folds(data, cell.split, settings.numeric_tests)[cell.identity.fold]
    _warm_up_once(fold.problem, settings)
    fold.test_correct(Tree.nested(0))  # to compile predictions, too
    with _undisturbed() as noted:
        clock = Clock(settings, cell.history)
        run = evolve(fold.problem, settings, clock if cell.history else None)
    outcome = FoldOutcome(
        n_nodes=run.best.n_nodes,
        n_leaves=run.best.n_leaves,
        payoff=run.payoff,
        n_evaluations=run.n_evaluations,
        ledger=_ledger(run),
        best=_tree(run),
        n_train=fold.problem.n_instances,
        n_test=fold.n_test,
        train_correct=run.n_correct,
        test_correct=fold.test_correct(run.best),
        history=history_of(run, settings, fold.test_correct, fold.n_test) if cell.history else None,
    )
    timing = {evaluator: _seconds([run], [clock], noted.n_compiled)}
    return FoldRecord(*cell.about, outcome=outcome, timing=timing, machine=_machine())


# A worker meets the same data and folds again and again, and coding them takes longer than some cells.


@lru_cache(maxsize=16)
def _problem(data: Dataset, numeric_tests: NumericTests) -> Problem:
    return Problem.of(data, numeric_tests)


@lru_cache(maxsize=16)
def _folds(data: Dataset, split: Split, numeric_tests: NumericTests) -> list[Fold]:
    return [Fold.of(data, rows, numeric_tests) for rows in split.rows(data)]


_warm: set[tuple[str, ...]] = set()


def _warm_up_once(problem: Problem, settings: EvolutionSettings) -> None:
    """Compile the kernels for a problem's types and size and these settings."""
    kernels = kernels_of(problem, settings)
    if kernels not in _warm:
        warm_up(problem, settings)
        _warm.add(kernels)


def _baseline(cell: Cell, data: Dataset) -> BaselineRecord | NumberRecord:
    assert cell.identity.baseline is not None
    learner = LEARNERS[cell.identity.baseline]
    if learner.kernels is not None:
        learner(data)  # to warm up, and with a fold its kernels and those of predictions, too
        _tried(learner, data, next(iter(cell.split.rows(data))))
    with _undisturbed() as noted:
        tree, build = _timed(lambda: learner(data))
        folds, across_folds = _timed(lambda: [_tried(learner, data, rows) for rows in cell.split.rows(data)])
    timing = BaselineSeconds(
        compiled=noted.n_compiled,
        build=_positive(build),
        cross_validate=_positive(across_folds),
        folds=[_positive(fold.seconds) for fold in folds],
    )
    if isinstance(data.answer, Numbers):
        of_numbers = _number_outcome(tree, tree.judge(data), folds)
        return NumberRecord(*cell.about, outcome=of_numbers, timing=timing, machine=_machine())
    outcome = _class_outcome(tree, tree.judge(data), folds)
    return BaselineRecord(*cell.about, outcome=outcome, timing=timing, machine=_machine())


class _Tried(NamedTuple):
    """A tree that was built on the training rows of a fold, and how good it is on them and on the others."""

    tree: Fitted
    on_training: Judged
    on_test: Judged
    seconds: float


def _tried(learner: Learner, data: Dataset, rows: tuple[Rows, Rows]) -> _Tried:
    train, test = map(data.take, rows)
    tree, seconds = _timed(lambda: learner(train))
    return _Tried(tree, tree.judge(train), tree.judge(test), seconds)


def _class_outcome(tree: Fitted, on_all: Judged, folds: Sequence[_Tried]) -> BaselineOutcome:
    return BaselineOutcome(
        n_instances=sum(fold.on_test.n for fold in folds),
        cv_correct=sum(fold.on_test.n_correct for fold in folds),
        train_correct=on_all.n_correct,
        size=tree.size,
        leaves=tree.leaves,
        folds=[
            BaselineFold(
                n_train=fold.on_training.n,
                n_test=fold.on_test.n,
                train_correct=fold.on_training.n_correct,
                test_correct=fold.on_test.n_correct,
                size=fold.tree.size,
                leaves=fold.tree.leaves,
            )
            for fold in folds
        ],
    )


def _number_outcome(tree: Fitted, on_all: Judged, folds: Sequence[_Tried]) -> NumberOutcome:
    return NumberOutcome(
        n_instances=sum(fold.on_test.n for fold in folds),
        train_r2=on_all.worth,
        size=tree.size,
        leaves=tree.leaves,
        folds=[
            NumberFold(
                n_train=fold.on_training.n,
                n_test=fold.on_test.n,
                train_r2=fold.on_training.worth,
                r2=fold.on_test.worth,
                rmse=fold.on_test.rmse,
                mae=fold.on_test.mae,
                size=fold.tree.size,
                leaves=fold.tree.leaves,
            )
            for fold in folds
        ],
    )


def _positive(seconds: float) -> float:
    return max(1e-6, round(seconds, 6))


Result = TypeVar("Result")


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started
