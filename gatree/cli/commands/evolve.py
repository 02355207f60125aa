"""`gatree evolve`: one evolution, as in Sections 2 and 3 of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gatree.cli.options import (
    class_option,
    data_argument,
    drop_option,
    keep_option,
    picture_option,
    reading_options,
    save_option,
)
from gatree.cli.requests import EvolveRequest
from gatree.cli.setting_options import GroupedCommand, naming_options, option_of, setting_options, was_given
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import AT_THE_DOORS
from gatree.settings.validation import validated

_GROUPS = {
    "Evolution": "population_size n_generations mutation_rate crossover_rate x_factor seed",
    "Output options": "watch save picture history replay as_json quiet everything raw",
    "Data options": "class_name keep drop kinds day_first header sheet drop_strings",
    "Trees": "numeric_tests leaf_class min_leaf max_nodes max_depth size_measure",
    "Selection, replacement and mutations": "selection tournament_size generation_gap replacement "
    "prune_share shift_share grow_share root_share",
    "Computation and accounts": "",
}
"""The options of the command by what they are about; the first group is what the paper varies."""

_DEFAULTS = {"default_map": EvolutionSettings.preset("paper", AT_THE_DOORS).model_dump()}


@click.command(cls=GroupedCommand, groups=_GROUPS, context_settings=_DEFAULTS)
@data_argument
@class_option
@keep_option
@drop_option
@reading_options
@setting_options(EvolutionSettings)
@click.option("--all", "everything", is_flag=True, help="Print a large tree whole, not its first 40 lines.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--raw", is_flag=True, help="Show, save and draw the tree as it evolved, not simplified.")
@click.option("--watch", is_flag=True, help="Show the evolution while it runs, and let keys change it.")
@click.option(
    "--history",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a row per generation, as CSV.",
)
@click.option(
    "--replay",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Run the evolution of a saved tree or of --json again, with its settings and changes.",
)
@save_option
@picture_option
@click.option("--quiet", "-q", is_flag=True, help="Show no progress and no notes on the data.")
@click.pass_context
def evolve(context: click.Context, /, **given: Any) -> None:
    """Evolve a decision tree on DATA, as in Sections 2 and 3 of the paper.

    The data are a data set of the paper, an ARFF, CSV, Excel or Parquet file, several files with the same
    columns, or - for stdin. The payoff of a tree trades accuracy for size (Eq. 1). The defaults are the
    paper's settings, with thresholds by the data.

    It prints the tree with the best payoff, without redundant tests, and what lossless inheritance has saved.
    Ctrl-C ends the evolution and keeps the best tree so far. For good trees, whose size is chosen from the
    data, see `gatree tree`.

    \b
    Examples:
      gatree evolve vote
      gatree evolve vote --population 400 --generations 400 --mutation-rate 0.5
      gatree evolve glass --x-factor 1e4..1e6 --evaluator old
      gatree evolve people.csv --class income --save tree.json --picture tree.svg
      gatree evolve kr-vs-kp --generations 5000 --watch --save tree.json
      gatree evolve kr-vs-kp --replay tree.json
    """
    values = {name: given.pop(name) for name in EvolutionSettings.model_fields}
    request = EvolveRequest(**given)
    with naming_options():
        settings = validated(EvolutionSettings, values)
    _refuse_together(context, request)
    from gatree.base.progress import Progress  # what follows takes longer to import than the help
    from gatree.cli.main import refuse_too_little_memory
    from gatree.kernels.events import on_compilation

    refuse_too_little_memory()
    with naming_options(), Progress(quiet=request.quiet) as progress:
        on_compilation(progress.note)
        from gatree.cli.evolution import run

        run(context, request, settings, progress)


def _refuse_together(context: click.Context, request: EvolveRequest) -> None:
    """Refuse options that do not go together."""
    if request.replay is not None:
        given = [name for name in EvolutionSettings.model_fields if was_given(context, name)]
        if given := [name for name in given if name not in _WITHOUT_EFFECT_ON_OUTCOMES]:
            raise click.UsageError(f"{option_of(given[0])}: --replay takes the settings from its file")
        if request.watch:
            raise click.UsageError("--watch and --replay: a replay is not to be changed; give one of them")
    if request.watch:
        from gatree.cli.watch import refuse_without_terminal

        refuse_without_terminal()


_WITHOUT_EFFECT_ON_OUTCOMES = ("evaluator", "n_jobs")
