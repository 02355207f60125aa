"""`gatree verify`: are the outcomes of a run those of the reference?"""

from __future__ import annotations

from pathlib import Path

import click

from gatree.base.errors import ResultError
from gatree.cli.options import chosen_results, results_option
from gatree.cli.progress import describe
from gatree.experiments.journal import find_journal, read_journal, reference_folder
from gatree.experiments.verify import Verification
from gatree.experiments.verify import verify as compared

DIFFERENT = 3
_MOST_SHOWN = 20


@click.command()
@results_option
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The results to compare with.  [default: the reference that comes with gatree]",
)
def verify(results: Path | None, against: Path | None) -> None:
    """Compare the outcomes of a run with the reference, cell by cell.

    An outcome depends on settings, data and seed alone, so it is the same on every machine; times are
    not, and only their ratio is shown. Ends with 0 if all that was run is equal, with 3 if not.

    \b
    Examples:
      gatree verify
      gatree verify --results results/quick --against elsewhere/quick
    """
    ours, reference = chosen_results(results), against or reference_folder()
    found = compared(read_journal(find_journal(ours)), read_journal(find_journal(reference)))
    if not found.n_compared:
        raise ResultError(f"{ours} and {reference} have no cell in common: they are different experiments")
    for difference in found.differences[:_MOST_SHOWN]:
        click.echo(f"different: {describe(difference.cell)}: {difference.what}")
    if (more := len(found.differences) - _MOST_SHOWN) > 0:
        click.echo(f"and {more} more")
    for line in found.machines:
        click.echo(line)
    click.echo(_verdict(found))
    if found.differences:
        click.get_current_context().exit(DIFFERENT)


def _verdict(found: Verification) -> str:
    parts = [f"{found.n_equal} of {found.n_compared} outcomes equal the reference"]
    if found.ratio_here and found.ratio_there:
        ratios = f"median {found.ratio_here:.2f} here, {found.ratio_there:.2f} there"
        parts.append(f"old/new time ratio per cell: {ratios}")
    if found.n_not_run:
        parts.append(f"{found.n_not_run} cells of the reference have not been run here")
    if found.n_unknown:
        parts.append(f"{found.n_unknown} cells are not in the reference")
    return "; ".join(parts)
