"""The result of a calibration: a table of the candidates, what others would choose, and a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure

from gatree.base.errors import ResultError
from gatree.paper.calibration.plan import Calibration
from gatree.paper.calibration.scores import HeldOut, Match, Place, Score, chosen, held_out
from gatree.rendering.documents import Document, PrintedGrid
from gatree.rendering.figures import BLUE, GREY, ORANGE, new_figure


@dataclass(frozen=True)
class Result:
    """The scores of all candidates by target, and who is chosen."""

    calibration: Calibration
    scores: Mapping[str, Mapping[str, Score]]  # candidate, target
    chosen: str
    held_out: Sequence[HeldOut]  # within the target that chooses, a data set or a table at a time

    @property
    def ranked(self) -> list[str]:
        """The candidates, the best by the target that chooses first."""
        by = self.calibration.choose_by
        return sorted(self.scores, key=lambda name: self.scores[name][by].crps)


def result_of(calibration: Calibration, matches: Mapping[str, Sequence[Match]]) -> Result:
    """Score all candidates and choose one, by nothing but the target that chooses."""
    by = calibration.choose_by
    complete = {
        name: some for name, some in matches.items() if any(match.place.target == by for match in some)
    }
    if not complete:
        raise ResultError(f"no candidate has runs for the target {by!r}, by which to choose; run it first")
    scores = {
        name: {target: Score.of(of_target) for target, of_target in _by_target(some).items()}
        for name, some in complete.items()
    }

    def dataset(place: Place) -> str | None:
        return f"without {place.dataset}" if place.target == by else None

    def table(place: Place) -> str | None:
        return f"without Table {place.table}" if place.target == by and place.table else None

    winner = chosen(complete, lambda place: place.target == by)
    return Result(calibration, scores, winner, [*held_out(complete, dataset), *held_out(complete, table)])


def _by_target(matches: Sequence[Match]) -> dict[str, list[Match]]:
    found: dict[str, list[Match]] = {}
    for match in matches:
        found.setdefault(match.place.target, []).append(match)
    return found


def document(result: Result) -> Document:
    """Return the table of candidates, the best first."""
    by = result.calibration.choose_by
    targets = [by, *(target.name for target in result.calibration.targets if target.name != by)]
    columns = ("CRPS", "deviation", "bias", "inside")
    headings = (
        ("candidate", *(part for target in targets for part in (target, *[""] * (len(columns) - 1)))),
        ("", *(column for _ in targets for column in columns)),
    )
    rows = tuple(
        (name, *(text for target in targets for text in _texts(result.scores[name].get(target))))
        for name in result.ranked
    )
    records = tuple(
        {
            "candidate": name,
            "settings": result.calibration.tried()[name],
            **{target: vars(score) for target, score in result.scores[name].items()},
        }
        for name in result.ranked
    )
    caption = f"Candidates of {result.calibration.name}, chosen by {by}"
    return Document(caption, (PrintedGrid(headings, 1, rows),), records, tuple(_notes(result)))


def _texts(score: Score | None) -> tuple[str | None, ...]:
    if score is None:
        return (None,) * 4
    inside = f"{100 * score.share_inside:.0f} %"
    return f"{score.crps:.2f}", f"{score.deviation:.2f}", f"{score.bias:+.2f}", inside


def _notes(result: Result) -> list[str]:
    given = ", ".join(f"{name} {value}" for name, value in result.calibration.tried()[result.chosen].items())
    notes = [f"Chosen by {result.calibration.choose_by}: {result.chosen} ({given or 'the preset as it is'})."]
    notes += [
        f"Chosen {one.group}: {one.candidate}; on what was left out: CRPS {one.score.crps:.2f}, deviation "
        f"{one.score.deviation:.2f}, bias {one.score.bias:+.2f}."
        for one in result.held_out
    ]
    return notes


def figure(result: Result) -> Figure:
    """Draw every candidate by the target that chooses and by the next one."""
    by = result.calibration.choose_by
    others = [target.name for target in result.calibration.targets if target.name != by]
    picture, axes = new_figure(5.6, 4.0)
    for rank, name in enumerate(result.ranked):
        scores = result.scores[name]
        across: dict[str, Any] = {"x": scores[by].crps, "y": scores[by].deviation}
        if others and others[0] in scores:
            across["y"] = scores[others[0]].crps
        colour = ORANGE if name == result.chosen else BLUE if rank < 5 else GREY
        axes.scatter(across["x"], across["y"], color=colour, s=24 if rank < 5 else 10, zorder=3 - (rank >= 5))
        if rank < 5:
            axes.annotate(
                name, (across["x"], across["y"]), xytext=(4, 4), textcoords="offset points", fontsize=8
            )
    axes.set(xlabel=f"CRPS on {by}, which chooses", ylabel=f"CRPS on {others[0]}" if others else "deviation")
    axes.set_title(f"Candidates of {result.calibration.name}")
    return picture
