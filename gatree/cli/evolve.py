"""`gatree evolve`: one evolution on one data set, the tree it finds, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from gatree.cli.options import class_option, data_argument, drop_strings_option, scheduler_option
from gatree.cli.setting_options import DEFAULTS, PRESET, naming_options, setting_options
from gatree.cli.tree_files import keep, picture_option, save_option
from gatree.config import EvolutionSettings, validated
from gatree.limits import MOST_FOLDS, MOST_WORKERS

if TYPE_CHECKING:
    from gatree.cli.evolve_front import Size
    from gatree.cli.evolve_output import Findings
    from gatree.data.dataset import Dataset
    from gatree.data.pieces.survey import DataInPieces
    from gatree.evolution.evolve import Evolution
    from gatree.evolution.problem import Problem

_X_FACTORS = {"small": "1e3", "accurate": "1e4..1e6"}
_INTERRUPTED = 130


def _more_than_one(_context: click.Context, _parameter: click.Parameter, value: int) -> int:
    if value == 1:
        raise click.BadParameter("should be 0, for none, or at least 2, got 1")
    return value


class _Leaves(click.ParamType):  # type: ignore[type-arg]  # it takes none before click 8.4
    name = "leaves"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        return "auto" if value == "auto" else click.IntRange(1).convert(value, parameter, context)


@click.command(context_settings=DEFAULTS)
@data_argument
@class_option
@drop_strings_option
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
@click.option(
    "--leaves",
    type=_Leaves(),
    metavar="auto|N",
    help="Have the size chosen from the data, or the best tree of at most N leaves: the tree that "
    "GATreeClassifier finds.",
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
@click.option("--quiet", "-q", is_flag=True, help="No live view.")
@click.pass_context
def evolve(
    context: click.Context,
    /,
    data: str,
    class_name: str | None,
    drop_strings: bool,
    prefer: str | None,
    folds: int,
    leaves: Size | None,
    per_size: bool,
    as_json: bool,
    raw: bool,
    save: Path | None,
    picture: Path | None,
    in_pieces: bool,
    shards: int | None,
    scheduler: str | None,
    quiet: bool,
    **settings: Any,
) -> None:
    """Evolve a decision tree on DATA, a data set of the paper, an ARFF, CSV or Parquet file, or - for stdin.

    On a terminal the evolution is shown while it runs; Ctrl-C stops it and keeps the best tree so
    far. Then come the tree, without tests that never matter, and its numbers: how it does in a
    cross-validation, and J48 and always saying the majority class on the same folds.

    \b
    Examples:
      gatree evolve vote
      gatree evolve glass --preset fast --prefer accurate --folds 10
      gatree evolve vote --preset paper --population 400 --generations 400 --mutation-rate 0.5
      gatree evolve people.csv --class income --save tree.json --picture tree.svg
      gatree evolve zoo --per-size --json
      gatree evolve glass --leaves auto
      gatree evolve 'parts/*.parquet' --class label --shards 4
    """
    from gatree.cli.evolve_output import print_findings, print_findings_as_json
    from gatree.data.dataset import Dataset
    from gatree.data.load import is_in_pieces, load_data
    from gatree.data.target import refuse_quantity
    from gatree.uses.cluster_survey import load_in_pieces

    if prefer is not None:
        if context.get_parameter_source("x_factor") is ParameterSource.COMMANDLINE:
            raise click.UsageError("give --prefer or --x-factor, not both")
        settings["x_factor"] = _X_FACTORS[prefer]
    may_choose_folds = context.get_parameter_source("folds") is not ParameterSource.COMMANDLINE
    if leaves is not None:
        whole = load_data(data, class_name, drop_strings)
        refuse_quantity(whole, "--class")
        folds = min(folds, whole.n_instances) if may_choose_folds else folds
        _find_front(context, whole, settings, leaves, folds if folds > 1 else 0)
        return
    with naming_options(), _cluster(scheduler) as client:
        chosen = validated(EvolutionSettings, settings)
        where = {"shards": shards, "client": client}
        if in_pieces or is_in_pieces(data):
            folds = _no_folds(folds, may_choose_folds)
            source: Dataset | DataInPieces = load_in_pieces(data, class_name, drop_strings, chosen, client)
        else:
            source = load_data(data, class_name, drop_strings)
            folds = min(folds, source.n_instances) if may_choose_folds else folds
        refuse_quantity(source if isinstance(source, Dataset) else source.plan.schema, "--class")
        findings = _evolve(source, chosen, folds if folds > 1 else 0, per_size, quiet, where)
    if raw:
        findings = replace(findings, tree=findings.raw_tree)
    dataset = findings.problem.dataset
    keep(findings.tree, dataset if isinstance(dataset, Dataset) else None, save, picture)
    (print_findings_as_json if as_json else print_findings)(findings)
    if findings.interrupted:
        click.echo("interrupted: this is the best tree so far", err=True)
        context.exit(_INTERRUPTED)


def _no_folds(folds: int, may_choose: bool) -> int:
    if folds and not may_choose:
        raise click.UsageError("--folds: data in pieces are not cross-validated; leave it out, or give 0")
    return 0


def _find_front(
    context: click.Context, dataset: Dataset, settings: dict[str, Any], leaves: Size, n_folds: int
) -> None:
    """Find the best tree of a size that is chosen from the data, or given."""
    from gatree.cli.evolve_front import (
        find,
        print_front_findings,
        print_front_findings_as_json,
        refuse_other_settings,
    )
    from gatree.front.settings import FRONT_PRESETS, front_settings_of

    refuse_other_settings(context)
    if (preset := context.meta[PRESET]) not in FRONT_PRESETS:
        raise click.UsageError(f"--leaves goes with --preset {' or '.join(FRONT_PRESETS)}, got {preset}")
    given = context.params
    with naming_options():
        chosen = validated(EvolutionSettings, settings)
        wanted = replace(front_settings_of(preset, chosen), size=leaves)
        findings = find(dataset, wanted, chosen.class_weight, n_folds)
    keep(findings.tree, findings.dataset, given["save"], given["picture"])
    show = print_front_findings_as_json if given["as_json"] else print_front_findings
    show(findings, given["per_size"])


@contextmanager
def _cluster(scheduler: str | None) -> Iterator[Any]:
    """Yield the client of a Dask cluster, if there is to be one."""
    if scheduler is None:
        yield None
        return
    from gatree.uses.cluster import cluster_at

    with cluster_at(scheduler) as client:
        yield client


def _evolve(
    data: Dataset | DataInPieces,
    settings: EvolutionSettings,
    n_folds: int,
    per_size: bool,
    quiet: bool,
    where: dict[str, Any] | None = None,
) -> Findings:
    """Run the evolution and the cross-validation, somewhere; if interrupted, return what there is."""
    from gatree.cli.beside import Beside, beside
    from gatree.cli.evolve_output import Findings
    from gatree.cli.watch import Watch
    from gatree.data.dataset import Dataset
    from gatree.evolution.evolve import evolve, problem_of
    from gatree.uses.best_per_size import BestPerSize, Champion
    from gatree.uses.cross_validation import Validated, cross_validate
    from gatree.uses.warm_up import warm_up
    from gatree.weka.folds import check_n_folds

    champions, where = BestPerSize(), where or {}
    in_shards = any(where.values())
    problem = problem_of(data, settings, here=not in_shards)
    if n_folds:
        check_n_folds(n_folds, problem.columns_here.n_instances)
    _warn_of_untested(problem, settings)
    folds: list[Validated] = []
    others: list[Beside] = []
    with Watch(_title(problem, settings), n_folds, quiet) as watch:

        def watch_sizes(evolution: Evolution) -> bool:
            champions.watch(evolution)
            return watch(evolution)

        warm_up(problem, settings, in_shards)
        outcome = evolve(problem, settings, watch_sizes if per_size else watch, **where)
        if isinstance(data, Dataset) and n_folds and not watch.interrupted:
            folds = list(cross_validate(data, settings, n_folds, on_generation=watch, **where))
            others = [] if watch.interrupted else beside(data, n_folds)
    # Without a single generation there was nothing to watch.
    alternatives = champions.champions() or [Champion(outcome.best, outcome.n_correct)]
    raw_tree = outcome.tree
    return Findings(
        problem=problem,
        settings=settings,
        outcome=outcome,
        tree=raw_tree.simplified(),
        raw_tree=raw_tree,
        folds=() if watch.interrupted else tuple(folds),
        beside=tuple(others),
        champions=tuple(alternatives) if per_size else None,
        interrupted=watch.interrupted,
    )


def _warn_of_untested(problem: Problem, settings: EvolutionSettings) -> None:
    """Name the numeric attributes that have no integer between their values, where integers are tested."""
    tests = zip(problem.dataset.attributes, problem.coding.n_tests, strict=True)
    untested = [attribute.name for attribute, n in tests if n == 0 and not attribute.is_nominal]
    if untested and settings.numeric_tests == "integer":
        click.echo(
            f"warning: {', '.join(untested)}: no integer lies between the values, so they are never "
            "tested; --numeric-tests auto finds thresholds",
            err=True,
        )


def _title(problem: Problem, settings: EvolutionSettings) -> str:
    return (
        f"{problem.dataset.name}: {problem.n_instances} instances, population {settings.population_size}, "
        f"mutation rate {settings.mutation_rate:g}, x {settings.x_factor}"
    )
