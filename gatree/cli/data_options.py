"""Options that say which data are read and how, and options that a command gets as one value."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from gatree.cli.main import refuse_too_little_memory
from gatree.cli.options import Command, Given, complete_data

if TYPE_CHECKING:
    from gatree.data.source import ReadOptions
    from gatree.study.reading import DataRequest

Decorator = Callable[[Command], Command]


def gathered(name: str, make: Callable[[Given], object], *options: Decorator) -> Decorator:
    """Return a decorator that adds options; the command gets what ``make`` returns of them as one value."""
    names = _parameters(options)

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_value(*args: Any, **given: Any) -> Any:
            value = make({each: given.pop(each) for each in names})
            return command(*args, **given, **{name: value})

        return _with_options(with_value, options)

    return decorate


def _with_options(command: Command, options: tuple[Decorator, ...]) -> Command:
    """Return a command with more options, in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def _parameters(options: tuple[Decorator, ...]) -> list[str]:
    """Return the names under which a command gets the values of options."""

    def command() -> None: ...

    for option in options:
        option(command)
    return [parameter.name for parameter in vars(command)["__click_params__"]]


data_argument = click.argument("data", metavar="DATA", shell_complete=complete_data)

class_option = click.option(
    "--class",
    "--target",
    "class_name",
    metavar="NAME",
    help="The attribute to predict.  [default: the last one]",
)

_KINDS = ("number", "category", "date")


def _kinds(_context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    kinds = {}
    for text in given:
        name, equals, kind = text.rpartition("=")
        if not equals or kind not in _KINDS:
            raise click.BadParameter(f"{text!r} should be COLUMN=number, COLUMN=category or COLUMN=date")
        kinds[name] = kind
    return kinds


READING_OPTIONS = (
    click.option(
        "--as",
        "kinds",
        multiple=True,
        callback=_kinds,
        metavar="COLUMN=KIND",
        help="Read a column as a number, a category or a date, whatever it looks like.",
    ),
    click.option(
        "--day-first/--month-first",
        "day_first",
        default=None,
        help="What comes first in dates such as 03/04/2024.  [default: what the dates show, or the month]",
    ),
    click.option(
        "--header/--no-header",
        "header",
        default=None,
        help="Whether the first row has the names of the columns.  [default: found out]",
    ),
    click.option("--sheet", metavar="NAME", help="The sheet of an Excel file.  [default: the first one]"),
    click.option(
        "--drop-strings",
        is_flag=True,
        help="Ignore ARFF attributes of type string, which are an error otherwise.",
    ),
)


def _reading(given: Given) -> ReadOptions:
    from gatree.data.source import ReadOptions  # not needed for the help

    return ReadOptions(
        kinds=given["kinds"],
        day_first=given["day_first"],
        header=given["header"],
        sheet=given["sheet"],
        drop_strings=given["drop_strings"],
    )


reading_options = gathered("reading", _reading, *READING_OPTIONS)
"""Adds the options that say how data are read; the command gets them as ``reading``, a `ReadOptions`."""


keep_option = click.option(
    "--keep",
    multiple=True,
    metavar="NAME",
    help="Learn from this column although it seems to be an identifier.",
)
drop_option = click.option("--drop", multiple=True, metavar="NAME", help="Do not learn from this column.")
regression_option = click.option(
    "--regression/--classification",
    "regression",
    default=None,
    help="Predict numbers, or classes.  [default: numbers if the class has many different ones]",
)


def data_of(given: Given) -> DataRequest:
    """Return which data to learn from, as far as a command has options for it."""
    refuse_too_little_memory()
    from gatree.study.reading import DataRequest

    return DataRequest(
        data=given["data"],
        reading=_reading(given),
        class_name=given["class_name"],
        keep=given.get("keep", ()),
        drop=given.get("drop", ()),
        regression=given.get("regression"),
    )


data_request = gathered("request", data_of, data_argument, class_option, *READING_OPTIONS)
"""Adds the data, how they are read, and the class; the command gets them as ``request``, a `DataRequest`."""
