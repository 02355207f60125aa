"""How good the default regression trees are: ``make bench-regression`` measures R2, leaves, seconds.

Every regressor sees the same folds, once per seed. CART is scikit-learn's tree, its cost-complexity pruning
or the size of its smallest leaf chosen by 5-fold cross-validation on the training part; nominal columns are
one-hot coded for it. Shrinkage and smallest leaf were chosen on the data sets of CHOOSING. The rule of the
size was last changed after a look at all of them, so REPORTING is not independent of it.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.tree import DecisionTreeRegressor
from tabulate import tabulate

from bench import numbers
from bench.common import RESULTS, Options, Report, Row, as_markdown, progress, write
from bench.regression_data import CHOOSING, REPORTING, regression_data
from gatree import SmallTreeRegressor

OURS, CCP, SMALLEST = "gatree", "CART, cost-complexity", "CART, smallest leaf"
CARTS = (CCP, SMALLEST)
TITLE = "The default regression trees compared with CART"

_N_FOLDS = 5
_SMALLEST_LEAVES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 50)
_FINE, _COARSE = 40, 30  # prices per leaf that are tried: the dearest, and some of all


_NOTES = f"""- R2 (leaves) on held-out folds. Shrinkage and smallest leaf were chosen on
  {", ".join(CHOOSING)};
  not on {", ".join(REPORTING)}.
  The rule of the size was compared on all of them.
- Mean ranks are those of gatree and of the CARTs in the order of the table; leaves as a share of
  the better CART's, geometric mean over data sets, all by all, and as a share of pruned CART's."""


def fitted(label: str, X: pd.DataFrame, y: np.ndarray, seed: int) -> Any:
    """Return a fitted regressor."""
    if label == OURS:
        return SmallTreeRegressor(random_state=seed).fit(X, y)
    folds = KFold(_N_FOLDS, shuffle=True, random_state=seed)
    cart = DecisionTreeRegressor(random_state=seed)
    grid = {"ccp_alpha": prices(cart, X, y)} if label == CCP else {"min_samples_leaf": _SMALLEST_LEAVES}
    return GridSearchCV(cart, grid, cv=folds).fit(X, y).best_estimator_


def prices(cart: DecisionTreeRegressor, X: pd.DataFrame, y: np.ndarray) -> list[float]:
    """Return prices per leaf between those at which CART's tree changes."""
    steps = cart.cost_complexity_pruning_path(X, y).ccp_alphas.clip(0)
    between = np.sqrt(steps[:-1] * steps[1:])
    some = np.quantile(between, np.linspace(0, 1, _COARSE)) if len(between) else []
    return np.unique([0.0, *some, *between[-_FINE:]]).tolist()


def measure(name: str, label: str, seed: int) -> Row:
    """Return mean R2 on the test folds, mean leaves and CPU seconds of a fit, for one seed."""
    X, y = regression_data(name)
    columns = X if label == OURS else pd.get_dummies(X).astype(float)
    scores, leaves, seconds = [], [], []
    for train, test in KFold(_N_FOLDS, shuffle=True, random_state=seed).split(X):
        started = time.process_time()
        found = fitted(label, columns.iloc[train], y[train], seed)
        seconds.append(time.process_time() - started)
        leaves.append(found.get_n_leaves())
        scores.append(found.score(columns.iloc[test], y[test]))
    return {"r2": float(np.mean(scores)), "leaves": float(np.mean(leaves)), "seconds": float(max(seconds))}


class Cells:
    """What has been measured of CART, a line per data set, regressor and seed; ours is measured each time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        rows = [json.loads(line) for line in lines]
        self._found = {(row["data"], row["regressor"], row["seed"]): row for row in rows}

    def at(self, name: str, label: str, seed: int) -> Row:
        """Return a cell, measured now if need be."""
        row = self._found.get((name, label, seed))
        if row is None:
            progress(f"{name}, {label}, seed {seed}")
            row = {"data": name, "regressor": label, "seed": seed, **measure(name, label, seed)}
            self._found[name, label, seed] = row
            if label in CARTS:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
        return row


def table(cells: Cells, names: tuple[str, ...], n_seeds: int) -> list[dict[str, Any]]:
    """Return a row per data set: means of every regressor over the seeds."""
    rows = []
    for name in names:
        row: dict[str, Any] = {"data": name, "rows": len(regression_data(name)[1])}
        for label in (*CARTS, OURS):
            found = [cells.at(name, label, seed) for seed in range(n_seeds)]
            row[label] = {
                key: float(np.mean([cell[key] for cell in found])) for key in ("r2", "leaves", "seconds")
            }
        rows.append(row)
    return rows


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return mean ranks, the difference to the better CART, and the leaves as a share of its."""
    labels = (OURS, *CARTS)
    scores = pd.DataFrame([[row[label]["r2"] for label in labels] for row in rows])
    ranks = scores.rank(axis=1, ascending=False).mean()
    best = [max(CARTS, key=lambda label, row=row: row[label]["r2"]) for row in rows]
    ahead = [row[OURS]["r2"] - row[label]["r2"] for row, label in zip(rows, best, strict=True)]
    pairs = [(row[OURS]["leaves"], row[label]["leaves"]) for row, label in zip(rows, best, strict=True)]
    pruned = [row[OURS]["leaves"] / row[CCP]["leaves"] for row in rows]
    return {
        "data sets": len(rows),
        "mean rank": " / ".join(f"{rank:.2f}" for rank in ranks),
        "R2 above the best CART": round(float(np.mean(ahead)), 4),
        "share of its leaves": round(float(np.exp(np.mean([np.log(a / b) for a, b in pairs]))), 2),
        "of all leaves": round(float(np.divide(*np.sum(pairs, axis=0))), 2),
        "share of pruned CART's": round(float(np.exp(np.mean(np.log(pruned)))), 2),
    }


def report(rows: list[dict[str, Any]]) -> Report:
    """Return the table, R2 (leaves), and what it sums up to."""
    shown = [
        {
            **{key: row[key] for key in ("data", "rows")},
            **{label: f"{row[label]['r2']:.3f} ({row[label]['leaves']:.0f})" for label in (OURS, *CARTS)},
            "seconds": row[OURS]["seconds"],
        }
        for row in rows
    ]
    halves = {"all": (*CHOOSING, *REPORTING), "choosing": CHOOSING, "reporting": REPORTING}
    parts = {half: [row for row in rows if row["data"] in names] for half, names in halves.items()}
    facts = {half: summary(part) for half, part in parts.items() if part}
    notes = [
        tabulate([{"data": half, **fact} for half, fact in facts.items()], headers="keys", tablefmt="github"),
        _NOTES,
    ]
    columns = {"data": "data", "rows": "rows", **{label: label for label in (OURS, *CARTS)}}
    return Report(
        shown,
        {**columns, "seconds": "s CPU a fit, most"},
        notes="\n\n".join(notes),
        facts={"summary": facts, "numbers": rows},
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="*", help="names of data sets, all if there are none")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--output", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    asked.output.mkdir(parents=True, exist_ok=True)
    SmallTreeRegressor(effort=0.1).fit(*regression_data("wine"))  # compiles before a clock runs
    cells = Cells(asked.output / "regression-cells.jsonl")
    rows = table(cells, tuple(asked.data) or (*CHOOSING, *REPORTING), asked.seeds)
    content = write("regression", TITLE, report(rows), Options(output=asked.output))
    if asked.output == RESULTS:
        numbers.main()
    print(as_markdown(content))


if __name__ == "__main__":
    main()
