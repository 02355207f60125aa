"""How far an experiment is, from its plan and its journal alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gatree.experiments.journal import Plan, read_plan, read_records
from gatree.experiments.measured import Measured, calibration, measured
from gatree.experiments.record import Record
from gatree.experiments.swift_record import glimpse


@dataclass(frozen=True)
class StudyStatus:
    """The cells of one study, counted."""

    study: str
    n_done: int
    n_failed: int
    n_missing: int  # never run
    seconds_left: float  # on one core, failed cells included


def status_of(journal: Path) -> list[StudyStatus]:
    """Return how far every study is, in the order of the plan."""
    found: dict[str, dict[str, float]] = {}

    def noted() -> Iterator[Record]:
        for record in read_records(journal, glimpse):
            found.setdefault(record["cell"]["study"], {})[record["key"]] = 0.0
            yield record

    seconds = measured(noted())
    return status_by_plan(seconds, read_plan(journal.parent) or found)  # without it: what has been run


def status_by_plan(seconds: Measured, plan: Plan) -> list[StudyStatus]:
    """Return how far every study of a plan is, by what the cells that were run have taken."""
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
