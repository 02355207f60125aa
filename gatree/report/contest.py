"""Compare the values of a setting, and baselines, on the same data, folds and seeds.

The rivals are these values and baselines. A place is a data set together with one value of everything else
that the experiment varies. In every place each rival has one number per fold (the mean over the seeds) or,
without folds, one per seed. The numbers come from tidy rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any, NamedTuple

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
from gatree.experiments.conditions import as_text
from gatree.experiments.rows import (
    EVOLUTION,
    SETTING_COLUMNS,
    Design,
    Row,
    design_of,
    in_order,
    rank,
    seconds_column,
)
from gatree.settings.registry import EVALUATORS


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


class Entry(NamedTuple):
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


def contest_of(rows: Sequence[Row], by: str, metric: str) -> Contest:
    """Compare values of a setting, or of one of `ALSO_BY`, and the baselines that ran on the same folds."""
    kind = METRICS[metric]
    rows = _with_metric(rows, metric)
    design = design_of(rows)
    by = _known(by, design)
    evolutions = [row for row in rows if row["method"] == EVOLUTION]
    if by == "evaluator":
        evolutions = _per_evaluator(evolutions, metric)
    elif metric == "seconds":
        evolutions = _timed_like_the_first(evolutions)
    baselines = [] if by == "evaluator" else [row for row in rows if row["method"] != EVOLUTION]
    values = in_order(row[by] for row in evolutions)
    _demand_rivals(by, [*values, *design.baselines] if by == "method" else values, design)
    others = _others(evolutions, by, design)
    texts = tuple(map(as_text, values))
    names = {name: _baseline_name(name, texts) for name in (design.baselines if baselines else ())}
    entries = [
        *_entries(evolutions, by, others, kind),
        *_baseline_entries(
            [{**row, "method": names[row["method"]]} for row in baselines], evolutions, others, kind
        ),
    ]
    rivals = Rivals(texts, tuple(names.values()))
    return _contest(entries, by, metric, rivals, others)


def _baseline_name(name: str, values: Sequence[str]) -> str:
    """Return a baseline's name, made distinct from the values: majority is also a leaf_class."""
    return f"baseline {name}" if name in values else name


def _with_metric(rows: Sequence[Row], metric: str) -> list[Row]:
    """Return the rows that have a value of the metric, from the preferred kind of cells."""
    kind = METRICS[metric]
    for wanted in kind.kinds:
        evolutions = [row for row in rows if row["kind"] == wanted and row[kind.column] is not None]
        if evolutions:
            if wanted == "savings":
                return evolutions
            folds = {_fold_kind(row) for row in evolutions}
            baselines = [row for row in rows if row["kind"] == "baseline" and row[kind.column] is not None]
            return [*evolutions, *(row for row in baselines if _fold_kind(row) in folds)]
    there = [name for name, other in METRICS.items() if any(row[other.column] is not None for row in rows)]
    why = "; only cross-validations have one" if metric == "accuracy" else ""
    raise ResultError(
        f"no evolution here has a value of {metric}{why}; available: {', '.join(there) or 'none'}"
    )


def _fold_kind(row: Row) -> tuple[str, bool]:
    """Return how the folds of a row were made; rows of different kinds are not compared fold by fold."""
    return row["folds"] or "weka", bool(row["drop_remainder"])


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


def _demand_rivals(by: str, values: Sequence[Any], design: Design) -> None:
    if len(values) < 2:
        got = f"it is {as_text(values[0])} in all cells" if values else "no cell has it"
        raise ResultError(f"--by {by}: {got}, and a comparison needs two values; {_can_be_compared(design)}")


def _per_evaluator(rows: Sequence[Row], metric: str) -> list[Row]:
    """Return a row per evaluator of the cells that ran the largest number of evaluators side by side."""
    if metric != "seconds":
        raise ResultError(
            f"--by evaluator: all evaluators have the same {metric}; they differ in --metric seconds"
        )
    side_by_side = [{n for n in EVALUATORS if row[seconds_column(n)] is not None} for row in rows]
    several = max(side_by_side, key=len)
    return [
        {**row, "evaluator": name, "seconds": row[seconds_column(name)]}
        for row, ran in zip(rows, side_by_side, strict=True)
        if ran == several
        for name in EVALUATORS
        if name in several
    ]


def _timed_like_the_first(rows: Sequence[Row]) -> list[Row]:
    """Leave out replicates that, to save time, ran with another evaluator than the first one."""
    first: dict[str, Row] = {}
    for row in rows:
        earliest = first.setdefault(row["study"], row)
        if row["replicate"] < earliest["replicate"]:
            first[row["study"]] = row
    return [row for row in rows if row["evaluator"] == first[row["study"]]["evaluator"]]


def _others(rows: Sequence[Row], by: str, design: Design) -> tuple[str, ...]:
    """Return the other axes that vary, except those that the compared setting determines."""
    names = [axis.name for axis in design.axes if by not in (axis.name, *axis.along)]
    n_values = len({row[by] for row in rows})
    if n_values < 2:
        return tuple(names)
    return tuple(name for name in names if len({(row[by], row[name]) for row in rows}) > n_values)


def _entries(rows: Sequence[Row], by: str, others: Sequence[str], kind: Metric) -> Iterator[Entry]:
    for row in rows:
        place = (row["dataset"], *(row[name] for name in others))
        yield _entry(row, as_text(row[by]), place, kind)


def _entry(row: Row, rival: str, place: tuple[Any, ...], kind: Metric) -> Entry:
    value = row[kind.column] * kind.factor
    if row["kind"] == "savings":
        return Entry(rival, place, (row["replicate"],), value, 0.0)
    split = (row["n_folds"], row["fold_seed"], *_fold_kind(row), row["fold"])
    return Entry(rival, place, split, value, row["n_test"] / row["n_train"])


def _baseline_entries(
    baselines: Sequence[Row], evolutions: Sequence[Row], others: Sequence[str], kind: Metric
) -> Iterator[Entry]:
    """Yield the baselines' numbers in every place of their data set, because they have no settings."""
    places = defaultdict(set)
    for row in evolutions:
        places[row["dataset"]].add((row["dataset"], *(row[name] for name in others)))
    study = others.index("study") + 1 if "study" in others else None
    for row in baselines:
        for place in places[row["dataset"]]:
            if study is None or place[study] == row["study"]:
                yield _entry(row, row["method"], place, kind)


def _that_ran_together(
    rivals: Rivals, found: Mapping[Any, Mapping[str, list[Entry]]], others: Sequence[str]
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
    entries: Sequence[Entry], by: str, metric: str, rivals: Rivals, others: tuple[str, ...]
) -> Contest:
    found: dict[Any, dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
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


def _sample(entries: Sequence[Entry]) -> Sample:
    """Return the numbers of a rival in a place: the mean over the seeds, fold by fold."""
    by_split: dict[Split, list[float]] = defaultdict(list)
    for entry in entries:
        by_split[entry.split].append(entry.value)
    ratio = fmean(entry.test_to_train for entry in entries)
    return Sample({split: fmean(values) for split, values in by_split.items()}, ratio)
