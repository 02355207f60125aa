"""What an experiment was: its cells, settings, seeds, data, and what to keep in mind when reading it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gatree.experiments.record import Record

CITATION = (
    "D. Kalles and A. Papagelis, Lossless fitness inheritance in genetic algorithms for decision trees, "
    "Soft Computing 14(9):973-993, 2010, doi 10.1007/s00500-009-0489-y"
)
CAVEATS = (
    "The paper does not print the settings of its genetic algorithm; those used here are listed below.",
    "Each published number is one run; ours are means over the seeds, where there are several.",
    "Two data sets stand in for the paper's (†) and are left out of the comparisons.",
    "The published rows of kr-vs-kp cannot be trees of the printed sizes: see the notes.",
    "Seconds are those of the machine below; only ratios compare.",
)


@dataclass(frozen=True)
class Provenance:
    """What was run."""

    n_cells: int
    replicates: tuple[int, ...]
    fixed: dict[str, Any]  # settings with one value in all cells that have them
    varied: tuple[str, ...]
    datasets: tuple[tuple[str, str], ...]  # names and checksums, as far as they are known


def provenance(done: Sequence[Record]) -> Provenance:
    """Return what the finished cells tell about their experiment."""
    values: dict[str, dict[str, Any]] = {}
    data: dict[str, str] = {}
    for settings in {id(record["settings"]): record["settings"] for record in done}.values():
        for name, value in settings.items():
            values.setdefault(name, {}).setdefault(repr(value), value)
    for record in done:
        data[record["data"]["name"]] = record["data"]["checksum"] or "unknown"
    return Provenance(
        n_cells=len(done),
        replicates=tuple(sorted({record["cell"]["replicate"] for record in done})),
        fixed={name: next(iter(found.values())) for name, found in values.items() if len(found) == 1},
        varied=tuple(name for name, found in values.items() if len(found) > 1),
        datasets=tuple(data.items()),
    )
