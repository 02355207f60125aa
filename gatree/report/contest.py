"""Compare the values of a setting, and baselines, on the same data, folds and seeds.

The rivals are these values and baselines. A place is a data set together with one value of everything else
that the experiment varies. In every place each rival has one number per fold (the mean over the seeds) or,
without folds, one per seed. The numbers come from the frame of results.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any, NamedTuple

import pandas as pd

from gatree.base.errors import ResultError, did_you_mean
from gatree.base.statistics import (
    LEVEL,
    Mean,
    TTest,
    WinTieLoss,
    average_ranks,
    corrected_t_test,
    mean_of,
    wilcoxon,
    win_tie_loss,
)
from gatree.experiments.design import Design, design_of, in_order, rank
from gatree.experiments.frame import EVOLUTION, SETTING_COLUMNS, fold_kinds, is_comparable, plain, plain_rows
from gatree.experiments.setting_grid import as_text


class Metric(NamedTuple):
    """A metric: its column, which direction is better, and how to format it."""

    column: str
    more_is_better: bool
    factor: float  # from the column's unit to the displayed one
    decimals: int
    unit: str
    kinds: tuple[str, str]  # the kinds of cells that may have it, the preferred one first


_CROSS_VALIDATION, _SAVINGS = ("cross-validation", "savings"), ("savings", "cross-validation")
METRICS: Mapping[str, Metric] = {
    "accuracy": Metric("accuracy", True, 100, 2, "accuracy on test instances, %", _CROSS_VALIDATION),
    "size": Metric("n_nodes", False, 1, 1, "size of the tree, nodes", _CROSS_VALIDATION),
    "seconds": Metric("seconds", False, 1, 4, "seconds", _SAVINGS),
    "savings": Metric("savings", True, 1, 2, "instances not classified again, %", _SAVINGS),
}
Split = tuple[Any, ...]
"""The key that pairs the numbers of two rivals: a fold or a seed."""

Place = tuple[str, ...]
"""A data set and the value of everything else that varies, as text."""


@dataclass(frozen=True)
class Sample:
    """The numbers of one rival in one place."""

    values: Mapping[Split, float]
    test_to_train: float

    @cached_property
    def mean(self) -> Mean:
        return mean_of(list(self.values.values()), self.test_to_train)

    def minus(self, other: Sample) -> TTest | None:
        """Test the differences between two rivals over the splits that both have."""
        both = [split for split in self.values if split in other.values]
        return corrected_t_test(
            [self.values[split] - other.values[split] for split in both], self.test_to_train
        )


@dataclass(frozen=True)
class Duel:
    """The comparison of two rivals over all places."""

    rival: str
    against: str
    tests: Mapping[Place, TTest | None]
    differences: Mapping[Place, float]  # of the means
    counts: WinTieLoss
    significant: WinTieLoss | None  # of the places where a test was possible
    p: float | None  # Wilcoxon's, over the places


@dataclass(frozen=True)
class Contest:
    """The rivals, and their numbers in every place where all of them have run."""

    by: str
    metric: str
    values: tuple[str, ...]  # of what is compared
    baselines: tuple[str, ...]
    places: Mapping[Place, Mapping[str, Sample]]  # by place and rival
    datasets: tuple[str, ...]
    others: tuple[str, ...]  # what else varies from place to place
    n_left_out: int  # places where a rival has not run
    baselines_left_out: tuple[str, ...] = ()  # those that ran on other folds, or in other studies

    @property
    def rivals(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.values, *self.baselines)))

    @property
    def kind(self) -> Metric:
        return METRICS[self.metric]

    @cached_property
    def ranks(self) -> dict[str, float]:
        table = [[samples[rival].mean.value for rival in self.rivals] for samples in self.places.values()]
        return dict(zip(self.rivals, average_ranks(table, self.kind.more_is_better), strict=True))

    def named(self, rival: str) -> str:
        """Return a rival's name as it is used in a sentence."""
        return f"{self.by} {rival}" if rival in self.values and self.by not in ("method", "study") else rival

    def average(self, rival: str) -> float:
        """Return the mean over all places."""
        return fmean(samples[rival].mean.value for samples in self.places.values())

    def duel(self, rival: str, against: str) -> Duel:
        """Compare two rivals."""
        tests = {name: samples[rival].minus(samples[against]) for name, samples in self.places.items()}
        differences = {  # rounded, because sums in another order differ slightly and would not tie
            name: round(samples[rival].mean.value - samples[against].mean.value, 12)
            for name, samples in self.places.items()
        }
        significant = [test.difference if test.p < LEVEL else 0.0 for test in tests.values() if test]
        return Duel(
            rival,
            against,
            tests,
            differences,
            counts=win_tie_loss(list(differences.values()), self.kind.more_is_better),
            significant=win_tie_loss(significant, self.kind.more_is_better) if significant else None,
            p=wilcoxon(list(differences.values())),
        )


ALSO_BY = ("method", "evaluator", "study")
"""What may be compared in addition to settings: evolution and baselines, evaluators, studies."""


class Score(NamedTuple):
    """One number of a rival, with its place and split."""

    rival: Any
    place: tuple[Any, ...]
    split: Split
    value: float
    test_to_train: float


class Rivals(NamedTuple):
    """The names of the rivals: values of the compared setting, and baselines."""

    values: tuple[str, ...]
    baselines: tuple[str, ...]


def contest_of(frame: pd.DataFrame, by: str, metric: str) -> Contest:
    """Compare values of a setting, or of one of `ALSO_BY`, and the baselines that ran on the same folds."""
    kind = METRICS[metric]
    rows = _with_metric(frame, metric)
    design = design_of(rows)
    by = _known(by, design)
    ours = rows[rows["method"] == EVOLUTION]
    if by == "evaluator":
        ours = _per_evaluator(ours, metric)
    else:
        ours = ours[~ours["repeats_outcome"] & (ours["timed"] | (metric != "seconds"))]
    baselines = rows[(rows["method"] != EVOLUTION) & (by != "evaluator")]
    values = in_order(plain(ours[by]))
    is_alone = kind.kinds == _CROSS_VALIDATION and not is_comparable(frame).all()
    _demand_rivals(by, [*values, *design.baselines] if by == "method" else values, design, is_alone)
    others = _others(ours, by, design)
    texts = tuple(map(as_text, values))
    names = {name: _baseline_name(name, texts) for name in (design.baselines if len(baselines) else ())}
    entries = [
        *_entries(ours, by, others, kind),
        *_baseline_entries(baselines.replace({"method": names}), ours, others, kind),
    ]
    rivals = Rivals(texts, tuple(names.values()))
    return _contest(entries, by, metric, rivals, others)


def _baseline_name(name: str, values: Sequence[str]) -> str:
    """Return a baseline's name, made distinct from the values: majority is also a leaf_class."""
    return f"baseline {name}" if name in values else name


def _with_metric(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows that have a value of the metric, from the preferred kind of cells."""
    has = frame[METRICS[metric].column].notna()
    for wanted in METRICS[metric].kinds:
        ours = has & (frame["kind"] == wanted)
        if ours.any():
            baselines = has & (frame["kind"] == "baseline") & is_comparable(frame)
            return frame[ours if wanted == "savings" else ours | baselines]
    there = [name for name, other in METRICS.items() if frame[other.column].notna().any()]
    why = "; only cross-validations have one" if metric == "accuracy" else ""
    raise ResultError(
        f"no evolution here has a value of {metric}{why}; available: {', '.join(there) or 'none'}"
    )


def _known(by: str, design: Design) -> str:
    """Return the column that ``by`` names; ``size`` means the population's if the grid varies only that."""
    by = by.replace("-", "_")
    varied = [axis.name for axis in design.axes]
    if by == "size" and "size" not in varied and "population_size" in varied:
        return "population_size"
    known = (*ALSO_BY, *SETTING_COLUMNS)
    if by not in known:
        near = did_you_mean(by, known) or f"; {_can_be_compared(design)}"
        raise ResultError(f"--by {by}: no such setting{near}")
    return by


def _can_be_compared(design: Design) -> str:
    names = [axis.name for axis in design.axes] + (["method"] if design.baselines else [])
    if names:
        return f"what can be compared here: {', '.join(names)}"
    return "nothing varies here: list two values of a setting in a study's grid, or baselines"


def _demand_rivals(by: str, values: Sequence[Any], design: Design, is_alone: bool) -> None:
    if len(values) < 2:
        got = f"it is {as_text(values[0])} in all cells" if values else "no cell has it"
        if by == "method" and is_alone:
            got = "evolution alone ran on these folds (baselines on other folds do not compare)"
        raise ResultError(f"--by {by}: {got}, and a comparison needs two values; {_can_be_compared(design)}")


def _per_evaluator(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows of the cells that ran the largest number of evaluators side by side."""
    if metric != "seconds":
        raise ResultError(
            f"--by evaluator: all evaluators have the same {metric}; they differ in --metric seconds"
        )
    ran = rows.groupby("key", sort=False)["evaluator"].agg(frozenset)
    several = max(ran, key=len)
    return rows[rows["key"].isin(ran.index[ran == several])]


def _others(rows: pd.DataFrame, by: str, design: Design) -> tuple[str, ...]:
    """Return the other axes that vary, except those that the compared setting determines."""
    names = [axis.name for axis in design.axes if by not in (axis.name, *axis.along)]
    n_values = len(set(plain(rows[by])))
    if n_values < 2:
        return tuple(names)
    return tuple(name for name in names if len(set(plain_rows(rows, (by, name)))) > n_values)


_SPLIT = ("n_folds", "fold_seed", "folds", "fold")


def _entries(rows: pd.DataFrame, by: str, others: Sequence[str], kind: Metric) -> Iterator[Score]:
    """Yield the number of every row, with its place and its fold; without folds, its seed."""
    rows = rows.assign(folds=fold_kinds(rows), ratio=rows["n_test"] / rows["n_train"])
    is_savings = (rows["kind"] == "savings").to_list()
    places = plain_rows(rows, ("dataset", *others))
    splits, seeds = plain_rows(rows, _SPLIT), plain_rows(rows, ("replicate",))
    found = zip(is_savings, places, splits, seeds, plain_rows(rows, (by, kind.column, "ratio")), strict=True)
    for is_seed, place, split, seed, (rival, value, ratio) in found:
        number = value * kind.factor
        yield Score(as_text(rival), place, seed if is_seed else split, number, 0.0 if is_seed else ratio)


def _baseline_entries(
    baselines: pd.DataFrame, ours: pd.DataFrame, others: Sequence[str], kind: Metric
) -> Iterator[Score]:
    """Yield the baselines' numbers in every place of their data set, because they have no settings."""
    places = defaultdict(set)
    for place in plain_rows(ours, ("dataset", *others)):
        places[place[0]].add(place)
    at = others.index("study") + 1 if "study" in others else None
    studies = baselines["study"].to_list()
    for study, entry in zip(studies, _entries(baselines, "method", (), kind), strict=True):
        for place in places[entry.place[0]]:
            if at is None or place[at] == study:
                yield entry._replace(place=place)


def _that_ran_together(
    rivals: Rivals, found: Mapping[Any, Mapping[str, list[Score]]], others: Sequence[str]
) -> str:
    """Name the study in most of whose places several values have run, and how to choose it."""
    if "study" not in others:
        return ""
    study = others.index("study") + 1
    together = Counter(
        (place[study], tuple(value for value in rivals.values if value in by_rival))
        for place, by_rival in found.items()
    )
    several = [(n, name, values) for (name, values), n in together.items() if len(values) > 1]
    if not several:
        return ""
    _, name, values = max(several)
    return f", or compare {', '.join(values)} with --where study={name}"


def _contest(
    entries: Sequence[Score], by: str, metric: str, rivals: Rivals, others: tuple[str, ...]
) -> Contest:
    found: dict[Any, dict[str, list[Score]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        found[entry.place][entry.rival].append(entry)
    everybody = dict.fromkeys((*rivals.values, *rivals.baselines))
    complete = [place for place, by_rival in found.items() if by_rival.keys() >= everybody.keys()]
    left_out: tuple[str, ...] = ()
    if not complete:
        rivals, left_out, complete = _without_baselines(rivals, found)
        everybody = dict.fromkeys((*rivals.values, *rivals.baselines))
    if not complete:
        names = ", ".join(rivals.values)
        hint = _that_ran_together(rivals, found, others)
        why = f"{names} have not all run on the same data yet; finish the experiment{hint}"
        raise ResultError(f"--by {by}: {why}")
    places = sorted(complete, key=lambda place: [rank(value) for value in place])
    samples = {place: {rival: _sample(found[place][rival]) for rival in everybody} for place in places}
    return Contest(
        by,
        metric,
        *rivals,
        places={tuple(map(as_text, place)): samples[place] for place in places},
        datasets=tuple(dict.fromkeys(place[0] for place in places)),
        others=others,
        n_left_out=len(found) - len(complete),
        baselines_left_out=left_out,
    )


def _without_baselines(
    rivals: Rivals, found: Mapping[Any, Mapping[str, Any]]
) -> tuple[Rivals, tuple[str, ...], list[Any]]:
    """Drop the baselines that have not run in every place where all values have.

    Return the remaining rivals, the dropped baselines, and these places.
    """
    complete = [place for place, by_rival in found.items() if by_rival.keys() >= set(rivals.values)]
    kept = tuple(name for name in rivals.baselines if all(name in found[place] for place in complete))
    left_out = tuple(name for name in rivals.baselines if name not in kept)
    return Rivals(rivals.values, kept), left_out, complete


def _sample(entries: Sequence[Score]) -> Sample:
    """Return the numbers of a rival in a place: the mean over the seeds, fold by fold."""
    by_split: dict[Split, list[float]] = defaultdict(list)
    for entry in entries:
        by_split[entry.split].append(entry.value)
    ratio = fmean(entry.test_to_train for entry in entries)
    return Sample({split: fmean(values) for split, values in by_split.items()}, ratio)
