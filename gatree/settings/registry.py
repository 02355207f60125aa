"""What there is to choose from, an entry each: evaluators, ways to select parents and to replace, mutations.

Settings, command line, experiment files, estimates, tables and the engine all read these entries; to add a
part is to write it and to name it here (docs/extending.md). Parts are named by their paths, so that reading
this module compiles nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeVar


@dataclass(frozen=True)
class Entry:
    """A part: its name in the settings, where it is (``module:name``), and what it does, in one line."""

    name: str
    path: str
    description: str

    @cache  # noqa: B019  entries live as long as the process
    def load(self) -> Any:
        """Return the part itself."""
        module, _, name = self.path.partition(":")
        return getattr(importlib.import_module(module), name)


@dataclass(frozen=True)
class EvaluatorEntry(Entry):
    """A way to count what trees classify correctly: a subclass of `evaluators.contract.Evaluator`."""

    label: str  # in tables
    inherits: bool  # whether a child takes over what is known of its parent
    seconds_per_child: float  # measured on one core of a Neoverse-N1 over the paper's data sets
    seconds_per_instance: float  # the same, per child and instance


@dataclass(frozen=True)
class SelectionEntry(Entry):
    """A way to choose parents: a kernel with the arguments of those in `evolution.selection`."""

    draws: str | None = None  # the setting that says how many random numbers a parent takes, else one
    turns_a_wheel: bool = False  # so payoffs must not be negative


@dataclass(frozen=True)
class MutationEntry(Entry):
    """A change of one node: a kernel with the arguments of those in `evolution.mutations`.

    The share of a node's mutations that are this one is a setting; what the shares leave over goes to the
    one without a setting, the last of its kind.
    """

    of: Literal["leaf", "test"]
    share: str | None  # the setting
    adds: int = 0  # the most nodes by which the tree grows


AnyEntry = TypeVar("AnyEntry", bound=Entry)


def _by_name(*entries: AnyEntry) -> dict[str, AnyEntry]:
    return {entry.name: entry for entry in entries}


_ROUTING = "gatree.evolution.evaluators.routing"

EVALUATORS: dict[str, EvaluatorEntry] = _by_name(
    EvaluatorEntry(
        "old",
        f"{_ROUTING}.full:FullEvaluator",
        "every instance, from the root",
        label="Old",
        inherits=False,
        seconds_per_child=0.45e-6,
        seconds_per_instance=4.1e-9,
    ),
    EvaluatorEntry(
        "new",
        f"{_ROUTING}.inherit:InheritEvaluator",
        "lossless inheritance, instance indices at the leaves",
        label="New",
        inherits=True,
        seconds_per_child=0.45e-6,
        seconds_per_instance=1.0e-9,
    ),
    EvaluatorEntry(
        "new-all-nodes",
        f"{_ROUTING}.all_nodes:AllNodesEvaluator",
        "lossless inheritance, instance indices at every node, the paper's O(kn)",
        label="New, all nodes",
        inherits=True,
        seconds_per_child=1.5e-6,
        seconds_per_instance=2.2e-9,
    ),
    EvaluatorEntry(
        "bitset",
        "gatree.evolution.evaluators.bits.bitset:BitsetEvaluator",
        "lossless inheritance on sets of instances as bits, 64 at a time",
        label="Bitset",
        inherits=True,
        seconds_per_child=0.45e-6,
        seconds_per_instance=0.06e-9,
    ),
)

SELECTIONS: dict[str, SelectionEntry] = _by_name(
    SelectionEntry(
        "tournament",
        "gatree.evolution.selection:tournament",
        "the best of some random trees, tournament_size of them",
        draws="tournament_size",
    ),
    SelectionEntry(
        "roulette",
        "gatree.evolution.selection:roulette",
        "any tree, with a probability proportional to its payoff",
        turns_a_wheel=True,
    ),
    SelectionEntry(
        "scaled-roulette",
        "gatree.evolution.selection:scaled_roulette",
        "the same by linearly scaled payoffs, the best one 1.2 times the mean (GAlib's default)",
        turns_a_wheel=True,
    ),
    SelectionEntry(
        "scaled-tournament",
        "gatree.evolution.selection:scaled_tournament",
        "the best of some trees that scaled-roulette has chosen, tournament_size of them",
        draws="tournament_size",
        turns_a_wheel=True,
    ),
)

REPLACEMENTS: dict[str, Entry] = _by_name(
    Entry(
        "worst",
        "gatree.evolution.replacement:all_but_the_worst",
        "offspring take the place of the worst trees",
    ),
    Entry("best", "gatree.evolution.replacement:everybody", "the best of all live on"),
)

_MUTATIONS = "gatree.evolution.mutations"

MUTATIONS: tuple[MutationEntry, ...] = (
    MutationEntry(
        "grow",
        f"{_MUTATIONS}:grow",
        "make a leaf a random test with two leaves",
        of="leaf",
        share="grow_share",
        adds=2,
    ),
    MutationEntry(
        "change-leaf",
        f"{_MUTATIONS}:change_leaf",
        "Leaf-Change of Table 1: give a leaf one of the other classes",
        of="leaf",
        share=None,
    ),
    MutationEntry(
        "prune",
        f"{_MUTATIONS}:prune",
        "Node-Prune of Table 1: make an inner node a leaf",
        of="test",
        share="prune_share",
    ),
    MutationEntry(
        "shift",
        f"{_MUTATIONS}:shift_test",
        "move an inner node's test to a neighbouring one",
        of="test",
        share="shift_share",
    ),
    MutationEntry(
        "change-test",
        f"{_MUTATIONS}:change_test",
        "Node-Change of Table 1: give an inner node a new random test",
        of="test",
        share=None,
    ),
)


def inheriting() -> list[str]:
    """Return the names of the evaluators that inherit."""
    return [entry.name for entry in EVALUATORS.values() if entry.inherits]


def number_of(name: str, entries: Iterable[str]) -> int:
    """Return which one of these it is, as kernels know it."""
    return list(entries).index(name)


def mutations_of(kind: Literal["leaf", "test"]) -> list[MutationEntry]:
    """Return the mutations of leaves or of inner nodes, the one that needs no share last."""
    return [entry for entry in MUTATIONS if entry.of == kind]
