"""Figures of any metric against what varies: error bars by one setting, a heat map by two, ranks of methods.

A panel is a data set. What else varies is averaged over; bars are standard errors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import ceil, sqrt
from statistics import fmean

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gatree.base.errors import ResultError
from gatree.base.statistics import LEVEL, Mean, critical_difference
from gatree.rendering.figures import BLUE, GREY, Look
from gatree.report.comparison import Comparison
from gatree.report.samples import Block, Sample

_COLUMNS, _MOST_PANELS = 3, 24
_MOST_LETTERS = 24  # in the labels of an axis together, or they are turned

Places = Mapping[Block, Mapping[str, Sample]]


def metric_figure(comparison: Comparison, also_by: Sequence[str] = ()) -> Figure:
    """Draw a metric against what a comparison compares, or against that and another setting."""
    if len(also_by) > 1:
        raise ResultError(f"--by: a figure shows a metric by one or two settings, got {1 + len(also_by)}")
    if not also_by:
        figure = _panels(comparison, lambda axes, blocks: _bars(axes, blocks, comparison.methods))
        over = f" (means over {', '.join(comparison.others)})" if comparison.others else ""
        figure.supxlabel(f"{comparison.by}{over}".replace("_", " "), fontsize=9)
        figure.supylabel(comparison.kind.unit, fontsize=9)
        return figure
    other = also_by[0].replace("-", "_")
    other = "population_size" if other == "size" else other
    if other not in comparison.others:
        known = ", ".join(comparison.others) or "nothing"
        raise ResultError(f"--by {other}: what varies next to {comparison.by} is {known}")
    column = 1 + comparison.others.index(other)
    figure = _panels(comparison, lambda axes, blocks: _heat(axes, blocks, comparison, column))
    rest = [name for name in comparison.others if name != other]
    over = f" (means over {', '.join(rest)})" if rest else ""
    figure.suptitle(f"{comparison.kind.unit}{over}".replace("_", " "), fontsize=10)
    figure.supxlabel(other.replace("_", " "), fontsize=9)
    figure.supylabel(comparison.by.replace("_", " "), fontsize=9)
    return figure


def _panels(comparison: Comparison, draw: Callable[[Axes, Places], None]) -> Figure:
    """Return a figure with a panel for each data set."""
    datasets = comparison.datasets[:_MOST_PANELS]
    n_columns = min(_COLUMNS, len(datasets))
    n_rows = ceil(len(datasets) / n_columns)
    figure = Figure(figsize=(1.2 + 2.3 * n_columns, 0.8 + 2.0 * n_rows), layout="constrained")
    panels = list(figure.subplots(n_rows, n_columns, squeeze=False).flat)
    for axes, dataset in zip(panels, datasets, strict=False):
        draw(axes, {place: samples for place, samples in comparison.blocks.items() if place[0] == dataset})
        axes.set_title(dataset, fontsize=9, parse_math=False)
        axes.tick_params(labelsize=7)
    for axes in panels[len(datasets) :]:
        axes.set_visible(False)
    return figure


def mean_over(means: Sequence[Mean]) -> Mean:
    """Return the mean of independent means, with its standard error if all have one."""
    errors = [mean.error for mean in means if mean.error is not None]
    error = sqrt(sum(error**2 for error in errors)) / len(means) if len(errors) == len(means) else None
    return Mean(fmean(mean.value for mean in means), error)


def _bars(axes: Axes, blocks: Places, methods: Sequence[str]) -> None:
    means = [mean_over([samples[method].mean for samples in blocks.values()]) for method in methods]
    errors = [mean.error or 0.0 for mean in means]
    axes.errorbar(
        range(len(methods)),
        [mean.value for mean in means],
        errors,
        fmt="o",
        color=BLUE,
        ecolor=GREY,
        capsize=3,
    )
    _label(axes, methods)
    axes.margins(x=0.15, y=0.15)


def _label(axes: Axes, texts: Sequence[str]) -> None:
    turned = sum(map(len, texts)) > _MOST_LETTERS
    axes.set_xticks(
        range(len(texts)), texts, rotation=45 if turned else 0, ha="right" if turned else "center"
    )


def _heat(axes: Axes, blocks: Places, comparison: Comparison, column: int) -> None:
    """Draw the means as a grid of numbers, shaded from the lowest to the highest of the panel."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for place, samples in blocks.items():
        for method in comparison.values:
            found[method, place[column]].append(samples[method].mean.value)
    across = list(dict.fromkeys(place[column] for place in comparison.blocks))
    shown = np.array(
        [[fmean(found.get((method, text), [np.nan])) for text in across] for method in comparison.values]
    )
    axes.imshow(shown, cmap="Blues", aspect="auto", origin="lower")
    axes.grid(visible=False)
    middle = (np.nanmin(shown) + np.nanmax(shown)) / 2
    for (row, place), value in np.ndenumerate(shown):
        text = "" if np.isnan(value) else f"{value:.{comparison.kind.decimals}f}"
        colour = "white" if value > middle else "black"
        small = 5.5 if len(across) > 6 else 7.0
        axes.text(place, row, text, ha="center", va="center", fontsize=small, color=colour)
    _label(axes, across)
    axes.set_yticks(range(len(comparison.values)), comparison.values)


def rank_figure(comparison: Comparison) -> Figure:
    """Draw the average ranks of all methods over the data sets, with Nemenyi's critical difference (Demsar).

    A bar connects methods whose ranks differ by less.
    """
    n, n_datasets = len(comparison.methods), len(comparison.by_dataset)
    if n < 3 or n_datasets < 2:
        raise ResultError(
            f"critical-difference: needs three rivals or more on two data sets, got {n} on {n_datasets}; "
            "`gatree compare` compares two"
        )
    width = critical_difference(n, n_datasets)
    ranked = sorted(comparison.ranks.items(), key=lambda item: item[1])
    bars = _cliques([rank for _, rank in ranked], width)
    lowest = 1.2 + 0.35 * len(bars)
    figure = Figure(figsize=(6.4, 1.1 + 0.28 * (lowest + (n + 1) // 2)), layout="constrained")
    axes = figure.subplots()
    line: Look = {"color": "black", "lw": 1.0, "solid_capstyle": "butt"}
    axes.plot([1, n], [0, 0], **line)
    for tick in range(1, n + 1):
        axes.plot([tick, tick], [0, 0.15], **line)
        axes.text(tick, 0.25, str(tick), ha="center", va="bottom", fontsize=8)
    reach, gap = 0.06 * n, 0.02 * n
    for place, (name, rank) in enumerate(ranked):
        is_left = place < (n + 1) // 2
        down = -lowest - (place if is_left else n - 1 - place)
        end = 1 - reach if is_left else n + reach
        axes.plot([rank, rank, end], [0, down, down], **line)
        align, at = ("right", end - gap) if is_left else ("left", end + gap)
        text = f"{comparison.named(name)} ({rank:.2f})"
        axes.text(at, down, text, ha=align, va="center", fontsize=8, parse_math=False)
    for number, (first, last) in enumerate(bars):
        height = -0.45 - 0.35 * number
        axes.plot([first - gap, last + gap], [height, height], color=BLUE, lw=3.5, solid_capstyle="butt")
    axes.plot([1, min(n, 1 + width)], [1.3, 1.3], color=BLUE, lw=2)
    p = comparison.friedman_p
    friedman = "" if p is None else f"; Friedman's p = {p:.2g}"
    difference = f"critical difference {width:.2f} (Nemenyi, {100 * LEVEL:.0f} %)"
    axes.text(1, 1.45, f"{difference}, {n_datasets} data sets{friedman}", fontsize=8, va="bottom")
    figure.suptitle(f"Average rank, {comparison.kind.unit}", fontsize=10, x=0.02, ha="left")
    axes.set_axis_off()
    axes.set_xlim(1 - 0.45 * n, n + 0.45 * n)
    return figure


def _cliques(ranks: Sequence[float], width: float) -> list[tuple[float, float]]:
    """Return the longest runs of sorted ranks that are not further apart than a width, if they have two."""
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(place for place, other in enumerate(ranks) if other - rank <= width)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return [(ranks[first], ranks[last]) for first, last in found]
