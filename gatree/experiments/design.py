"""What an experiment varies, found from its frame: axes, data sets, baselines and studies.

An axis is a setting that evolutions of the experiment have different values of. Data set, axes, replicate,
repetition and fold tell all evolutions of a kind apart: where two studies have the same settings, the study
is an axis, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from gatree.base.json_values import Scalar
from gatree.experiments.frame import EVOLUTION, SETTING_COLUMNS, evolutions, plain, plain_rows
from gatree.experiments.setting_grid import FIRST

_IN_ORDER = (*FIRST, *(name for name in SETTING_COLUMNS if name not in FIRST))


@dataclass(frozen=True)
class Axis:
    """A setting that varies, its values in order, and the settings that change with it one to one."""

    name: str  # a column of the frame
    values: tuple[Scalar, ...]
    along: tuple[str, ...] = ()  # such as n_generations, where a grid has them like the population's size


@dataclass(frozen=True)
class Design:
    """The plan of an experiment as its results show it."""

    axes: tuple[Axis, ...]
    datasets: tuple[str, ...]
    baselines: tuple[str, ...]
    studies: tuple[str, ...]

    @property
    def settings(self) -> tuple[Axis, ...]:
        """The axes that are settings of the evolution."""
        return tuple(axis for axis in self.axes if axis.name != "study")


def design_of(frame: pd.DataFrame) -> Design:
    """Return what the rows of an experiment have in common and in what they differ."""
    ours = evolutions(frame)
    return Design(
        axes=tuple(_axes(ours)),
        datasets=_distinct(frame["dataset"]),
        baselines=_distinct(frame.loc[frame["method"] != EVOLUTION, "method"]),
        studies=_distinct(frame["study"]),
    )


def _axes(ours: pd.DataFrame) -> list[Axis]:
    first = ours.drop_duplicates("point")
    points = list(dict.fromkeys(plain_rows(first, ("kind", "study", *_IN_ORDER))))
    columns = dict(zip(_IN_ORDER, list(zip(*points, strict=True))[2:], strict=True)) if points else {}
    varied = {name: values for name, values in columns.items() if len(set(values)) > 1}
    axes: list[Axis] = []
    while varied:
        name, values = next(iter(varied.items()))
        along = [other for other in varied if other != name and _one_to_one(values, varied[other])]
        axes.append(Axis(name, in_order(values), tuple(along)))
        varied = {other: column for other, column in varied.items() if other not in (name, *along)}
    if len({(kind, *settings) for kind, _, *settings in points}) < len(points):
        axes.insert(0, Axis("study", tuple(dict.fromkeys(study for _, study, *_ in points))))
    return axes


def _one_to_one(these: Sequence[Scalar], those: Sequence[Scalar]) -> bool:
    pairs = set(zip(these, those, strict=True))
    return len(pairs) == len(set(these)) == len(set(those))


def in_order(values: Iterable[Scalar]) -> tuple[Scalar, ...]:
    """Return the different ones among some values of a setting: none first, then numbers, then text."""
    return tuple(sorted(set(values), key=rank))


def rank(value: Scalar) -> tuple[int, float, str]:
    """Return what to sort values of a setting by."""
    if value is None:
        return 0, 0.0, ""
    if isinstance(value, int | float):
        return 1, float(value), ""
    return 2, 0.0, str(value)


def _distinct(column: pd.Series) -> tuple[str, ...]:
    return tuple(plain(column.drop_duplicates()))
