"""What is asked of `gatree evolve`, and which of its two ways it goes.

Either the best trees of all sizes are found and the size is chosen from the data, as `GATreeClassifier` does
it, or one evolution weighs the size by its payoff. Options that only an evolution has ask for one by
themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click
from click.core import ParameterSource

from gatree.cli.setting_options import PRESET, option_of
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import FRONTS, Preset

Size = int | Literal["auto", "penalty"]

INTERRUPTED = 130
"""The exit code after Ctrl-C."""

_OF_AN_EVOLUTION = ("prefer", "raw", "in_pieces", "shards", "scheduler")  # beside its settings


@dataclass(frozen=True)
class Asked:
    """The options that are no settings, as they were given."""

    data: str
    class_name: str | None
    drop_strings: bool
    preset: Preset
    size: Size
    folds: int
    may_choose_folds: bool
    per_size: bool
    as_json: bool
    raw: bool
    save: Path | None
    picture: Path | None
    in_pieces: bool
    shards: int | None
    scheduler: str | None
    quiet: bool

    def n_folds(self, n_instances: int) -> int:
        """Return the folds for so many instances: not more than there are, unless a number was given."""
        folds = min(self.folds, n_instances) if self.may_choose_folds else self.folds
        return folds if folds > 1 else 0


def asked(context: click.Context, leaves: Size | None, **options: Any) -> Asked:
    """Return what was asked, with the way to go."""
    return Asked(
        **options,
        preset=context.meta[PRESET],
        size=_size_wanted(context, leaves, options["data"]),
        may_choose_folds=not was_given(context, "folds"),
    )


def was_given(context: click.Context, name: str) -> bool:
    """Tell whether an option stands on the command line."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


class Leaves(click.ParamType):  # type: ignore[type-arg]  # it takes none before click 8.4
    """A number of leaves, or how else the size is found."""

    name = "leaves"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        if value in ("auto", "penalty"):
            return value
        try:
            return click.IntRange(1).convert(value, parameter, context)
        except click.BadParameter as error:
            self.fail(f"{error.message} Or give auto or penalty.", parameter, context)


def _size_wanted(context: click.Context, leaves: Size | None, data: str) -> Size:
    if leaves == "penalty":
        return leaves
    objection = _objection(context, leaves, data)
    if objection is None:
        return "auto" if leaves is None else leaves
    if leaves is None:
        return "penalty"
    raise click.UsageError(objection)


def _objection(context: click.Context, leaves: Size | None, data: str) -> str | None:
    """Return why only an evolution can do what is asked."""
    from gatree.data.load import is_in_pieces  # not needed for the help
    from gatree.front.settings import KNOWN_TO_FRONTS

    settings = [name for name in EvolutionSettings.model_fields if name not in KNOWN_TO_FRONTS]
    for name in (*settings, *_OF_AN_EVOLUTION):
        if was_given(context, name):
            return f"{option_of(name)} is for the genetic algorithm with its payoff; leave out --leaves"
    if (preset := context.meta[PRESET]) not in FRONTS:
        return f"--leaves {leaves} goes with --preset {' or '.join(FRONTS)}, got {preset}"
    if is_in_pieces(data):
        return (
            f"--leaves {leaves}: {data} is read in pieces, by the genetic algorithm only; leave out --leaves"
        )
    return None
