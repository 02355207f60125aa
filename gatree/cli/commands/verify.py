"""`gatree verify`: an experiment's outcomes against the reference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NoReturn

import click

from gatree.base.errors import counted
from gatree.cli.commands.run import describe
from gatree.cli.main import DIFFERENT, NOTHING_TO_COMPARE
from gatree.cli.options import own_results
from gatree.experiments.journal import Verification, read_journal
from gatree.experiments.journal import verify as compared
from gatree.experiments.places import find_journal, reference_folder
from gatree.experiments.record import CellIdentity

_MOST_SHOWN = 20


@click.command()
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of your run, or a folder of such folders.  [default: results/paper if it has cells, "
    "or else your only run in results that has cells of the other]",
)
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The results to compare with.  [default: the included reference]",
)
def verify(results: Path | None, against: Path | None) -> None:
    """Compare the outcomes of your run with the reference, cell by cell.

    An outcome depends on settings, data and seed alone, so it is the same on every machine; times are
    not, and only their ratio is shown. The exit code is 0 if all outcomes are equal, 3 if some differ, and
    4 if there is nothing to compare.

    \b
    Examples:
      gatree verify
      gatree verify --results results/quick --against elsewhere/quick
    """
    reference = against or reference_folder()
    there = read_journal(find_journal(reference))

    @cache
    def compare(run: Path) -> Verification:
        return compared(read_journal(find_journal(run)), there)

    ours, why_none = (results, "") if results else own_results(lambda run: compare(run).n_compared > 0)
    if ours is None:
        _end_without_comparison(why_none)
    found = compare(ours)
    if not found.n_compared:
        _end_without_comparison(
            f"{ours} and {reference} have no cell in common: they are different experiments"
        )
    for difference in found.differences[:_MOST_SHOWN]:
        click.echo(f"different: {describe(difference.cell)}: {difference.what}")
    if (more := len(found.differences) - _MOST_SHOWN) > 0:
        click.echo(f"and {more} more")
    for line in found.machines:
        click.echo(line)
    for name, cells in ((ours, found.compiled_here), (reference, found.compiled_there)):
        if cells:
            click.echo(_warning(name, cells), err=True)
    for line in _claims(ours):
        click.echo(line)
    click.echo(_verdict(found))
    if found.differences:
        click.get_current_context().exit(DIFFERENT)


def _end_without_comparison(why: str) -> NoReturn:
    click.echo(f"nothing to compare: {why}", err=True)
    click.get_current_context().exit(NOTHING_TO_COMPARE)


def _claims(folder: Path) -> list[str]:
    """Return the claims of the paper's Section 5 with our evidence, if the experiment is the paper's."""
    from gatree.experiments.design import design_of
    from gatree.experiments.frame import Results
    from gatree.paper.claims import claims
    from gatree.paper.tables import is_papers

    results = Results.read(folder)
    if results.frame.empty or not is_papers(results, design_of(results.frame)):
        return []
    marks = {True: "holds", False: "does not hold", None: "not judged"}
    lines = (
        f"  {marks[one.holds]}: {one.text} (ours: {one.ours}; the paper: {one.paper})"
        for one in claims(results)
    )
    return ["The claims of the paper's Section 5:", *lines]


def _warning(folder: Path, cells: Sequence[CellIdentity]) -> str:
    """Return a warning about times that include the compilation of kernels."""
    first = f"{describe(cells[0])}{' and others' if len(cells) > 1 else ''}"
    times = f"the times of {counted(len(cells), 'cell')}"
    return f"warning: {folder}: {times} include compiling kernels ({first})"


def _verdict(found: Verification) -> str:
    parts = [f"{found.n_equal} of {found.n_compared} outcomes equal the reference"]
    if found.ratio_here and found.ratio_there:
        ratios = f"median {found.ratio_here:.2f} here, {found.ratio_there:.2f} there"
        parts.append(f"old/new time ratio per cell: {ratios}")
    if found.n_not_run:
        parts.append(f"not run here: {counted(found.n_not_run, 'cell')} of the reference")
    if found.n_unknown:
        parts.append(f"not in the reference: {counted(found.n_unknown, 'cell')}")
    return "; ".join(parts)
