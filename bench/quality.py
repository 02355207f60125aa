"""How good the default trees are: ``make bench-quality`` measures 5-fold accuracies, sizes and seconds.

Every classifier sees the same stratified folds, once per seed, on one core. The rule that chooses our size
was itself chosen on the data sets of CHOOSING; those of REPORTING took no part. What is measured is kept
line by line in quality-cells.jsonl, so a run that was stopped goes on where it was; our own lines count
only while it makes the same trees of some data sets.
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
from sklearn.model_selection import StratifiedKFold
from tabulate import tabulate

from bench.__main__ import PARTS
from bench.common import RESULTS, Options, Report, Row, progress, write
from bench.contenders import (
    ABLATIONS,
    BEFORE,
    CHOOSING,
    FAST,
    OTHERS,
    OURS,
    REPORTING,
    contenders,
    data_of,
    n_leaves,
    wants_codes,
)
from bench.front_pictures import PICTURED, picture
from bench.page import write_page

TITLE = "The default trees beside CART and J48"
N_FOLDS = 5
# Whose trees tell whether ours is still the same.
_TRIED = ("glass", "iris", "lymph", "multiplexor", "vote", "zoo")

OF_FRONTS = (OURS, FAST, *ABLATIONS)
ALL = (OURS, *OTHERS, BEFORE, FAST, *ABLATIONS)
COLUMNS = {"data": "data", "seeds": "seeds", **{name: name for name in ALL}, "seconds": "s CPU a fit, most"}


def measure(name: str, label: str, seed: int) -> Row:
    """Return mean accuracy on the test folds, mean leaves and mean CPU seconds of a fit, for one seed."""
    X, y = data_of(name)
    columns = pd.get_dummies(X).astype(float) if wants_codes(label) else X
    make = contenders([label])[label]
    hits, leaves, seconds = [], [], []
    for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(X, y):
        started = time.process_time()
        fitted = make(seed).fit(columns.iloc[train], y[train])
        seconds.append(time.process_time() - started)
        leaves.append(n_leaves(fitted))
        hits.append(fitted.score(columns.iloc[test], y[test]))
    found = {"accuracy": float(np.mean(hits)), "leaves": float(np.mean(leaves))}
    return {**found, "seconds": float(np.mean(seconds)), "most_seconds": float(np.max(seconds))}


@functools.cache
def fingerprint(label: str) -> str:
    """Return a name for what a classifier does; CART, J48 and the genetic algorithm stay as they are."""
    if label not in OF_FRONTS:
        return "-"
    make = contenders([label])[label]
    trees = [make(0).fit(*data_of(name)).tree_.to_json() for name in _TRIED]
    return hashlib.sha256("".join(trees).encode()).hexdigest()[:12]


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
            progress(f"quality: {name}, {label}, seed {seed}")
            key = {"data": name, "classifier": label, "seed": seed, "fingerprint": fingerprint(label)}
            row = {**key, **measure(name, label, seed)}
            self._found[name, label, seed] = row
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        return row

    def tidy(self) -> None:
        """Write the file anew, in order and without lines that were measured again."""
        rows = [self._found[key] for key in sorted(self._found)]
        self._path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def table(cells: Cells, names: list[str], n_seeds: int) -> list[dict[str, Any]]:
    """Return a row per data set: mean accuracy and leaves of every classifier, over the seeds done."""
    rows = []
    for name in names:
        done = [s for s in range(n_seeds) if all(cells.at(name, label, s) for label in (OURS, *OTHERS))]
        row: dict[str, Any] = {"data": name, "seeds": len(done)}
        for label in ALL:
            found = [cell for cell in (cells.at(name, label, seed) for seed in done) if cell is not None]
            if found:
                keys = ("accuracy", "leaves", "seconds")
                row[label] = {key: float(np.mean([cell[key] for cell in found])) for key in keys}
                row[label] |= {"most_seconds": max(c["most_seconds"] for c in found), "seeds": len(found)}
                ours = [cells.at(name, OURS, cell["seed"]) for cell in found]
                row[label]["ours"] = {
                    key: float(np.mean([cell[key] for cell in ours if cell])) for key in keys
                }
        rows.append(row)
    return rows


def summary(rows: list[dict[str, Any]], ours: str) -> dict[str, Any]:
    """Sum up over data sets: the mean rank, how far it is from the best of the others, and how large."""
    labels = (ours, *OTHERS)
    whole = [row for row in rows if ours in row and row[ours]["seeds"] == row["seeds"]]
    if not whole:
        return {}
    accuracies = pd.DataFrame([[row[label]["accuracy"] for label in labels] for row in whole], columns=labels)
    ranks = accuracies.rank(axis=1, ascending=False).mean().round(2)
    ahead, leaves = {}, []
    for row in whole:
        best = max(OTHERS, key=lambda label, row=row: (row[label]["accuracy"], -row[label]["leaves"]))
        ahead[row["data"]] = 100 * (row[ours]["accuracy"] - row[best]["accuracy"])
        leaves.append((row[ours]["leaves"], row[best]["leaves"]))
    return {
        "data sets": len(whole),
        "mean rank": " / ".join(f"{rank:.2f}" for rank in ranks),
        "points above the best": float(np.mean(list(ahead.values()))),
        "a point below": {name: round(points, 1) for name, points in ahead.items() if points < -1},
        "share of leaves": float(np.mean([own / best for own, best in leaves])),
        "of all leaves": float(np.divide(*np.sum(leaves, axis=0))),
    }


def against_ours(rows: list[dict[str, Any]], label: str) -> dict[str, Any]:
    """Tell what another of our classifiers gains or loses on the seeds that it has, mean over data sets."""
    found = [row[label] for row in rows if label in row]
    if not found:
        return {}
    points = [100 * (at["accuracy"] - at["ours"]["accuracy"]) for at in found]
    return {
        "data sets": len(found),
        "seeds": f"{min(at['seeds'] for at in found)}",
        "points": f"{np.mean(points):+.2f}",
        "a point better": sum(each > 1 for each in points),
        "a point worse": sum(each < -1 for each in points),
        "leaves": float(np.mean([at["leaves"] / at["ours"]["leaves"] for at in found])),
        "seconds": float(np.mean([at["seconds"] / at["ours"]["seconds"] for at in found])),
    }


def report(rows: list[dict[str, Any]]) -> Report:
    """Return the table, accuracy (leaves), and what it sums up to."""
    shown = []
    for row in rows:
        numbers = {label: row[label] for label in ALL if label in row}
        cells = {label: f"{at['accuracy']:.3f} ({at['leaves']:.0f})" for label, at in numbers.items()}
        seconds = f"{row[OURS]['most_seconds']:.2f}" if OURS in row else ""
        shown.append({"data": row["data"], "seeds": row["seeds"], **cells, "seconds": seconds})
    halves = {"all": [*CHOOSING, *REPORTING], "choosing": CHOOSING, "reporting": REPORTING}
    facts = {}
    for half, names in halves.items():
        part = [row for row in rows if row["data"] in names and row["seeds"]]
        facts |= {f"{label}, {half}": summary(part, label) for label in ALL if label not in OTHERS}
    beside = {label: against_ours(rows, label) for label in (BEFORE, FAST, *ABLATIONS)}
    found = {"summary": facts, "against gatree": beside, "numbers": rows}
    return Report(shown, COLUMNS, notes=_notes(facts, beside), facts=found)


def _notes(facts: dict[str, Any], beside: dict[str, Any]) -> str:
    chosen_on = f"The size's rule was chosen on {', '.join(CHOOSING)}; not on {', '.join(REPORTING)}."
    tables = [_table("classifier, half", facts), _table("against gatree", beside)]
    lines = [
        f"- Accuracy (leaves) on held-out folds. {chosen_on}",
        "- Mean ranks of the classifier itself, the two CARTs and J48; points above the best of those three,",
        "  mean over data sets; where it is more than a point below; leaves as a share of the best one's,",
        "  mean over data sets, and all leaves by all of theirs.",
        "- Columns on the right may have fewer seeds (quality-cells.jsonl has all there are); those are not",
        "  ranked. What they gain or lose against gatree, in points, leaves and seconds, is on the seeds",
        "  that they have.",
    ]
    return "\n\n".join([*filter(None, tables), "\n".join(lines)])


def _table(title: str, facts: dict[str, Any]) -> str:
    found = [{title: name} | {key: _short(fact[key]) for key in fact} for name, fact in facts.items() if fact]
    return tabulate(found, headers="keys", tablefmt="github")


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {each}" for key, each in value.items()) or "none"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="*", default=[*CHOOSING, *REPORTING], help="names of data sets")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=ALL, help="classifiers")
    parser.add_argument("--output", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", message="The least populated class")
    asked.output.mkdir(parents=True, exist_ok=True)
    cells = Cells(asked.output / "quality-cells.jsonl")
    for seed in range(asked.seeds):
        for name in asked.data:
            for label in asked.only:
                cells.keep(name, label, seed)
    cells.tidy()
    rows = table(cells, asked.data, asked.seeds)
    found = report(rows)
    if set(PICTURED) <= set(asked.data):
        found.figures["fronts"] = picture(rows)
    write("quality", TITLE, found, Options(output=asked.output))
    if asked.output == RESULTS:
        write_page(RESULTS, [*PARTS, "quality"])
    print((asked.output / "quality.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
