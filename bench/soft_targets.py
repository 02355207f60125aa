"""Whether a forest's votes in addition to the classes make better trees: `python -m bench.soft_targets`.

A trial, not a part of gatree. Every training instance stands there four times: with its class, or once with
its class and three times with the classes that a forest which has not seen it votes for, by their shares.
(Four times in both, so that both searches take as many steps.) Trees of the same sizes are compared on
held-out folds: the data sets on which settings are chosen, two seeds that are not those of
`make bench-quality`, 5-fold cross-validation.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from tabulate import tabulate

from bench.contenders import CHOOSING, data_of
from gatree import GATreeClassifier

SEEDS = (100, 101)
SIZES = (4, 8, 16, 32)
VOTES = 3


def voted(X: pd.DataFrame, y: np.ndarray, seed: int) -> np.ndarray:
    """Return the classes that a forest votes for, [instance, vote]; the own one if no tree is without it."""
    numbers = pd.get_dummies(X).astype(float).fillna(-1e3)
    forest = RandomForestClassifier(200, oob_score=True, random_state=seed).fit(numbers, y)
    shares = forest.oob_decision_function_.cumsum(axis=1)
    middles = (np.arange(VOTES) + 0.5) / VOTES  # of equal parts of the votes
    votes = [forest.classes_[np.searchsorted(row, middles).clip(max=len(row) - 1)] for row in shares]
    return np.where(np.isnan(shares[:, -1:]), y[:, None], votes)


def accuracies(train: tuple[pd.DataFrame, np.ndarray], test: tuple[pd.DataFrame, np.ndarray]) -> list[float]:
    """Return how often trees of the sizes are right, all of one front."""
    classifier = GATreeClassifier(size=max(SIZES), random_state=0).fit(*train)
    found = []
    for size in SIZES:
        classifier.tree_ = classifier.fronts_["evolved"].tree(size)
        found.append(classifier.score(*test))
    return found


def compare(name: str) -> list[str]:
    """Return a row: the accuracy of every size, without and with votes."""
    X, y = data_of(name)
    found = []
    for seed in SEEDS:
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
            four_times = X.iloc[np.repeat(train, 1 + VOTES)].reset_index(drop=True)
            own = np.repeat(y[train, None], 1 + VOTES, axis=1)
            votes = np.column_stack([y[train], voted(X.iloc[train], y[train], seed)])
            held_out = X.iloc[test], y[test]
            found.append([accuracies((four_times, classes.ravel()), held_out) for classes in (own, votes)])
    return [name, *(f"{plain:.3f} {soft:.3f}" for plain, soft in np.mean(found, axis=0).T)]


def main() -> None:
    """Print one row per data set."""
    headers = ["data", *(f"{size} leaves, plain and voted" for size in SIZES)]
    print(tabulate([compare(name) for name in CHOOSING], headers, tablefmt="github"))


if __name__ == "__main__":
    main()
