"""How far an experiment is, from its plan and its journal alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gatree.experiments.estimate import calibration
from gatree.experiments.journal import done_keys, read_plan, read_records


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
    records = list(read_records(journal))
    plan = read_plan(journal.parent)
    if plan is None:  # a journal without its plan tells only what has been run
        plan = {}
        for record in records:
            plan.setdefault(record["cell"]["study"], {})[record["key"]] = 0.0
    done = done_keys(records)
    failed = {record["key"] for record in records} - done
    factor = calibration({key: cost for cells in plan.values() for key, cost in cells.items()}, records)
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
