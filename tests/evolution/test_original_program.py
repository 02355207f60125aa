"""Runs of the original program show Eq. 1 with nodes as the size, x in twenty steps, and payoffs at birth.

This file has a few of the 525 runs: training instances, nodes, and the payoff that the program printed. If
the file of all runs is present, all are tested.
"""

import csv
from pathlib import Path

import numpy as np
import pytest

from gatree.evolution.payoff import payoff, x_of_generations
from gatree.settings.evolution_settings import EvolutionSettings, XFactor

ALL_RUNS = Path(__file__).parents[3] / "shared" / "paper" / "original_runs.csv"

RUNS = [  # data set, n_train, nodes, leaves, payoff; correct instances, progress of x
    ("hep", 124, 19, 10, 0.769774, 109, 0.95),
    ("lym", 119, 23, 12, 0.702256, 100, 0.95),
    ("liv", 276, 39, 20, 0.461542, 189, 0.95),
    ("car", 1383, 5, 3, 0.587291, 1060, 0.95),
    ("bcw", 560, 11, 6, 0.908079, 534, 0.90),
    ("seg", 1848, 19, 10, 0.0336979, 340, 0.80),
    ("hrtc", 243, 15, 8, 0.370022, 148, 0.90),
    ("son", 167, 57, 29, 0.434917, 112, 0.95),
    ("vote", 348, 3, 2, 0.921076, 334, 1.00),
    ("zoo", 81, 37, 19, 0.67448, 67, 0.95),
]

STEPS = XFactor(1e3, 1e5).at(np.arange(21), 20, 20)  # the x of every step


def explanations(n_train: int, size: int, printed: float) -> list[tuple[int, float]]:
    """Return all correct counts and steps of x for which Eq. 1 gives the printed payoff."""
    found = []
    for step, x in enumerate(STEPS):
        likely = round(n_train * np.sqrt(printed / payoff(n_train, n_train, size, x)))
        for n_correct in range(max(0, likely - 1), min(n_train, likely + 1) + 1):
            if abs(payoff(n_correct, n_train, size, x) - printed) <= 1e-6:
                found.append((n_correct, step / 20))
    return found


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run[0])
def test_eq_1_with_nodes_as_the_size_explains_a_printed_payoff(run):
    _, n_train, nodes, leaves, printed, n_correct, progress = run
    assert (n_correct, progress) in explanations(n_train, nodes, printed)
    assert explanations(n_train, leaves, printed) == []


def test_the_steps_of_x_equal_those_of_an_evolution():
    settings = EvolutionSettings(n_generations=40, x_factor="1e4..1e5", x_start=1e3, x_steps=20)
    x = x_of_generations(settings)
    assert np.unique(x).tolist() == STEPS.tolist()
    assert x[0] == x[1] == 1e3
    assert x[39] == STEPS[19]
    assert x[40] == 1e5


def test_all_runs_if_their_file_is_present():
    """The precision of the program explains 524 of the 525; the last one needs one unit more."""
    if not ALL_RUNS.is_file():
        return  # the runs above are tested instead
    with ALL_RUNS.open(encoding="utf-8") as file:
        runs = list(csv.DictReader(file))
    explained = [
        bool(explanations(int(run["n_train"]), int(run["nodes"]), float(run["payoff"]))) for run in runs
    ]
    assert len(runs) == 525
    assert sum(explained) >= 524
    by_leaves = [
        bool(explanations(int(run["n_train"]), int(run["leaves"]), float(run["payoff"]))) for run in runs
    ]
    assert sum(by_leaves) <= 21
