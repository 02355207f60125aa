"""`gatree theory`: the savings that the paper's equations predict."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import click
from tabulate import tabulate

from gatree.base.errors import ResultError

if TYPE_CHECKING:
    from gatree.paper.theory_check import Line

_DEPTHS = (1, 2, 3, 5, 8, 11)

_HEADERS = ("tree", "depth", "nodes", "R", "R paper", "R'", "R' paper", "saved %")


@click.command()
@click.option(
    "--depth",
    "depths",
    type=click.IntRange(1, 10_000),
    multiple=True,
    metavar="K ...",
    help="Depths of the trees.  [default: 1 2 3 5 8 11]",
)
@click.argument("more_depths", type=click.IntRange(1, 10_000), nargs=-1, metavar="")
@click.option("--check", is_flag=True, help="Build the trees and let the `new` evaluator count.")
def theory(depths: tuple[int, ...], more_depths: tuple[int, ...], check: bool) -> None:
    """Print the savings of fitness inheritance that Eqs. 2-15 of the paper predict.

    R is the cost of an evaluation with inheritance over that without, averaged over the stale
    node, when every instance is charged its way from the root; R' when it is charged only what lies
    below the stale node, as the evaluators do. "saved" is 1 - R', in node-instance-checks.

    \b
    Examples:
      gatree theory
      gatree theory --depth 3 8 --check
    """
    from gatree.paper.published import THEORY_ERRATA
    from gatree.paper.theory_check import lines

    found = lines(sorted({*depths, *more_depths}) or _DEPTHS, check)
    headers = (*_HEADERS, "R counted", "R' counted", "check") if check else _HEADERS
    cells = [_row(line, check) for line in found]
    click.echo(tabulate(cells, headers=headers, tablefmt="github", disable_numparse=True))
    click.echo("\nWhere the paper is wrong:")
    for erratum in THEORY_ERRATA:
        click.echo(f"- {erratum}")
    wrong = [f"{line.shape.name} {line.k}" for line in found if not line.agrees]
    if wrong:
        raise ResultError(f"the evaluator's count differs from the theory for: {', '.join(wrong)}")


def _row(line: Line, check: bool) -> list[str]:
    shape, k = line.shape, line.k
    row = [
        shape.name,
        str(k),
        str(shape.n_nodes(k)) if k <= 40 or shape.name != "complete" else f"2^{k + 1}-1",
        _number(shape.from_root(k)),
        _number(shape.paper_from_root(k) if shape.paper_from_root else None),
        _number(shape.below(k)),
        _number(shape.paper_below(k) if shape.paper_below else None),
        f"{100 * float(1 - shape.below(k)):.2f}",
    ]
    if not check:
        return row
    if line.counted is None:
        return [*row, "—", "—", "too large to build"]
    verdict = "equal" if line.agrees else "DIFFERS"
    return [*row, _number(line.counted.from_root), _number(line.counted.below), verdict]


def _number(value: Fraction | None) -> str:
    return "—" if value is None else f"{float(value):.4f}"
