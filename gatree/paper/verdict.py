"""The verdict on the reproduction, before all details: a few cards, each a number and what it means.

All but J48's have one basis: the paper's own data sets without kr-vs-kp, most of whose published rows are
impossible. `saved_work` has the same on others. A further run of ours falls into the prediction interval 95
times of 100, so by chance 5 % of numbers made like ours lie outside; the cards say how many do.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import comb, sqrt

import pandas as pd

from gatree.base.errors import counted
from gatree.base.statistics import student_t
from gatree.experiments.frame import Results
from gatree.paper.agreement import (
    KINDS,
    MISPRINTED,
    NOT_LOST,
    BothSaved,
    baseline_match,
    bases,
    outside,
    placement,
    without,
)
from gatree.paper.definitions import departures
from gatree.paper.published import TABLE_ERRATA
from gatree.paper.tables import our_table

COVERED = 0.95
_SEEDS = 10
"""The seeds of the reference, with which an interval of fewer seeds is compared."""

_MOST_NAMED = 4
_UNITS = {"savings": ("point", 1.0), "accuracy": ("point", 0.01), "size": ("node", 1.0)}


@dataclass(frozen=True)
class Card:
    """One statement: what it is about, its number, and what the number means."""

    title: str
    value: str
    text: str

    @property
    def sentence(self) -> str:
        return f"{self.title}: {self.value}. {self.text}"


_INTERVAL = Card(
    "Prediction interval",
    f"{100 * COVERED:.0f} %",
    "A further run of ours, with another seed, falls into it 95 times of 100. So one published number of 20 "
    "would lie outside by chance.",
)


def verdict(results: Results) -> list[Card]:
    """Return the cards, as far as the results tell: savings, the kinds of numbers, J48, errors.

    An experiment that is not run like the paper's gets none.
    """
    if departures(results):
        return []
    kinds = [_inside(results, kind) for kind in (*KINDS[1:], KINDS[0])]
    interval = _INTERVAL if any(kinds) else None
    cards = (_saved(results), interval, *kinds, _j48(results), _errors())
    return [card for card in cards if card is not None]


def _saved(results: Results) -> Card | None:
    both = BothSaved.of(results, NOT_LOST, next(iter(bases().values())))
    if both is None or both.paper is None:
        return None
    return Card(
        "Instances saved",
        f"{both.ours.instances:.1f} % (the paper: {both.paper.instances:.1f} %)",
        f"The mean over the {both.n_cells} of {both.n_published} cells of Tables 4, 5 and 7 that both have. "
        f"Time saved, likewise: {both.ours.time:.0f} % (the paper: {both.paper.time:.0f} %). All numbers "
        f"here leave out the stand-ins for lost data; all but J48's leave out {MISPRINTED}, too.",
    )


def _inside(results: Results, kind: tuple[str, tuple[int, ...], str]) -> Card | None:
    what, tables, metric = kind
    placed = without(placement(tables, metric, results), MISPRINTED)
    n, n_inside = len(placed), int(placed["inside"].sum())
    if not n:
        return None
    value = f"{n_inside} of {n} inside the prediction interval of our runs"
    text = " ".join([_meaning(placed, n_inside), *_beyond(placed, metric), *_width(placed)])
    return Card(f"Published {what}", value, text)


def _meaning(placed: pd.DataFrame, n_inside: int) -> str:
    """Say how many would lie outside by chance, how many do, and what is unexplained."""
    n = len(placed)
    n_outside, by_chance, p = n - n_inside, (1 - COVERED) * n, chance_of_at_most(n_inside, n)
    counts = f"By chance {by_chance:.0f} of {n} would lie outside; {n_outside} do (p = {p:.1g})."
    if p >= 0.05:
        return f"{counts} Chance explains that."
    most = ", ".join(f"{dataset} {count}" for dataset, count in outside(placed).most_common(3))
    return f"{counts} The excess of {n_outside - by_chance:.0f} is unexplained. Outside most often: {most}."


def chance_of_at_most(n_inside: int, n: int) -> float:
    """Return the probability that at most these of n numbers lie in ranges that cover 95 %."""
    return sum(comb(n, k) * COVERED**k * (1 - COVERED) ** (n - k) for k in range(n_inside + 1))


def _beyond(placed: pd.DataFrame, metric: str) -> list[str]:
    """Say how far beyond the interval the published numbers lie, and where those are that lie far beyond."""
    unit, size = _UNITS[metric]
    apart = placed[~placed["inside"]]
    if apart.empty:
        return []
    near, nearer = ((apart["beyond"] < limit * size).sum() for limit in (2, 1))
    text = f"Of the {len(apart)} outside, {nearer} lie less than a {unit} beyond it and {near} less "
    far = apart[apart["beyond"] >= 2 * size]
    return [f"{text}than two{_far(far, unit, size)}.", *_narrow(apart, unit, size)]


def _far(far: pd.DataFrame, unit: str, size: float) -> str:
    if far.empty:
        return ""
    farthest, most = far.groupby("dataset")["beyond"].max() / size, outside(far).most_common()
    parts = [f"{name} {n} (up to {counted(round(farthest[name]), unit)})" for name, n in most[:_MOST_NAMED]]
    n_others = len(most) - _MOST_NAMED
    others = f" and {counted(n_others, 'other data set')}" if n_others > 0 else ""
    return f"; farther: {', '.join(parts)}{others}"


def _narrow(apart: pd.DataFrame, unit: str, size: float) -> list[str]:
    """Say where numbers lie outside though they are near our means: there our runs hardly differ."""
    close = outside(apart[(apart["mean"] - apart["paper"]).abs() < size])
    return [
        f"{close[dataset]} of {dataset}'s {count} deviate from our mean by less than a {unit}: our runs "
        "hardly differ there."
        for dataset, count in outside(apart).most_common(1)
        if close[dataset] * 2 > count > 3
    ]


def _width(placed: pd.DataFrame) -> list[str]:
    """Say how wide the interval is with fewer seeds than the reference has: it is wider."""
    n = int(placed["n"].min())
    if n >= _SEEDS:
        return []
    here, there = (student_t(k - 1) * sqrt(1 + 1 / k) for k in (n, _SEEDS))
    wider = f"With {counted(n, 'seed')} the interval is {here / there:.1f} times as wide as with {_SEEDS}"
    return [f"{wider}, so more numbers lie inside."]


def _j48(results: Results) -> Card | None:
    match = baseline_match(our_table(8, results))
    if not match.n_cells:
        return None
    apart = Counter(spot.dataset for spot, _, _ in match.different)
    which = ", ".join(f"{dataset} {n}" for dataset, n in apart.most_common())
    return Card(
        "J48's columns",
        f"{match.n_equal} of {match.n_cells} values match exactly",
        f"Different: {which}." if which else "Accuracies and sizes are WEKA's, digit for digit.",
    )


def _errors() -> Card:
    return Card(
        "Wrong in the paper",
        f"{len(TABLE_ERRATA)} errors",
        f"Among them: Table 6 is a copy of Table 4, and most rows of {MISPRINTED} are impossible for trees "
        "of their size.",
    )
