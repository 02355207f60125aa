"""The verdict on the reproduction: four cards, each a number and a sentence, that come before all details."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gatree.experiments.record import Record
from gatree.paper.agreement import baseline_match, paper_time_saved, time_saved
from gatree.paper.errata import TABLE_ERRATA
from gatree.paper.placement import IMPOSSIBLE, KINDS, placement
from gatree.paper.published import SAVINGS
from gatree.paper.tables import our_table


@dataclass(frozen=True)
class Card:
    """One statement: what it is about, its number, and what the number means."""

    title: str
    value: str
    text: str

    @property
    def sentence(self) -> str:
        return f"{self.title}: {self.value}. {self.text}"


def verdict(records: Sequence[Record]) -> list[Card]:
    """Return the four cards, as far as the records tell: savings, ranges, J48, errors of the paper."""
    cards = (_saved(records), _inside(records), _j48(records), _errors())
    return [card for card in cards if card is not None]


def _saved(records: Sequence[Record]) -> Card | None:
    ours, paper = time_saved(records, SAVINGS.values()), paper_time_saved(SAVINGS.values())
    if ours is None or paper is None:
        return None
    return Card(
        "Instances saved",
        f"{ours.mean_instances:.1f} % (the paper: {paper.mean_instances:.1f} %)",
        f"The mean over Tables 4-7. Of the total time {ours.total_time:.0f} % is saved "
        f"(the paper: {paper.total_time:.0f} %).",
    )


def _inside(records: Sequence[Record]) -> Card | None:
    parts, counts = [], []
    for what, tables, metric in KINDS[1:]:
        placed = placement(tables, metric, records).without(IMPOSSIBLE)
        if placed.numbers:
            parts.append(f"{placed.n_inside} of {len(placed.numbers)} {what.partition(' (')[0]}")
            counts += [len(number.runs) for number in placed.numbers]
    if not parts:
        return None
    return Card(
        "Published numbers inside the range of our runs",
        ", ".join(parts),
        f"The range holds 95 % of our runs (n = {_span(counts)}). {IMPOSSIBLE} is left out: its published "
        "rows are impossible.",
    )


def _span(counts: Iterable[int]) -> str:
    known = sorted(set(counts))
    return str(known[0]) if len(known) == 1 else f"{known[0]} to {known[-1]}"


def _j48(records: Sequence[Record]) -> Card | None:
    match = baseline_match(our_table(8, records))
    if not match.n_cells:
        return None
    apart = Counter(spot.dataset for spot, _, _ in match.different)
    which = ", ".join(f"{dataset} {n}" for dataset, n in apart.most_common())
    return Card(
        "J48's columns",
        f"{match.n_equal} of {match.n_cells} numbers equal as printed",
        f"Different: {which}." if which else "Accuracies and sizes are WEKA's, digit for digit.",
    )


def _errors() -> Card:
    return Card(
        "Wrong in the paper",
        f"{len(TABLE_ERRATA)} errors",
        f"Among them: Table 6 is a copy of Table 4, and most rows of {IMPOSSIBLE} are impossible for trees "
        "of their size.",
    )
