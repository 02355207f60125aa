"""Compare the values of a setting, and baselines, on the same data.

The rivals are these values and baselines. A place is a data set together with one value of everything else
that the experiment varies. In every place each rival has one number per fold (the mean over the seeds), which
the rivals share: these are paired. Without folds it has one per seed; two settings share no seed, so these
are independent, but evaluators run the same cells. Over data sets, each the mean of its places, the tests
never take points of a grid for replicates.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import Any

import pandas as pd

from gatree.base.errors import ResultError, did_you_mean
from gatree.base.statistics import (
    LEVEL,
    Mean,
    TTest,
    WinTieLoss,
    a12,
    average_ranks,
    corrected_t_test,
    friedman,
    holm,
    mean_of,
    welch_t_test,
    wilcoxon,
    win_tie_loss,
)
from gatree.experiments.design import Design, design_of, in_order, rank
from gatree.experiments.frame import (
    EVOLUTION,
    SETTING_COLUMNS,
    fold_kinds,
    is_comparable,
    plain,
    plain_rows,
    predicts_numbers,
)
from gatree.experiments.setting_grid import as_text
from gatree.report.metrics import METRICS, Metric, first_metric, with_metric

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

    def minus(self, other: Sample, is_paired: bool) -> TTest | None:
        """Test the difference between two rivals, split by split if they share these."""
        if not is_paired:
            return welch_t_test(list(self.values.values()), list(other.values.values()))
        both = [split for split in self.values if split in other.values]
        return corrected_t_test(
            [self.values[split] - other.values[split] for split in both], self.test_to_train
        )


@dataclass(frozen=True)
class Duel:
    """The comparison of two rivals, place by place and over the data sets."""

    rival: str
    against: str
    tests: Mapping[Place, TTest | None]  # p corrected for the number of rivals
    significant: WinTieLoss | None  # of the places where a test was possible
    differences: Mapping[str, float]  # of the means, by data set
    counts: WinTieLoss  # of the data sets
    p: float | None  # Wilcoxon's, over the data sets
    corrected_p: float | None  # the same, corrected for the number of rivals
    a12: float  # the mean over the places


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
    is_paired: bool
    n_left_out: int  # places where a rival has not run
    evaluators: tuple[str, ...] = ()  # whose seconds these are, if they are seconds
    baselines_left_out: tuple[str, ...] = ()  # those that ran on other folds, or in other studies

    @property
    def rivals(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.values, *self.baselines)))

    @property
    def kind(self) -> Metric:
        return METRICS[self.metric]

    @cached_property
    def by_dataset(self) -> dict[str, dict[str, float]]:
        """The mean of each rival on each data set, over its places."""
        places: dict[str, list[Mapping[str, Sample]]] = defaultdict(list)
        for place, samples in self.places.items():
            places[place[0]].append(samples)
        return {
            name: {rival: fmean(samples[rival].mean.value for samples in some) for rival in self.rivals}
            for name, some in places.items()
        }

    @property
    def _table(self) -> list[list[float]]:
        # Rounded, because sums in another order differ slightly and would not tie.
        return [[round(means[rival], 12) for rival in self.rivals] for means in self.by_dataset.values()]

    @cached_property
    def ranks(self) -> dict[str, float]:
        """The average rank of each rival over the data sets."""
        return dict(zip(self.rivals, average_ranks(self._table, self.kind.more_is_better), strict=True))

    @cached_property
    def friedman_p(self) -> float | None:
        """Friedman's p over the data sets, if there are more than two rivals."""
        return friedman(self._table)

    def named(self, rival: str) -> str:
        """Return a rival's name as it is used in a sentence."""
        return f"{self.by} {rival}" if rival in self.values and self.by not in ("method", "study") else rival

    def average(self, rival: str) -> float:
        """Return the mean over all places."""
        return fmean(samples[rival].mean.value for samples in self.places.values())

    def duels(self, against: str) -> list[Duel]:
        """Compare all other rivals with one."""
        rivals = [rival for rival in self.rivals if rival != against]
        tests = {place: self._tests(samples, rivals, against) for place, samples in self.places.items()}
        differences = {
            rival: {name: round(of[rival] - of[against], 12) for name, of in self.by_dataset.items()}
            for rival in rivals
        }
        p = {rival: wilcoxon(list(found.values())) for rival, found in differences.items()}
        corrected = dict(zip(rivals, holm(list(p.values())), strict=True))
        duels = []
        for number, rival in enumerate(rivals):
            own = {place: found[number] for place, found in tests.items()}
            significant = [test.difference if test.p < LEVEL else 0.0 for test in own.values() if test]
            duels.append(
                Duel(
                    rival,
                    against,
                    own,
                    win_tie_loss(significant, self.kind.more_is_better) if significant else None,
                    differences[rival],
                    win_tie_loss(list(differences[rival].values()), self.kind.more_is_better),
                    p[rival],
                    corrected[rival],
                    fmean(self._a12(samples, rival, against) for samples in self.places.values()),
                )
            )
        return duels

    def _tests(
        self, samples: Mapping[str, Sample], rivals: Sequence[str], against: str
    ) -> list[TTest | None]:
        """Return the tests of a place against one rival, each p corrected for their number."""
        tests = [samples[rival].minus(samples[against], self.is_paired) for rival in rivals]
        corrected = holm([test and test.p for test in tests])
        return [
            None if test is None or p is None else test._replace(p=p)
            for test, p in zip(tests, corrected, strict=True)
        ]

    def _a12(self, samples: Mapping[str, Sample], rival: str, against: str) -> float:
        ours, theirs = (list(samples[name].values.values()) for name in (rival, against))
        return a12(ours, theirs, self.kind.more_is_better)


ALSO_BY = ("method", "evaluator", "study")
"""What may be compared in addition to settings: evolution and baselines, evaluators, studies."""


def contest_of(frame: pd.DataFrame, by: str, metric: str) -> Contest:
    """Compare values of a setting, or of one of `ALSO_BY`, and the baselines that ran on the same folds."""
    kind = METRICS[metric]
    rows = with_metric(frame, metric)
    design = design_of(rows)
    by = _known(by, design)
    ours = rows[(rows["method"] == EVOLUTION) | predicts_numbers(rows)]
    if by == "evaluator":
        ours = _per_evaluator(ours, metric)
    else:
        ours = ours[~ours["repeats_outcome"] & (ours["timed"] | (not kind.is_time))]
    baselines = rows[~rows.index.isin(ours.index) & (rows["method"] != EVOLUTION) & (by != "evaluator")]
    values = in_order(plain(ours[by]))
    is_alone = kind.kinds[0] == "cross-validation" and not is_comparable(frame).all()
    named = design.baselines if len(baselines) else ()
    _demand_rivals(by, [*values, *named] if by == "method" else values, design, is_alone)
    others = _others(ours, by, design)
    texts = tuple(map(as_text, values))
    names = {  # distinct from the values: majority is also a leaf_class
        name: f"baseline {name}" if name in texts else name for name in named
    }
    mine = _scores(ours, by, others, kind)
    theirs = _scores(baselines.replace({"method": names}), "method", (), kind)
    scores = pd.concat([mine, _in_all_places(theirs, mine, others)], ignore_index=True)
    found = _contest(scores, by, metric, texts, tuple(names.values()), others)
    is_paired = by == "evaluator" or (ours["kind"] != "savings").all()
    evaluators = tuple(dict.fromkeys(ours["evaluator"])) if kind.is_time and by != "evaluator" else ()
    return replace(found, is_paired=bool(is_paired), evaluators=evaluators)


def first_contest(frame: pd.DataFrame, metric: str | None = None) -> tuple[Contest, list[str]]:
    """Compare by the first that varies and can be compared; return what else varies, too."""
    shown = metric or first_metric(frame)
    names = what_varies(frame, shown)
    if names == ["evaluator"] and metric is None:
        shown = "seconds"
    failures = []
    for name in names:
        try:
            return contest_of(frame, name, shown), [other for other in names if other != name]
        except ResultError as error:  # some values have not run on the same data
            failures.append(error)
    raise failures[0]


def what_varies(frame: pd.DataFrame, metric: str) -> list[str]:
    """Return what can be compared: settings that vary, methods, studies, or else the evaluators."""
    rows = with_metric(frame, metric)
    design = design_of(rows)
    baselines = is_comparable(rows) & (rows["method"] != EVOLUTION)
    axes = [axis.name for axis in design.axes]
    names = [name for name in axes if name != "study"]
    names += ["method"] if baselines.any() else []
    names += ["study"] if "study" in axes else []
    if not names and not rows["repeats_outcome"].any():
        raise ResultError(f"nothing to compare: {_can_be_compared(design)}")
    return names or ["evaluator"]


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
    if not METRICS[metric].is_time:
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


def _scores(rows: pd.DataFrame, by: str, others: Sequence[str], kind: Metric) -> pd.DataFrame:
    """Return the number of every row, with its rival, its place and its fold; without folds, its seed."""
    rows = rows.assign(folds=fold_kinds(rows))
    is_seed = (rows["kind"] == "savings").to_list()
    splits = zip(is_seed, plain_rows(rows, ("replicate",)), plain_rows(rows, _SPLIT), strict=True)
    ratio = (rows["n_test"] / rows["n_train"]).mask(rows["kind"] == "savings", 0.0)
    return pd.DataFrame(
        {
            "rival": list(map(as_text, plain(rows[by]))),
            "dataset": rows["dataset"].to_list(),
            "study": rows["study"].to_list(),
            "place": plain_rows(rows, ("dataset", *others)),
            "split": [seed if of_seed else fold for of_seed, seed, fold in splits],
            "value": (rows[kind.column] * kind.factor).to_list(),
            "test_to_train": ratio.to_list(),
        }
    )


def _in_all_places(baselines: pd.DataFrame, ours: pd.DataFrame, others: Sequence[str]) -> pd.DataFrame:
    """Return the baselines' numbers in every place of their data set, because they have no settings."""
    on = ["dataset", "study"] if "study" in others else ["dataset"]
    places = ours.drop_duplicates("place")[[*on, "place"]]
    return baselines.drop(columns="place").merge(places, on=on)


def _that_ran_together(values: Sequence[str], ran: Mapping[Any, set[str]], others: Sequence[str]) -> str:
    """Name the study in most of whose places several values have run, and how to choose it."""
    if "study" not in others:
        return ""
    study = others.index("study") + 1
    together = Counter(
        (place[study], tuple(value for value in values if value in there)) for place, there in ran.items()
    )
    several = [(n, name, some) for (name, some), n in together.items() if len(some) > 1]
    if not several:
        return ""
    _, name, some = max(several)
    return f", or compare {', '.join(some)} with --where study={name}"


def _contest(
    scores: pd.DataFrame,
    by: str,
    metric: str,
    values: tuple[str, ...],
    baselines: tuple[str, ...],
    others: tuple[str, ...],
) -> Contest:
    """Return the contest in the places where all have run, or else all values: without other baselines."""
    found: dict[Any, list[Any]] = defaultdict(list)
    columns = (scores[name] for name in ("place", "rival", "split", "value", "test_to_train"))
    for place, rival, *score in zip(*columns, strict=True):
        found[place, rival].append(score)
    ran: dict[Any, set[str]] = defaultdict(set)
    for place, rival in found:
        ran[place].add(rival)
    complete, kept = _complete(ran, {*values, *baselines}), baselines
    if not complete:
        complete = _complete(ran, set(values))
        kept = tuple(name for name in baselines if all(name in ran[place] for place in complete))
    if not complete or len({*values, *kept}) < 2:
        hint = _that_ran_together(values, ran, others)
        names = ", ".join(values)
        why = f"{names} have not all run on the same data yet; finish the experiment{hint}"
        raise ResultError(f"--by {by}: {why}")
    places = sorted(complete, key=lambda place: [rank(value) for value in place])
    samples = {key: _sample(some) for key, some in found.items()}
    rivals = dict.fromkeys((*values, *kept))
    return Contest(
        by,
        metric,
        values,
        kept,
        places={
            tuple(map(as_text, place)): {rival: samples[place, rival] for rival in rivals} for place in places
        },
        datasets=tuple(dict.fromkeys(place[0] for place in places)),
        others=others,
        is_paired=True,
        n_left_out=len(ran) - len(complete),
        baselines_left_out=tuple(name for name in baselines if name not in kept),
    )


def _complete(ran: Mapping[Any, set[str]], rivals: set[str]) -> list[Any]:
    return [place for place, there in ran.items() if there >= rivals]


def _sample(scores: Sequence[tuple[Split, float, float]]) -> Sample:
    """Return the numbers of a rival in a place: the mean over the seeds, fold by fold."""
    by_split: dict[Split, list[float]] = defaultdict(list)
    for split, value, _ in scores:
        by_split[split].append(value)
    ratio = fmean(ratio for *_, ratio in scores)
    return Sample({split: fmean(values) for split, values in by_split.items()}, ratio)
