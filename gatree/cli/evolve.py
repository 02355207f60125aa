"""`gatree evolve`: a tree for a data set, and what it is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gatree.base.limits import MOST_FOLDS, MOST_WORKERS
from gatree.cli.evolve_asked import Leaves, asked, was_given
from gatree.cli.options import class_option, data_argument, drop_strings_option, scheduler_option
from gatree.cli.setting_options import DEFAULTS, naming_options, setting_options
from gatree.cli.tree_files import picture_option, save_option
from gatree.settings.evolution_settings import EvolutionSettings, validated

if TYPE_CHECKING:
    from gatree.cli.evolve_asked import Size

_X_FACTORS = {"small": "1e3", "accurate": "1e4..1e6"}


def _more_than_one(_context: click.Context, _parameter: click.Parameter, value: int) -> int:
    if value == 1:
        raise click.BadParameter("should be 0, for none, or at least 2, got 1")
    return value


@click.command(context_settings=DEFAULTS)
@data_argument
@class_option
@drop_strings_option
@click.option(
    "--leaves",
    type=Leaves(),
    metavar="auto|N|penalty",
    help="Have the size chosen from the data, which is what happens unless an option asks for one evolution; "
    "or find the best tree of at most N leaves; or have one evolution weigh the size by its x-factor.",
)
@setting_options
@click.option(
    "--prefer",
    type=click.Choice(list(_X_FACTORS)),
    help=f"The x-factor in words: {', '.join(f'{word} is {x}' for word, x in _X_FACTORS.items())}.",
)
@click.option(
    "--folds",
    type=click.IntRange(0, MOST_FOLDS),
    default=5,
    show_default=True,
    callback=_more_than_one,
    metavar="K",
    help="Cross-validate with K folds, J48 and the majority class beside the tree; 0: do not.",
)
@click.option("--per-size", is_flag=True, help="Show the best tree found of each size too.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
@click.option("--raw", is_flag=True, help="Show, save and draw the tree as it evolved, not simplified.")
@save_option
@picture_option
@click.option(
    "--in-pieces",
    is_flag=True,
    help="Read DATA some thousand rows at a time into a byte per cell, at most 255 thresholds per attribute; "
    "so it is always with Parquet and with patterns such as 'data/*.csv'.",
)
@click.option(
    "--shards",
    type=click.IntRange(1, MOST_WORKERS),
    metavar="N",
    help="Evaluate in N processes, each with a part of the instances; the outcome is the same.",
)
@scheduler_option(
    "Have the workers of a Dask cluster hold the shards, such as tcp://10.0.0.1:8786; one shard each, "
    "unless --shards says how many."
)
@click.option("--quiet", "-q", is_flag=True, help="No live view, no bar.")
@click.pass_context
def evolve(context: click.Context, /, leaves: Size | None, prefer: str | None, **given: Any) -> None:
    """Evolve a decision tree on DATA, a data set of the paper, an ARFF, CSV or Parquet file, or - for stdin.

    Trees of all sizes are evolved together and the size is chosen from the data, as GATreeClassifier does
    it. Settings of the genetic algorithm, --preset paper and data in pieces mean one evolution instead
    (--leaves penalty), which is shown on a terminal while it runs; Ctrl-C stops it and keeps the best
    tree so far.

    Then come the tree, without tests that never matter, and its numbers: how it does in a cross-validation,
    and J48 and always saying the majority class on the same folds.

    \b
    Examples:
      gatree evolve vote
      gatree evolve glass --preset fast --leaves 8 --folds 10
      gatree evolve glass --preset fast --prefer accurate
      gatree evolve vote --preset paper --population 400 --generations 400 --mutation-rate 0.5
      gatree evolve people.csv --class income --save tree.json --picture tree.svg
      gatree evolve zoo --per-size --json
      gatree evolve 'parts/*.parquet' --class label --shards 4
    """
    settings = {name: given.pop(name) for name in EvolutionSettings.model_fields}
    if prefer is not None:
        if was_given(context, "x_factor"):
            raise click.UsageError("give --prefer or --x-factor, not both")
        settings["x_factor"] = _X_FACTORS[prefer]
    wanted = asked(context, leaves, **given)
    with naming_options():
        chosen = validated(EvolutionSettings, settings)
    # Each way is imported only if it is gone: both together would take twice as long.
    if wanted.size == "penalty":
        from gatree.cli.evolve_once import evolve_once

        evolve_once(context, wanted, chosen)
    else:
        from gatree.cli.evolve_front import evolve_front

        evolve_front(context, wanted, chosen)
