"""Arguments and options that several commands share, what the shell completes, and trees in files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click
from click.shell_completion import CompletionItem

from gatree.base.errors import did_you_mean
from gatree.base.files import shipped_folder, write_whole
from gatree.base.limits import MOST_FOLDS

if TYPE_CHECKING:
    from gatree.data.dataset import Table
    from gatree.data.source import ReadOptions
    from gatree.trees.model import DecisionTree

Command: TypeAlias = Callable[..., Any]
"""The function of a command."""

Given: TypeAlias = dict[str, Any]
"""The values of options by name, as click has converted them."""

FC = TypeVar("FC", bound=Command)


Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def completer(names: Callable[[], Iterable[str]], or_a_file: bool = False) -> Completer:
    """Return a function that lets the shell complete names, and files if no name fits."""

    def complete(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
        found = [CompletionItem(name) for name in names() if name.startswith(start)]
        return found or ([CompletionItem(start, type="file")] if or_a_file else [])

    return complete


def _included(folder: str, ending: str) -> list[str]:
    """Return the names of included files; without the catalog, which is slow to import."""
    return sorted(file.stem for file in shipped_folder(folder).glob(f"*{ending}"))


def _columns() -> Iterable[str]:
    from gatree.experiments.frame import COLUMNS

    return COLUMNS


def _keys_of_cells() -> Iterable[str]:
    from gatree.experiments.grid import SELECTABLE

    return [f"{key}=" for key in SELECTABLE]


def _comparable() -> Iterable[str]:
    from gatree.experiments.frame import SETTING_COLUMNS

    return ["method", "evaluator", "study", *SETTING_COLUMNS]


complete_data = completer(lambda: _included("datasets", ".arff"), or_a_file=True)
complete_config = completer(lambda: _included("configs", ".yaml"), or_a_file=True)
complete_table = completer(lambda: [*map(str, range(3, 13)), "all", *_metrics()])
complete_only = completer(_keys_of_cells)
complete_where = completer(lambda: [f"{column}=" for column in _columns()])
complete_by = completer(_comparable)


def complete_columns(context: click.Context, parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Complete the last of some columns with commas between them."""
    before, comma, _ = start.rpartition(",")
    others = [column for column in _columns() if column not in before.split(",")]
    return completer(lambda: [f"{before}{comma}{column}" for column in others])(context, parameter, start)


def _more_than_one(_context: click.Context, _parameter: click.Parameter, value: int | None) -> int | None:
    if value == 1:
        raise click.BadParameter("should be 0, for none, or at least 2, got 1")
    return value


folds_option = click.option(
    "--folds",
    type=click.IntRange(0, MOST_FOLDS),
    callback=_more_than_one,
    metavar="K",
    help="Cross-validate with K folds; 0: skip it.  [default: 5, twice for up to 250 rows, one of five held "
    "out for more than 100,000]",
)
costs_option = click.option(
    "--costs",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="What predictions cost: a CSV file with a row per class and a column per predicted class.",
)
compare_option = click.option(
    "--compare/--no-compare",
    "compare",
    default=True,
    show_default=True,
    help="Compare with J48, CART and the majority class on the same folds, after the answer.",
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
    help="An experiment's folder, or a folder of such folders.  [default: results/paper if it has cells, "
    "or else your only run in results that has cells for the command, or else the included reference]",
)


def own_results_option(help_text: str) -> Callable[[FC], FC]:
    """Return the option that names the folder of your own results."""
    kind: Any = {"type": click.Path(path_type=Path), "default": Path("results"), "show_default": True}
    return click.option("--results", metavar="DIR", help=help_text, **kind)


def where_option(help_text: str) -> Callable[[FC], FC]:
    """Return the option that selects rows."""
    complete: Any = {"shell_complete": complete_where}
    return click.option("--where", multiple=True, metavar="KEY=VALUE", help=help_text, **complete)


def _known_metric(_context: click.Context, _parameter: click.Parameter, name: str | None) -> str | None:
    from gatree.report.metrics import METRICS  # pandas, which the help does not need

    if name is not None and name not in METRICS:
        near = did_you_mean(name, METRICS) or f"; there is: {', '.join(METRICS)}"
        raise click.BadParameter(f"{name!r} is no metric{near}")
    return name


def _metrics() -> Iterable[str]:
    from gatree.report.metrics import METRICS

    return METRICS


def metric_option(help_text: str) -> Callable[[FC], FC]:
    """Return the option that names a metric."""
    kind: Any = {"callback": _known_metric, "shell_complete": completer(_metrics)}
    help_text += "  [default: accuracy, or savings without cross-validations]"
    return click.option("--metric", metavar="NAME", help=help_text, **kind)


def scheduler_option(help_text: str) -> Callable[[FC], FC]:
    """Return the option that names a Dask scheduler."""
    return click.option("--scheduler", metavar="ADDRESS", callback=_some_address, help=help_text)


def _some_address(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not value.strip():
        raise click.BadParameter("is empty; give the scheduler's address, such as tcp://10.0.0.1:8786")
    return value


def _has_finished_cell(folder: Path) -> bool:
    from gatree.experiments.journal import has_finished_cell
    from gatree.experiments.places import find_journal

    return has_finished_cell(find_journal(folder))


def chosen_results(results: Path | None, has_cells: Callable[[Path], bool] = _has_finished_cell) -> Path:
    """Return the folder of results that a command shows; print which one, if none was named.

    That is the one of ``--results``; else your run of the paper's experiment if it has cells; else the only
    one of your own runs that has cells of the command; else the included reference.
    """
    if results is not None:
        return results
    run, why_none = own_results(has_cells)
    if run is not None:
        click.echo(f"your run: {run}", err=True)
        return run
    from gatree.experiments.places import reference_folder

    click.echo(f"the included reference ({why_none})", err=True)
    return reference_folder()


def own_results(has_cells: Callable[[Path], bool]) -> tuple[Path | None, str]:
    """Return the one of your own runs that a command shows, or None and the reason."""
    from gatree.experiments.places import PAPER, RUNS, own_runs

    runs = own_runs()
    if runs and runs[0].name == PAPER and _has_finished_cell(runs[0]):
        return runs[0], ""
    fitting = [run for run in runs if has_cells(run)]
    if len(fitting) == 1:
        return fitting[0], ""
    if fitting:
        return None, f"choose one of your runs with --results: {_listed(fitting)}"
    why = f"{_listed(runs)}: no such cells" if runs else f"you have no run in ./{RUNS}"
    return None, f"{why}; to run the paper's experiment: gatree run --config {PAPER}"


_MOST_LISTED = 5


def _listed(folders: Sequence[Path]) -> str:
    more = len(folders) - _MOST_LISTED
    return ", ".join(map(str, folders[:_MOST_LISTED])) + (f" and {more} more" if more > 0 else "")


def output_folder(results: Path | None, journal: Path) -> Path:
    """Return the folder for files made from a journal: next to it.

    The included reference is left as it is unless ``--results`` names it: it is committed, or installed.
    """
    from gatree.experiments.places import RUNS, reference_folder

    is_the_included = results is None and journal.parent.resolve() == reference_folder().resolve()
    return RUNS / "included-reference" if is_the_included else journal.parent


_PICTURES = (".svg", ".png", ".pdf", ".dot")
_FILE = click.Path(path_type=Path, dir_okay=False, writable=True)


def in_a_folder(_context: click.Context, _parameter: click.Parameter, value: Path | None) -> Path | None:
    """Reject a file in a missing folder before the work starts."""
    if value is not None and not value.parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(value.parent)!r}")
    return value


def _is_a_picture(context: click.Context, parameter: click.Parameter, value: Path | None) -> Path | None:
    if value is not None and value.suffix.lower() not in _PICTURES:
        raise click.BadParameter(f"{value.name!r} should end in one of {', '.join(_PICTURES)}")
    return in_a_folder(context, parameter, value)


def output_option(help_text: str) -> Callable[[FC], FC]:
    """Return the option that names an output file."""
    return click.option("--output", type=_FILE, callback=in_a_folder, metavar="FILE", help=help_text)


tree_argument = click.argument("tree", metavar="TREE", type=click.Path(path_type=Path))

save_option = click.option(
    "--save", type=_FILE, callback=in_a_folder, metavar="FILE", help="Write the tree as JSON."
)

picture_option = click.option(
    "--picture",
    type=_FILE,
    callback=_is_a_picture,
    metavar="FILE",
    help="Draw the tree, as .svg, .png, .pdf or .dot.",
)


def read_tree(path: Path) -> DecisionTree:
    """Return the tree in a file that ``--save`` wrote."""
    from gatree.data.files import read_text
    from gatree.trees.model import DecisionTree

    return DecisionTree.from_json(read_text(path), str(path))


def read_with_progress(data: str, options: ReadOptions) -> Table:
    """Read the data of a command, with its progress, and print how columns were read."""
    from gatree.base.progress import Progress
    from gatree.study.reading import read_table

    with Progress() as progress:
        return read_table(data, options, progress)


_END = "\n}\n"  # of a tree as JSON


def save_tree(
    tree: DecisionTree, save: Path | None, picture: Path | None, evolution: dict[str, Any] | None = None
) -> None:
    """Save and draw a tree where requested; the file says how it evolved, if it did."""
    if save is not None:
        about = f',\n  "evolution": {json.dumps(evolution, allow_nan=False)}' if evolution else ""
        write_whole(save, f"{tree.to_json().removesuffix(_END)}{about}{_END}")
    if picture is not None and picture.suffix.lower() == ".dot":
        write_whole(picture, tree.to_dot())
    elif picture is not None:
        from gatree.trees.plot import plot_tree

        plot_tree(tree, file=picture)
