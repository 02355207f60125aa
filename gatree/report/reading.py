"""A journal as the page reads it: without what only few records are asked for, so that many fit in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gatree.experiments.journal import Sharing, find_journal, newest_of_each
from gatree.experiments.record import Record
from gatree.experiments.swift_record import told

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
        reading.records = newest_of_each(reading.journal, told, reading._slimmed)
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
