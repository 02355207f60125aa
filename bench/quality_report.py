"""What ``make bench-quality`` and ``make bench-unseen`` tell: the table, and what it sums up to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from tabulate import tabulate

from bench.common import Report
from bench.contenders import FOREST, OF_PROBABILITIES, OTHERS, OURS, Study

SCORES = ("Brier score", "log loss", "AUC")


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
    """Return what another of our classifiers gains or loses on the seeds that it has, mean over data sets."""
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


def below_the_rest(rows: list[dict[str, Any]], label: str) -> dict[str, Any]:
    """Return on how many data sets a classifier is more than a point below the best of the other three."""
    behind = [
        100 * (max(row[other]["accuracy"] for other in (OURS, *OTHERS)) - row[label]["accuracy"])
        for row in rows
        if row["seeds"]
    ]
    if not behind:
        return {}
    more_than_a_point = sum(points > 1 for points in behind)
    return {"data sets": len(behind), "a point below": more_than_a_point, "most points": max(behind)}


def probabilities(rows: list[dict[str, Any]], label: str) -> dict[str, Any]:
    """Return the mean scores of probabilities over the data sets that a classifier and ours have them for."""
    whole = [row for row in rows if all(SCORES[-1] in row.get(each, {}) for each in (OURS, label))]
    if not whole:
        return {}
    means = {name: float(np.mean([row[label][name] for row in whole])) for name in SCORES}
    return {"data sets": len(whole), **{name: f"{mean:.3f}" for name, mean in means.items()}}


def report(rows: list[dict[str, Any]], study: Study) -> Report:
    """Return the table, accuracy (leaves), and what it sums up to."""
    shown = []
    for row in rows:
        numbers = {label: row[label] for label in study.labels if label in row}
        cells = {label: f"{at['accuracy']:.3f} ({at['leaves']:.0f})" for label, at in numbers.items()}
        seconds = f"{row[OURS]['most_seconds']:.2f}" if OURS in row else ""
        shown.append({"data": row["data"], "seeds": row["seeds"], **cells, "seconds": seconds})
    halves = {"all": study.names, "choosing": study.chosen_on, "reporting": study.not_chosen_on}
    ours = [label for label in study.labels if label not in (*OTHERS, FOREST)]
    facts = {}
    for half, names in halves.items():
        part = [row for row in rows if row["data"] in names and row["seeds"]]
        facts |= {f"{label}, {half}": summary(part, label) for label in ours}
    behind = {label: below_the_rest(rows, label) for label in (OURS, *OTHERS)}
    beside = {label: against_ours(rows, label) for label in ours if label != OURS}
    losses = {label: probabilities(rows, label) for label in (OURS, *OTHERS, *OF_PROBABILITIES)}
    found = {"summary": facts, "below the rest": behind, "against gatree": beside, "numbers": rows}
    found["probabilities"] = losses
    columns = {"data": "data", "seeds": "seeds", **{name: name for name in study.labels}}
    tables = {
        "classifier, half": facts,
        "below the best of the other three": behind,
        "against gatree": beside,
        "probabilities": losses,
    }
    notes = [*(_table(*each) for each in tables.items()), _notes(study)]
    return Report(
        shown,
        {**columns, "seconds": "s CPU a fit, most"},
        notes="\n\n".join(filter(None, notes)),
        facts=found,
    )


def _notes(study: Study) -> str:
    lines = [
        "- Accuracy (leaves) on held-out folds. The size's rule was chosen on",
        f"  {', '.join(study.chosen_on)};",
        f"  not on {', '.join(study.not_chosen_on)}.",
        "- Mean ranks of the classifier itself, the two CARTs and J48; points above the best of those three,",
        "  mean over data sets; where it is more than a point below; leaves as a share of the best one's,",
        "  mean over data sets, and all leaves by all of theirs.",
        study.remark,
    ]
    return "\n".join(lines)


def _table(title: str, facts: dict[str, Any]) -> str:
    found = [{title: name} | {key: _short(fact[key]) for key in fact} for name, fact in facts.items() if fact]
    return tabulate(found, headers="keys", tablefmt="github")


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {each}" for key, each in value.items()) or "none"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
