"""What an experiment varies, told from its rows: axes, data sets, baselines and studies.

An axis is a setting that evolutions of the experiment have different values of. Data set, axes, replicate,
repetition and fold tell all rows of a kind apart: where two studies have the same settings, the study is an
axis, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gatree.experiments.rows import EVOLUTION, SETTING_COLUMNS, Row

_FIRST = ("mutation_rate", "x_factor", "population_size", "n_generations")
_IN_ORDER = (*_FIRST, *(name for name in SETTING_COLUMNS if name not in _FIRST))


@dataclass(frozen=True)
class Axis:
    """A setting that varies, its values in order, and the settings that change with it one to one."""

    name: str  # a column of the rows
    values: tuple[Any, ...]
    along: tuple[str, ...] = ()  # such as n_generations, where a grid has them like the population's size


@dataclass(frozen=True)
class Design:
    """The plan of an experiment as its results show it."""

    axes: tuple[Axis, ...]
    datasets: tuple[str, ...]
    baselines: tuple[str, ...]
    studies: tuple[str, ...]
    kinds: tuple[str, ...]  # savings, cross-validation or both


def design_of(rows: Sequence[Row]) -> Design:
    """Return what the rows of an experiment have in common and in what they differ."""
    evolutions = [row for row in rows if row["method"] == EVOLUTION]
    return Design(
        axes=tuple(_axes(evolutions)),
        datasets=_distinct(row["dataset"] for row in rows),
        baselines=_distinct(row["method"] for row in rows if row["method"] != EVOLUTION),
        studies=_distinct(row["study"] for row in rows),
        kinds=_distinct(row["kind"] for row in evolutions),
    )


def _axes(rows: Sequence[Row]) -> list[Axis]:
    points = _distinct((row["kind"], row["study"], *(row[name] for name in _IN_ORDER)) for row in rows)
    columns = dict(zip(_IN_ORDER, list(zip(*points, strict=True))[2:], strict=True)) if points else {}
    varied = {name: values for name, values in columns.items() if len(set(values)) > 1}
    axes: list[Axis] = []
    while varied:
        name, values = next(iter(varied.items()))
        along = [other for other in varied if other != name and _one_to_one(values, varied[other])]
        axes.append(Axis(name, in_order(values), tuple(along)))
        varied = {other: column for other, column in varied.items() if other not in (name, *along)}
    if len({(kind, *settings) for kind, _, *settings in points}) < len(points):
        axes.insert(0, Axis("study", _distinct(study for _, study, *_ in points)))
    return axes


def _one_to_one(these: Sequence[Any], those: Sequence[Any]) -> bool:
    pairs = set(zip(these, those, strict=True))
    return len(pairs) == len(set(these)) == len(set(those))


def in_order(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the different ones among some values of a setting: none first, then numbers, then text."""
    return tuple(sorted(set(values), key=rank))


def rank(value: Any) -> tuple[int, float, str]:
    """Return what to sort values of a setting by."""
    if value is None:
        return 0, 0.0, ""
    if isinstance(value, int | float):
        return 1, float(value), ""
    return 2, 0.0, str(value)


def _distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))
