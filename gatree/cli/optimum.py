"""`gatree optimum`: the proven best small tree of a data set."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from gatree.cli.options import class_option, data_argument, drop_strings_option
from gatree.cli.output import print_json

if TYPE_CHECKING:
    from gatree.optimum import Optimum


@click.command()
@data_argument
@click.option(
    "--nodes", type=click.IntRange(1), metavar="N", help="Nodes that the tree may have, leaves included."
)
@click.option(
    "--tests", type=click.IntRange(0), metavar="K", help="Tests that the tree may have: (N - 1) / 2."
)
@click.option(
    "--numeric-tests",
    type=click.Choice(["observed", "integer"]),
    default="observed",
    show_default=True,
    help="Thresholds: between observed values, or every integer, as in the paper.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=float("inf"),
    metavar="S",
    help="Stop after so long, with a tree and a bound instead of a proof.",
)
@class_option
@drop_strings_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def optimum(
    data: str,
    nodes: int | None,
    tests: int | None,
    numeric_tests: Any,
    seconds: float,
    class_name: str | None,
    drop_strings: bool,
    as_json: bool,
) -> None:
    """Find the tree of at most N nodes that classifies the most instances of DATA correctly.

    What is printed is proven: no tree of that size, with such tests, is better on these instances. Every
    further test takes many times as long; on most data sets of the paper nine nodes take a second.

    \b
    Examples:
      gatree optimum kr-vs-kp --nodes 7
      gatree optimum vote --tests 3 --json
      gatree optimum my.csv --nodes 9 --seconds 60
    """
    from gatree.data.load import load_data
    from gatree.data.target import refuse_quantity
    from gatree.optimum import optimum as solve

    if (nodes is None) == (tests is None):
        raise click.UsageError("give the size as --nodes N or as --tests K")
    n_tests = tests if tests is not None else ((nodes or 1) - 1) // 2
    dataset = load_data(data, class_name, drop_strings)
    refuse_quantity(dataset, "--class")
    found = solve(dataset, n_tests, numeric_tests=numeric_tests, max_seconds=seconds)
    if as_json:
        print_json({"data": dataset.name, **_as_dict(found)})
    else:
        click.echo(_as_text(found))


def _as_dict(found: Optimum) -> dict[str, Any]:
    return {
        "n_instances": found.n_instances,
        "most_tests": found.n_tests,
        "nodes": found.tree.n_nodes,
        "correct": found.n_correct,
        "bound": found.bound,
        "proven": found.is_proven,
        "tree": json.loads(found.tree.to_json()),
    }


def _as_text(found: Optimum) -> str:
    most = f"{found.bound} of {found.n_instances} ({found.bound / found.n_instances:.2%})"
    return "\n".join(
        [
            found.tree.to_text(),
            "",
            f"nodes:    {found.tree.n_nodes}",
            f"correct:  {found.n_correct} of {found.n_instances} ({found.accuracy:.2%})",
            f"bound:    {most}, {'proven' if found.is_proven else 'out of time: better trees may exist'}",
        ]
    )
