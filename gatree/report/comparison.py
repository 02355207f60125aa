"""Compare the values of a setting, and baselines, on the same data.

The methods are these values and baselines. A block is a data set together with one value of everything else
that the experiment varies. In every block each method has one number per fold (the mean over the seeds). The
methods share the folds: these are paired. Without folds it has one per seed; two settings share no seed, so
these are independent, but evaluators run the same cells. Over data sets, each the mean of its blocks, the
tests never take points of a grid for replicates.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean

import pandas as pd

from gatree.base.errors import ResultError, did_you_mean
from gatree.base.json_values import Scalar
from gatree.base.statistics import (
    LEVEL,
    TTest,
    a12,
    average_ranks,
    friedman,
    holm,
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
from gatree.report.samples import Block, Pair, Sample, Split

_Place = tuple[Scalar, ...]  # a block as it is in the frame


@dataclass(frozen=True)
class Comparison:
    """The methods, and their numbers in every block where all of them have run."""

    by: str
    metric: str
    values: tuple[str, ...]  # of what is compared
    baselines: tuple[str, ...]
    blocks: Mapping[Block, Mapping[str, Sample]]  # by block and method
    datasets: tuple[str, ...]
    others: tuple[str, ...]  # what else varies from block to block
    is_paired: bool
    n_left_out: int  # blocks where a method has not run
    evaluators: tuple[str, ...] = ()  # whose seconds these are, if they are seconds
    baselines_left_out: tuple[str, ...] = ()  # those that ran on other folds, or in other studies

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.values, *self.baselines)))

    @property
    def kind(self) -> Metric:
        return METRICS[self.metric]

    @cached_property
    def by_dataset(self) -> dict[str, dict[str, float]]:
        """The mean of each method on each data set, over its blocks."""
        blocks: dict[str, list[Mapping[str, Sample]]] = defaultdict(list)
        for block, samples in self.blocks.items():
            blocks[block[0]].append(samples)
        return {
            name: {method: fmean(samples[method].mean.value for samples in some) for method in self.methods}
            for name, some in blocks.items()
        }

    @property
    def _table(self) -> list[list[float]]:
        # Rounded, because sums in another order differ slightly and would not tie.
        return [[round(means[method], 12) for method in self.methods] for means in self.by_dataset.values()]

    @cached_property
    def ranks(self) -> dict[str, float]:
        """The average rank of each method over the data sets."""
        return dict(zip(self.methods, average_ranks(self._table, self.kind.more_is_better), strict=True))

    @cached_property
    def friedman_p(self) -> float | None:
        """Friedman's p over the data sets, if there are more than two methods."""
        return friedman(self._table)

    def named(self, method: str) -> str:
        """Return a method's name as it is used in a sentence."""
        is_value = method in self.values and self.by not in ("method", "study")
        return f"{self.by} {method}" if is_value else method

    def average(self, method: str) -> float:
        """Return the mean over all blocks."""
        return fmean(samples[method].mean.value for samples in self.blocks.values())

    def pairs(self, against: str) -> list[Pair]:
        """Compare all other methods with one."""
        methods = [method for method in self.methods if method != against]
        tests = {block: self._tests(samples, methods, against) for block, samples in self.blocks.items()}
        differences = {
            method: {name: round(of[method] - of[against], 12) for name, of in self.by_dataset.items()}
            for method in methods
        }
        p = {method: wilcoxon(list(found.values())) for method, found in differences.items()}
        corrected = dict(zip(methods, holm(list(p.values())), strict=True))
        pairs = []
        for number, method in enumerate(methods):
            own = {block: found[number] for block, found in tests.items()}
            significant = [test.difference if test.p < LEVEL else 0.0 for test in own.values() if test]
            pairs.append(
                Pair(
                    method,
                    against,
                    own,
                    win_tie_loss(significant, self.kind.more_is_better) if significant else None,
                    differences[method],
                    win_tie_loss(list(differences[method].values()), self.kind.more_is_better),
                    p[method],
                    corrected[method],
                    fmean(self._a12(samples, method, against) for samples in self.blocks.values()),
                )
            )
        return pairs

    def _tests(
        self, samples: Mapping[str, Sample], methods: Sequence[str], against: str
    ) -> list[TTest | None]:
        """Return the tests of a block against one method, each p corrected for their number."""
        tests = [samples[method].minus(samples[against], self.is_paired) for method in methods]
        corrected = holm([test and test.p for test in tests])
        return [
            None if test is None or p is None else test._replace(p=p)
            for test, p in zip(tests, corrected, strict=True)
        ]

    def _a12(self, samples: Mapping[str, Sample], method: str, against: str) -> float:
        ours, theirs = (list(samples[name].values.values()) for name in (method, against))
        return a12(ours, theirs, self.kind.more_is_better)


ALSO_BY = ("method", "evaluator", "study")
"""What may be compared in addition to settings: evolution and baselines, evaluators, studies."""


def comparison_of(frame: pd.DataFrame, by: str, metric: str) -> Comparison:
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
    _demand_methods(by, [*values, *named] if by == "method" else values, design, is_alone)
    others = _others(ours, by, design)
    texts = tuple(map(as_text, values))
    names = {  # distinct from the values: majority is also a leaf_class
        name: f"baseline {name}" if name in texts else name for name in named
    }
    mine = _scores(ours, by, others, kind)
    theirs = _scores(baselines.replace({"method": names}), "method", (), kind)
    scores = pd.concat([mine, _in_all_blocks(theirs, mine, others)], ignore_index=True)
    found = _comparison(scores, by, metric, texts, tuple(names.values()), others)
    is_paired = by == "evaluator" or (ours["kind"] != "savings").all()
    evaluators = tuple(dict.fromkeys(ours["evaluator"])) if kind.is_time and by != "evaluator" else ()
    return replace(found, is_paired=bool(is_paired), evaluators=evaluators)


def first_comparison(frame: pd.DataFrame, metric: str | None = None) -> tuple[Comparison, list[str]]:
    """Compare by the first that varies and can be compared; return what else varies, too."""
    shown = metric or first_metric(frame)
    names = what_varies(frame, shown)
    if names == ["evaluator"] and metric is None:
        shown = "seconds"
    failures = []
    for name in names:
        try:
            return comparison_of(frame, name, shown), [other for other in names if other != name]
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


def _demand_methods(by: str, values: Sequence[Scalar], design: Design, is_alone: bool) -> None:
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
    """Return the number of every row, with its method, its block and its fold; without folds, its seed."""
    rows = rows.assign(folds=fold_kinds(rows))
    is_seed = (rows["kind"] == "savings").to_list()
    splits = zip(is_seed, plain_rows(rows, ("replicate",)), plain_rows(rows, _SPLIT), strict=True)
    ratio = (rows["n_test"] / rows["n_train"]).mask(rows["kind"] == "savings", 0.0)
    return pd.DataFrame(
        {
            "method": list(map(as_text, plain(rows[by]))),
            "dataset": rows["dataset"].to_list(),
            "study": rows["study"].to_list(),
            "block": plain_rows(rows, ("dataset", *others)),
            "split": [seed if of_seed else fold for of_seed, seed, fold in splits],
            "value": (rows[kind.column] * kind.factor).to_list(),
            "test_to_train": ratio.to_list(),
        }
    )


def _in_all_blocks(baselines: pd.DataFrame, ours: pd.DataFrame, others: Sequence[str]) -> pd.DataFrame:
    """Return the baselines' numbers in every block of their data set, because they have no settings."""
    on = ["dataset", "study"] if "study" in others else ["dataset"]
    blocks = ours.drop_duplicates("block")[[*on, "block"]]
    return baselines.drop(columns="block").merge(blocks, on=on)


def _that_ran_together(values: Sequence[str], ran: Mapping[_Place, set[str]], others: Sequence[str]) -> str:
    """Name the study in most of whose blocks several values have run, and how to choose it."""
    if "study" not in others:
        return ""
    study = others.index("study") + 1
    together = Counter(
        (block[study], tuple(value for value in values if value in there)) for block, there in ran.items()
    )
    several = [(n, name, some) for (name, some), n in together.items() if len(some) > 1]
    if not several:
        return ""
    _, name, some = max(several)
    return f", or compare {', '.join(some)} with --where study={name}"


def _comparison(
    scores: pd.DataFrame,
    by: str,
    metric: str,
    values: tuple[str, ...],
    baselines: tuple[str, ...],
    others: tuple[str, ...],
) -> Comparison:
    """Return the comparison in the blocks where all have run, or else all values: without other baselines."""
    found: dict[tuple[_Place, str], list[tuple[Split, float, float]]] = defaultdict(list)
    columns = (scores[name] for name in ("block", "method", "split", "value", "test_to_train"))
    for block, method, split, value, ratio in zip(*columns, strict=True):
        found[block, method].append((split, value, ratio))
    ran: dict[_Place, set[str]] = defaultdict(set)
    for block, method in found:
        ran[block].add(method)
    complete, kept = _complete(ran, {*values, *baselines}), baselines
    if not complete:
        complete = _complete(ran, set(values))
        kept = tuple(name for name in baselines if all(name in ran[block] for block in complete))
    if not complete or len({*values, *kept}) < 2:
        hint = _that_ran_together(values, ran, others)
        names = ", ".join(values)
        why = f"{names} have not all run on the same data yet; finish the experiment{hint}"
        raise ResultError(f"--by {by}: {why}")
    blocks = sorted(complete, key=lambda block: [rank(value) for value in block])
    samples = {key: _sample(some) for key, some in found.items()}
    methods = dict.fromkeys((*values, *kept))
    return Comparison(
        by,
        metric,
        values,
        kept,
        blocks={
            tuple(map(as_text, block)): {method: samples[block, method] for method in methods}
            for block in blocks
        },
        datasets=tuple(dict.fromkeys(str(block[0]) for block in blocks)),
        others=others,
        is_paired=True,
        n_left_out=len(ran) - len(complete),
        baselines_left_out=tuple(name for name in baselines if name not in kept),
    )


def _complete(ran: Mapping[_Place, set[str]], methods: set[str]) -> list[_Place]:
    return [block for block, there in ran.items() if there >= methods]


def _sample(scores: Sequence[tuple[Split, float, float]]) -> Sample:
    """Return the numbers of a method in a block: the mean over the seeds, fold by fold."""
    by_split: dict[Split, list[float]] = defaultdict(list)
    for split, value, _ in scores:
        by_split[split].append(value)
    ratio = fmean(ratio for *_, ratio in scores)
    return Sample({split: fmean(values) for split, values in by_split.items()}, ratio)
