"""What the page needs of a journal before anything is drawn: records without trees, provenance, best records.

A record is read without what only few are asked for, so that many fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gatree.data.catalog import dataset_names
from gatree.experiments.journal import Sharing, find_journal, newest_of_each
from gatree.experiments.record import Record
from gatree.experiments.record_decoder import read_for_page

_NOT_SHOWN = ("best", "digest", "n_rejected")


def _fastest(seconds: dict[str, list[float]]) -> dict[str, tuple[float]]:
    """Return the shortest of the repeats, which is all that is shown."""
    return {name: (min(seconds[name]),) for name in ("wall", "cpu", "evaluate_wall")}


@dataclass
class Reading:
    """The newest record of every cell without tree, and the time of the last one."""

    journal: Path
    records: list[Record] = field(default_factory=list)
    last_run: str = ""
    _sharing: Sharing = field(default_factory=Sharing)

    @classmethod
    def of(cls, results: Path) -> Reading:
        """Read the journal that a folder of results means."""
        reading = cls(find_journal(results))
        reading.records = newest_of_each(reading.journal, read_for_page, reading._slimmed)
        return reading

    def _slimmed(self, record: Record) -> Record:
        """Return a record without what is not shown, or looked up for a few."""
        if record["status"] == "done":
            for name in _NOT_SHOWN:
                record["outcome"].pop(name, None)
            utc = record["machine"].pop("utc")  # without it, all records of a machine have the same
            self.last_run = max(self.last_run, utc)
            if record["cell"]["kind"] != "baseline":
                record["timing"] = {name: _fastest(seconds) for name, seconds in record["timing"].items()}
        return self._sharing.shared(record)

    @property
    def machines(self) -> list[dict[str, Any]]:
        """The machines that the cells ran on, each once."""
        done = (record["machine"] for record in self.records if record["status"] == "done")
        return list({id(machine): machine for machine in done}.values())


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


_X_FACTOR = 1e4  # to compare trees that were evolved with different ones


def training_accuracy(outcome: Record) -> float:
    """Return the share of the training data that is correct: of its weight, where classes have weights."""
    n_instances, n_correct = trained(outcome)
    return n_correct / float(outcome.get("total_weight", n_instances))


def trained(outcome: Record) -> tuple[int, int]:
    """Return how many instances a tree was evolved on, and how many of them are correct."""
    names = ("n_instances", "n_correct") if "n_correct" in outcome else ("n_train", "train_correct")
    return outcome[names[0]], outcome[names[1]]


def best_records(records: Iterable[Record]) -> dict[str, Record]:
    """Return the record of each data set's best tree; of equals, the first.

    Those that were evolved on all instances come before those of a fold.
    """
    found: dict[str, Record] = {}
    for record in records:
        if record["status"] == "done" and record["cell"]["kind"] != "baseline":
            best = found.setdefault(record["cell"]["dataset"], record)
            if _rank(record) > _rank(best):
                found[record["cell"]["dataset"]] = record
    order = [name for name in dataset_names() if name in found]
    order += sorted(found.keys() - set(order))
    return {name: found[name] for name in order}


def _rank(record: Record) -> tuple[bool, float]:
    return record["cell"]["kind"] == "savings", _payoff(record)


def _payoff(record: Record) -> float:
    outcome = record["outcome"]
    return float(training_accuracy(outcome) ** 2 * _X_FACTOR / (outcome["n_nodes"] ** 2 + _X_FACTOR))  # Eq. 1
