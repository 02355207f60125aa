"""The finished cells of a journal, grouped once as the tables need them: by setting, place and replicate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from gatree.base.errors import ResultError
from gatree.base.limits import MOST_SEEDS
from gatree.data.catalog import dataset_names
from gatree.experiments.conditions import as_text
from gatree.experiments.journal import find_journal, read_journal
from gatree.experiments.record import Record
from gatree.experiments.rows import Design
from gatree.experiments.setting_grid import FIRST
from gatree.paper.published import RISING_HIGHER, SAVINGS, Setting, Spot

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
        """Return the cells of each data set and size.

        Where cells differ in more than a table shows, in their study or in another setting, each variant has
        a data set of its own, named by what is different. A study with a history, which is made for Figure
        6, counts only where no other has the same cells.
        """
        return self._places.get((kind, setting), {})

    @cached_property
    def _places(self) -> Mapping[tuple[str, Setting], Mapping[Place, Replicates]]:
        found: dict[Any, dict[Any, list[Record]]] = defaultdict(lambda: defaultdict(list))
        for record in self:
            cell = record["cell"]
            if cell["kind"] != "baseline":
                where = (cell["kind"], setting_of(cell), cell["dataset"], column_of(cell))
                found[where]["history" in record["outcome"], _variant(cell)].append(record)
        shown = {where: _without_history(variants) for where, variants in found.items()}
        ambiguous = {(kind, name) for (kind, _, name, _), variants in shown.items() if len(variants) > 1}
        places: dict[tuple[str, Setting], dict[Place, Replicates]] = defaultdict(dict)
        for (kind, setting, dataset, column), variants in shown.items():
            for variant, records in variants.items():
                name = f"{dataset} ({variant})" if (kind, dataset) in ambiguous else dataset
                places[kind, setting][name, column] = by_replicate(records)
        return places


_SHOWN = {*("study", "kind", "dataset", "replicate", "repeat", "fold"), *FIRST}


def _variant(cell: Mapping[str, Any]) -> str:
    """Return what tells a cell from others in the same place of a table."""
    others = [f"{name} {as_text(value)}" for name, value in cell.items() if name not in _SHOWN]
    return ", ".join([cell["study"], *others])


def _without_history(variants: Mapping[tuple[bool, str], list[Record]]) -> dict[str, list[Record]]:
    plain = {variant: records for (has_history, variant), records in variants.items() if not has_history}
    return plain or {variant: records for (_, variant), records in variants.items()}


def by_replicate(records: Sequence[Record]) -> Replicates:
    """Return records by replicate, in the order of these; a repeat of a cross-validation is one more."""
    found: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        cell = record["cell"]
        found[cell["replicate"] + MOST_SEEDS * cell.get("repeat", 0)].append(record)
    return dict(sorted(found.items()))


def setting_of(cell: Mapping[str, Any]) -> Setting:
    """Return the setting of Tables 3-12 that a cell has."""
    return _setting(cell["mutation_rate"], cell["x_factor"])


@lru_cache(maxsize=1000)  # writing a number takes longer than all else that is asked of a cell
def _setting(mutation_rate: float, x_factor: str) -> Setting:
    return Setting(str(mutation_rate), x_factor)


def column_of(cell: Mapping[str, Any]) -> str:
    """Return the heading for a size: as in the paper where there are as many generations as trees."""
    population, generations = cell["population_size"], cell["n_generations"]
    return str(population) if population == generations else f"{population}x{generations}"


_PAPERS_AXES = {"study", "mutation_rate", "x_factor", "population_size", "n_generations"}


def is_papers(records: Iterable[Record], design: Design) -> bool:
    """Tell whether an experiment varies what the paper's does, and has at least a part of its tables.

    That is: no setting varies but mutation rate, x-factor and size; the pairs of the first two are all four
    of Table 3, and else only Table 12's; and at least one data set is the paper's.
    """
    if not {axis.name for axis in design.axes} <= _PAPERS_AXES:
        return False
    settings = {setting_of(record["cell"]) for record in records if record["cell"]["kind"] != "baseline"}
    known = set(SAVINGS.values())
    return known <= settings <= known | set(RISING_HIGHER) and not set(dataset_names()).isdisjoint(
        design.datasets
    )


def read_results(results: Path) -> tuple[Path, Runs]:
    """Return the journal that a folder of results means, and its finished cells."""
    journal = find_journal(results)
    records = read_journal(journal)
    done = Runs.of(records)
    if not done:
        failed = f" ({len(records)} failed)" if records else ""
        raise ResultError(f"{journal}: no finished cell yet{failed}; run the experiment first: gatree run")
    return journal, done
