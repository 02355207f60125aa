"""The workspace of a search: the data, the goal, buffers, and three drafts of trees."""

from __future__ import annotations

from typing import NamedTuple

from gatree.data.cases import Cases
from gatree.front.prune import Goal
from gatree.front.room import Draft, Room, make_draft, make_room


class Bench(NamedTuple):
    """The workspace of a search."""

    cases: Cases
    goal: Goal
    room: Room
    one: Draft
    other: Draft
    spare: Draft


def make_bench(cases: Cases, goal: Goal, most_leaves: int, largest: int = 0) -> Bench:
    """Return the workspace of a search, with drafts for trees of up to ``largest`` nodes."""
    n = len(cases.classes)
    drafts = [make_draft(n, max(most_leaves, largest)) for _ in range(3)]
    room = make_room(cases, most_leaves, goal.worth, goal.min_leaf, goal.limits)
    return Bench(cases, goal, room, *drafts)
