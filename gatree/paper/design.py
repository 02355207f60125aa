"""Whether an experiment is the paper's, so that its results can be compared with the published ones."""

from __future__ import annotations

from collections.abc import Iterable

from gatree.data.catalog import dataset_names
from gatree.experiments.record import Record
from gatree.paper.layout import SAVINGS, TABLE_12
from gatree.paper.runs import setting_of
from gatree.report.points import Points

_AXES = {"study", "mutation_rate", "x_factor", "population_size", "n_generations"}


def is_papers(records: Iterable[Record], points: Points) -> bool:
    """Tell whether an experiment varies what the paper's does, and has at least a part of its tables.

    That is: no setting varies but mutation rate, x-factor and size; the pairs of the first two are all four
    of Table 3, and else only Table 12's; and at least one data set is the paper's.
    """
    if not {axis.name for axis in points.design.axes} <= _AXES:
        return False
    settings = {setting_of(record["cell"]) for record in records if record["cell"]["kind"] != "baseline"}
    known = set(SAVINGS.values())
    return known <= settings <= known | set(TABLE_12.values()) and not set(dataset_names()).isdisjoint(
        points.design.datasets
    )
