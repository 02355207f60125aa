"""A contest as tables and sentences: what `gatree compare` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from gatree.base.errors import ResultError, counted, did_you_mean
from gatree.base.statistics import LEVEL, Mean, TTest, least_wilcoxon
from gatree.rendering.documents import Document, PrintedGrid
from gatree.report.contest import Contest, Duel, contest_of, what_varies
from gatree.report.metrics import first_metric

Published = Mapping[str, Mapping[str, float]]
"""Numbers of others, by method and data set, in the unit of the metric's column."""


def contest_document(
    contest: Contest, against: str | None = None, published: Published = MappingProxyType({})
) -> Document:
    """Return a table like that of WEKA's Experimenter: all rivals against one, the first by default.

    Published numbers get columns of their own and take no part in the tests.
    """
    base = _base(contest, against)
    rivals = (base, *(rival for rival in contest.rivals if rival != base))
    duels = contest.duels(base)
    unit = contest.kind.unit
    caption = f"{unit[0].upper()}{unit[1:]}, by {contest.by}"
    return Document(
        caption,
        grids=(_means(contest, rivals, duels, published), _duels(contest, duels)),
        records=tuple(_records(contest, rivals, duels)),
        notes=(*(sentence(contest, duel) for duel in duels), *_notes(contest, duels)),
    )


def contest_documents(frame: pd.DataFrame) -> list[Document]:
    """Return a comparison by everything that varies, by accuracy, or savings without cross-validations."""
    try:
        metric = first_metric(frame)
        names = what_varies(frame, metric)
    except ResultError:  # nothing varies
        return []
    documents = []
    for name in names if metric == "accuracy" or names != ["evaluator"] else []:
        with suppress(ResultError):  # some values have not run on the same data
            documents.append(contest_document(contest_of(frame, name, metric)))
    return documents


def _base(contest: Contest, against: str | None) -> str:
    if against is None:
        return contest.rivals[0]
    if against not in contest.rivals:
        near = did_you_mean(against, contest.rivals) or f"; there is: {', '.join(contest.rivals)}"
        raise ResultError(f"--against {against}: no such {contest.by}{near}")
    return against


# --- tables -------------------------------------------------------------------------------------------


def read_published(path: Path, metric: str) -> Published:
    """Read the numbers of a metric from a CSV file with the columns dataset, method, metric and value."""
    try:
        every = pd.read_csv(path, usecols=["dataset", "method", "metric", "value"], dtype={"value": float})
    except (OSError, ValueError) as error:
        raise ResultError(
            f"{path}: should be a CSV file with the columns dataset, method, metric and value ({error!r})"
        ) from error
    found = every[every["metric"] == metric]
    if found.empty:
        raise ResultError(f"{path}: has no published numbers for the metric {metric}")
    return {
        str(name): dict(zip(of["dataset"], of["value"], strict=True))
        for name, of in found.groupby("method", sort=False)
    }


def _means(contest: Contest, rivals: tuple[str, ...], duels: list[Duel], published: Published) -> PrintedGrid:
    """Return the means, one row per place, and below them what they come to."""
    rows: list[tuple[str | None, ...]] = []
    for place, samples in contest.places.items():
        marks = ["", *(_mark(contest, duel.tests[place]) for duel in duels)]
        means = [_mean(contest, samples[rival].mean) for rival in rivals]
        found = (of.get(place[0]) for of in published.values())
        printed = (
            None if value is None else _number(contest, value * contest.kind.factor) for value in found
        )
        marked = (f"{mean} {mark}".rstrip() for mean, mark in zip(means, marks, strict=True))
        rows.append((*place, *marked, *printed))
    blank = [""] * len(contest.others)
    averages = (_number(contest, contest.average(rival)) for rival in rivals)
    ranks = (f"{contest.ranks[rival]:.2f}" for rival in rivals)
    rest = [""] * len(published)
    rows.append(("average", *blank, *averages, *rest))
    rows.append(("average rank", *blank, *ranks, *rest))
    significant = ("({}/{}/{})".format(*duel.significant) if duel.significant else None for duel in duels)
    rows.append(("(v/ /*)", *blank, "", *significant, *rest))
    numbered = (f"({number}) {rival}" for number, rival in enumerate(rivals, start=1))
    headings = ("data set", *contest.others, *numbered, *(f"{name}, published" for name in published))
    return PrintedGrid((headings,), 1 + len(contest.others), tuple(rows))


def _duels(contest: Contest, duels: list[Duel]) -> PrintedGrid:
    """Return how every rival does against the first one, over all data sets."""
    rows = []
    for duel in duels:
        mean = contest.average(duel.rival) - contest.average(duel.against)
        p = [None if value is None else f"{value:.3g}" for value in (duel.p, duel.corrected_p)]
        found = (*map(str, duel.counts), f"{duel.a12:.2f}", *p[: len(duels)])
        rows.append((f"{duel.rival} - {duel.against}", _number(contest, mean, "+"), *found))
    headings = ("difference", "mean", "better", "equal", "worse", "A12", "p (Wilcoxon)", "p (Holm)")
    return PrintedGrid((headings[: len(rows[0])],), 1, tuple(rows))


def _number(contest: Contest, value: float, sign: str = "") -> str:
    return f"{round(value, contest.kind.decimals) + 0.0:{sign}.{contest.kind.decimals}f}"


def _mean(contest: Contest, mean: Mean) -> str:
    text = _number(contest, mean.value)
    return text if mean.error is None else f"{text} ± {_number(contest, mean.error)}"


def _mark(contest: Contest, test: TTest | None) -> str:
    """Return v for better and * for worse, as WEKA does, if the difference is significant."""
    if test is None or test.p >= LEVEL or not test.difference:
        return ""
    return "v" if (test.difference > 0) == contest.kind.more_is_better else "*"


def _records(contest: Contest, rivals: tuple[str, ...], duels: list[Duel]) -> Iterator[dict[str, Any]]:
    tests = {(duel.rival, place): test for duel in duels for place, test in duel.tests.items()}
    for place, samples in contest.places.items():
        for rival in rivals:
            mean, test = samples[rival].mean, tests.get((rival, place))
            yield {
                **dict(zip(("dataset", *contest.others), place, strict=True)),
                contest.by: rival,
                "n": len(samples[rival].values),
                "mean": mean.value,
                "standard_error": mean.error,
                "difference": None if test is None else test.difference,
                "difference_error": None if test is None else test.error,
                "p": None if test is None else test.p,
            }


# --- sentences ----------------------------------------------------------------------------------------


def sentence(contest: Contest, duel: Duel) -> str:
    """Say who is better, how often, and whether that could be due to chance."""
    counts = duel.counts
    better, worse, n_better = contest.named(duel.rival), contest.named(duel.against), counts.wins
    if counts.losses > counts.wins:
        better, worse, n_better = worse, better, counts.losses
    n = len(contest.by_dataset)
    if n == 1:
        return _about_one_data_set(duel, better, worse)
    if counts.wins == counts.losses:
        return f"{worse} and {better} are each better on {counts.wins} of {n}{_p(duel.corrected_p)}."
    return f"{better} is better than {worse} on {n_better} of {n}{_p(duel.corrected_p)}."


def _about_one_data_set(duel: Duel, better: str, worse: str) -> str:
    ((dataset, difference),) = duel.differences.items()
    if not difference:
        return f"{worse} and {better} are equal on {dataset}."
    tests = list(duel.tests.values())
    p = tests[0].p if len(tests) == 1 and tests[0] else None  # several are points of a grid, no replicates
    return f"{better} is better than {worse} on {dataset}{_p(p)}."


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return f", p = {p:.3g}" + ("" if p < LEVEL else f": no significant difference at {100 * LEVEL:.0f} %")


def _notes(contest: Contest, duels: list[Duel]) -> Iterator[str]:
    yield f"{_test(contest)} (v/ /*) counts the rows that are significant, at {100 * LEVEL:.0f} %."
    if contest.evaluators:
        yield f"Seconds are those of {', '.join(contest.evaluators)}, of the timed seeds."
    n = len(contest.by_dataset)
    each = ", each the mean of its rows" if contest.others else ""
    if n > 1:
        yield (
            f"Over the {n} data sets{each}: average ranks, better/equal/worse, and p of Wilcoxon's "
            "signed-rank test. A12 (Vargha and Delaney) is the probability that a number of it is better "
            "than one of (1), the mean over the rows."
        )
    if contest.friedman_p is not None:
        many, p = len(contest.rivals), contest.friedman_p
        yield f"Friedman's test of all {many} over the {n} data sets: p = {p:.3g}."
    if len(duels) > 1:
        n_duels = len(duels)
        yield f"p (Holm), and v and * within a row, are corrected for {n_duels} comparisons by Holm's method."
    if contest.baselines_left_out:
        names = ", ".join(contest.baselines_left_out)
        yield f"Left out, for they did not run where {contest.by} varies: {names}."
    if contest.n_left_out:
        more = counted(contest.n_left_out, "more place is", "more places are")
        yield f"{more} left out: not every method was run there."
    if any(test is None for duel in duels for test in duel.tests.values()):
        yield (
            "Some means have no test: that takes two folds or two seeds (seeds: 2 or more in the experiment; "
            "for seconds timed_seeds, too)."
        )
    if n == 1 < len(contest.places):
        yield "One data set: no test over data sets, because the points of a grid are no replicates."
    if n > 1 and least_wilcoxon(n) >= LEVEL:
        least = f"{least_wilcoxon(n):.3g}"
        yield f"With {n} data sets p cannot be below {least}, whatever the differences: take more."


def _test(contest: Contest) -> str:
    """Name the standard error, and the test behind the marks."""
    marks = "v is significantly better, * worse than (1) by"
    if contest.by == "evaluator":
        return f"± is the standard error over the cells; {marks} the paired t-test, cell by cell."
    if contest.is_paired:
        return (
            "± is the standard error over the folds (means over the seeds), corrected for the training "
            f"instances that they share; {marks} the corrected resampled t-test (Nadeau and Bengio), fold by "
            "fold."
        )
    how = "Welch's t-test, unpaired: two settings share no seed"
    return f"± is the standard error over the seeds; {marks} {how}."
