"""How good the default trees are: ``make bench-quality`` measures 5-fold accuracies, sizes and seconds.

Every classifier sees the same stratified folds, once per seed, on one core. The rule that chooses our size
was itself chosen on the data sets of CHOOSING and HELPED_TO_CHOOSE; on those of REPORTING and FRESH no number
was set. ``make bench-unseen`` does the same on data sets that are not included. What is measured is kept line
by line in quality-cells.jsonl, so a run that was stopped goes on where it was; our own lines count only while
it has the same settings and makes the same trees of some data sets.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from bench import numbers
from bench.common import RESULTS, Options, Row, as_markdown, progress, write
from bench.contenders import (
    ABLATIONS,
    FAST,
    FOR_LOSS,
    NOT_SHIPPED,
    OTHERS,
    OURS,
    SHIPPED,
    contenders,
    data_of,
    n_leaves,
    wants_codes,
)
from bench.front_pictures import PICTURED, picture
from bench.quality_report import SCORES, report
from gatree import SmallTreeClassifier

N_FOLDS = 5
# Whose trees tell, with the settings, whether ours is still the same: small data, and two above
# 250 samples, which are smoothed less, and one above 1,000, which has few offspring.
_TRIED = ("glass", "iris", "lymph", "multiplexor", "vote", "zoo", "balance-scale", "wdbc", "kr-vs-kp")

OF_FRONTS = (OURS, FAST, FOR_LOSS, *ABLATIONS)


def measure(name: str, label: str, seed: int) -> Row:
    """Return means over the folds of one seed: accuracy, scores of probabilities, leaves, CPU seconds."""
    X, y = data_of(name)
    columns = pd.get_dummies(X).astype(float) if wants_codes(label) else X
    make = contenders([label])[label]
    hits, scores, leaves, seconds = [], [], [], []
    for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(X, y):
        started = time.process_time()
        fitted = make(seed).fit(columns.iloc[train], y[train])
        seconds.append(time.process_time() - started)
        leaves.append(n_leaves(fitted))
        hits.append(fitted.score(columns.iloc[test], y[test]))
        is_class = y[test][:, np.newaxis] == fitted.classes_
        scores.append(scores_of(fitted.predict_proba(columns.iloc[test]), is_class))
    found = {"accuracy": float(np.mean(hits)), "leaves": float(np.mean(leaves))}
    found |= dict(zip(SCORES, np.mean(scores, axis=0).tolist(), strict=True))
    return {**found, "seconds": float(np.mean(seconds)), "most_seconds": float(np.max(seconds))}


def scores_of(probabilities: np.ndarray, is_class: np.ndarray) -> tuple[float, float, float]:
    """Return the Brier score, the log loss, and the mean area under the ROC curves of the classes.

    A class that was not trained on has the probability 0.
    """
    of_truth = (probabilities * is_class).sum(axis=1)
    brier = ((probabilities - is_class) ** 2).sum(axis=1) + ~is_class.any(axis=1)
    loss = -np.log(np.maximum(of_truth, np.finfo(np.float64).eps))
    ranked = [label for label in range(is_class.shape[1]) if 0 < is_class[:, label].sum() < len(is_class)]
    areas = [roc_auc_score(is_class[:, label], probabilities[:, label]) for label in ranked]
    return float(brier.mean()), float(loss.mean()), float(np.mean(areas))


@functools.cache
def fingerprint(label: str) -> str:
    """Return a name for what a classifier does; CART, J48 and the genetic algorithm stay as they are."""
    if label not in OF_FRONTS:
        return "-"
    make = contenders([label])[label]
    fitted = [make(seed).fit(*data_of(name)) for name in _TRIED for seed in range(2)]
    known_by = "".join(f"{each.settings_}{each.tree_.to_json()}{_validated(each)}" for each in fitted)
    return hashlib.sha256(known_by.encode()).hexdigest()[:12]


def _validated(fitted: SmallTreeClassifier) -> list[list[float]]:
    """Return what chose the size: it changes even if the trees of a few data sets do not."""
    fronts = fitted.fronts_.values()
    return [front.validated.tolist() for front in fronts if front.validated is not None]


class Cells:
    """What has been measured, a line per data set, classifier and seed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        rows = [json.loads(line) for line in lines]
        self._found = {(row["data"], row["classifier"], row["seed"]): row for row in rows}

    def at(self, name: str, label: str, seed: int) -> Row | None:
        """Return a cell, if it was measured with the classifier as it is."""
        row = self._found.get((name, label, seed))
        return row if row is not None and row["fingerprint"] == fingerprint(label) else None

    def keep(self, name: str, label: str, seed: int) -> Row:
        """Return a cell, measured now if need be."""
        row = self.at(name, label, seed)
        if row is None:
            progress(f"{name}, {label}, seed {seed}")
            key = {"data": name, "classifier": label, "seed": seed, "fingerprint": fingerprint(label)}
            row = {**key, **measure(name, label, seed)}
            self._found[name, label, seed] = row
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        return row

    def tidy(self) -> None:
        """Write the file again, in order and without lines that were measured again."""
        rows = [self._found[key] for key in sorted(self._found)]
        self._path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def table(cells: Cells, names: list[str], n_seeds: int) -> list[dict[str, Any]]:
    """Return a row per data set: mean accuracy and leaves of every classifier, over the seeds done.

    The scores of probabilities are those of the first seed.
    """
    rows = []
    for name in names:
        done = [s for s in range(n_seeds) if all(cells.at(name, label, s) for label in (OURS, *OTHERS))]
        row: dict[str, Any] = {"data": name, "seeds": len(done)}
        for label in SHIPPED.labels:
            found = [cell for cell in (cells.at(name, label, seed) for seed in done) if cell is not None]
            if found:
                keys = ("accuracy", "leaves", "seconds")
                row[label] = {key: float(np.mean([cell[key] for cell in found])) for key in keys}
                scored = [cell for cell in found if cell["seed"] == done[0]]  # one seed, which all have
                row[label] |= {key: cell[key] for cell in scored for key in SCORES if key in cell}
                row[label] |= {"most_seconds": max(c["most_seconds"] for c in found), "seeds": len(found)}
                ours = [cells.at(name, OURS, cell["seed"]) for cell in found]
                row[label]["ours"] = {
                    key: float(np.mean([cell[key] for cell in ours if cell])) for key in keys
                }
        rows.append(row)
    return rows


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="*", help="names of data sets, all if there are none")
    parser.add_argument("--unseen", action="store_true", help="on data that are not included")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="*", help="classifiers")
    parser.add_argument("--output", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    study = NOT_SHIPPED if asked.unseen else SHIPPED
    names = asked.data or list(study.names)
    warnings.filterwarnings("ignore", message="The least populated class")
    asked.output.mkdir(parents=True, exist_ok=True)
    cells = Cells(asked.output / f"{study.part}-cells.jsonl")
    for seed in range(asked.seeds):
        for name in names:
            for label in asked.only or study.labels:
                cells.keep(name, label, seed)
    cells.tidy()
    rows = table(cells, names, asked.seeds)
    found = report(rows, study)
    if set(PICTURED) <= set(names):
        found.figures["fronts"] = picture(rows)
    content = write(study.part, study.title, found, Options(output=asked.output))
    if asked.output == RESULTS:
        numbers.main()
    print(as_markdown(content))


if __name__ == "__main__":
    main()
