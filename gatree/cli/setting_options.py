"""Options for the settings of an evolution, made from the model so that help and model always agree.

Names, types, bounds and help all come from the fields of `EvolutionSettings`, the defaults from a preset: the
option ``--preset``, read before all others, makes them click's defaults, in the help too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import click
from pydantic.fields import FieldInfo

from gatree.base.errors import ConfigError, SettingError
from gatree.settings.evolution_settings import EvolutionSettings, XFactor
from gatree.settings.presets import PRESETS, Preset, preset_values

# Where the option has a shorter name than the setting.
_SHORTER = {"population_size": "population", "n_generations": "generations"}


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


PRESET = "gatree.preset"
"""Where the context of a command has the name of its preset."""

DEFAULTS = {"default_map": preset_values("default")}
"""The context settings of a command whose options are settings: what holds without ``--preset``."""


@contextmanager
def naming_options() -> Iterator[None]:
    """Let errors about settings name the options of the command line."""
    try:
        yield
    except SettingError as error:
        raise ConfigError(_with_options(error.named(str))) from None


def _with_options(message: str) -> str:
    """Return a message with the options in place of the settings that it names."""
    names = sorted(EvolutionSettings.model_fields, key=len, reverse=True)
    for name in names:
        at = rf"^{name}(?=:)" if "_" not in name else rf"\b{name}\b"
        message = re.sub(at, option_of(name), message, flags=re.MULTILINE)
    return re.sub(r"(--[a-z-]+) '([a-z-]+)'", r"\1 \2", message)


def option_of(name: str) -> str:
    """Return the option for a setting."""
    return "--" + _SHORTER.get(name, name).replace("_", "-")


def _as_defaults(context: click.Context, _parameter: click.Parameter, preset: Preset) -> None:
    """Use the values of a preset as the defaults of all options."""
    context.default_map = preset_values(preset)
    context.meta[PRESET] = preset


def setting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a command with ``--preset`` and one option per setting, passed by the setting's name."""
    for name, field in reversed(EvolutionSettings.model_fields.items()):
        command = _option(name, field)(command)
    return click.option(
        "--preset",
        type=click.Choice(list(PRESETS)),
        default="default",
        show_default=True,
        is_eager=True,
        expose_value=False,
        callback=_as_defaults,
        help="Defaults of the settings below: best trees, less work, or the paper's. "
        "To see their values: --preset paper --help.",
    )(command)


def _option(name: str, field: FieldInfo) -> Callable[[Callable[..., Any]], Any]:
    field = _without_none(field)
    kind = field.annotation
    flag = option_of(name)
    about: dict[str, Any] = {"show_default": True, "help": _sentence(field.description)}
    if kind is bool:
        return click.option(f"{flag}/--no-{flag[2:]}", name, **about)
    if kind is XFactor:
        return click.option(flag, name, type=str, callback=_as_x_factor, metavar="X", **about)
    if name == "class_weight":
        return click.option(flag, name, type=str, callback=as_class_weight, metavar="WEIGHTS", **about)
    return click.option(flag, name, type=_click_type(field), metavar=_metavar(field), **about)


def _without_none(field: FieldInfo) -> FieldInfo:
    """Return a field of ``X | None`` as one of X, with the bounds of X, and others as they are."""
    parts = [part for part in get_args(field.annotation) if part is not NoneType]
    if NoneType not in get_args(field.annotation):
        return field
    inner = FieldInfo.from_annotation(parts[0])
    inner.description, inner.metadata = field.description, [*inner.metadata, *field.metadata]
    return inner


def _click_type(field: FieldInfo) -> click.ParamType[Any]:
    kind = field.annotation
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    low, low_open = _bound(field, "ge", "gt")
    high, high_open = _bound(field, "le", "lt")
    number = click.IntRange if kind is int else click.FloatRange
    return number(low, high, min_open=low_open, max_open=high_open)


def _bound(field: FieldInfo, closed: str, open_: str) -> tuple[Any, bool]:
    """Return a bound of a number, and whether the bound itself is left out."""
    for constraint in field.metadata:
        for name in (closed, open_):
            if hasattr(constraint, name):
                return getattr(constraint, name), name == open_
    return None, False


def _metavar(field: FieldInfo) -> str | None:
    if field.annotation is float:
        return "X" if _bound(field, "le", "lt")[0] is None else "SHARE"
    return "N" if field.annotation is int else None


def _sentence(text: str | None) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""
