"""Run one cell: settings and data in, one record out.

A `savings` cell runs every evaluator in turn on the same seed and requires that the evolutions are equal
in every generation: a difference is an error, never a row of a table. Kernels are compiled before the
timing starts, and garbage collection is off while the clock runs.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any

import numpy as np

from gatree.base.errors import GatreeError
from gatree.base.machine import machine_facts
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
from gatree.experiments.record import Record
from gatree.kernels.events import n_compilations
from gatree.learners.fitted import Errors, Hits
from gatree.learners.registry import LEARNERS
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import Tree

Measured = tuple[dict[str, Any], dict[str, Any]]
"""What was found, and the seconds it took."""

# All but the work that has been saved, in which the evaluators are meant to differ.
_SHARED_BY_EVALUATORS = [name for name in RECORD.names or () if name != "instances_reclassified"]


class DisagreementError(GatreeError):
    """Two evaluators did not run the same evolution: a bug in one of them."""


def run_cell(cell: Cell, data: Dataset) -> Record:
    """Run a cell and return its record; any error is recorded as its failure."""
    try:
        measure = {"savings": _savings, "cross-validation": _fold, "baseline": _baseline}[cell.kind]
        outcome, timing = measure(cell, data)
    except Exception as error:
        return failure(cell, f"{type(error).__name__}: {error}")
    machine = {**machine_facts(), "utc": datetime.now(UTC).isoformat(timespec="seconds")}
    about = {**_about(cell), "status": "done"}
    return {**about, "outcome": outcome, "timing": timing, "machine": machine}


def failure(cell: Cell, error: str) -> Record:
    """Return the record of a cell that could not be finished."""
    return {**_about(cell), "status": "failed", "error": error}


def _about(cell: Cell) -> Record:
    return {
        "key": cell.key,
        "cell": cell.identity,
        "settings": cell.values,
        "seed": cell.seed,  # a baseline has none
        "data": {"name": cell.dataset, "checksum": cell.checksum},
    }


def _savings(cell: Cell, data: Dataset) -> Measured:
    problem = _problem(data, cell.settings.numeric_tests)
    variants = {name: cell.settings_with(name) for name in cell.evaluators}
    for settings in variants.values():
        _warm_up_once(problem, settings)
    runs: dict[str, list[Outcome]] = {name: [] for name in variants}
    clocks: dict[str, list[Clock]] = {name: [] for name in variants}
    compiled = {name: Counter[str]() for name in variants}
    for _ in range(cell.repeats):
        for name, settings in variants.items():
            with _undisturbed() as kernels:
                clocks[name].append(Clock(settings, cell.history))
                runs[name].append(evolve(problem, settings, clocks[name][-1]))
            compiled[name] += kernels
    _demand_one_evolution([(name, run) for name, outcomes in runs.items() for run in outcomes])
    shown = runs.get("new", runs[cell.evaluators[-1]])[-1]  # whose ledger is the one of interest
    outcome = {
        "n_instances": shown.n_instances,
        "n_correct": shown.n_correct,
        **_found(shown),
        "n_rejected": shown.n_rejected,
        "digest": f"{int(shown.history['digest'][-1]):016x}",
        "kept_bytes": {name: outcomes[-1].n_bytes for name, outcomes in runs.items()},
    }
    first = next(iter(variants.values()))
    if len(variants) > 1:
        outcome["progress"] = progress_of(shown, first)
    if cell.history:
        outcome["history"] = history_of(shown, first)
    return outcome, {name: _seconds(runs[name], clocks[name], compiled[name]) for name in runs}


@contextmanager
def _undisturbed() -> Iterator[Counter[str]]:
    """Switch garbage collection off while a clock runs; count kernels that are compiled, as few as none."""
    noted, before = Counter[str](), n_compilations()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield noted
    finally:
        if was_enabled:
            gc.enable()
        noted += Counter(compiled=n_compilations() - before)  # which keeps what is above 0


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


def _found(run: Outcome) -> dict[str, Any]:
    return {
        "n_nodes": run.best.n_nodes,
        "n_leaves": run.best.n_leaves,
        "payoff": run.payoff,
        "n_evaluations": run.n_evaluations,
        "ledger": asdict(run.ledger),
        "best": {"attribute": run.best.attribute.tolist(), "value": run.best.value.tolist()},
    }


def _seconds(runs: list[Outcome], clocks: list[Clock], compiled: Counter[str]) -> dict[str, Any]:
    """Return the seconds of all repeats, and the course of the fastest."""
    fastest = min(range(len(runs)), key=lambda place: runs[place].timing.total_cpu)
    return {
        **compiled,
        **clocks[fastest].fields,
        "wall": [_positive(run.timing.total) for run in runs],
        "cpu": [round(run.timing.total_cpu, 6) for run in runs],
        "evaluate_wall": [round(run.timing.evaluate, 6) for run in runs],
    }


def _fold(cell: Cell, data: Dataset) -> Measured:
    (evaluator,) = cell.evaluators
    settings = cell.settings_with(evaluator)
    fold = _folds(data, cell.split, settings.numeric_tests)[cell.fold]
    _warm_up_once(fold.problem, settings)
    fold.test_correct(Tree.nested(0))  # to compile predictions, too
    with _undisturbed() as kernels:
        clock = Clock(settings, cell.history)
        run = evolve(fold.problem, settings, clock if cell.history else None)
    outcome = {
        "n_train": fold.problem.n_instances,
        "n_test": fold.n_test,
        "train_correct": run.n_correct,
        "test_correct": fold.test_correct(run.best),
        **_found(run),
    }
    if cell.history:
        outcome["history"] = history_of(run, settings, fold.test_correct, fold.n_test)
    return outcome, {evaluator: _seconds([run], [clock], kernels)}


# A worker meets the same data and folds again and again, and coding them takes longer than some cells.


@lru_cache(maxsize=16)
def _problem(data: Dataset, numeric_tests: NumericTests) -> Problem:
    return Problem.of(data, numeric_tests)


@lru_cache(maxsize=16)
def _folds(data: Dataset, split: Split, numeric_tests: NumericTests) -> list[Fold]:
    return [Fold.of(data, rows, numeric_tests) for rows in split.rows(data)]


_warm: set[tuple[Any, ...]] = set()


def _warm_up_once(problem: Problem, settings: EvolutionSettings) -> None:
    """Compile the kernels for a problem's types and size and these settings."""
    kernels = kernels_of(problem, settings)
    if kernels not in _warm:
        warm_up(problem, settings)
        _warm.add(kernels)


def _baseline(cell: Cell, data: Dataset) -> Measured:
    learner = LEARNERS[cell.baseline]
    if learner.kernels is not None:
        learner(data)  # to warm up
    with _undisturbed() as kernels:
        tree, build = _timed(lambda: learner(data))
        folds, across_folds = _timed(lambda: list(_baseline_folds(cell, data)))
    outcome = {
        "n_instances": sum(fold["n_test"] for fold, _ in folds),
        **_on_all(tree.judge(data), [fold for fold, _ in folds]),
        "size": tree.size,
        "leaves": tree.leaves,
        "folds": [fold for fold, _ in folds],
    }
    timing = {
        **kernels,
        "build": _positive(build),
        "cross_validate": _positive(across_folds),
        "folds": [_positive(seconds) for _, seconds in folds],
    }
    return outcome, timing


def _on_all(on_training: Hits | Errors, folds: list[dict[str, Any]]) -> dict[str, Any]:
    """Return how good a method is on the data that it learned from, and for classes in all folds."""
    if isinstance(on_training, Errors):
        return {"train_r2": on_training.r2}
    return {
        "cv_correct": sum(fold["test_correct"] for fold in folds),
        "train_correct": on_training.n_correct,
    }


def _baseline_folds(cell: Cell, data: Dataset) -> Iterator[tuple[dict[str, Any], float]]:
    """Yield what was found in each fold, and the seconds that it took to build the tree."""
    for train_rows, test_rows in cell.split.rows(data):
        train = data.take(train_rows)
        tree, seconds = _timed(partial(LEARNERS[cell.baseline], train))
        found = _on_fold(tree.judge(train), tree.judge(data.take(test_rows)))
        yield {**found, "size": tree.size, "leaves": tree.leaves}, seconds


def _on_fold(on_training: Hits | Errors, on_test: Hits | Errors) -> dict[str, Any]:
    """Return how good a tree is on the data that it learned from, and on a fold that was held out."""
    numbers = {"n_train": on_training.n_instances, "n_test": on_test.n_instances}
    if isinstance(on_training, Errors) and isinstance(on_test, Errors):
        errors = {"r2": on_test.r2, "rmse": on_test.rmse, "mae": on_test.mae}
        return {**numbers, "train_r2": on_training.r2, **errors}
    assert isinstance(on_training, Hits)
    assert isinstance(on_test, Hits)
    return {**numbers, "train_correct": on_training.n_correct, "test_correct": on_test.n_correct}


def _positive(seconds: float) -> float:
    return max(1e-6, round(seconds, 6))


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started
