"""`gatree tree`: find a small tree, print it, evaluate it, and compare it with others."""

from __future__ import annotations

from typing import Any

import click

from gatree.cli.options import (
    class_option,
    compare_option,
    costs_option,
    data_argument,
    drop_option,
    folds_option,
    keep_option,
    picture_option,
    reading_options,
    regression_option,
    save_option,
)
from gatree.cli.requests import TreeRequest
from gatree.cli.setting_options import GroupedCommand, naming_options, setting_options
from gatree.settings.small_tree import SmallTreeSettings
from gatree.settings.validation import validated

_GROUPS = {
    "Tree options": "size size_rule scoring first max_leaves max_depth min_leaf min_split class_weight costs "
    "shrinkage",
    "Data options": "class_name keep drop regression kinds day_first header sheet drop_strings",
    "Search options": "effort max_seconds folds compare seed n_jobs",
    "Output options": "",
}

DEFAULTS = {"default_map": SmallTreeSettings().model_dump() | {"n_jobs": None}}
"""The context settings of a command with the settings as options."""


def small_tree_settings(given: dict[str, Any]) -> SmallTreeSettings:
    """Take the settings out of a command's options and return them; without ``n_jobs`` use all cores."""
    from gatree.base.machine import n_cores

    values = {name: given.pop(name) for name in SmallTreeSettings.model_fields}
    values["n_jobs"] = values["n_jobs"] or n_cores()
    with naming_options():
        if given["costs"] is not None and values["class_weight"] is not None:
            raise click.UsageError("give --class-weight or --costs, not both")
        return validated(SmallTreeSettings, values)


@click.command("tree", cls=GroupedCommand, groups=_GROUPS, context_settings=DEFAULTS)
@data_argument
@class_option
@keep_option
@drop_option
@regression_option
@reading_options
@setting_options(SmallTreeSettings)
@costs_option
@folds_option
@compare_option
@click.option("--all", "everything", is_flag=True, help="Print a large tree whole, not its first 40 lines.")
@click.option("--per-size", is_flag=True, help="Also show the best tree of each size.")
@click.option(
    "--details",
    is_flag=True,
    help="Also show the confusion matrix and the figures by class of the cross-validation.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@save_option
@picture_option
@click.option("--quiet", "-q", is_flag=True, help="Show no progress and no notes on the data.")
@click.pass_context
def tree(context: click.Context, /, **given: Any) -> None:
    """Find a small decision tree for DATA.

    The data are a data set of the paper, an ARFF, CSV, Excel or Parquet file, several files with the same
    columns, or - for stdin. Classes or numbers are predicted.

    The best tree of every size is searched, and the size is chosen from the data, as SmallTreeClassifier and
    SmallTreeRegressor do it. The tree is printed as soon as it is found, then how good it is in a
    cross-validation, then J48, CART and the majority class on the same folds. Ctrl-C ends what still runs.

    \b
    Examples:
      gatree tree vote
      gatree tree glass --leaves 8 --folds 10
      gatree tree glass --first Mg --size-rule 1-se
      gatree tree people.csv --class income --save tree.json --picture tree.svg
      gatree tree loans.csv --class default --costs costs.csv --no-compare
      gatree tree houses.csv --class price --regression
      gatree tree zoo --per-size --json
      gatree tree 'parts/*.parquet' --class label --max-seconds 60
    """
    settings = small_tree_settings(given)
    request = TreeRequest(**given)
    if request.details and request.folds == 0:
        raise click.UsageError("--details shows the cross-validation; leave out --folds 0")
    from gatree.base.progress import Progress  # what follows takes longer to import than the help
    from gatree.cli.main import INTERRUPTED, refuse_too_little_memory
    from gatree.kernels.events import on_compilation

    refuse_too_little_memory()
    with naming_options(), Progress(quiet=request.quiet) as progress:
        on_compilation(progress.note)
        from gatree.cli.learning import found_by, tell

        try:
            finding, is_interrupted = found_by(context, request, settings, progress, may_be_constant=True)
        except KeyboardInterrupt:
            progress.say("interrupted before there was a tree")
            context.exit(INTERRUPTED)
        tell(context, request, finding, progress, is_interrupted)
