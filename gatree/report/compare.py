"""Our numbers beside the paper's: cell by cell, row by row, and in sum.

The published Table 6 is a copy of Table 4 (see `gatree.report.errata`); what is compared there are the
means that Table 3 still holds. Differences are ours minus the paper's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from gatree.report.errata import stand_ins
from gatree.report.grids import Document, Grid, Style, as_record, caption, labels, rounded
from gatree.report.layout import BASELINES, METRICS, SAVINGS, Numbers, Part, Row, Setting, Spot
from gatree.report.published import published
from gatree.report.tables import Record, Table, instances_saved, our_numbers

LOST_TABLE = 6
PAPER_TIME_SAVED = 35.1  # per cent, the mean over the cells of Tables 4, 5 and 7
PAPER_INSTANCES_SAVED = 55.1


def paper_numbers(number: int) -> Numbers:
    """Return the published numbers of a table that can be trusted: none of Table 6."""
    if number == LOST_TABLE:
        return {}
    return {spot: value for spot, value in published().items() if spot.table == number}


# --- side by side -----------------------------------------------------------------------------------


def comparison(ours: Table, style: Style, notes: Iterable[str] = ()) -> Document:
    """Return a table with three lines for each of the paper's: ours, the paper's, the difference.

    The last column is the row's mean, over the cells that both have (J48 left out).
    """
    paper = paper_numbers(ours.layout.number)
    grids = tuple(_grid(ours, paper, part, style) for part in ours.layout.parts)
    records = tuple(
        {
            **as_record(spot),
            "ours": rounded(ours.numbers.get(spot)),
            "paper": paper.get(spot),
            "difference": rounded(_difference(ours.numbers.get(spot), paper.get(spot))),
        }
        for spot in ours.layout.spots
    )
    return Document(f"{caption(ours.layout)}: ours and the paper's", grids, records, tuple(notes))


def _grid(ours: Table, paper: Numbers, part: Part, style: Style) -> Grid:
    first, *others = part.headings
    n = part.n_labels
    headings = [(*first[:n], "", *first[n:], "mean"), *((*line[:n], "", *line[n:], "") for line in others)]
    rows = [line for row in part.rows for line in _lines(ours.numbers, paper, part, row, style)]
    return Grid(tuple(headings), n + 1, tuple(rows), part.title)


def _lines(ours: Numbers, paper: Numbers, part: Part, row: Row, style: Style) -> list[tuple[str | None, ...]]:
    metric = row.spots[0].metric
    our_mean, paper_mean = _row_means(ours, paper, row)
    left = [*(ours.get(spot) for spot in row.spots), our_mean]
    right = [*(paper.get(spot) for spot in row.spots), paper_mean]
    apart = [_difference(a, b) for a, b in zip(left, right, strict=True)]
    about = labels(part, row)
    return [
        (*about, "ours", *(style.write(metric, value) for value in left)),
        (*about, "paper", *(style.write(metric, value) for value in right)),
        (*about, "difference", *(style.write(metric, value, signed=True) for value in apart)),
    ]


def _row_means(ours: Numbers, paper: Numbers, row: Row) -> tuple[float | None, float | None]:
    """Return both means of a row; those of the lost Table 6 come from Table 3."""
    spots = [spot for spot in row.spots if spot.column not in BASELINES and spot in ours]
    if row.spots[0].table == LOST_TABLE:
        spot = row.spots[0]
        mean = published().get(Spot(3, spot.mutation, spot.x, spot.dataset, "mean", spot.metric))
        return _mean(ours[spot] for spot in spots), mean
    both = [spot for spot in spots if spot in paper]
    return _mean(ours[spot] for spot in both), _mean(paper[spot] for spot in both)


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return fmean(known) if known else None


def _difference(ours: float | None, paper: float | None) -> float | None:
    return None if ours is None or paper is None else ours - paper


# --- in sum -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deviation:
    """How far numbers lie from the paper's: the mean absolute difference, and the mean difference."""

    n: int
    mean_absolute: float
    bias: float

    @classmethod
    def of(cls, differences: Sequence[float]) -> Deviation | None:
        """Return the deviation of some differences, if there are any."""
        if not differences:
            return None
        return cls(len(differences), fmean(map(abs, differences)), fmean(differences))


def savings_deviation(
    records: Iterable[Record], settings: Iterable[Setting], own_data_only: bool = True
) -> Deviation | None:
    """Return how our mean savings deviate from Table 3, in points, for some of its columns.

    By default over the data sets that are the paper's own, not the stand-ins.
    """
    wanted, left_out = set(settings), set(stand_ins()) if own_data_only else set()
    paper = published()
    differences = [
        value - paper[spot]
        for spot, value in our_numbers(3, records).items()
        if spot in paper and Setting(spot.mutation, spot.x) in wanted and spot.dataset not in left_out
    ]
    return Deviation.of(differences)


@dataclass(frozen=True)
class TimeSaved:
    """What part of the saved instances became saved time, in per cent: cell by cell, and over all cells.

    The mean over the cells gives every cell the same weight, as the paper's 35.1 % of the time for 55.1 %
    of the instances does; the total is the time saved over the whole grid.
    """

    n_cells: int
    mean_time: float
    mean_instances: float
    total_time: float
    total_instances: float

    @property
    def mean_ratio(self) -> float:
        return self.mean_time / self.mean_instances if self.mean_instances else 0.0

    @property
    def total_ratio(self) -> float:
        return self.total_time / self.total_instances if self.total_instances else 0.0


def time_saved(records: Iterable[Record], settings: Iterable[Setting]) -> TimeSaved | None:
    """Return how saved instances became saved time in the savings cells of some settings."""
    wanted = set(settings)
    cells = [record for record in records if _has_both_times(record) and _setting(record) in wanted]
    if not cells:
        return None
    old, new = ([min(cell["timing"][name]["wall"]) for cell in cells] for name in ("old", "new"))
    return TimeSaved(
        n_cells=len(cells),
        mean_time=fmean(100 * (1 - b / a) for a, b in zip(old, new, strict=True)),
        mean_instances=fmean(instances_saved([cell]) for cell in cells),
        total_time=100 * (1 - sum(new) / sum(old)),
        total_instances=instances_saved(cells),
    )


def _has_both_times(record: Record) -> bool:
    if record["status"] != "done" or record["cell"]["kind"] != "savings":
        return False
    return {"old", "new"} <= set(record["timing"])


def _setting(record: Record) -> Setting:
    return Setting(str(record["cell"]["mutation_rate"]), record["cell"]["x_factor"])


def cell_deviation(ours: Table, metric: str) -> Deviation | None:
    """Return how a table's GATree cells of one kind deviate from the paper's."""
    paper = paper_numbers(ours.layout.number)
    return Deviation.of(
        [
            ours.numbers[spot] - paper[spot]
            for spot in ours.layout.spots
            if spot.metric == metric
            and spot.column not in BASELINES
            and spot in ours.numbers
            and spot in paper
        ]
    )


@dataclass(frozen=True)
class BaselineMatch:
    """The J48 cells (accuracy and size) that equal the paper's as printed, and those that do not."""

    n_equal: int
    different: tuple[tuple[Spot, float, float], ...]  # where, ours, the paper's

    @property
    def n_cells(self) -> int:
        return self.n_equal + len(self.different)


def baseline_match(ours: Table) -> BaselineMatch:
    """Compare the J48 columns of a table with the paper's, at its printed precision."""
    paper = paper_numbers(ours.layout.number)
    spots = [
        spot
        for spot in ours.layout.spots
        if spot.column in BASELINES
        and spot.metric in ("accuracy", "size")
        and spot in paper
        and spot in ours.numbers
    ]
    different = [spot for spot in spots if not _equal_as_printed(spot, ours.numbers[spot], paper[spot])]
    return BaselineMatch(
        len(spots) - len(different),
        tuple((spot, ours.numbers[spot], paper[spot]) for spot in different),
    )


def _equal_as_printed(spot: Spot, ours: float, paper: float) -> bool:
    decimals = METRICS[spot.metric].decimals
    return f"{ours:.{decimals}f}" == f"{paper:.{decimals}f}"


def summary(ours: Table, records: Sequence[Record]) -> list[str]:
    """Say in a few lines how a table compares with the paper's."""
    number = ours.layout.number
    if number == 3 or number in SAVINGS:
        settings = SAVINGS.values() if number == 3 else [SAVINGS[number]]
        return [*_savings_summary(records, settings), *_time_summary(records, settings)]
    return [*_accuracy_summary(ours), *_baseline_summary(ours)]


def _savings_summary(records: Sequence[Record], settings: Iterable[Setting]) -> list[str]:
    own, all_data = (savings_deviation(records, settings, only) for only in (True, False))
    lines = []
    for deviation, what in ((own, "the paper's own data sets"), (all_data, "all, with the stand-ins")):
        if deviation:
            lines.append(
                f"Mean savings against Table 3, {what}: mean absolute deviation "
                f"{deviation.mean_absolute:.2f} points, bias {deviation.bias:+.2f}, over {deviation.n} means."
            )
    return lines


def _time_summary(records: Sequence[Record], settings: Iterable[Setting]) -> list[str]:
    saved = time_saved(records, settings)
    if saved is None:
        return []
    paper_ratio = PAPER_TIME_SAVED / PAPER_INSTANCES_SAVED
    mean = (
        f"Mean over {saved.n_cells} cells: {saved.mean_time:.1f} % of the time saved for "
        f"{saved.mean_instances:.1f} % of the instances, a ratio of {saved.mean_ratio:.2f} "
        f"(the paper: {PAPER_TIME_SAVED} % for {PAPER_INSTANCES_SAVED} %, {paper_ratio:.2f})."
    )
    total = (
        f"Of the total: {saved.total_time:.1f} % of the time saved for {saved.total_instances:.1f} % of the "
        f"instances, a ratio of {saved.total_ratio:.2f}."
    )
    return [mean, total]


def _accuracy_summary(ours: Table) -> list[str]:
    lines = []
    for metric, unit in (("accuracy", ""), ("size", " nodes")):
        deviation = cell_deviation(ours, metric)
        if deviation:
            decimals = 3 if metric == "accuracy" else 1
            lines.append(
                f"{METRICS[metric].label} of GATree: mean absolute deviation "
                f"{deviation.mean_absolute:.{decimals}f}{unit}, bias {deviation.bias:+.{decimals}f}, "
                f"over {deviation.n} cells."
            )
    return lines


def _baseline_summary(ours: Table) -> list[str]:
    match = baseline_match(ours)
    if not match.n_cells:
        return []
    lines = [f"J48: {match.n_equal} of {match.n_cells} accuracies and sizes equal the paper's as printed."]
    style = Style()
    apart = dict.fromkeys(
        f"{spot.dataset} {spot.column} {spot.metric} {style.write(spot.metric, mine)} "
        f"(paper {style.write(spot.metric, paper)})"
        for spot, mine, paper in match.different
    )
    return [*lines, f"Different: {'; '.join(apart)}."] if apart else lines
