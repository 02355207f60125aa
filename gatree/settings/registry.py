"""The registry of evaluators, selections, replacements and payoffs.

Settings, command line, experiment files, estimates, tables and the engine all read these entries. The
built-in entries come first, then those that other packages register as entry points (docs/extending.md).
"""

from __future__ import annotations

import logging
from typing import TypeVar

from gatree.base.plugins import load_plugins
from gatree.settings.entries import Entry, EvaluatorEntry, SelectionEntry

_log = logging.getLogger(__name__)

AnyEntry = TypeVar("AnyEntry", bound=Entry)


def _by_name(*entries: AnyEntry) -> dict[str, AnyEntry]:
    return {entry.name: entry for entry in entries}


def _with_registered(group: str, own: dict[str, AnyEntry], kind: type[AnyEntry]) -> dict[str, AnyEntry]:
    """Return the built-in entries, followed by the valid entries of other packages."""
    entries = dict(own)
    for name, entry in load_plugins(group, own).items():
        if isinstance(entry, kind) and entry.name == name:
            entries[name] = entry
        else:
            _log.warning(
                "%s: %r is left out: it should be of the type %s and have that name",
                group,
                name,
                kind.__name__,
            )
    return entries


_EVALUATORS = "gatree.evolution.evaluators"

_OWN_EVALUATORS = _by_name(
    EvaluatorEntry(
        "old",
        f"{_EVALUATORS}.partition:FullEvaluator",
        "every instance, from the root",
        label="Old",
        inherits=False,
        seconds_per_child=0.45e-6,
        seconds_per_instance=4.1e-9,
    ),
    EvaluatorEntry(
        "new",
        f"{_EVALUATORS}.partition:InheritEvaluator",
        "lossless inheritance, instance indices at the leaves",
        label="New",
        inherits=True,
        seconds_per_child=0.45e-6,
        seconds_per_instance=1.0e-9,
    ),
    EvaluatorEntry(
        "new-all-nodes",
        f"{_EVALUATORS}.partition:AllNodesEvaluator",
        "lossless inheritance, instance indices at every node, the paper's O(kn)",
        label="New, all nodes",
        inherits=True,
        seconds_per_child=1.5e-6,
        seconds_per_instance=2.2e-9,
    ),
    EvaluatorEntry(
        "bitset",
        f"{_EVALUATORS}.bitset:BitsetEvaluator",
        "lossless inheritance on sets of instances as bits, 64 at a time",
        label="Bitset",
        inherits=True,
        seconds_per_child=0.45e-6,
        seconds_per_instance=0.06e-9,
    ),
)

_SELECTIONS = "gatree.evolution.selection"

_OWN_SELECTIONS = _by_name(
    SelectionEntry(
        "tournament",
        f"{_SELECTIONS}:tournament",
        "the best of tournament_size random trees",
        draws="tournament_size",
    ),
    SelectionEntry(
        "roulette",
        f"{_SELECTIONS}:roulette",
        "a random tree, with probability proportional to its payoff",
        turns_a_wheel=True,
    ),
    SelectionEntry(
        "scaled-roulette",
        f"{_SELECTIONS}:scaled_roulette",
        "roulette on linearly scaled payoffs, the best 1.2 times the mean (GAlib's default)",
        turns_a_wheel=True,
    ),
)

REPLACEMENTS: dict[str, Entry] = _by_name(
    Entry(
        "worst",
        f"{_SELECTIONS}:keep_all_but_worst",
        "offspring replace the worst trees",
    ),
    Entry("best", f"{_SELECTIONS}:keep_all", "the best of parents and offspring survive"),
)


EQ_1 = "eq-1"
"""The payoff that the engine computes in compiled code."""

_OWN_PAYOFFS = _by_name(
    Entry(EQ_1, "gatree.evolution.payoff:eq_1", "Eq. 1, accuracy squared, discounted by size"),
    Entry(
        "balanced",
        "gatree.evolution.payoff:balanced",
        "Eq. 1 with the mean of the classes' accuracies in place of the accuracy",
    ),
)

EVALUATORS = _with_registered("gatree.evaluators", _OWN_EVALUATORS, EvaluatorEntry)
SELECTIONS = _with_registered("gatree.selections", _OWN_SELECTIONS, SelectionEntry)
PAYOFFS = _with_registered("gatree.payoffs", _OWN_PAYOFFS, Entry)


def inheriting() -> list[str]:
    """Return the names of the evaluators that inherit."""
    return [entry.name for entry in EVALUATORS.values() if entry.inherits]
