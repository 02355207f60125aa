"""Options for settings, made from their model so that help and model always agree.

Names, types, bounds and help all come from the fields of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import click
from click.core import ParameterSource
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from gatree.base.errors import ConfigError, SettingError
from gatree.cli.options import Command, Given
from gatree.settings.evolution_settings import XFactor
from gatree.settings.gone import GONE

# Where the option has another name than the setting.
_OPTIONS = {"population_size": "population", "n_generations": "generations", "size": "leaves"}


def option_of(name: str) -> str:
    """Return the option for a setting."""
    return "--" + _OPTIONS.get(name, name).replace("_", "-")


def was_given(context: click.Context, name: str) -> bool:
    """Tell whether an option was given on the command line."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


@contextmanager
def naming_options() -> Iterator[None]:
    """Let errors about settings name the options of the command line."""
    try:
        yield
    except SettingError as error:
        raise ConfigError(error.named(option_of)) from None


class GroupedCommand(click.Command):
    """A command whose help lists its options in groups; the last group has all that no other one names.

    An option of an earlier version is answered with what to use instead.
    """

    def __init__(self, *args: Any, groups: Mapping[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self._groups = {title: names.split() for title, names in groups.items()}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-").replace("-", "_")
            if name not in GONE:
                raise
            raise click.UsageError(f"{error.option_name}: {GONE[name]}", ctx) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        records = {option.name: option.get_help_record(ctx) for option in options}
        shown = {name: record for name, record in records.items() if record is not None}
        named = {name for names in self._groups.values() for name in names}
        for title, names in self._groups.items():
            chosen = [shown[name] for name in names if name in shown]
            if not names:
                chosen = [record for name, record in shown.items() if name not in named]
            if chosen:
                with formatter.section(title):
                    formatter.write_dl(chosen)


def setting_options(model: type[BaseModel]) -> Callable[[Command], Command]:
    """Return a decorator that gives a command an option per setting, passed by the setting's name."""

    def decorate(command: Command) -> Command:
        for name, field in reversed(model.model_fields.items()):
            command = _option(name, field)(command)
        return command

    return decorate


def _option(name: str, field: FieldInfo) -> Callable[[Command], Command]:
    flag, kinds = option_of(name), _kinds_of(field)
    about: Given = {"show_default": True, "help": _sentence(field.description)}
    if kinds[0].annotation is bool:
        return click.option(f"{flag}/--no-{flag[2:]}", name, **about)
    if kinds[0].annotation is XFactor:
        return click.option(flag, name, type=str, callback=_as_x_factor, metavar="X", **about)
    if name == "class_weight":
        return click.option(flag, name, type=str, callback=as_class_weight, metavar="WEIGHTS", **about)
    types = [_click_type(kind) for kind in kinds]
    metavars = list(dict.fromkeys(_metavar(kind) for kind in kinds))
    one = types[0] if len(types) == 1 else _OneOf(types)
    metavar = None if metavars == [None] else "|".join(filter(None, metavars))
    return click.option(flag, name, type=one, metavar=metavar, **about)


class _OneOf(click.ParamType):  # type: ignore[type-arg]  # it takes none before click 8.4
    """A value of one of several types."""

    name = "value"

    def __init__(self, types: list[Any]) -> None:
        self._types = types

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        complaints = []
        for each in self._types:
            try:
                return each.convert(value, parameter, context)
            except click.BadParameter as error:
                complaints.append(error.message.rstrip("."))
        return self.fail(f"{' Or: '.join(f'{text}.' for text in complaints)}", parameter, context)


def _as_x_factor(_context: click.Context, _parameter: click.Parameter, value: str) -> XFactor:
    try:
        return XFactor.parse(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def as_class_weight(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> dict[str, float] | str | None:
    """Read ``balanced`` or ``A=2,B=1``."""
    if value is None or value == "balanced":
        return value
    pairs = [part.rpartition("=") for part in value.split(",")]
    try:
        weights = {name.strip(): float(weight) for name, _, weight in pairs}
    except ValueError:
        weights = {"": 0.0}
    if "" in weights:
        raise click.BadParameter(f"should be balanced, or a weight per class such as A=2,B=1, not {value!r}")
    return weights


def _kinds_of(field: FieldInfo) -> list[FieldInfo]:
    """Return a field of ``X | Y | None`` as one for each of X and Y, with their bounds."""
    parts: list[Any] = [field.annotation]
    if get_origin(field.annotation) not in (Literal, dict, None):
        parts = [part for part in get_args(field.annotation) if part is not NoneType]
    kinds = []
    for part in parts:
        inner: Any = FieldInfo.from_annotation(part)
        inner.metadata = [*inner.metadata, *field.metadata]
        kinds.append(inner)
    return kinds


def _click_type(field: FieldInfo) -> Any:
    kind = field.annotation
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is str:
        return click.STRING
    low, low_open = _bound(field, "ge", "gt")
    high, high_open = _bound(field, "le", "lt")
    number = click.IntRange if kind is int else click.FloatRange
    return number(low, high, min_open=low_open, max_open=high_open)


def _bound(field: FieldInfo, closed: str, open_: str) -> tuple[Any, bool]:
    """Return a bound of a number, and whether the bound itself is left out."""
    for constraint in field.metadata:
        for name in (closed, open_):
            if getattr(constraint, name, None) is not None:
                return getattr(constraint, name), name == open_
    return None, False


def _metavar(field: FieldInfo) -> str | None:
    kind = field.annotation
    if get_origin(kind) is Literal:
        return "|".join(get_args(kind))
    if kind is float:
        return "X" if _bound(field, "le", "lt")[0] is None else "SHARE"
    return {int: "N", str: "NAME"}.get(kind)  # type: ignore[arg-type]


def _sentence(text: str | None) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""
