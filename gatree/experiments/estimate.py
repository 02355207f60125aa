"""The progress of an experiment and the time of its cells: modelled, measured and remaining.

The time of an evolution is the number of offspring times (a constant + a constant per instance). Both are in
each evaluator's entry in the registry, measured on one core of a Neoverse-N1 over the paper's data sets.
`calibration` derives the factor of another machine from the finished cells, `wall_seconds` adds what comes
before the first cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gatree.base.machine import n_cores, slowness
from gatree.experiments.grid import Cell
from gatree.experiments.journal import Costs, read_plan, read_records
from gatree.experiments.record import Done, EvolutionRecord, Record
from gatree.learners.registry import LEARNERS
from gatree.settings.registry import EVALUATORS

_PER_GENERATION = 5e-6
_PER_CELL = 2e-3  # folds, coding, warming up, writing


def modelled_seconds(cell: Cell) -> float:
    """Return the seconds that a cell should take on one core."""
    if cell.identity.baseline:
        return _PER_CELL + LEARNERS[cell.identity.baseline].seconds_per_instance * cell.n_instances
    n_generations = cell.settings.n_generations
    n_children = n_generations * cell.settings.n_offspring
    costs = [EVALUATORS[name] for name in cell.evaluators]
    per_child = [cost.seconds_per_child + cost.seconds_per_instance * cell.n_instances for cost in costs]
    turns = sum(n_generations * _PER_GENERATION + n_children * seconds for seconds in per_child)
    return _PER_CELL + cell.repeats * turns


_START_SECONDS = 2.5  # the command and then its workers import everything and load compiled kernels


def wall_seconds(work: float, n_jobs: int, compiling: float = 0.0) -> float:
    """Return how long an experiment takes from its start: the seconds of its cells on one core, and the rest.

    All workers compile what they need, each for itself.
    """
    crowded = max(1.0, n_jobs / n_cores())
    return slowness() * crowded * (_START_SECONDS + compiling) + work / min(n_jobs, n_cores())


def measured_seconds(record: Done) -> float:
    """Return the seconds that the work of a finished cell has taken."""
    if isinstance(record, EvolutionRecord):
        return sum(sum(seconds.wall) for seconds in record.timing.values())
    return record.timing.build + record.timing.cross_validate


Measured = Mapping[str, float | None]
"""By key, the seconds of every finished cell, and None for every cell that has only failed."""


def measured(records: Iterable[Record]) -> Measured:
    """Return the seconds of the records' cells, without keeping the records."""
    seconds: dict[str, float | None] = {}
    for record in records:
        if isinstance(record, Done):
            seconds[record.key] = measured_seconds(record)
        else:
            seconds.setdefault(record.key, None)
    return seconds


_TRUST_SECONDS = 1.0  # of the model, compared with the seconds of finished cells


def calibration(modelled: Mapping[str, float], seconds: Measured) -> float:
    """Return how much slower than modelled the finished cells were, both by key.

    The fewer are finished, the more counts how slow this machine is now.
    """
    both = [(took, modelled[key]) for key, took in seconds.items() if took is not None and key in modelled]
    took, expected = (sum(values) for values in zip(*both, strict=True)) if both else (0.0, 0.0)
    return (took + _TRUST_SECONDS * slowness()) / (expected + _TRUST_SECONDS)


@dataclass(frozen=True)
class StudyStatus:
    """The cells of one study, counted."""

    study: str
    n_done: int
    n_failed: int
    n_missing: int  # never run
    seconds_left: float  # on one core, failed cells included


def status_of(journal: Path) -> list[StudyStatus]:
    """Return the progress of every study, in the order of the plan; without one, of what has been run."""
    found: Costs = {}

    def noted() -> Iterator[Record]:
        for record in read_records(journal):
            found.setdefault(record.cell.study, {})[record.key] = 0.0
            yield record

    seconds = measured(noted())
    plan = read_plan(journal.parent) or found
    done = {key for key, took in seconds.items() if took is not None}
    failed = seconds.keys() - done
    factor = calibration({key: cost for cells in plan.values() for key, cost in cells.items()}, seconds)
    return [
        StudyStatus(
            study,
            n_done=len(cells.keys() & done),
            n_failed=len(cells.keys() & failed),
            n_missing=len(cells.keys() - done - failed),
            seconds_left=factor * sum(cost for key, cost in cells.items() if key not in done),
        )
        for study, cells in plan.items()
    ]
