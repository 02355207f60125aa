"""Are the outcomes of a run those of a reference? Cell by cell, and why not, if they are not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from gatree.experiments.record import Record

_NO_OUTCOME = frozenset({"kept_bytes"})  # which evaluators were compared is the run's own choice
_TOLD_APART = ("cpu", "os", "python", "numpy", "numba", "gatree", "commit")


class Difference(NamedTuple):
    """A cell that is not as in the reference, and what is different in it."""

    cell: dict[str, Any]
    what: str


@dataclass(frozen=True)
class Verification:
    """What came of comparing a run with a reference."""

    n_equal: int
    differences: tuple[Difference, ...]
    n_not_run: int  # cells of the reference that the run does not have
    n_unknown: int  # cells of the run that the reference does not have
    ratio_here: float | None  # of the time of old to that of new, the median over the cells
    ratio_there: float | None
    machines: tuple[str, ...]  # in what the two runs' machines differ
    compiled_here: tuple[dict[str, Any], ...] = ()  # cells in whose timed region kernels were compiled
    compiled_there: tuple[dict[str, Any], ...] = ()

    @property
    def n_compared(self) -> int:
        return self.n_equal + len(self.differences)


def verify(ours: Iterable[Record], reference: Iterable[Record]) -> Verification:
    """Compare the outcomes of all cells that both have."""
    here, there = _by_cell(ours), _by_cell(reference)
    both = [(here[cell], there[cell]) for cell in here if cell in there]
    different = [
        Difference(mine["cell"], what) for mine, theirs in both if (what := _difference(mine, theirs))
    ]
    return Verification(
        n_equal=len(both) - len(different),
        differences=tuple(different),
        n_not_run=len(there) - len(both),
        n_unknown=len(here) - len(both),
        ratio_here=_time_ratio(here),
        ratio_there=_time_ratio(there),
        machines=tuple(_apart(here, there)),
        compiled_here=_compiled_while_timed(here),
        compiled_there=_compiled_while_timed(there),
    )


def _compiled_while_timed(records: Mapping[str, Record]) -> tuple[dict[str, Any], ...]:
    """Return the cells whose seconds include the compilation of a kernel."""
    return tuple(
        record["cell"]
        for record in records.values()
        if record["status"] == "done"
        and ("compiled" in (timing := record["timing"]) or any("compiled" in of for of in _parts(timing)))
    )


def _parts(timing: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the seconds of each evaluator; a baseline's have no parts."""
    return [part for part in timing.values() if isinstance(part, Mapping)]


def _by_cell(records: Iterable[Record]) -> dict[str, Record]:
    return {json.dumps(record["cell"], sort_keys=True): record for record in records}


def _difference(mine: Record, theirs: Record) -> str:
    """Say in what two records of a cell differ; nothing if they agree."""
    if mine["status"] != "done":
        return f"failed: {mine['error']}"
    if theirs["status"] != "done":
        return f"failed in the reference: {theirs['error']}"
    found = list(_changes(mine["outcome"], theirs["outcome"], _NO_OUTCOME))
    if not found:
        return ""
    causes = list(_changes(mine["settings"], theirs["settings"], frozenset()))
    if None not in (checksums := [record["data"]["checksum"] for record in (mine, theirs)]):
        causes += ["the data"] if checksums[0] != checksums[1] else []
    if None not in (seeds := [record["seed"] for record in (mine, theirs)]):
        causes += [f"seed {seeds[0]} (reference {seeds[1]})"] if seeds[0] != seeds[1] else []
    because = f", with other settings: {', '.join(causes)}" if causes else ""
    return f"{', '.join(found)}{because}"


def _changes(mine: Mapping[str, Any], theirs: Mapping[str, Any], left_out: frozenset[str]) -> Iterator[str]:
    """Yield what stands in both and is not the same."""
    for name in mine:
        if name in theirs and name not in left_out and mine[name] != theirs[name]:
            if isinstance(mine[name], dict | list):
                yield name
            else:
                yield f"{name} {mine[name]} (reference {theirs[name]})"


def _time_ratio(records: Mapping[str, Record]) -> float | None:
    ratios = [
        min(timing["old"]["wall"]) / min(timing["new"]["wall"])
        for record in records.values()
        if record["status"] == "done" and {"old", "new"} <= (timing := record["timing"]).keys()
    ]
    return median(ratios) if ratios else None


def _apart(here: Mapping[str, Record], there: Mapping[str, Record]) -> Iterator[str]:
    """Yield in what the machines and versions differ."""
    for name in _TOLD_APART:
        mine, theirs = (
            sorted(
                {str(r["machine"].get(name, "unknown")) for r in records.values() if r["status"] == "done"}
            )
            for records in (here, there)
        )
        if mine != theirs:
            yield f"{name}: {', '.join(mine)} here, {', '.join(theirs)} in the reference"
