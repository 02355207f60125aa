"""`gatree evolve`: find a tree for a data set, print it, evaluate it, and compare it with others.

Either the best trees of all sizes are found and the size is chosen from the data, as `GATreeClassifier` does
it, or one evolution weighs the size by its payoff (`evolve_once`). Options that only an evolution has select
the second way by themselves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from gatree.cli.options import (
    GroupedCommand,
    class_option,
    compare_option,
    costs_option,
    data_argument,
    drop_option,
    folds_option,
    keep_option,
    picture_option,
    reading_options,
    regression_option,
    save_option,
)
from gatree.cli.requests import EvolveRequest, Size
from gatree.cli.setting_options import DEFAULTS, PRESET, naming_options, option_of, setting_options
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import FRONTS
from gatree.settings.validation import validated

if TYPE_CHECKING:
    from gatree.base.progress import Progress

_OF_AN_EVOLUTION = ("prefer", "raw")  # in addition to its settings


def was_given(context: click.Context, name: str) -> bool:
    """Tell whether an option was given on the command line."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


class NumberOr(click.ParamType):  # type: ignore[type-arg]  # it takes none before click 8.4
    """A number in a range, or one of some words."""

    def __init__(self, name: str, numbers: click.ParamType[Any], *words: str) -> None:
        self.name, self._numbers, self._words = name, numbers, words

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        if value in self._words:
            return value
        try:
            return self._numbers.convert(value, parameter, context)
        except click.BadParameter as error:
            self.fail(f"{error.message} Or give {' or '.join(self._words)}.", parameter, context)


def _size_wanted(context: click.Context, leaves: Size | None) -> Size:
    if leaves == "penalty":
        return leaves
    objection = _objection(context, leaves)
    if objection is None:
        return "auto" if leaves is None else leaves
    if leaves is None:
        return "penalty"
    raise click.UsageError(objection)


def _objection(context: click.Context, leaves: Size | None) -> str | None:
    """Return the reason why only one evolution can serve the request, if there is one."""
    from gatree.smalltree.settings import KNOWN_TO_FRONTS  # not needed for the help

    settings = [name for name in EvolutionSettings.model_fields if name not in KNOWN_TO_FRONTS]
    for name in (*settings, *_OF_AN_EVOLUTION):
        if was_given(context, name):
            return f"{option_of(name)} is for the genetic algorithm with its payoff; leave out --leaves"
    if (preset := context.meta[PRESET]) not in FRONTS:
        return f"--leaves {leaves} goes with --preset {' or '.join(FRONTS)}, got {preset}"
    return None


_X_FACTORS = {"small": "1e3", "accurate": "1e4..1e6"}


_GROUPS = {
    "Data options": "class_name keep drop regression kinds day_first header sheet drop_strings",
    "Tree options": "leaves size_rule first preset max_nodes max_depth min_leaf class_weight costs "
    "numeric_tests",
    "Search options": "effort folds compare seed n_jobs",
    "Output options": "save picture everything per_size details as_json raw quiet _click_default_help help",
    "Options of the genetic algorithm (one evolution, --leaves penalty)": "",
}
"""The options of the command by what they are about; the last group has all others."""


@click.command(cls=GroupedCommand, groups=_GROUPS, context_settings=DEFAULTS)
@data_argument
@class_option
@keep_option
@drop_option
@regression_option
@reading_options
@click.option(
    "--leaves",
    type=NumberOr("leaves", click.IntRange(1), "auto", "penalty"),
    metavar="auto|N|penalty",
    help="auto: choose the size from the data, the default unless an option requires one evolution. "
    "N: find the best tree of at most N leaves. penalty: one evolution weighs the size by its x-factor.",
)
@click.option(
    "--size-rule",
    type=NumberOr("size rule", click.FloatRange(0), "min", "1-se"),
    metavar="min|1-se|N",
    help="min: choose the size with the best cross-validation; 1-se or N: the smallest size within one or N "
    "standard errors of it.",
)
@click.option("--first", metavar="COLUMN", help="Let the root test this column.")
@click.option(
    "--effort",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="A factor of the work of the search for trees of all sizes.",
)
@setting_options
@click.option(
    "--prefer",
    type=click.Choice(list(_X_FACTORS)),
    help=f"The x-factor in words: {', '.join(f'{word} is {x}' for word, x in _X_FACTORS.items())}.",
)
@costs_option
@folds_option
@compare_option
@click.option("--all", "everything", is_flag=True, help="Print a large tree whole, not its first 40 lines.")
@click.option("--per-size", is_flag=True, help="Also show the best tree of each size.")
@click.option(
    "--details",
    is_flag=True,
    help="Also show the confusion matrix and the figures by class of the cross-validation.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--raw", is_flag=True, help="Show, save and draw the tree as it evolved, not simplified.")
@save_option
@picture_option
@click.option("--quiet", "-q", is_flag=True, help="Show no progress and no notes on the data.")
@click.pass_context
def evolve(context: click.Context, /, leaves: Size | None, prefer: str | None, **given: Any) -> None:
    """Evolve a decision tree on DATA.

    The data are a data set of the paper, an ARFF, CSV, Excel or Parquet file, several files with the same
    columns, or - for stdin.

    Trees of all sizes are evolved together and the size is chosen from the data, as GATreeClassifier does
    it. Settings of the genetic algorithm and --preset paper mean one evolution instead
    (--leaves penalty); Ctrl-C stops it and keeps the best tree so far.

    It prints the tree, without redundant tests, as soon as it is found, then how good it is in a
    cross-validation, then J48, CART and the majority class on the same folds. Ctrl-C ends what still runs.

    \b
    Examples:
      gatree evolve vote
      gatree evolve glass --preset fast --leaves 8 --folds 10
      gatree evolve glass --preset fast --first Mg --size-rule 1-se
      gatree evolve glass --preset fast --prefer accurate
      gatree evolve vote --preset paper --population 400 --generations 400 --mutation-rate 0.5
      gatree evolve people.csv --class income --save tree.json --picture tree.svg
      gatree evolve loans.csv --class default --costs costs.csv --no-compare
      gatree evolve zoo --per-size --json
      gatree evolve 'parts/*.parquet' --class label
    """
    settings = {name: given.pop(name) for name in EvolutionSettings.model_fields}
    if prefer is not None:
        if was_given(context, "x_factor"):
            raise click.UsageError("give --prefer or --x-factor, not both")
        settings["x_factor"] = _X_FACTORS[prefer]
    size = _size_wanted(context, leaves)
    request = EvolveRequest(preset=context.meta[PRESET], size=size, **given)
    of_fronts = [name for name in ("size_rule", "first", "effort") if was_given(context, name)]
    if request.size == "penalty" and of_fronts:
        raise click.UsageError(f"{option_of(of_fronts[0])} is for trees of all sizes, not for one evolution")
    with naming_options():
        chosen = validated(EvolutionSettings, settings)
    if request.details and request.folds == 0:
        raise click.UsageError("--details shows the cross-validation; leave out --folds 0")
    if request.costs is not None and (chosen.class_weight is not None or request.size == "penalty"):
        other = "--class-weight" if chosen.class_weight is not None else "--leaves penalty, or what means it"
        raise click.UsageError(f"give --costs or {other}, not both")
    from gatree.base.progress import Progress  # what follows takes longer to import than the help
    from gatree.cli.main import refuse_too_little_memory
    from gatree.kernels.events import on_compilation

    refuse_too_little_memory()
    with naming_options(), Progress(quiet=request.quiet) as progress:
        on_compilation(progress.say)
        if request.size == "penalty":
            from gatree.cli.evolve_once import evolve_once  # which takes as long as the other way's imports

            evolve_once(context, request, chosen, progress)
        else:
            _evolve_front(context, request, chosen, progress)


def _evolve_front(
    context: click.Context, request: EvolveRequest, settings: EvolutionSettings, progress: Progress
) -> None:
    """Find the best tree of a size that is chosen from the data, or given."""
    from gatree.base.machine import n_cores
    from gatree.cli.learning import found_by, tell
    from gatree.cli.main import INTERRUPTED
    from gatree.smalltree.settings import SIZE_RULES, front_settings_of, with_size_rule

    def refuse_options_of_classes(target: str) -> None:
        of_classes = ("details", "class_weight", "costs", "numeric_tests")
        if given := [option_of(name) for name in of_classes if was_given(context, name)]:
            message = f"{', '.join(given)}: not for regression trees, which {target} gets; leave it out"
            raise click.UsageError(message)

    assert request.size != "penalty"
    rule: Any = request.size_rule
    front_settings = replace(
        with_size_rule(front_settings_of(request.preset, settings), SIZE_RULES.get(rule, rule)),
        size=request.size,
        first=request.first,
        effort=request.effort,
        n_jobs=settings.n_jobs if was_given(context, "n_jobs") else n_cores(),
    )
    weights, refuse = settings.class_weight, refuse_options_of_classes
    try:
        finding, is_interrupted = found_by(
            request, front_settings, weights, progress, refuse, may_be_constant=True
        )
    except KeyboardInterrupt:
        progress.say("interrupted before there was a tree")
        context.exit(INTERRUPTED)
    tell(context, request, finding, progress, is_interrupted=is_interrupted)
