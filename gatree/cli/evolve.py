"""`gatree evolve`: find a tree for a data set and evaluate it.

Either the best trees of all sizes are found and the size is chosen from the data, as `GATreeClassifier` does
it (`evolve_front`), or one evolution weighs the size by its payoff (`evolve_once`). Options that only an
evolution has select the second way by themselves.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource

from gatree.base.limits import MOST_FOLDS, MOST_WORKERS
from gatree.cli.options import (
    DataRequest,
    GroupedCommand,
    class_option,
    data_argument,
    drop_option,
    drop_strings_option,
    keep_option,
    picture_option,
    regression_option,
    save_option,
    save_tree,
    scheduler_option,
)
from gatree.cli.setting_options import DEFAULTS, PRESET, naming_options, option_of, setting_options
from gatree.settings.evolution_settings import EvolutionSettings, validated
from gatree.settings.presets import FRONTS, Preset

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.data.pieces import DataInPieces
    from gatree.front.settings import FrontSettings

Size = int | Literal["auto", "penalty"]

INTERRUPTED = 130
"""The exit code after Ctrl-C."""

_OF_AN_EVOLUTION = ("prefer", "raw", "in_pieces", "shards", "scheduler")  # in addition to its settings


@dataclass(frozen=True)
class Request(DataRequest):
    """The options that are not settings, as given."""

    preset: Preset
    size: Size
    folds: int
    may_choose_folds: bool
    per_size: bool
    details: bool
    as_json: bool
    raw: bool
    save: Path | None
    picture: Path | None
    in_pieces: bool
    shards: int | None
    scheduler: str | None

    def n_folds(self, n_instances: int) -> int:
        """Return the number of folds: at most one per instance, unless a number was given."""
        folds = min(self.folds, n_instances) if self.may_choose_folds else self.folds
        return folds if folds > 1 else 0


def request_of(context: click.Context, leaves: Size | None, **options: Any) -> Request:
    """Return the request, with the way to find the tree."""
    return Request(
        **options,
        preset=context.meta[PRESET],
        size=_size_wanted(context, leaves, options["data"]),
        may_choose_folds=not was_given(context, "folds"),
    )


def was_given(context: click.Context, name: str) -> bool:
    """Tell whether an option was given on the command line."""
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
    """Return the reason why only one evolution can serve the request, if there is one."""
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


_X_FACTORS = {"small": "1e3", "accurate": "1e4..1e6"}


_GROUPS = {
    "Data options": ("class_name", "keep", "drop", "regression", "drop_strings", "in_pieces"),
    "Tree options": (
        "leaves",
        "preset",
        "max_nodes",
        "max_depth",
        "min_leaf",
        "class_weight",
        "numeric_tests",
    ),
    "Search options": ("folds", "seed", "n_jobs", "shards", "scheduler"),
    "Output options": (
        "save",
        "picture",
        "per_size",
        "details",
        "as_json",
        "raw",
        "quiet",
        "_click_default_help",
        "help",
    ),
    "Options of the genetic algorithm (one evolution, --leaves penalty)": (),
}
"""The options of the command by what they are about; the last group has all others."""


def _more_than_one(_context: click.Context, _parameter: click.Parameter, value: int) -> int:
    if value == 1:
        raise click.BadParameter("should be 0, for none, or at least 2, got 1")
    return value


@click.command(cls=GroupedCommand, groups=_GROUPS, context_settings=DEFAULTS)
@data_argument
@class_option
@keep_option
@drop_option
@regression_option
@drop_strings_option
@click.option(
    "--leaves",
    type=Leaves(),
    metavar="auto|N|penalty",
    help="auto: choose the size from the data, the default unless an option requires one evolution. "
    "N: find the best tree of at most N leaves. penalty: one evolution weighs the size by its x-factor.",
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
    help="Cross-validate with K folds, compared with J48 and the majority class; 0: skip it.",
)
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
@click.option(
    "--in-pieces",
    is_flag=True,
    help="Read DATA in pieces, into one byte per cell with at most 255 thresholds per attribute; "
    "always used for Parquet and for patterns such as 'data/*.csv'.",
)
@click.option(
    "--shards",
    type=click.IntRange(1, MOST_WORKERS),
    metavar="N",
    help="Evaluate in N processes, each with a part of the instances; the outcome is the same.",
)
@scheduler_option(
    "Hold the shards on the workers of a Dask cluster, such as tcp://10.0.0.1:8786; one shard per worker "
    "unless --shards is given."
)
@click.option("--quiet", "-q", is_flag=True, help="Show no live view, no progress and no notes on the data.")
@click.pass_context
def evolve(context: click.Context, /, leaves: Size | None, prefer: str | None, **given: Any) -> None:
    """Evolve a decision tree on DATA, a data set of the paper, an ARFF, CSV or Parquet file, or - for stdin.

    Trees of all sizes are evolved together and the size is chosen from the data, as GATreeClassifier does
    it. Settings of the genetic algorithm, --preset paper and data in pieces mean one evolution instead
    (--leaves penalty), which is shown on a terminal while it runs; Ctrl-C stops it and keeps the best
    tree so far.

    It prints the tree, without redundant tests, its accuracy in a cross-validation, and the accuracies of J48
    and the majority class on the same folds.

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
    request = request_of(context, leaves, **given)
    with naming_options():
        chosen = validated(EvolutionSettings, settings)
    if request.details and request.folds == 0:
        raise click.UsageError("--details shows the cross-validation; leave out --folds 0")
    (_evolve_once if request.size == "penalty" else _evolve_front)(context, request, chosen)


# Each way imports what it needs: both together would take twice as long.


def _evolve_front(context: click.Context, request: Request, settings: EvolutionSettings) -> None:
    """Find the best tree of a size that is chosen from the data, or given; save and print it."""
    import numpy as np

    from gatree.cli.evolve_front import find, print_findings, print_findings_as_json
    from gatree.cli.predicting import read_and_announce
    from gatree.front.settings import FRONT_PRESETS, front_settings_of

    assert request.size != "penalty"
    with naming_options():
        started = time.perf_counter()
        dataset, target = read_and_announce(request)
        reading = ("reading", time.perf_counter() - started)
        if target is not None:
            wanted = replace(FRONT_PRESETS[request.preset], size=request.size, seed=settings.seed)
            _evolve_numbers(context, request, wanted, dataset, target, reading)
            return
        dataset = dataset.take(np.flatnonzero(dataset.classes >= 0))
        wanted = replace(front_settings_of(request.preset, settings), size=request.size)
        try:
            n_folds = request.n_folds(dataset.n_instances)
            findings = find(dataset, wanted, settings.class_weight, n_folds, request.quiet)
        except KeyboardInterrupt:
            click.echo("interrupted before there was a tree", err=True)
            context.exit(INTERRUPTED)
    findings = replace(findings, elsewhere=(*findings.elsewhere, reading))
    save_tree(findings.tree, findings.dataset, request.save, request.picture)
    if request.as_json:
        print_findings_as_json(findings, request.per_size, request.details)
    else:
        print_findings(findings, request.per_size, request.details)
    if findings.interrupted:
        click.echo("interrupted: this is the tree, without its cross-validation", err=True)
        context.exit(INTERRUPTED)


def _evolve_numbers(
    context: click.Context,
    request: Request,
    wanted: FrontSettings,
    dataset: Dataset,
    target: Any,
    reading: tuple[str, float],
) -> None:
    """Find a regression tree; save and print it."""
    from gatree.cli.evolve_numbers import find, print_findings, print_findings_as_json
    from gatree.front.settings import KNOWN_TO_FRONTS

    of_classes = ("folds", "per_size", "details", *sorted(KNOWN_TO_FRONTS - {"seed"}))
    if given := [option_of(name) for name in of_classes if was_given(context, name)]:
        raise click.UsageError(
            f"{', '.join(given)}: not for regression trees, which {dataset.class_attribute.name} gets; "
            "leave it out"
        )
    try:
        findings = find(dataset, target, wanted, request.quiet)
        findings = replace(findings, spent=(*findings.spent, reading))
    except KeyboardInterrupt:
        click.echo("interrupted before there was a tree", err=True)
        context.exit(INTERRUPTED)
    save_tree(findings.tree, (dataset, target), request.save, request.picture)
    (print_findings_as_json if request.as_json else print_findings)(findings)


def _evolve_once(context: click.Context, request: Request, settings: EvolutionSettings) -> None:
    """Run one evolution, which weighs the size by its payoff; save the tree and print what was found."""
    from gatree.cli.evolve_once import find, print_findings, print_findings_as_json
    from gatree.cli.predicting import note_stray_text
    from gatree.data.dataset import Dataset
    from gatree.data.target import refuse_quantity

    with naming_options(), _cluster(request.scheduler) as client:
        where = {"shards": request.shards, "client": client}
        started = time.perf_counter()
        source, n_folds = _load(request, settings, client)
        reading = ("reading", time.perf_counter() - started)
        schema = source if isinstance(source, Dataset) else source.plan.schema
        if not isinstance(source, Dataset):
            refuse_quantity(schema, "--class")
            note_stray_text(request.data, schema.attributes)
        findings = find(source, settings, n_folds, request.per_size, request.quiet, where)
    findings = replace(findings, spent=(*findings.spent, reading))
    if request.raw:
        findings = replace(findings, tree=findings.raw_tree)
    dataset = findings.problem.dataset
    save_tree(findings.tree, dataset if isinstance(dataset, Dataset) else None, request.save, request.picture)
    (print_findings_as_json if request.as_json else print_findings)(findings, request.details)
    if findings.interrupted:
        click.echo("interrupted: this is the best tree so far", err=True)
        context.exit(INTERRUPTED)


def _load(request: Request, settings: EvolutionSettings, client: Any) -> tuple[Dataset | DataInPieces, int]:
    """Return the data, and the folds they are cross-validated with."""
    from gatree.cli.predicting import read_and_announce
    from gatree.data.load import is_in_pieces
    from gatree.evolution.evaluators.shards.workers import load_in_pieces

    chosen = (request.data, request.class_name, request.drop_strings)
    if not (request.in_pieces or is_in_pieces(request.data)):
        dataset, target = read_and_announce(request, keeps_known=True)
        if target is not None:
            raise click.UsageError(
                f"{dataset.class_attribute.name} has numbers to predict, and the genetic algorithm with its "
                "payoff predicts classes; leave out its options and --leaves penalty"
                + (", or --regression" if request.regression else "")
            )
        return dataset, request.n_folds(int(dataset.class_counts.sum()))
    if request.details:
        raise click.UsageError("--details: data in pieces are not cross-validated; leave it out")
    if request.folds and not request.may_choose_folds:
        raise click.UsageError("--folds: data in pieces are not cross-validated; leave it out, or give 0")
    if request.keep or request.drop or request.regression:
        raise click.UsageError("--keep, --drop and --regression need the data in memory, not in pieces")
    return load_in_pieces(*chosen, settings, client), 0


@contextmanager
def _cluster(scheduler: str | None) -> Iterator[Any]:
    """Yield the client of a Dask cluster, if there is to be one."""
    if scheduler is None:
        yield None
        return
    from gatree.evolution.evaluators.shards.cluster import cluster_at

    with cluster_at(scheduler) as client:
        yield client
