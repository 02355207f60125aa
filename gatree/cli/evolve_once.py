"""`gatree evolve --leaves penalty`: one evolution on one data set, the tree it finds, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from gatree.cli.beside import Beside, beside
from gatree.cli.evolve_asked import INTERRUPTED, Asked
from gatree.cli.evolve_output import Findings, print_findings, print_findings_as_json
from gatree.cli.setting_options import naming_options
from gatree.cli.stray_text import note_stray_text
from gatree.cli.tree_files import keep
from gatree.cli.untested import warn_of_untested
from gatree.cli.watch import Watch
from gatree.data.dataset import Dataset
from gatree.data.load import is_in_pieces, load_data
from gatree.data.target import refuse_quantity
from gatree.evolution.best_per_size import BestPerSize, Champion
from gatree.evolution.cross_validation import Validated, cross_validate
from gatree.evolution.evaluators.shards.cluster_survey import load_in_pieces
from gatree.evolution.evolve import Evolution, evolve, problem_of
from gatree.evolution.warm_up import warm_up
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.weka.folds import check_n_folds

if TYPE_CHECKING:
    from gatree.data.pieces.survey import DataInPieces
    from gatree.evolution.problem import Problem


def evolve_once(context: click.Context, asked: Asked, settings: EvolutionSettings) -> None:
    """Evolve, keep the tree and print all that was found."""
    with naming_options(), _cluster(asked.scheduler) as client:
        where = {"shards": asked.shards, "client": client}
        source, n_folds = _load(asked, settings, client)
        schema = source if isinstance(source, Dataset) else source.plan.schema
        refuse_quantity(schema, "--class")
        note_stray_text(asked.data, schema.attributes)
        findings = find(source, settings, n_folds, asked.per_size, asked.quiet, where)
    if asked.raw:
        findings = replace(findings, tree=findings.raw_tree)
    dataset = findings.problem.dataset
    keep(findings.tree, dataset if isinstance(dataset, Dataset) else None, asked.save, asked.picture)
    (print_findings_as_json if asked.as_json else print_findings)(findings)
    if findings.interrupted:
        click.echo("interrupted: this is the best tree so far", err=True)
        context.exit(INTERRUPTED)


def _load(asked: Asked, settings: EvolutionSettings, client: Any) -> tuple[Dataset | DataInPieces, int]:
    """Return the data, and the folds they are cross-validated with."""
    chosen = (asked.data, asked.class_name, asked.drop_strings)
    if not (asked.in_pieces or is_in_pieces(asked.data)):
        dataset = load_data(*chosen)
        return dataset, asked.n_folds(int(dataset.class_counts.sum()))
    if asked.folds and not asked.may_choose_folds:
        raise click.UsageError("--folds: data in pieces are not cross-validated; leave it out, or give 0")
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


def find(
    data: Dataset | DataInPieces,
    settings: EvolutionSettings,
    n_folds: int,
    per_size: bool,
    quiet: bool,
    where: dict[str, Any] | None = None,
) -> Findings:
    """Run the evolution and the cross-validation, somewhere; if interrupted, return what there is."""
    champions, where = BestPerSize(), where or {}
    in_shards = any(where.values())
    problem = problem_of(data, settings, here=not in_shards)
    if n_folds:
        check_n_folds(n_folds, problem.columns_here.n_instances)
    warn_of_untested(problem.dataset.attributes, problem.coding, settings.numeric_tests)
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


def _title(problem: Problem, settings: EvolutionSettings) -> str:
    return (
        f"{problem.dataset.name}: {problem.n_instances} instances, population {settings.population_size}, "
        f"mutation rate {settings.mutation_rate:g}, x {settings.x_factor}"
    )
