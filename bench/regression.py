"""How good the regressor's trees are, CART's beside them: `python -m bench.regression`.

Five data sets that come with scikit-learn, 5-fold cross-validation, seed 0. CART once as large as our
tree, once pruned by cross-validation.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_diabetes, load_wine, make_friedman1, make_friedman2, make_friedman3
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.tree import DecisionTreeRegressor
from tabulate import tabulate

from gatree import GATreeRegressor

SEEDS = range(1)


def wine() -> tuple[np.ndarray, np.ndarray]:
    """The first column from the others."""
    X, _ = load_wine(return_X_y=True)
    return X[:, 1:], X[:, 0]


DATA = {
    "diabetes": load_diabetes(return_X_y=True),
    "wine, alcohol": wine(),
    "friedman 1": make_friedman1(500, noise=1.0, random_state=0),
    "friedman 2": make_friedman2(500, noise=50.0, random_state=0),
    "friedman 3": make_friedman3(500, noise=0.1, random_state=0),
}


def pruned_cart(seed: int) -> GridSearchCV:
    alphas = {"ccp_alpha": [0, *np.logspace(-4, 3, 15)], "min_samples_leaf": [5]}
    return GridSearchCV(DecisionTreeRegressor(random_state=seed), alphas, cv=5)


def compare(X: np.ndarray, y: np.ndarray) -> list[list[float]]:
    """Return R2 and leaves of ours, of CART as large, and of CART pruned, one row per fold and seed."""
    rows = []
    for seed in SEEDS:
        for train, test in KFold(5, shuffle=True, random_state=seed).split(X):
            ours = GATreeRegressor(random_state=seed).fit(X[train], y[train])
            n_leaves = ours.get_n_leaves()
            same = DecisionTreeRegressor(max_leaf_nodes=n_leaves, min_samples_leaf=5, random_state=seed)
            same.fit(X[train], y[train])
            cart = pruned_cart(seed).fit(X[train], y[train]).best_estimator_
            scores = [tree.score(X[test], y[test]) for tree in (ours, same, cart)]
            rows.append([*scores, n_leaves, cart.get_n_leaves()])
    return rows


def main() -> None:
    """Print one row per data set."""
    rows = [[name, *np.mean(compare(X, y), axis=0).round(3)] for name, (X, y) in DATA.items()]
    headers = ["data", "ours", "CART, as many leaves", "CART, pruned", "leaves", "leaves of CART, pruned"]
    print(tabulate(rows, headers, tablefmt="github"))


if __name__ == "__main__":
    main()
