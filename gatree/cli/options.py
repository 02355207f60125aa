"""Arguments and options that several commands share, and completion of data set names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from gatree.base.shipped import shipped_folder

FC = TypeVar("FC", bound=Callable[..., Any])


def complete_data(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Complete a data set's name, or else a file's; without the catalog, which is slow to import."""
    names = sorted(file.stem for file in shipped_folder("datasets").glob("*.arff"))
    found = [CompletionItem(name) for name in names if name.startswith(start)]
    return found or [CompletionItem(start, type="file")]


data_argument = click.argument("data", metavar="DATA", shell_complete=complete_data)

class_option = click.option(
    "--class",
    "--target",
    "class_name",
    metavar="NAME",
    help="The attribute to predict; by default the last one.",
)

drop_strings_option = click.option(
    "--drop-strings", is_flag=True, help="Leave out ARFF attributes of type string (refused otherwise)."
)

format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="How to print.",
)

results_option = click.option(
    "--results",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="An experiment's folder, or a folder of such folders.  [default: your run in results, or else "
    "the reference that comes with gatree]",
)


def scheduler_option(help_text: str) -> Callable[[FC], FC]:
    """Return the option that names a Dask scheduler."""
    return click.option("--scheduler", metavar="ADDRESS", callback=_some_address, help=help_text)


def _some_address(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not value.strip():
        raise click.BadParameter("is empty; give the scheduler's address, such as tcp://10.0.0.1:8786")
    return value


_RUNS = Path("results")


def chosen_results(results: Path | None) -> Path:
    """Return the folder of results that is meant; say which, if none was named."""
    from gatree.experiments.journal import JOURNAL, find_journal, reference_folder

    if results is not None:
        return results
    if any(_RUNS.glob(f"*/{JOURNAL}")) or (_RUNS / JOURNAL).is_file():
        chosen = find_journal(_RUNS).parent
        click.echo(f"your run: {chosen}", err=True)
    else:
        chosen = reference_folder()
        click.echo(
            "the reference that comes with gatree (you have no run in ./results; start one: gatree run)",
            err=True,
        )
    return chosen


def output_folder(journal: Path) -> Path:
    """Return where files made from a journal go: beside it, but never into an installation."""
    from gatree.experiments.journal import reference_folder

    is_shipped = journal.parent.resolve() == reference_folder().resolve()
    return _RUNS / "reference" if is_shipped else journal.parent
