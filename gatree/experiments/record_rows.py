"""The rows of a finished cell: one per evaluator of an evolution, one per fold of a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from gatree.base.json_values import Scalar
from gatree.experiments.record import (
    BaselineFold,
    BaselineRecord,
    Done,
    EvolutionSeconds,
    FoldOutcome,
    FoldRecord,
    NumberFold,
    NumberRecord,
    SavingsOutcome,
    SavingsRecord,
)

Row = dict[str, Scalar]
"""Columns of the frame and their values; what is not there is missing."""


def rows_of(record: Done) -> Iterator[Row]:
    """Yield what was found, and the seconds that it took."""
    if isinstance(record, SavingsRecord | FoldRecord):
        return _evolution_rows(record)
    return _baseline_rows(record)


def _evolution_rows(record: SavingsRecord | FoldRecord) -> Iterator[Row]:
    """Yield the outcome of an evolution with the seconds of each evaluator, the ledger's own first."""
    outcome, timing = record.outcome, record.timing
    distinct = outcome.history.distinct if outcome.history else []
    kept_bytes = outcome.kept_bytes if isinstance(outcome, SavingsOutcome) else {}
    found: Row = {
        **_found(outcome, record.cell.population_size or 0),
        "distinct_trees": distinct[-1] if distinct else None,
        **_speed_ups(timing),
        "generations_in_equal_time": _in_equal_time(outcome, timing),
    }
    shown = "new" if "new" in timing else list(timing)[-1]  # whose ledger the record has
    for name in (shown, *(name for name in timing if name != shown)):
        seconds = timing[name]
        yield {
            **found,
            "evaluator": name,
            "seconds": min(seconds.wall),
            "cpu_seconds": min(seconds.cpu),
            "trees_per_second": _ratio(outcome.n_evaluations, min(seconds.cpu)),
            "evaluate_seconds": min(seconds.evaluate_wall),
            "kept_bytes": kept_bytes.get(name),
            "timed": ",".join(timing),  # compared with the first seed's when all rows are known
            "repeats_outcome": name != shown,
        }


def _found(outcome: SavingsOutcome | FoldOutcome, population_size: int) -> Row:
    """Return how a tree does on what it has learned from, and on other instances if there are any."""
    ledger, n_train = outcome.ledger, outcome.n_train
    n_offspring = outcome.n_evaluations - population_size
    return {
        **(_tested(outcome) if isinstance(outcome, FoldOutcome) else {}),
        **msgspec.structs.asdict(ledger),
        "n_evaluated": ledger.instances_total // n_train,
        "savings_of_all": saved(ledger.instances_reclassified, n_offspring * n_train),
        "n_train": n_train,
        "train_accuracy": outcome.train_correct / (outcome.total_weight or n_train),
        "n_nodes": outcome.n_nodes,
        "n_leaves": outcome.n_leaves,
        "n_evaluations": outcome.n_evaluations,
        "best_payoff": outcome.payoff,
        "savings": saved(ledger.instances_reclassified, ledger.instances_total),
        "checks_savings": saved(ledger.node_instance_checks, ledger.node_instance_checks_full),
    }


def _tested(fold: FoldOutcome | BaselineFold) -> Row:
    accuracy = fold.test_correct / fold.n_test
    return {"n_test": fold.n_test, "test_correct": fold.test_correct, "accuracy": accuracy}


def saved(done: float, of: float) -> float:
    """Return the percentage of work that was not done: of instances, the paper's Train Savings."""
    return 100 * (1 - done / of) if of else 0.0


def _speed_ups(timing: Mapping[str, EvolutionSeconds]) -> Row:
    """Return the seconds of old by those of new, where both ran."""
    if not {"old", "new"} <= timing.keys():
        return {}
    old, new = timing["old"], timing["new"]
    return {
        "speed_up": _ratio(min(old.cpu), min(new.cpu)),
        "evaluation_speed_up": _ratio(min(old.evaluate_wall), min(new.evaluate_wall)),
    }


def _in_equal_time(
    outcome: SavingsOutcome | FoldOutcome, timing: Mapping[str, EvolutionSeconds]
) -> float | None:
    """Return the generations of new while old runs 100: old is read when new is at its end."""
    progress = outcome.progress if isinstance(outcome, SavingsOutcome) else None
    if progress is None or not {"old", "new"} <= timing.keys():
        return None
    generations, old, new = progress.generation, timing["old"].cpu_at, timing["new"].cpu_at
    if not len(generations) == len(old) == len(new):
        return None
    reached = np.interp(new[-1], [0.0, *old], [0, *generations])
    return _ratio(100.0 * generations[-1], float(reached))


def _ratio(one: float, other: float) -> float | None:
    """Return a quotient; there is none by a time that was too short to measure."""
    return one / other if other > 0 else None


def _baseline_rows(record: BaselineRecord | NumberRecord) -> Iterator[Row]:
    """Yield what a baseline did in each fold; if that was not recorded, in all of them together."""
    outcome, timing = record.outcome, record.timing
    folds: Sequence[BaselineFold | NumberFold] = outcome.folds
    seconds = timing.folds if folds else [timing.build]
    numbers: Sequence[int | None] = range(len(folds))
    if isinstance(record, BaselineRecord) and not folds:
        folds, numbers = [_whole(record)], [None]
    for number, fold, took in zip(numbers, folds, seconds, strict=True):
        yield {
            "fold": number,
            "n_train": fold.n_train,
            "n_test": fold.n_test,
            **(_errors_of(fold) if isinstance(fold, NumberFold) else _shares_of(fold)),
            "n_nodes": fold.size,
            "n_leaves": fold.leaves,
            "seconds": took,
            "timed": "",
            "repeats_outcome": False,
            "all_data_nodes": outcome.size,
            "all_data_leaves": outcome.leaves,
            "all_data_seconds": timing.build,
        }


def _whole(record: BaselineRecord) -> BaselineFold:
    """Return what a baseline did in all folds together."""
    outcome, n = record.outcome, record.outcome.n_instances
    return BaselineFold(n, n, outcome.train_correct, outcome.cv_correct, outcome.size, outcome.leaves)


def _errors_of(fold: NumberFold) -> Row:
    return {"r2": fold.r2, "train_r2": fold.train_r2, "rmse": fold.rmse, "mae": fold.mae}


def _shares_of(fold: BaselineFold) -> Row:
    return {**_tested(fold), "train_accuracy": fold.train_correct / fold.n_train}
