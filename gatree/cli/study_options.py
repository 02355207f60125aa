"""The options of the commands that study a data set: what to learn from, how to search, how to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gatree.base.errors import brief
from gatree.cli.data_options import (
    READING_OPTIONS,
    class_option,
    data_argument,
    data_of,
    drop_option,
    gathered,
    keep_option,
    regression_option,
)
from gatree.cli.main import stop_on_sigterm
from gatree.cli.options import Given, compare_option, costs_option, folds_option
from gatree.cli.setting_options import naming_options, option_of, setting_options, was_given
from gatree.settings.small_tree import SmallTreeSettings
from gatree.settings.validation import validated

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.study.study import StudyRequest

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
    *READING_OPTIONS,
    setting_options(SmallTreeSettings),
    costs_option,
    folds_option,
    compare_option,
)


def _settings(given: Given) -> SmallTreeSettings:
    """Return the settings; without ``n_jobs`` use all cores."""
    from gatree.base.machine import n_cores

    values = {name: given[name] for name in SmallTreeSettings.model_fields}
    values["n_jobs"] = values["n_jobs"] or n_cores()
    with naming_options():
        if given["costs"] is not None and values["class_weight"] is not None:
            raise click.UsageError("give --class-weight or --costs, not both")
        return validated(SmallTreeSettings, values)


def _study(given: Given) -> StudyRequest:
    settings, data = _settings(given), data_of(given)
    from gatree.study.study import StudyRequest  # which takes longer to import than the help

    stop_on_sigterm()
    return StudyRequest(data, settings, given["costs"], given["folds"], compares=given["compare"])


study_options = gathered("request", _study, *_OPTIONS)
"""Adds the options of a study; the command gets them as ``request``, a `StudyRequest`."""

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
