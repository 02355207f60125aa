"""What evolutions and baselines are compared, tabulated and plotted by: a column of the frame each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from gatree.base.errors import ResultError
from gatree.experiments.frame import is_comparable, predicts_numbers


class Metric(NamedTuple):
    """A metric: its column, which direction is better, and how to format it."""

    column: str
    more_is_better: bool
    factor: float  # from the column's unit to the displayed one
    decimals: int
    unit: str
    kinds: tuple[str, str]  # the kinds of cells that may have it, the preferred one first
    is_time: bool = False  # so that only timed seeds count


_FOLDS, _SAVINGS = ("cross-validation", "savings"), ("savings", "cross-validation")
METRICS: Mapping[str, Metric] = {
    "accuracy": Metric("accuracy", True, 100, 2, "accuracy on test instances, %", _FOLDS),
    "train-accuracy": Metric("train_accuracy", True, 100, 2, "accuracy on training instances, %", _SAVINGS),
    "r2": Metric("r2", True, 1, 4, "R2 on test instances", _FOLDS),
    "train-r2": Metric("train_r2", True, 1, 4, "R2 on training instances", _FOLDS),
    "rmse": Metric("rmse", False, 1, 4, "root mean square error on test instances", _FOLDS),
    "mae": Metric("mae", False, 1, 4, "mean absolute error on test instances", _FOLDS),
    "size": Metric("n_nodes", False, 1, 1, "size of the tree, nodes", _FOLDS),
    "leaves": Metric("n_leaves", False, 1, 1, "leaves of the tree", _FOLDS),
    "payoff": Metric("best_payoff", True, 1, 4, "payoff of the best tree", _SAVINGS),
    "savings": Metric("savings", True, 1, 2, "instances of evaluated offspring saved, %", _SAVINGS),
    "savings-of-all": Metric("savings_of_all", True, 1, 2, "instances of all offspring saved, %", _SAVINGS),
    "checks-savings": Metric("checks_savings", True, 1, 2, "node-instance-checks saved, %", _SAVINGS),
    "distinct-trees": Metric("distinct_trees", True, 1, 1, "distinct trees in the last population", _SAVINGS),
    "seconds": Metric("seconds", False, 1, 4, "wall-clock seconds", _SAVINGS, True),
    "cpu-seconds": Metric("cpu_seconds", False, 1, 4, "CPU seconds", _SAVINGS, True),
    "evaluate-seconds": Metric(
        "evaluate_seconds", False, 1, 4, "wall-clock seconds of the evaluation alone", _SAVINGS, True
    ),
    "trees-per-second": Metric(
        "trees_per_second", True, 1, 0, "trees examined per CPU second", _SAVINGS, True
    ),
    "equal-time": Metric(
        "generations_in_equal_time", True, 1, 0, "generations of new while old runs 100", _SAVINGS
    ),
    "speed-up": Metric("speed_up", True, 1, 2, "speed-up: CPU seconds, old / new", _SAVINGS),
    "evaluation-speed-up": Metric(
        "evaluation_speed_up", True, 1, 2, "speed-up of the evaluation alone: seconds, old / new", _SAVINGS
    ),
}


def with_metric(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows that have a value of the metric, from the preferred kind of cells."""
    has = frame[METRICS[metric].column].notna()
    for wanted in METRICS[metric].kinds:
        ours = has & (frame["kind"] == wanted)
        if ours.any():
            baselines = has & (frame["kind"] == "baseline") & is_comparable(frame)
            return frame[ours if wanted == "savings" else ours | baselines]
    if (numbers := has & predicts_numbers(frame)).any():
        return frame[numbers]
    needs = {"accuracy": "; only cross-validations have one", "distinct-trees": "; it needs history: true"}
    there = [name for name, other in METRICS.items() if frame[other.column].notna().any()]
    raise ResultError(
        f"no evolution here has a value of {metric}{needs.get(metric, '')}; "
        f"available: {', '.join(there) or 'none'}"
    )


def first_metric(frame: pd.DataFrame) -> str:
    """Return what to compare by where nothing is named: the accuracy, R2 of numbers, or the savings."""
    if predicts_numbers(frame).all():
        return "r2"
    is_tested = ((frame["kind"] == "cross-validation") & frame["accuracy"].notna()).any()
    return "accuracy" if is_tested else "savings"
