"""What a search works with: the data, the goal, room, and three trees to work on."""

from __future__ import annotations

from typing import NamedTuple

from gatree.data.cases import Cases
from gatree.front.prune import Goal
from gatree.front.room import Draft, Room, make_draft, make_room


class Bench(NamedTuple):
    """What a search works with."""

    cases: Cases
    goal: Goal
    room: Room
    one: Draft
    other: Draft
    spare: Draft


def make_bench(cases: Cases, goal: Goal, most_leaves: int) -> Bench:
    """Return all that a search needs."""
    n = len(cases.classes)
    drafts = [make_draft(n, most_leaves) for _ in range(3)]
    return Bench(cases, goal, make_room(cases, most_leaves, goal.worth, goal.min_leaf), *drafts)
