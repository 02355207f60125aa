"""A comparison as tables and sentences: what `gatree compare` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from gatree.base.errors import ResultError, counted, did_you_mean
from gatree.base.json_values import Json
from gatree.base.statistics import LEVEL, Mean, TTest, least_wilcoxon
from gatree.rendering.documents import Document, PrintedGrid
from gatree.report.comparison import Comparison, comparison_of, what_varies
from gatree.report.metrics import first_metric
from gatree.report.samples import Pair

Published = Mapping[str, Mapping[str, float]]
"""Numbers of others, by method and data set, in the unit of the metric's column."""


def comparison_document(
    comparison: Comparison, against: str | None = None, published: Published = MappingProxyType({})
) -> Document:
    """Return a table like that of WEKA's Experimenter: all methods against one, the first by default.

    Published numbers get columns of their own and take no part in the tests.
    """
    base = _base(comparison, against)
    methods = (base, *(method for method in comparison.methods if method != base))
    pairs = comparison.pairs(base)
    unit = comparison.kind.unit
    caption = f"{unit[0].upper()}{unit[1:]}, by {comparison.by}"
    return Document(
        caption,
        grids=(_means(comparison, methods, pairs, published), _pairs(comparison, pairs)),
        records=tuple(_records(comparison, methods, pairs)),
        notes=(*(sentence(comparison, pair) for pair in pairs), *_notes(comparison, pairs)),
    )


def comparison_documents(frame: pd.DataFrame) -> list[Document]:
    """Return a comparison by everything that varies, by accuracy, or savings without cross-validations."""
    try:
        metric = first_metric(frame)
        names = what_varies(frame, metric)
    except ResultError:  # nothing varies
        return []
    documents = []
    for name in names if metric == "accuracy" or names != ["evaluator"] else []:
        with suppress(ResultError):  # some values have not run on the same data
            documents.append(comparison_document(comparison_of(frame, name, metric)))
    return documents


def _base(comparison: Comparison, against: str | None) -> str:
    if against is None:
        return comparison.methods[0]
    if against not in comparison.methods:
        near = did_you_mean(against, comparison.methods) or f"; there is: {', '.join(comparison.methods)}"
        raise ResultError(f"--against {against}: no such {comparison.by}{near}")
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


def _means(
    comparison: Comparison, methods: tuple[str, ...], pairs: list[Pair], published: Published
) -> PrintedGrid:
    """Return the means, one row per block, and below them what they come to."""
    rows: list[tuple[str | None, ...]] = []
    for block, samples in comparison.blocks.items():
        marks = ["", *(_mark(comparison, pair.tests[block]) for pair in pairs)]
        means = [_mean(comparison, samples[method].mean) for method in methods]
        found = (of.get(block[0]) for of in published.values())
        printed = (
            None if value is None else _number(comparison, value * comparison.kind.factor) for value in found
        )
        marked = (f"{mean} {mark}".rstrip() for mean, mark in zip(means, marks, strict=True))
        rows.append((*block, *marked, *printed))
    blank = [""] * len(comparison.others)
    averages = (_number(comparison, comparison.average(method)) for method in methods)
    ranks = (f"{comparison.ranks[method]:.2f}" for method in methods)
    rest = [""] * len(published)
    rows.append(("average", *blank, *averages, *rest))
    rows.append(("average rank", *blank, *ranks, *rest))
    significant = ("({}/{}/{})".format(*pair.significant) if pair.significant else None for pair in pairs)
    rows.append(("(v/ /*)", *blank, "", *significant, *rest))
    numbered = (f"({number}) {method}" for number, method in enumerate(methods, start=1))
    headings = ("data set", *comparison.others, *numbered, *(f"{name}, published" for name in published))
    return PrintedGrid((headings,), 1 + len(comparison.others), tuple(rows))


def _pairs(comparison: Comparison, pairs: list[Pair]) -> PrintedGrid:
    """Return how every method does against the first one, over all data sets."""
    rows = []
    for pair in pairs:
        mean = comparison.average(pair.method) - comparison.average(pair.against)
        p = [None if value is None else f"{value:.3g}" for value in (pair.p, pair.corrected_p)]
        found = (*map(str, pair.counts), f"{pair.a12:.2f}", *p[: len(pairs)])
        rows.append((f"{pair.method} - {pair.against}", _number(comparison, mean, "+"), *found))
    headings = ("difference", "mean", "better", "equal", "worse", "A12", "p (Wilcoxon)", "p (Holm)")
    return PrintedGrid((headings[: len(rows[0])],), 1, tuple(rows))


def _number(comparison: Comparison, value: float, sign: str = "") -> str:
    return f"{round(value, comparison.kind.decimals) + 0.0:{sign}.{comparison.kind.decimals}f}"


def _mean(comparison: Comparison, mean: Mean) -> str:
    text = _number(comparison, mean.value)
    return text if mean.error is None else f"{text} ± {_number(comparison, mean.error)}"


def _mark(comparison: Comparison, test: TTest | None) -> str:
    """Return v for better and * for worse, as WEKA does, if the difference is significant."""
    if test is None or test.p >= LEVEL or not test.difference:
        return ""
    return "v" if (test.difference > 0) == comparison.kind.more_is_better else "*"


def _records(
    comparison: Comparison, methods: tuple[str, ...], pairs: list[Pair]
) -> Iterator[dict[str, Json]]:
    tests = {(pair.method, block): test for pair in pairs for block, test in pair.tests.items()}
    for block, samples in comparison.blocks.items():
        for method in methods:
            mean, test = samples[method].mean, tests.get((method, block))
            yield {
                **dict(zip(("dataset", *comparison.others), block, strict=True)),
                comparison.by: method,
                "n": len(samples[method].values),
                "mean": mean.value,
                "standard_error": mean.error,
                "difference": None if test is None else test.difference,
                "difference_error": None if test is None else test.error,
                "p": None if test is None else test.p,
            }


# --- sentences ----------------------------------------------------------------------------------------


def sentence(comparison: Comparison, pair: Pair) -> str:
    """Say who is better, how often, and whether that could be due to chance."""
    counts = pair.counts
    better, worse, n_better = comparison.named(pair.method), comparison.named(pair.against), counts.wins
    if counts.losses > counts.wins:
        better, worse, n_better = worse, better, counts.losses
    n = len(comparison.by_dataset)
    if n == 1:
        return _about_one_data_set(pair, better, worse)
    if counts.wins == counts.losses:
        return f"{worse} and {better} are each better on {counts.wins} of {n}{_p(pair.corrected_p)}."
    return f"{better} is better than {worse} on {n_better} of {n}{_p(pair.corrected_p)}."


def _about_one_data_set(pair: Pair, better: str, worse: str) -> str:
    ((dataset, difference),) = pair.differences.items()
    if not difference:
        return f"{worse} and {better} are equal on {dataset}."
    tests = list(pair.tests.values())
    p = tests[0].p if len(tests) == 1 and tests[0] else None  # several are points of a grid, no replicates
    return f"{better} is better than {worse} on {dataset}{_p(p)}."


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return f", p = {p:.3g}" + ("" if p < LEVEL else f": no significant difference at {100 * LEVEL:.0f} %")


def _notes(comparison: Comparison, pairs: list[Pair]) -> Iterator[str]:
    yield f"{_test(comparison)} (v/ /*) counts the rows that are significant, at {100 * LEVEL:.0f} %."
    if comparison.evaluators:
        yield f"Seconds are those of {', '.join(comparison.evaluators)}, of the timed seeds."
    n = len(comparison.by_dataset)
    each = ", each the mean of its rows" if comparison.others else ""
    if n > 1:
        yield (
            f"Over the {n} data sets{each}: average ranks, better/equal/worse, and p of Wilcoxon's "
            "signed-rank test. A12 (Vargha and Delaney) is the probability that a number of it is better "
            "than one of (1), the mean over the rows."
        )
    if comparison.friedman_p is not None:
        many, p = len(comparison.methods), comparison.friedman_p
        yield f"Friedman's test of all {many} over the {n} data sets: p = {p:.3g}."
    if len(pairs) > 1:
        n_pairs = len(pairs)
        yield f"p (Holm), and v and * within a row, are corrected for {n_pairs} comparisons by Holm's method."
    if comparison.baselines_left_out:
        names = ", ".join(comparison.baselines_left_out)
        yield f"Left out, for they did not run where {comparison.by} varies: {names}."
    if comparison.n_left_out:
        more = counted(comparison.n_left_out, "more place is", "more places are")
        yield f"{more} left out: not every method was run there."
    if any(test is None for pair in pairs for test in pair.tests.values()):
        yield (
            "Some means have no test: that takes two folds or two seeds (seeds: 2 or more in the experiment; "
            "for seconds timed_seeds, too)."
        )
    if n == 1 < len(comparison.blocks):
        yield "One data set: no test over data sets, because the points of a grid are no replicates."
    if n > 1 and least_wilcoxon(n) >= LEVEL:
        least = f"{least_wilcoxon(n):.3g}"
        yield f"With {n} data sets p cannot be below {least}, whatever the differences: take more."


def _test(comparison: Comparison) -> str:
    """Name the standard error, and the test behind the marks."""
    marks = "v is significantly better, * worse than (1) by"
    if comparison.by == "evaluator":
        return f"± is the standard error over the cells; {marks} the paired t-test, cell by cell."
    if comparison.is_paired:
        return (
            "± is the standard error over the folds (means over the seeds), corrected for the training "
            f"instances that they share; {marks} the corrected resampled t-test (Nadeau and Bengio), fold by "
            "fold."
        )
    how = "Welch's t-test, unpaired: two settings share no seed"
    return f"± is the standard error over the seeds; {marks} {how}."
