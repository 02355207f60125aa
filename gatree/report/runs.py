"""The finished cells of a journal, grouped once as the tables need them: by setting, place and replicate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from statistics import fmean, stdev
from typing import Any, NamedTuple

from gatree.experiments.record import Record
from gatree.report.layout import Setting, Spot

Place = tuple[str, str]
"""A data set and a column."""

Replicates = Mapping[int, list[Record]]
"""By replicate, the one record of a savings cell, or those of the folds of a cross-validation."""

Samples = dict[Spot, dict[int, float]]
"""By place in a table, the number that each replicate has there."""


class Spread(NamedTuple):
    """What replicates have in common, and how far they lie apart."""

    n: int
    mean: float
    sd: float | None  # of the sample; one run has none
    min: float
    max: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        known = list(values)
        sd = stdev(known) if len(known) > 1 else None
        return cls(len(known), fmean(known), sd, min(known), max(known))


class Runs(list[Record]):
    """Finished cells."""

    @classmethod
    def of(cls, records: Iterable[Record]) -> Runs:
        """Return the finished ones of some records; what is grouped already stays so."""
        if isinstance(records, Runs):
            return records
        return cls(record for record in records if record["status"] == "done")

    @cached_property
    def samples(self) -> dict[int, Samples]:
        """The numbers of the tables that have been computed, by the table's number."""
        return {}

    @cached_property
    def baselines(self) -> list[Record]:
        return [record for record in self if record["cell"]["kind"] == "baseline"]

    def places(self, kind: str, setting: Setting) -> Mapping[Place, Replicates]:
        """Return the cells of each data set and size, all from one study where several have run them."""
        return self._places.get((kind, setting), {})

    @cached_property
    def _places(self) -> Mapping[tuple[str, Setting], Mapping[Place, Replicates]]:
        studies: dict[Any, dict[Any, list[Record]]] = defaultdict(lambda: defaultdict(list))
        for record in self:
            cell = record["cell"]
            if cell["kind"] != "baseline":
                where = (cell["kind"], setting_of(cell), (cell["dataset"], column_of(cell)))
                study = ("history" in record["outcome"], cell["study"])  # Figure 6's study comes last
                studies[where][study].append(record)
        places: dict[tuple[str, Setting], dict[Place, Replicates]] = defaultdict(dict)
        for (kind, setting, place), by_study in studies.items():
            places[kind, setting][place] = by_replicate(by_study[min(by_study)])
        return places


def by_replicate(records: Sequence[Record]) -> Replicates:
    """Return records by replicate, in the order of these."""
    found: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        found[record["cell"]["replicate"]].append(record)
    return dict(sorted(found.items()))


def setting_of(cell: Mapping[str, Any]) -> Setting:
    """Return the setting of Tables 3-12 that a cell has."""
    return Setting(str(cell["mutation_rate"]), cell["x_factor"])


def column_of(cell: Mapping[str, Any]) -> str:
    """Return the heading for a size: as in the paper where there are as many generations as trees."""
    population, generations = cell["population_size"], cell["n_generations"]
    return str(population) if population == generations else f"{population}x{generations}"
