"""What the shell completes: table numbers, experiment files, keys of ``--only`` and ``--where``, columns."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from gatree.base.shipped import shipped_folder

Items = list[CompletionItem]


def _starting(names: Iterable[str], start: str) -> Items:
    return [CompletionItem(name) for name in names if name.startswith(start)]


def complete_table(_context: click.Context, _parameter: click.Parameter, start: str) -> Items:
    """Complete the number of a table."""
    return _starting([*map(str, range(3, 13)), "all"], start)


def complete_config(_context: click.Context, _parameter: click.Parameter, start: str) -> Items:
    """Complete the name of an experiment that comes with gatree, or else a file's."""
    found = _starting(sorted(file.stem for file in shipped_folder("configs").glob("*.yaml")), start)
    return found or [CompletionItem(start, type="file")]


def complete_only(_context: click.Context, _parameter: click.Parameter, start: str) -> Items:
    """Complete a key of ``--only``."""
    from gatree.experiments.chosen_cells import SELECTABLE

    return _starting([f"{key}=" for key in SELECTABLE], start)


def complete_where(_context: click.Context, _parameter: click.Parameter, start: str) -> Items:
    """Complete a key of ``--where``."""
    from gatree.experiments.rows import COLUMNS

    return _starting([f"{column}=" for column in COLUMNS], start)


def complete_columns(_context: click.Context, _parameter: click.Parameter, start: str) -> Items:
    """Complete the last of some columns with commas between them."""
    from gatree.experiments.rows import COLUMNS

    before, comma, _ = start.rpartition(",")
    others = [column for column in COLUMNS if column not in before.split(",")]
    return _starting([f"{before}{comma}{column}" for column in others], start)


def complete_by(_context: click.Context, _parameter: click.Parameter, start: str) -> Items:
    """Complete what can be compared."""
    from gatree.experiments.rows import SETTING_COLUMNS

    return _starting(["method", "evaluator", "study", *SETTING_COLUMNS], start)
