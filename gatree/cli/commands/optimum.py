"""`gatree optimum`: the proven best small tree of a data set."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import click

from gatree.base.errors import percent
from gatree.cli.data_options import data_request, gathered
from gatree.cli.options import Given
from gatree.cli.output import print_json
from gatree.cli.setting_options import as_class_weight

if TYPE_CHECKING:
    from gatree.base.progress import Listener
    from gatree.data.dataset import Dataset
    from gatree.data.goal import ClassWeight
    from gatree.optimum import AllowedTrees, NumberOptimum, Optimum
    from gatree.study.reading import DataRequest


_SEARCH_OPTIONS = (
    click.option(
        "--nodes", type=click.IntRange(1), metavar="N", help="Maximum number of nodes, leaves included."
    ),
    click.option(
        "--tests", type=click.IntRange(0), metavar="K", help="Maximum number of tests: (N - 1) / 2."
    ),
    click.option("--leaves", type=click.IntRange(1), metavar="L", help="Maximum number of leaves: K + 1."),
    click.option(
        "--depth",
        type=click.IntRange(0),
        metavar="D",
        help="Maximum depth; alone, or together with one of the others.",
    ),
    click.option(
        "--min-leaf",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        metavar="M",
        help="Minimum number of instances in every leaf.",
    ),
    click.option(
        "--class-weight",
        callback=as_class_weight,
        metavar="WEIGHTS",
        help="Weight of a correct instance of each class: balanced, or such as A=2,B=1.",
    ),
    click.option(
        "--regression",
        is_flag=True,
        help="Predict numbers: minimize the squared error with up to 3 tests.",
    ),
    click.option(
        "--numeric-tests",
        type=click.Choice(["observed", "integer"]),
        default="observed",
        show_default=True,
        help="Thresholds: between observed values, or every integer, as in the paper. A missing value fails "
        "every test; 'integer' includes the largest value, a test that only missing values fail.",
    ),
    click.option(
        "--seconds",
        type=click.FloatRange(0, min_open=True),
        default=float("inf"),
        metavar="S",
        help="Stop after this time, with the best tree so far and a bound instead of a proof.",
    ),
)


class _Search(NamedTuple):
    """What is searched, for how long."""

    allowed: AllowedTrees
    class_weight: ClassWeight
    regression: bool
    seconds: float


def _search(given: Given) -> _Search:
    from gatree.optimum import AllowedTrees

    nodes, tests, leaves, depth = (given[name] for name in ("nodes", "tests", "leaves", "depth"))
    sizes = [size for size in (nodes, tests, leaves) if size is not None]
    if len(sizes) > 1 or not (sizes or depth is not None):
        raise click.UsageError("give the size as --nodes N or as --tests K, --leaves L or --depth D")
    if given["regression"] and given["class_weight"] is not None:
        raise click.UsageError("--class-weight: there are no classes with --regression")
    if nodes is not None:
        tests = (nodes - 1) // 2
    allowed = AllowedTrees(tests, leaves, depth, given["min_leaf"], given["numeric_tests"])
    return _Search(allowed, given["class_weight"], given["regression"], given["seconds"])


@click.command()
@gathered("search", _search, *_SEARCH_OPTIONS)
@data_request
@click.option("--quiet", is_flag=True, help="Print no progress.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def optimum(
    context: click.Context, /, search: _Search, request: DataRequest, quiet: bool, as_json: bool
) -> None:
    """Find the tree of at most N nodes that classifies the most instances of DATA correctly.

    What is printed is proven: no tree of that size, with such tests, is better on these instances. Every
    further test takes many times as long; on most data sets of the paper nine nodes take a second.
    While it runs, the best tree so far and what no tree exceeds are printed on stderr. Ctrl-C ends it with
    that tree.

    \b
    Examples:
      gatree optimum kr-vs-kp --nodes 7
      gatree optimum vote --tests 3 --json
      gatree optimum vote --depth 3 --min-leaf 10 --class-weight balanced
      gatree optimum my.csv --leaves 5 --seconds 60
    """
    from gatree.base.background import Interrupted
    from gatree.base.progress import Progress
    from gatree.cli.main import INTERRUPTED
    from gatree.kernels.events import on_compilation
    from gatree.study.reading import read_dataset

    is_interrupted = False
    with Progress(quiet=quiet) as progress:
        on_compilation(progress.note)
        dataset = read_dataset(replace(request, regression=search.regression), progress)
        progress.progress("search")
        try:
            found = _found(dataset, search, progress)
        except Interrupted as stop:
            found, is_interrupted = stop.found, True
    if as_json:
        print_json({"data": dataset.name, **_as_dict(found)})
    else:
        click.echo(_as_text(found))
    if is_interrupted:
        click.echo("interrupted: this is the best tree so far", err=True)
        context.exit(INTERRUPTED)


def _found(dataset: Dataset, search: _Search, listener: Listener) -> Optimum | NumberOptimum:
    """Return the best tree for classes or for numbers."""
    from gatree.data.answer import Numbers
    from gatree.data.goal import Goal
    from gatree.optimum import optimum, optimum_of_numbers

    if isinstance(dataset.answer, Numbers):
        return optimum_of_numbers(dataset, search.allowed, max_seconds=search.seconds, listener=listener)
    goal = Goal.of(dataset, search.class_weight)
    return optimum(dataset, search.allowed, goal=goal, max_seconds=search.seconds, listener=listener)


def _as_dict(found: Optimum | NumberOptimum) -> dict[str, object]:
    fields, _, _ = _worth(found)
    return {
        "n_instances": found.n_instances,
        "most_tests": found.n_tests,
        "most_depth": found.depth,
        "nodes": found.tree.n_nodes,
        **fields,
        "proven": found.is_proven,
        "tree": json.loads(found.tree.to_json()),
    }


def _as_text(found: Optimum | NumberOptimum) -> str:
    _, worth, bound = _worth(found)
    verdict = "proven" if found.is_proven else "out of time: better trees may exist"
    nodes = f"nodes:    {found.tree.n_nodes}"
    return "\n".join([found.tree.to_text(), nodes, worth, f"bound:    {bound}, {verdict}"])


def _worth(found: Optimum | NumberOptimum) -> tuple[dict[str, float], str, str]:
    """Return how good the tree is: for JSON, as a line, and the bound in words."""
    from gatree.optimum import NumberOptimum

    if isinstance(found, NumberOptimum):
        error = f"error:    {found.squared_error:.6g} (mean of squares)"
        return {"squared_error": found.squared_error, "bound": found.bound}, error, f"{found.bound:.6g}"
    of = f"of {found.total}" + ("" if found.total == found.n_instances else ", by weight")
    correct = f"correct:  {found.n_correct} {of} ({percent(found.accuracy, digits=2)})"
    bound = f"{found.bound} {of} ({percent(found.bound / found.total, digits=2)})"
    return {"correct": found.n_correct, "bound": found.bound, "total": found.total}, correct, bound
