"""What there is to say of an evolution: as text, as JSON, and in the file of its tree.

What a file says is enough for `gatree evolve --replay` to run the evolution again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from gatree.base.errors import ConfigError, DataError, percent, shown
from gatree.base.limits import MOST_TREE_FILE_CHARACTERS, refuse_above
from gatree.data.dataset import Dataset
from gatree.evolution import ENGINE_VERSION
from gatree.evolution.evolve import CHANGEABLE
from gatree.evolution.outcome import Change, Outcome
from gatree.settings.evolution_settings import EvolutionSettings, XFactor
from gatree.settings.validation import validated
from gatree.trees.model import DecisionTree
from gatree.trees.render import size_text


class Account(Struct):
    """How an evolution ran, and what it came to."""

    engine: int
    checksum: str  # of the data
    settings: dict[str, object]
    changes: list[tuple[Annotated[int, Meta(ge=0)], str, float]]
    generations: Annotated[int, Meta(ge=0)]
    digest: str

    @classmethod
    def of(cls, outcome: Outcome, settings: EvolutionSettings, dataset: Dataset) -> Account:
        """Return the account of an evolution."""
        return cls(
            engine=ENGINE_VERSION,
            checksum=dataset.checksum,
            settings=settings.model_dump(mode="json"),
            changes=[(each.generation, each.setting, each.value) for each in outcome.changes],
            generations=outcome.n_generations,
            digest=outcome.digest,
        )

    @property
    def as_dict(self) -> dict[str, object]:
        return dict(msgspec.to_builtins(self))

    def evolution_settings(self, where: str, given: EvolutionSettings) -> EvolutionSettings:
        """Return the settings with the given evaluator and threads, or raise an error that names the file."""
        values = {**self.settings, "evaluator": given.evaluator, "n_jobs": given.n_jobs}
        return validated(EvolutionSettings, values, where=f"{where}: ")

    def all_changes(self, where: str) -> tuple[Change, ...]:
        """Return the changes, or raise an error that names the file."""
        for _, setting, _ in self.changes:
            if setting not in CHANGEABLE:
                raise DataError(f"{where}: damaged at changes: {shown(setting)} cannot be changed")
        return tuple(Change(*each) for each in self.changes)


def read_account(path: Path) -> Account:
    """Read the account that a saved tree, or the JSON of `gatree evolve --json`, has of its evolution."""
    where = str(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"no such file: {path}") from None
    except (OSError, UnicodeError) as error:
        raise DataError(f"{where}: cannot be read: {error}") from None
    refuse_above(MOST_TREE_FILE_CHARACTERS, len(text), "characters", where)
    try:
        content = msgspec.json.decode(text)
        found = content.get("evolution", content) if isinstance(content, dict) else content
        if not isinstance(found, dict) or "digest" not in found:
            raise DataError(f"{where}: no account of an evolution; gatree evolve --save and --json write one")
        return msgspec.convert(found, type=Account)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise DataError(f"{where}: damaged: {error}") from None


def verdict(account: Account, outcome: Outcome, dataset: Dataset) -> tuple[bool, str]:
    """Return whether an evolution came to the same as in a file, and that in words."""
    if outcome.digest == account.digest and outcome.n_generations == account.generations:
        return True, f"equal: the digest {outcome.digest} is that of the file"
    if dataset.checksum != account.checksum:
        return False, "different, and so are the data: their checksum is not that of the file"
    if account.engine != ENGINE_VERSION:
        return (
            False,
            f"different: version {account.engine} of the engine wrote the file, this is {ENGINE_VERSION}",
        )
    return False, f"different: the digest is {outcome.digest}, that of the file {account.digest}"


def change_text(change: Change) -> str:
    """Return a change for people."""
    is_x = change.setting == "x_factor"
    what = f"x-factor {XFactor(change.value, change.value)}" if is_x else f"{change.setting} {change.value:g}"
    return f"{what.replace('_', ' ')} after generation {change.generation}"


def outcome_lines(
    outcome: Outcome, settings: EvolutionSettings, tree: DecisionTree
) -> Iterator[tuple[str, str]]:
    """Yield labels and texts of what is known of an evolution and its tree."""
    correct = f"{outcome.n_correct:,} of {outcome.n_instances:,}"
    yield "payoff", f"{outcome.payoff:.4f}"
    yield "accuracy", f"{outcome.accuracy:.4f} on the training data ({correct})"
    yield "size", size_text(tree)
    if outcome.best.n_nodes > tree.n_nodes:
        yield "", f"{outcome.best.n_nodes} nodes before simplification, see --raw"
    yield "x-factor", settings.schedule_text
    if outcome.changes:
        yield "changes", "; ".join(map(change_text, outcome.changes))
    yield "saved", f"{percent(outcome.ledger.instances_saved)} of the instances by lossless inheritance"
    seconds = outcome.timing.total
    rate = f", {outcome.n_evaluations / seconds:,.0f} per second" if seconds else ""
    yield "evaluations", f"{outcome.n_evaluations} in {seconds:.3f} s{rate}"


def outcome_as_dict(
    dataset: Dataset, outcome: Outcome, account: Account, tree: DecisionTree
) -> dict[str, object]:
    """Return an evolution for JSON; ``tree`` is the tree to show, as it evolved or simplified."""
    return account.as_dict | {
        "data": dataset.name,
        "n_instances": outcome.n_instances,
        "accuracy": outcome.accuracy,
        "n_correct": outcome.n_correct,
        "payoff": outcome.payoff,
        "n_nodes": tree.n_nodes,
        "n_leaves": tree.n_leaves,
        "depth": tree.depth,
        "x_factor": EvolutionSettings(**account.settings).schedule_text,
        "savings": outcome.ledger.instances_saved,
        "evaluations": outcome.n_evaluations,
        "seconds": outcome.timing.total,
        "tree": json.loads(tree.to_json()),
        "raw_tree": json.loads(outcome.tree.to_json()),
    }
