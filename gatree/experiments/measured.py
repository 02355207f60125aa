"""How long the finished cells of a journal have taken, and how much slower than the model that was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gatree.experiments.record import Record


def measured_seconds(record: Record) -> float:
    """Return the seconds that the work of a finished cell has taken."""
    timing = record["timing"]
    if record["cell"]["kind"] == "baseline":
        return float(timing["build"] + timing["cross_validate"])
    return float(sum(sum(seconds["wall"]) for seconds in timing.values()))


Measured = Mapping[str, float | None]
"""By key, the seconds of every finished cell, and None for every cell that has only failed."""


def measured(records: Iterable[Record]) -> Measured:
    """Return what records tell about their cells, in little memory however many there are."""
    seconds: dict[str, float | None] = {}
    for record in records:
        if record["status"] == "done":
            seconds[record["key"]] = measured_seconds(record)
        else:
            seconds.setdefault(record["key"], None)
    return seconds


def calibration(modelled: Mapping[str, float], seconds: Measured) -> float:
    """Return how much slower than the model the finished cells were; 1 if none is finished.

    Parameters
    ----------
    modelled : mapping
        From the key of a cell to its modelled seconds.
    seconds : mapping
        From the key of a cell to its measured ones.
    """
    both = [(took, modelled[key]) for key, took in seconds.items() if took is not None and key in modelled]
    expected = sum(model for _, model in both)
    return sum(took for took, _ in both) / expected if expected else 1.0
