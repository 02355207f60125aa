"""What a file says of the evolution that made its tree, so that `gatree evolve --replay` runs it again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from gatree.base.errors import ConfigError, DataError, shown
from gatree.base.limits import MOST_TREE_FILE_CHARACTERS, refuse_above
from gatree.data.dataset import Dataset
from gatree.evolution import ENGINE_VERSION
from gatree.evolution.evolve import CHANGEABLE
from gatree.evolution.outcome import Change, Outcome
from gatree.settings.evolution_settings import EvolutionSettings, XFactor
from gatree.settings.validation import validated


class Account(Struct):
    """How an evolution ran, and what it came to."""

    engine: int
    checksum: str  # of the data
    settings: dict[str, Any]
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
    def as_dict(self) -> dict[str, Any]:
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
