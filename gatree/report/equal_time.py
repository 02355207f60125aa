"""What the saved time buys: the best payoff, and the trees examined, after a time, with `old` and with `new`.

A panel is a data set: the means over the cells of the largest size that ran both evaluators, at the points of
their records. The metric `equal-time` is the generations that `new` runs while `old` runs 100.
"""

from __future__ import annotations

from math import ceil

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from gatree.base.errors import ResultError
from gatree.experiments.frame import Results, evolutions
from gatree.experiments.journal import find_records
from gatree.experiments.record import SavingsRecord
from gatree.rendering.figures import BLUE, ORANGE, Look

_EVALUATORS = (("old", ORANGE, "--"), ("new", BLUE, "-"))
_ACROSS = 2  # data sets in a row, with two panels each


def equal_time_data(results: Results) -> pd.DataFrame:
    """Return CPU seconds, best payoff and trees examined at every point, by data set and evaluator."""
    cells = evolutions(results.frame, "savings").dropna(subset="generations_in_equal_time")
    if cells.empty:
        raise ResultError(
            f"{results.journal}: no cell has the seconds of old and new at the points of an evolution; run a "
            "savings study again with this version"
        )
    effort = cells["population_size"] * cells["n_generations"]
    cells = cells[effort == effort.groupby(cells["dataset"]).transform("max")]
    rows = []
    for record in find_records(results.journal, set(cells["key"])).values():
        if not isinstance(record, SavingsRecord) or record.outcome.progress is None:
            continue
        progress = record.outcome.progress
        for name, _, _ in _EVALUATORS:
            points = zip(record.timing[name].cpu_at, progress.payoff, progress.examined, strict=True)
            rows += [(record.cell.dataset, name, point, *found) for point, found in enumerate(points)]
    names = ["dataset", "evaluator", "point", "seconds", "payoff", "examined"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.groupby(names[:3], as_index=False, sort=False).mean()


def equal_time_figure(results: Results) -> Figure:
    """Draw the payoff and the trees examined against the CPU seconds, old against new."""
    data = equal_time_data(results)
    datasets = sorted(data["dataset"].unique(), key=str.casefold)
    n_across = min(_ACROSS, len(datasets))
    n_rows = ceil(len(datasets) / n_across)
    figure = Figure(figsize=(4.4 * n_across, 1.0 + 1.7 * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, 2 * n_across, squeeze=False)
    for number, dataset in enumerate(datasets):
        row, column = divmod(number, n_across)
        for axes, quantity in zip(panels[row, 2 * column :], ("payoff", "examined"), strict=False):
            for name, colour, dashes in _EVALUATORS:
                line = data[(data["dataset"] == dataset) & (data["evaluator"] == name)]
                scale = 1000 if quantity == "examined" else 1
                look: Look = {"color": colour, "ls": dashes, "label": name}
                axes.plot(line["seconds"], line[quantity] / scale, **look)
            axes.set_title(dataset if quantity == "payoff" else "", fontsize=9, parse_math=False)
            axes.set_ylabel("best payoff" if quantity == "payoff" else "1,000 trees", fontsize=7)
            axes.tick_params(labelsize=7)
            axes.set_xlim(left=0)
    for axes in np.ravel(panels)[2 * len(datasets) :]:
        axes.set_visible(False)
    figure.supxlabel("CPU seconds", fontsize=9)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=2)
    return figure
