"""How good the default trees are: ``make bench-quality`` prints 5-fold accuracies, sizes and seconds.

Every classifier sees the same stratified folds, once per seed, on one core. CART is scikit-learn's tree, its
cost-complexity pruning or its number of leaves chosen by 5-fold cross-validation on the training part; it
cannot test categories, so nominal columns are one-hot coded for it. The rule that chooses our size was itself
chosen on the data sets of CHOOSING, and is reported on all.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier
from tabulate import tabulate

from gatree import GATreeClassifier, J48Classifier, load_dataset
from gatree.data.dataset import Dataset

CHOOSING = ("balance-scale", "breast", "credit-a", "glass", "multiplexor", "anneal", "digits", "iris")
REPORTING = ("kr-vs-kp", "lymph", "vote", "zoo", "soybean", "crime", "wine", "wdbc")
_OF_SKLEARN = {"digits": load_digits, "iris": load_iris, "wine": load_wine, "wdbc": load_breast_cancer}
OURS = "GATreeClassifier()"
N_FOLDS = 5


def frame_of(data: Dataset) -> tuple[pd.DataFrame, np.ndarray]:
    columns: dict[str, Any] = {}
    for attribute, column in zip(data.attributes, data.columns, strict=True):
        values = list(attribute.values)
        columns[attribute.name] = pd.Categorical.from_codes(column, pd.Index(values)) if values else column
    return pd.DataFrame(columns), np.array(data.class_values)[data.classes]


def data_of(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    if name in _OF_SKLEARN:
        X, y = _OF_SKLEARN[name](return_X_y=True, as_frame=True)
        return X, y.to_numpy()
    data = load_dataset(name)
    return frame_of(data.drop("animal") if name == "zoo" else data)


ALPHAS = (0, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032)
LEAVES = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 100, 128, 160, 200)


def cart(seed: int, codes: pd.DataFrame, parameter: str, values: tuple[float, ...]) -> Any:
    one_hot = FunctionTransformer(lambda X: pd.get_dummies(X).reindex(columns=codes.columns, fill_value=0))
    pipeline = make_pipeline(one_hot, SimpleImputer(), DecisionTreeClassifier(random_state=seed))
    return GridSearchCV(pipeline, {f"decisiontreeclassifier__{parameter}": list(values)}, cv=N_FOLDS)


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


def classifiers(codes: pd.DataFrame) -> dict[str, Callable[[int], Any]]:
    return {
        OURS: lambda seed: GATreeClassifier(random_state=seed),
        "J48": lambda _: J48Classifier(),
        "CART, cost-complexity": lambda seed: cart(seed, codes, "ccp_alpha", ALPHAS),
        "CART, most leaves": lambda seed: cart(seed, codes, "max_leaf_nodes", LEAVES),
    }


def summary(rows: list[tuple[Any, ...]]) -> str:
    """Sum up over data sets: mean ranks, how far ours is from the best of the others, and how large."""
    by_data: dict[str, dict[str, tuple[float, float]]] = {}
    for name, label, accuracy, _, leaves, _ in rows:
        by_data.setdefault(name, {})[label] = (accuracy, leaves)
    ranks = pd.DataFrame({name: {k: v[0] for k, v in found.items()} for name, found in by_data.items()})
    lines = [f"mean rank of {k}: {v:.2f}" for k, v in ranks.rank(ascending=False).mean(axis=1).items()]
    behind, ratios = {}, []
    for name, found in by_data.items():
        others = [value for label, value in found.items() if label != OURS]
        best = max(others)
        behind[name] = 100 * (found[OURS][0] - best[0])
        ratios.append(found[OURS][1] / best[1])
    worst = min(behind, key=behind.__getitem__)
    lines.append(f"points above the best of the others: mean {np.mean(list(behind.values())):.2f}, ")
    lines[-1] += f"least {behind[worst]:.2f} ({worst})"
    lines.append(f"leaves, as a share of the most accurate other's: {np.mean(ratios):.2f}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="*", default=[*CHOOSING, *REPORTING], help="names of data sets")
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args(arguments)
    rows = []
    for name in asked.data:
        X, y = data_of(name)
        makers = classifiers(pd.get_dummies(X))
        makers[OURS](0).fit(X[:50], y[:50])  # compile before timing
        rows += [(name, label, *measure(make, X, y, asked.seeds)) for label, make in makers.items()]
    headers = ["data", "classifier", "accuracy", "±", "leaves", "seconds"]
    print(tabulate(rows, headers, floatfmt=("", "", ".3f", ".3f", ".1f", ".2f"), tablefmt="github"))
    print(f"\n{summary(rows)}")


if __name__ == "__main__":
    main()
