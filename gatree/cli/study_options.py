"""The options of the commands that study a data set: what to learn from, how to search, how to judge."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from gatree.base.errors import brief
from gatree.cli.data_options import (
    class_option,
    data_argument,
    drop_option,
    keep_option,
    reading_options,
    regression_option,
    with_options,
)
from gatree.cli.main import refuse_too_little_memory, stop_on_sigterm
from gatree.cli.options import Command, Given, compare_option, costs_option, folds_option
from gatree.cli.setting_options import naming_options, option_of, setting_options, was_given
from gatree.settings.small_tree import SmallTreeSettings
from gatree.settings.validation import validated

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset

DEFAULTS = {"default_map": SmallTreeSettings().model_dump() | {"n_jobs": None}}
"""The context settings of a command with the settings as options."""

GROUPS = {
    "Tree options": "size size_rule scoring first max_leaves max_depth min_leaf min_split "
    "class_weight costs shrinkage",
    "Data options": "class_name keep drop regression kinds day_first header sheet drop_strings",
}
"""The options by what they are about; those that are left are about the search."""

_OPTIONS = (
    data_argument,
    class_option,
    keep_option,
    drop_option,
    regression_option,
    reading_options,
    setting_options(SmallTreeSettings),
    costs_option,
    folds_option,
    compare_option,
)


def study_options(command: Command) -> Command:
    """Add the options of a study; the command gets them as ``request``, a `StudyRequest`."""

    @wraps(command)
    def with_request(*args: Any, **given: Any) -> Any:
        settings = _settings(given)
        refuse_too_little_memory()
        from gatree.study.reading import DataRequest  # which takes longer to import than the help
        from gatree.study.study import StudyRequest

        stop_on_sigterm()
        data = DataRequest(
            data=given.pop("data"),
            reading=given.pop("reading"),
            class_name=given.pop("class_name"),
            keep=given.pop("keep"),
            drop=given.pop("drop"),
            regression=given.pop("regression"),
        )
        request = StudyRequest(
            data, settings, given.pop("costs"), given.pop("folds"), compares=given.pop("compare")
        )
        return command(*args, request=request, **given)

    return with_options(with_request, _OPTIONS)


def _settings(given: Given) -> SmallTreeSettings:
    """Take the settings out of a command's options and return them; without ``n_jobs`` use all cores."""
    from gatree.base.machine import n_cores

    values = {name: given.pop(name) for name in SmallTreeSettings.model_fields}
    values["n_jobs"] = values["n_jobs"] or n_cores()
    with naming_options():
        if given["costs"] is not None and values["class_weight"] is not None:
            raise click.UsageError("give --class-weight or --costs, not both")
        return validated(SmallTreeSettings, values)


_OF_CLASSES = ("class_weight", "scoring", "costs", "details")


def refuse_for_numbers(context: click.Context, dataset: Dataset) -> None:
    """Refuse options for classes where numbers are predicted."""
    from gatree.data.answer import Numbers

    given = [name for name in _OF_CLASSES if was_given(context, name)]
    if given and isinstance(dataset.answer, Numbers):
        options = ", ".join(map(option_of, given))
        raise click.UsageError(
            f"{options}: for classes, and {brief(dataset.answer.name)} has numbers; leave it out"
        )
