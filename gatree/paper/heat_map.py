"""The savings by data set and size, one map for each setting of Tables 4-7."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gatree.experiments.record import Record
from gatree.paper.layout import SAVINGS
from gatree.paper.tables import our_table


@dataclass(frozen=True)
class HeatCell:
    """A number and how hot it is, from 0 (the lowest of all maps) to 1 (the highest)."""

    text: str
    heat: float


@dataclass(frozen=True)
class HeatMap:
    """The savings with one setting; a cell that has not been run is None."""

    title: str
    sizes: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeatCell | None, ...]], ...]


def heat_maps(records: Sequence[Record]) -> list[HeatMap]:
    """Return a map for every setting that has been run, all on one scale."""
    savings = {
        number: {
            spot: value
            for spot, value in our_table(number, records).numbers.items()
            if spot.metric == "savings"
        }
        for number in SAVINGS
    }
    every = [value for numbers in savings.values() for value in numbers.values()]
    if not every:
        return []
    low, high = min(every), max(every)

    def cell(value: float | None) -> HeatCell | None:
        return (
            None
            if value is None
            else HeatCell(f"{value:.0f}", round((value - low) / ((high - low) or 1.0), 3))
        )

    maps = []
    for number, setting in SAVINGS.items():
        by_place = {(spot.dataset, spot.column): value for spot, value in savings[number].items()}
        shown = [row for row in our_table(number, records).layout.rows if row.label == "Train Savings"]
        sizes = [
            size for size in (spot.column for spot in shown[0].spots) if any(c == size for _, c in by_place)
        ]
        rows = tuple(
            (row.dataset, tuple(cell(by_place.get((row.dataset, size))) for size in sizes))
            for row in shown
            if any(name == row.dataset for name, _ in by_place)
        )
        if rows:
            maps.append(HeatMap(f"m = {setting.mutation}, x = {setting.x}", tuple(sizes), rows))
    return maps
