"""How good the default trees are: ``make bench-quality`` prints 5-fold accuracies, sizes and seconds.

Every classifier sees the same stratified folds, once per seed, on one core. CART is scikit-learn's tree with
cost-complexity pruning chosen by 5-fold cross-validation on the training part; it cannot test categories, so
nominal columns are one-hot coded for it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier
from tabulate import tabulate

from gatree import GATreeClassifier, J48Classifier, load_dataset
from gatree.data.dataset import Dataset

# The accuracy to reach with the defaults, and the leaves it may take.
GOALS = {
    "balance-scale": (0.80, 16),
    "zoo": (0.93, 16),
    "kr-vs-kp": (0.965, 30),
    "vote": (0.956, 16),
    "credit-a": (0.855, 16),
}
N_FOLDS = 5


def frame_of(data: Dataset) -> tuple[pd.DataFrame, np.ndarray]:
    columns: dict[str, Any] = {}
    for attribute, column in zip(data.attributes, data.columns, strict=True):
        values = list(attribute.values)
        columns[attribute.name] = pd.Categorical.from_codes(column, pd.Index(values)) if values else column
    return pd.DataFrame(columns), np.array(data.class_values)[data.classes]


def data_of(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    data = load_dataset(name)
    return frame_of(data.drop("animal") if name == "zoo" else data)


def cart(seed: int, codes: pd.DataFrame) -> Any:
    one_hot = FunctionTransformer(lambda X: pd.get_dummies(X).reindex(columns=codes.columns, fill_value=0))
    tree = DecisionTreeClassifier(random_state=seed)
    alphas = {"decisiontreeclassifier__ccp_alpha": [0, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032]}
    return GridSearchCV(make_pipeline(one_hot, SimpleImputer(), tree), alphas, cv=N_FOLDS)


def n_leaves(fitted: Any) -> int:
    best = getattr(fitted, "best_estimator_", fitted)
    return int(best[-1].get_n_leaves() if hasattr(best, "steps") else best.get_n_leaves())


def measure(make: Callable[[int], Any], X: pd.DataFrame, y: np.ndarray, n_seeds: int) -> tuple[float, ...]:
    """Return the mean accuracy on the test folds, its deviation over seeds, mean leaves, mean CPU seconds."""
    scores, leaves, seconds = [], [], []
    for seed in range(n_seeds):
        folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
        hits = []
        for train, test in folds.split(X, y):
            started = time.process_time()
            fitted = make(seed).fit(X.iloc[train], y[train])
            seconds.append(time.process_time() - started)
            leaves.append(n_leaves(fitted))
            hits.append(fitted.score(X.iloc[test], y[test]))
        scores.append(np.mean(hits))
    return float(np.mean(scores)), float(np.std(scores)), float(np.mean(leaves)), float(np.mean(seconds))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="*", default=list(GOALS), help="names of data sets")
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args(arguments)
    rows = []
    for name in asked.data:
        X, y = data_of(name)
        codes = pd.get_dummies(X)
        makers: dict[str, Callable[[int], Any]] = {
            "GATreeClassifier()": lambda seed: GATreeClassifier(random_state=seed),
            "J48Classifier()": lambda _: J48Classifier(),
            "CART, pruned": lambda seed, codes=codes: cart(seed, codes),
        }
        GATreeClassifier(n_generations=1).fit(X, y)  # compile before timing
        for label, make in makers.items():
            accuracy, deviation, leaves, seconds = measure(make, X, y, asked.seeds)
            goal, _ = GOALS.get(name, (None, None))
            rows.append(
                (name, label, goal if label.startswith("GA") else None, accuracy, deviation, leaves, seconds)
            )
    headers = ["data", "classifier", "goal", "accuracy", "±", "leaves", "seconds"]
    print(tabulate(rows, headers, floatfmt=("", "", ".3f", ".3f", ".3f", ".1f", ".2f"), tablefmt="github"))


if __name__ == "__main__":
    main()
