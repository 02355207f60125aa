"""The grid of a study: any setting of the evolution, with the values that it takes in turn.

The model is made from `EvolutionSettings`, so that no setting is missing, and checks values as that does. A
user chooses among the cells of a grid, or their rows, by conditions ``KEY=VALUE``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import product
from math import prod
from typing import Annotated

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    create_model,
    model_validator,
)
from pydantic.fields import FieldInfo

from gatree.base.errors import ConfigError, did_you_mean
from gatree.base.limits import MOST_TREES
from gatree.experiments.lists import ListOf, as_list
from gatree.settings.evolution_settings import OPTIONAL, SHARES, EvolutionSettings, XFactor, none_from_text

NOT_IN_A_GRID: Mapping[str, str] = {
    "seed": "`seeds` says how often every evolution is run",
    "evaluator": "a savings study runs its `evaluators` side by side; the outcome of all is the same",
}
TOGETHER = tuple(name for names in SHARES.values() for name in names)
"""Settings whose values have to fit each other."""

FIRST = ("mutation_rate", "x_factor", "population_size", "n_generations")
"""The settings that the paper varies; they come first, in this order."""


def _listed(name: str, field: FieldInfo) -> object:
    strict = Field(strict=field.annotation in (int, bool) or None)
    reads_none = [BeforeValidator(none_from_text)] if name in OPTIONAL else []
    value = Annotated[field.annotation, *field.metadata, strict, *reads_none]  # type: ignore[name-defined]
    return Annotated[tuple[value, ...], *ListOf] | None


_Sizes = Annotated[tuple[Annotated[int, Field(strict=True, ge=2, le=MOST_TREES)], ...], *ListOf] | None


def with_size_measure(values: object) -> object:
    """Return settings with the name of today for what was called ``size``: what counts as a tree's size."""
    if isinstance(values, dict) and any(isinstance(each, str) for each in as_list(values.get("size"))):
        return {("size_measure" if name == "size" else name): value for name, value in values.items()}
    return values


class _GridBase(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    _of_earlier_versions = model_validator(mode="before")(with_size_measure)

    @model_validator(mode="after")
    def _one_kind_of_size(self) -> _GridBase:
        given = self.given().keys()
        if "size" in given and given & {"population_size", "n_generations"}:
            raise ValueError(
                "give either size (population and generations alike), or population_size and n_generations"
            )
        return self

    def given(self) -> dict[str, tuple[object, ...]]:
        """Return the values of all settings that stand in the grid."""
        listed = {name: getattr(self, name) for name in (*FIRST, *_FIELDS) if name not in NOT_IN_A_GRID}
        return {name: values for name, values in listed.items() if values is not None}

    def axes(self) -> dict[tuple[str, ...], list[tuple[object, ...]]]:
        """Return the values that settings take in turn; those that go together are one axis."""
        axes: dict[tuple[str, ...], list[tuple[object, ...]]] = {}
        for name, values in self.given().items():
            if name == "size":  # population and generations alike
                axes["population_size", "n_generations"] = [(size, size) for size in values]
            else:
                axes[name,] = [(value,) for value in values]
        return axes

    @property
    def names(self) -> tuple[str, ...]:
        """The settings that the grid decides."""
        return tuple(name for names in self.axes() for name in names)

    def n_points(self) -> int:
        """Return how many settings there are."""
        return prod(len(values) for values in self.axes().values())

    def points(self, among: Collection[str] | None = None) -> Iterator[dict[str, object]]:
        """Yield the values of every point, the last setting moving fastest; of some settings or of all."""
        axes = {names: values for names, values in self.axes().items() if among is None or names[0] in among}
        for choices in product(*axes.values()):
            yield {
                name: value
                for names, values in zip(axes, choices, strict=True)
                for name, value in zip(names, values, strict=True)
            }


def _refused(instead: str) -> object:
    def refuse(_value: object) -> None:
        raise ValueError(f"cannot vary in a grid: {instead}")

    return Annotated[None, BeforeValidator(refuse)]


SETTINGS = tuple(name for name in EvolutionSettings.model_fields if name not in NOT_IN_A_GRID)
"""All settings that a grid can vary."""

_FIELDS: dict[str, tuple[object, None]] = {
    name: (_refused(instead), None) for name, instead in NOT_IN_A_GRID.items()
}
for _name in SETTINGS:
    if _name == "size_measure":
        _FIELDS["size"] = (_Sizes, None)  # here, so that cells keep their order
    _FIELDS[_name] = (_listed(_name, EvolutionSettings.model_fields[_name]), None)


class Grid(create_model("_AllSettings", __base__=_GridBase, **_FIELDS)):  # type: ignore[misc]
    """The settings that vary. What is left out keeps the study's fixed setting."""


# --- conditions on the command line -----------------------------------------------------------------

_MOST_SHOWN = 20


def conditions(
    option: str,
    noun: str,
    keys: Collection[str],
    texts_of: Callable[[str], Iterable[str]],
    wanted: Iterable[str],
) -> Mapping[str, set[str]]:
    """Return the values that are wanted of each key; an unknown key, or one that none has, is an error."""
    either: dict[str, set[str]] = {}
    for text in wanted:
        name, value = _condition(option, keys, text)
        known = dict.fromkeys(texts_of(name))
        if value not in known:
            some = [has for has in known if has][:_MOST_SHOWN]
            near = did_you_mean(value, some) or f"; there is: {', '.join(some) or 'none'}"
            raise ConfigError(f"{option} {text}: no {noun} has this {name}{near}")
        either.setdefault(name, set()).add(value)
    return either


def _condition(option: str, keys: Collection[str], text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if name == "size" and name not in keys:
        name = "population_size"  # as in an experiment file and --only
    if not equals:
        raise ConfigError(f"{option} {text}: should be KEY=VALUE, such as dataset=vote")
    if name not in keys:
        more = f" and {len(keys) - _MOST_SHOWN} more" if len(keys) > _MOST_SHOWN else ""
        near = did_you_mean(name, keys) or f"; known: {', '.join(list(keys)[:_MOST_SHOWN])}{more}"
        raise ConfigError(f"{option} {text}: no key {name!r}{near}")
    return name, _canonical(name, value.strip())


def as_text(value: object) -> str:
    """Return a value as users write it: 0.5, 10, true, none, majority."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.15g}"
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else str(value)


def _canonical(name: str, value: str) -> str:
    """Let 10000 find the x-factor 1e4, and 0.50 the mutation rate 0.5; names stay as they are."""
    try:
        if name == "x_factor":
            return str(XFactor.parse(value))
        if name not in ("study", "dataset"):
            return as_text(float(value))
    except ValueError:
        pass
    return value
