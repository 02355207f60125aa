"""The numbers behind the figures, one function each, as data frames.

Figures 5 and 6 are the paper's; the other three are ours: savings against the paper's, the time of
`old` against that of `new`, and the speed-up against the number of instances.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pandas as pd

from gatree.base.errors import ResultError
from gatree.experiments.record import Record
from gatree.paper.errata import stand_ins
from gatree.paper.published import SAVINGS, Setting, published
from gatree.paper.runs import Spread, column_of
from gatree.paper.tables import our_samples
from gatree.paper.theory import SHAPES

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


def figure_6_data(records: Sequence[Record]) -> pd.DataFrame:
    """Return accuracy and size of the best tree in every generation of a cross-validation, fold after fold:
    their means over the seeds, the lowest and the highest.

    Taken from a study with ``history: true``, on multiplexor if there is one.
    """
    runs: dict[tuple[bool, str, str, str], list[Record]] = defaultdict(list)
    for record in records:
        if "history" in record["outcome"]:
            cell = record["cell"]
            setting = f"m = {cell['mutation_rate']}, x = {cell['x_factor']}, size {column_of(cell)}"
            runs[cell["dataset"] != "multiplexor", cell["study"], cell["dataset"], setting].append(record)
    if not runs:
        raise ResultError(
            "Figure 6 needs a cross-validation with `history: true`; the paper's has one: "
            "gatree run --config paper --only study=exploratory"
        )
    chosen = min(runs)
    every = pd.concat([_fold_history(record) for record in runs[chosen]], ignore_index=True)
    spread = {
        f"{column}{name}": (column, how)
        for column in ("accuracy", "size")
        for name, how in (("", "mean"), ("_low", "min"), ("_high", "max"))
    }
    frame = every.groupby(["fold", "generation"], as_index=False).agg(**spread)
    frame["step"] = range(1, len(frame) + 1)
    frame.attrs["title"] = f"{chosen[2]}: {chosen[3]}"
    return frame


def _fold_history(record: Record) -> pd.DataFrame:
    history = record["outcome"]["history"]
    return pd.DataFrame(
        {
            "fold": record["cell"]["fold"],
            "generation": range(1, len(history["size"]) + 1),
            "accuracy": history["accuracy"],
            "size": history["size"],
        }
    )


def savings_data(records: Sequence[Record]) -> pd.DataFrame:
    """Return the mean savings per data set and setting, ours with their deviation, and Table 3's."""
    paper, not_the_papers = published(), stand_ins()
    rows = []
    for spot, values in our_samples(3, records).items():
        if spot in paper:
            ours, is_stand_in = Spread.of(values.values()), spot.dataset in not_the_papers
            rows.append((*spot[3:4], *spot[1:3], ours.mean, ours.sd or 0.0, paper[spot], is_stand_in))
    return pd.DataFrame(rows, columns=["dataset", "mutation", "x", "ours", "sd", "paper", "stand_in"])


def times_data(records: Sequence[Record]) -> pd.DataFrame:
    """Return the seconds of `old` and `new` of every savings cell of the paper's four settings."""
    settings = set(SAVINGS.values())
    rows = []
    for record in records:
        cell, timing = record["cell"], record["timing"]
        if cell["kind"] == "savings" and {"old", "new"} <= set(timing):
            setting = Setting(str(cell["mutation_rate"]), cell["x_factor"])
            if setting in settings:
                old, new = (min(timing[name]["wall"]) for name in ("old", "new"))
                n_instances = record["outcome"]["n_instances"]
                rows.append((cell["dataset"], *setting, cell["population_size"], n_instances, old, new))
    columns = ["dataset", "mutation", "x", "size", "n_instances", "old", "new"]
    return pd.DataFrame(rows, columns=columns).sort_values(columns[:4], ignore_index=True)


def speed_up_data(records: Sequence[Record]) -> pd.DataFrame:
    """Return how many times faster `new` is, per data set and mutation rate, over all its cells."""
    times = times_data(records)
    totals = times.groupby(["dataset", "n_instances", "mutation"], as_index=False)[["old", "new"]].sum()
    totals["speed_up"] = totals["old"] / totals["new"]
    return totals.sort_values(["mutation", "n_instances", "dataset"], ignore_index=True)
