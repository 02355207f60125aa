"""The registry of evaluators, selections, replacements and mutations.

Settings, command line, experiment files, estimates, tables and the engine all read these entries. The
built-in entries come first, then those that other packages register as entry points (docs/extending.md).
"""

from __future__ import annotations

import logging
from typing import Literal, TypeVar

from gatree.base.errors import ConfigError
from gatree.base.plugins import load_plugins
from gatree.settings.entries import Entry, EvaluatorEntry, MutationEntry, SelectionEntry

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
            _log.warning("%s: %r is left out: it should be a %s of that name", group, name, kind.__name__)
    return entries


_EVALUATORS = "gatree.evolution.evaluators"

_OWN_EVALUATORS = _by_name(
    EvaluatorEntry(
        "old",
        f"{_EVALUATORS}.old_and_new:FullEvaluator",
        "every instance, from the root",
        label="Old",
        inherits=False,
        seconds_per_child=0.45e-6,
        seconds_per_instance=4.1e-9,
    ),
    EvaluatorEntry(
        "new",
        f"{_EVALUATORS}.old_and_new:InheritEvaluator",
        "lossless inheritance, instance indices at the leaves",
        label="New",
        inherits=True,
        seconds_per_child=0.45e-6,
        seconds_per_instance=1.0e-9,
    ),
    EvaluatorEntry(
        "new-all-nodes",
        f"{_EVALUATORS}.old_and_new:AllNodesEvaluator",
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

_OPERATORS = "gatree.evolution.operators"

_OWN_SELECTIONS = _by_name(
    SelectionEntry(
        "tournament",
        f"{_OPERATORS}:tournament",
        "the best of tournament_size random trees",
        draws="tournament_size",
    ),
    SelectionEntry(
        "roulette",
        f"{_OPERATORS}:roulette",
        "a random tree, with probability proportional to its payoff",
        turns_a_wheel=True,
    ),
    SelectionEntry(
        "scaled-roulette",
        f"{_OPERATORS}:scaled_roulette",
        "roulette on linearly scaled payoffs, the best 1.2 times the mean (GAlib's default)",
        turns_a_wheel=True,
    ),
)

REPLACEMENTS: dict[str, Entry] = _by_name(
    Entry(
        "worst",
        f"{_OPERATORS}:keep_all_but_worst",
        "offspring replace the worst trees",
    ),
    Entry("best", f"{_OPERATORS}:keep_all", "the best of parents and offspring survive"),
)


_OWN_MUTATIONS = _by_name(
    MutationEntry(
        "grow",
        f"{_OPERATORS}:grow",
        "make a leaf a random test with two leaves",
        of="leaf",
        share="grow_share",
        adds=2,
    ),
    MutationEntry(
        "change-leaf",
        f"{_OPERATORS}:change_leaf",
        "Leaf-Change of Table 1: give a leaf one of the other classes",
        of="leaf",
        share=None,
    ),
    MutationEntry(
        "prune",
        f"{_OPERATORS}:prune",
        "Node-Prune of Table 1: make an inner node a leaf",
        of="test",
        share="prune_share",
    ),
    MutationEntry(
        "shift",
        f"{_OPERATORS}:shift_test",
        "move an inner node's test to a neighbouring one",
        of="test",
        share="shift_share",
    ),
    MutationEntry(
        "change-test",
        f"{_OPERATORS}:change_test",
        "Node-Change of Table 1: give an inner node a new random test",
        of="test",
        share=None,
    ),
)

EVALUATORS = _with_registered("gatree.evaluators", _OWN_EVALUATORS, EvaluatorEntry)
SELECTIONS = _with_registered("gatree.selections", _OWN_SELECTIONS, SelectionEntry)
MUTATIONS = _with_registered("gatree.mutations", _OWN_MUTATIONS, MutationEntry)

REGISTERED_SHARES = {
    entry.share: entry for name, entry in MUTATIONS.items() if entry.share and name not in _OWN_MUTATIONS
}
"""The mutations of other packages, by the settings that give their shares."""


def _check_shares() -> None:
    shares = [entry.share for entry in MUTATIONS.values()]
    for name, entry in MUTATIONS.items():
        if name not in _OWN_MUTATIONS and (entry.share is None or shares.count(entry.share) > 1):
            raise ConfigError(
                f"gatree.mutations: {name!r} should have its own share, such as "
                f"'{name.replace('-', '_')}_share', got {entry.share!r}"
            )


_check_shares()


def inheriting() -> list[str]:
    """Return the names of the evaluators that inherit."""
    return [entry.name for entry in EVALUATORS.values() if entry.inherits]


def mutations_of(kind: Literal["leaf", "test"]) -> list[MutationEntry]:
    """Return the mutations of leaves or of inner nodes; the last one gets the remaining share."""
    return sorted((entry for entry in MUTATIONS.values() if entry.of == kind), key=lambda it: not it.share)
