"""Figures 5 and 6 of the paper, and three of our own: as files, and for a page.

Figures 5 and 6 are the paper's; the other three are ours: savings against the paper's, the time of `old`
against that of `new`, and the speed-up against the number of instances. The numbers behind each are one
function, a data frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gatree.base.errors import ResultError
from gatree.experiments.frame import Results
from gatree.experiments.journal import find_records
from gatree.experiments.record import FoldRecord, Record
from gatree.experiments.setting_grid import FIRST
from gatree.paper.agreement import papers_times
from gatree.paper.published import SAVINGS, stand_ins
from gatree.paper.tables import Spread, our_samples, papers_numbers
from gatree.paper.theory import SHAPES
from gatree.rendering.figures import BLUE, GREY, ORANGE, Look, inline_svg, label_points, new_figure, save

_DEPTHS = (*range(1, 13), 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1000)
_COUNTED = {"complete": (*range(1, 9), 11), "linear": (1, 2, 3, 4, 6, 8, 16, 32, 64, 128, 256, 512)}


def figure_5_data() -> pd.DataFrame:
    """Return the share of node-instance-checks saved by depth: exact, the paper's bound, as counted."""
    from gatree.paper.theory_check import count  # here: the other figures need no engine

    rows = []
    for shape in SHAPES[:2]:
        for k in _DEPTHS:
            paper = shape.paper_below(k) if shape.paper_below else None
            counted = 1 - count(shape.name, k).below if k in _COUNTED[shape.name] else None
            rows.append((shape.name, k, 1 - shape.below(k), None if paper is None else 1 - paper, counted))
    frame = pd.DataFrame(rows, columns=["tree", "depth", "exact", "paper", "counted"])
    return frame.astype({"exact": float, "paper": float, "counted": float})


def figure_6_data(results: Results) -> pd.DataFrame:
    """Return accuracy and size of the best tree in every generation of a cross-validation, fold after fold:
    their means over the seeds, the lowest and the highest.

    Taken from a study with ``history: true``, on multiplexor if there is one.
    """
    cells = results.frame[results.frame["history"] & (results.frame["kind"] == "cross-validation")]
    if cells.empty:
        raise ResultError(
            "Figure 6 needs a cross-validation with `history: true`; the paper's has one: "
            "gatree run --config paper --only study=exploratory"
        )
    studies = cells.assign(other=cells["dataset"] != "multiplexor").groupby(
        ["other", "study", "dataset", *FIRST]
    )
    (_, _, dataset, rate, x, size, generations), chosen = next(iter(studies))
    found = find_records(results.journal, set(chosen["key"]))
    every = pd.concat(list(_fold_histories(found.values())), ignore_index=True)
    spread = {
        f"{column}{name}": (column, how)
        for column in ("accuracy", "size")
        for name, how in (("", "mean"), ("_low", "min"), ("_high", "max"))
    }
    frame = every.groupby(["fold", "generation"], as_index=False).agg(**spread)
    frame["step"] = range(1, len(frame) + 1)
    frame.attrs["n_seeds"] = chosen["replicate"].nunique()
    shown = size if size == generations else f"{size}x{generations}"
    frame.attrs["title"] = f"{dataset}: m = {rate}, x = {x}, size {shown}"
    return frame


def _fold_histories(records: Iterable[Record]) -> Iterator[pd.DataFrame]:
    for record in records:
        if isinstance(record, FoldRecord) and (history := record.outcome.history):
            yield pd.DataFrame(
                {
                    "fold": record.cell.fold,
                    "generation": range(1, len(history.size) + 1),
                    "accuracy": history.accuracy,
                    "size": history.size,
                }
            )


def savings_data(results: Results) -> pd.DataFrame:
    """Return the mean savings per data set and setting, ours with their standard error, and Table 3's."""
    paper, not_the_papers = papers_numbers(3, results), stand_ins()
    rows = []
    for spot, values in our_samples(3, results).items():
        if spot in paper:
            ours, is_stand_in = Spread.of(values.values()), spot.dataset in not_the_papers
            place = (spot.dataset, spot.mutation, spot.x)
            rows.append((*place, ours.mean, ours.standard_error or 0.0, paper[spot], is_stand_in))
    return pd.DataFrame(rows, columns=["dataset", "mutation", "x", "ours", "error", "paper", "stand_in"])


def times_data(results: Results) -> pd.DataFrame:
    """Return the seconds of `old` and `new` of every savings cell of the paper's four settings."""
    columns = ["dataset", "mutation", "x", "size", "n_instances", "old", "new"]
    names = {"n_train": "n_instances", "population_size": "size"}
    cells = papers_times(results, SAVINGS.values()).rename(columns=names)[columns]
    return cells.sort_values(columns[:4], ignore_index=True)


def speed_up_data(results: Results) -> pd.DataFrame:
    """Return how many times faster `new` is in CPU seconds, per data set and mutation rate: the mean cell."""
    cells = papers_times(results, SAVINGS.values()).rename(columns={"n_train": "n_instances"})
    means = cells.groupby(["dataset", "n_instances", "mutation"], as_index=False)[["speed_up"]].mean()
    return means.sort_values(["mutation", "n_instances", "dataset"], ignore_index=True)


# Colour and marker by mutation rate and by x-factor.
_COLOURS = {"0.5": BLUE, "0.01": ORANGE}
_MARKERS = {"1e4": "o", "1e4..1e5": "^"}


def figure_5(_results: Results | None = None) -> Figure:
    """Draw the saved node-instance-checks against the depth of complete and linear trees."""
    data = figure_5_data()
    figure, axes = new_figure(5.6, 3.6)
    for name, colour, marker in (("complete", BLUE, "o"), ("linear", ORANGE, "s")):
        tree = data[data["tree"] == name]
        counted = tree.dropna(subset="counted")
        axes.plot(tree["depth"], tree["exact"], color=colour, label=f"{name}: exact")
        points: Look = {"marker": marker, "color": colour, "mfc": "white", "ls": "none"}
        axes.plot(counted["depth"], counted["counted"], **points, label=f"{name}: counted by the engine")
        if name == "linear":
            bound: Look = {"color": colour, "ls": "--", "lw": 1.2}
            axes.plot(tree["depth"], tree["paper"], **bound, label=f"{name}: the paper's bound")
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="depth of the tree", ylabel="share of checks saved, 1 − R′")
    axes.set_title("Saved node-instance-checks")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.legend(loc="lower right")
    return figure


def figure_6(results: Results) -> Figure:
    """Draw accuracy and size of the best tree over the generations of a cross-validation."""
    data = figure_6_data(results)
    figure = Figure(figsize=(5.6, 4.0), layout="constrained")
    above, below = figure.subplots(2, sharex=True)
    for axes, column, colour, label in (
        (above, "accuracy", BLUE, "training accuracy"),
        (below, "size", ORANGE, "size (nodes)"),
    ):
        for _, fold in data.groupby("fold"):
            axes.plot(fold["step"], fold[column], color=colour, label="mean over the seeds")
            if data.attrs["n_seeds"] > 1:
                band = (fold["step"], fold[f"{column}_low"], fold[f"{column}_high"])
                axes.fill_between(*band, color=colour, alpha=0.2, lw=0, label="lowest to highest")
            axes.axvline(fold["step"].iloc[-1] + 0.5, color=GREY, lw=0.6, ls=":")
        axes.set_ylabel(label)
        axes.margins(x=0)
    if data.attrs["n_seeds"] > 1:
        named = dict(zip(*above.get_legend_handles_labels()[::-1], strict=True))
        figure.legend(named.values(), named.keys(), loc="outside lower center", ncols=2)  # no curve below it
    above.set_title(f"Exploratory evolution, {data.attrs['title']}", parse_math=False)
    below.set_ylim(bottom=0)
    below.set_xlabel(f"generation, over the {data['fold'].nunique()} folds")
    return figure


def savings_figure(results: Results) -> Figure:
    """Draw the mean savings per data set, ours against the paper's, a panel for each of Tables 4-7."""
    data = _some(savings_data(results), "a savings study on the paper's data sets")
    figure = Figure(figsize=(7.2, 7.4), layout="constrained")
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    low = min((data["ours"] - data["error"]).min(), data["paper"].min()) - 5
    high = max((data["ours"] + data["error"]).max(), data["paper"].max()) + 5
    labels: list[tuple[Axes, Iterable[tuple[str, float, float]]]] = []
    for axes, (number, setting) in zip(panels.flat, SAVINGS.items(), strict=True):
        points = data[(data["mutation"] == setting.mutation) & (data["x"] == setting.x)]
        own, other = points[~points["stand_in"]], points[points["stand_in"]]
        axes.plot([low, high], [low, high], color=GREY, lw=1)
        axes.errorbar(points["paper"], points["ours"], points["error"], fmt="none", ecolor=GREY, lw=0.8)
        axes.scatter(own["paper"], own["ours"], s=22, color=BLUE, label="the paper's data")
        axes.scatter(other["paper"], other["ours"], s=22, fc="white", ec=ORANGE, label="a stand-in")
        axes.set(xlim=(low, high), ylim=(low, high), aspect="equal")
        axes.set_title(f"Table {number}: m = {setting.mutation}, x = {setting.x}")
        if points.empty:
            why = "The paper has only the means over all\nsizes, and not all of them were run."
            axes.text(0.96, 0.06, why, transform=axes.transAxes, ha="right", color=GREY, fontsize=8)
        labels.append((axes, points[["dataset", "paper", "ours"]].itertuples(index=False, name=None)))
    figure.supxlabel("mean of the paper's savings (its Table 3), %", fontsize=9)
    figure.supylabel("mean of our savings, %, with its standard error", fontsize=9)
    panels[0, 0].legend(loc="lower right")
    figure.draw_without_rendering()  # to lay it out
    for axes, named in labels:
        label_points(axes, named)
    return figure


def times_figure(results: Results) -> Figure:
    """Draw the seconds of `new` against those of `old`, one point per savings cell."""
    data = _some(times_data(results), "a savings study")
    figure, axes = new_figure(4.8, 4.8)
    low, high = (
        data[["old", "new"]].min().min() / 1.5,
        data[["old", "new"]].max().max() * 3,
    )  # room for the texts
    for part, text in ((1, "as long"), (2, "half as long"), (4, "a quarter")):
        axes.plot([low, high], [low / part, high / part], color=GREY, lw=1, ls="-" if part == 1 else "--")
        axes.text(
            high / 1.1,
            high / 1.1 / part,
            text,
            color=GREY,
            fontsize=7,
            rotation=45,
            rotation_mode="anchor",
            ha="right",
            va="bottom",
        )
    for mutation, schedule in SAVINGS.values():
        points = data[(data["mutation"] == mutation) & (data["x"] == schedule)]
        look: Look = {"marker": _MARKERS[schedule], "color": _COLOURS[mutation]}
        axes.scatter(
            points["old"], points["new"], s=20, alpha=0.8, label=f"m = {mutation}, x = {schedule}", **look
        )
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), aspect="equal")
    axes.set(xlabel="old, seconds", ylabel="new, seconds")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_title("Time of an evolution")
    axes.legend(loc="upper left")
    return figure


def speed_up_figure(results: Results) -> Figure:
    """Draw how many times faster `new` is, against the number of instances."""
    data = _some(speed_up_data(results), "a savings study")
    figure, axes = new_figure(6.4, 4.2)
    axes.axhline(1, color=GREY, lw=1)
    for mutation, marker in (("0.5", "o"), ("0.01", "^")):
        points = data[data["mutation"] == mutation]
        look: Look = {"marker": marker, "color": _COLOURS[mutation]}
        axes.scatter(points["n_instances"], points["speed_up"], s=24, label=f"m = {mutation}", **look)
    axes.set(xscale="log", xlabel="instances", ylabel="CPU seconds of old / of new")
    axes.set_ylim(0, 1.1 * data["speed_up"].max())
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_title("Speed-up of whole evolutions, the mean over the sizes")
    axes.legend(loc="lower right")
    highest = data.loc[data.groupby("dataset")["speed_up"].idxmax(), ["dataset", "n_instances", "speed_up"]]
    figure.draw_without_rendering()  # to lay it out
    every = data[["n_instances", "speed_up"]].itertuples(index=False, name=None)
    label_points(axes, highest.itertuples(index=False, name=None), every)
    return figure


def _some(data: pd.DataFrame, needed: str) -> pd.DataFrame:
    if data.empty:
        raise ResultError(f"the journal has no points for this figure: it needs {needed}; run: gatree run")
    return data


FIGURES: dict[str, Callable[[Any], Figure]] = {
    "5": figure_5,
    "6": figure_6,
    "savings": savings_figure,
    "times": times_figure,
    "speed-up": speed_up_figure,
}
NEED_NO_RESULTS = ("5",)


def has_cells(name: str, results: Results) -> bool:
    """Tell whether results have cells for one of the paper's figures."""
    if name == "6":
        frame = results.frame
        return bool((frame["history"] & (frame["kind"] == "cross-validation")).any())
    return name in NEED_NO_RESULTS or not (savings_data if name == "savings" else times_data)(results).empty


def write_figure(name: str, results: Results | None, folder: Path) -> list[Path]:
    """Draw one figure and write it as SVG and PNG; return the files."""
    stem = f"figure-{name}" if name.isdigit() else name
    return save(lambda: FIGURES[name](results), folder, stem)


_CAPTIONS = {
    "5": "Figure 5: share of node-instance-checks saved, by depth of the tree: theory, and as counted.",
    "6": "Figure 6: accuracy and size of the best tree over the generations of a cross-validation.",
    "savings": "Mean savings per data set, ours against the paper's. On the line both are equal.",
    "times": "Seconds of an evolution with inheritance (new) against without (old), one point per cell.",
    "speed-up": "How many times faster inheritance makes a whole evolution, by number of instances.",
}


@dataclass(frozen=True)
class PageFigure:
    """A drawing, or what is missing to draw it."""

    name: str
    caption: str
    svg: Markup | None
    why_not: str = ""


def page_figures(results: Results) -> list[PageFigure]:
    """Return all figures for a page."""
    figures = []
    for name, caption in _CAPTIONS.items():
        try:
            svg = inline_svg(partial(FIGURES[name], results), f"figure-{name}", caption)
            figures.append(PageFigure(name, caption, svg))
        except ResultError as error:
            figures.append(PageFigure(name, caption, None, str(error)))
    return figures
