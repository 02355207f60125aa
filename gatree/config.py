"""The settings of one evolution, validated once and shared by YAML, command line and estimator.

The defaults are those that reproduce the paper's experiments (its text leaves most of them open).
This module knows nothing of data or trees.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, ErrorDetails, core_schema

from gatree.errors import ConfigError, did_you_mean

Share = Annotated[float, Field(ge=0, le=1)]

EvaluatorName = Literal["old", "new", "new-all-nodes", "bitset"]


@dataclass(frozen=True)
class XFactor:
    """The x of Eq. 1: constant, or moving linearly from the first to the last generation.

    Written ``1e4`` or ``1e4..1e5``. The larger x is, the less size matters.
    """

    first: float
    last: float

    @classmethod
    def parse(cls, text: object) -> XFactor:
        """Read ``1e4``, ``10000`` or ``1e4..1e5``."""
        if isinstance(text, XFactor):
            return text
        first, dots, last = str(text).partition("..")
        try:
            schedule = cls(float(first), float(last if dots else first))
        except ValueError:
            raise ValueError(
                f"an x-factor is a number such as 1e4 or a range such as 1e4..1e5, not {text!r}"
            ) from None
        if not (0 < schedule.first < float("inf") and 0 < schedule.last < float("inf")):
            raise ValueError(f"an x-factor is positive and finite, not {text!r}")
        return schedule

    def at(self, generation: int, n_generations: int) -> float:
        """Return x in a generation, counted from 0 (the initial population)."""
        if n_generations == 0:
            return self.first
        return self.first + (self.last - self.first) * (generation / n_generations)

    def __str__(self) -> str:
        ends = dict.fromkeys(_short(x) for x in (self.first, self.last))
        return "..".join(ends)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls.parse, serialization=core_schema.plain_serializer_function_ser_schema(str)
        )


def _short(x: float) -> str:
    """Write 10000.0 as 1e4 and 12500.0 as 12500."""
    plain = re.sub(r"\.0$", "", repr(x))
    power = re.fullmatch(r"([1-9])(0{3,})", plain)
    return f"{power[1]}e{len(power[2])}" if power else re.sub(r"e\+?(-?)0*", r"e\1", plain)


class EvolutionSettings(BaseModel):
    """How one evolution runs. Every default is the setting that reproduces the paper."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    population_size: int = Field(100, ge=2, description="trees in the population")
    n_generations: int = Field(100, ge=0, description="generations after the initial population")
    mutation_rate: Share = Field(0.01, description="probability that a child is mutated")
    x_factor: XFactor = Field(XFactor(1e4, 1e4), description="x of Eq. 1: 1e4, or 1e4..1e5")
    size: Literal["nodes", "leaves"] = Field("nodes", description="what counts as the size in Eq. 1")
    selection: Literal["tournament", "roulette"] = Field("tournament", description="how parents are chosen")
    tournament_size: int = Field(2, ge=1, description="trees that compete to become a parent")
    generation_gap: float = Field(
        0.25, gt=0, le=1, description="offspring per generation, as a share of the population"
    )
    prune_share: Share = Field(0.5, description="share of an inner node's mutations that prune it")
    max_nodes: int | None = Field(
        None, ge=3, description="largest tree allowed; larger children are rejected"
    )
    numeric_tests: Literal["integer", "observed"] = Field(
        "integer", description="thresholds: every integer (the paper), or between observed values"
    )
    evaluator: EvaluatorName = Field("new", description="how the fitness is computed; all agree exactly")
    seed: int = Field(0, ge=0, description="of all random numbers")


Model = TypeVar("Model", bound=BaseModel)


def validated(model: type[Model], values: Mapping[str, Any], where: str = "") -> Model:
    """Return the model of these values, or raise one ConfigError that lists all that is wrong.

    Parameters
    ----------
    model : type
        The declarative model, such as `EvolutionSettings`.
    values : mapping
        What the user wrote.
    where : str
        What to name in front of each complaint, such as the file.
    """
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        complaints = [complaint(details, model) for details in error.errors()]
    prefix = f"{where}: " if where else ""
    raise ConfigError("\n".join(f"{prefix}{text}" for text in complaints))


def complaint(details: ErrorDetails, model: type[BaseModel]) -> str:
    """Say what is wrong with one value, where it stands, what was got and what would work."""
    path = ".".join(str(step) for step in details["loc"])
    if details["type"] == "extra_forbidden":
        known = list(_fields_at(model, details["loc"][:-1]))
        key = str(details["loc"][-1])
        return f"{path}: unknown setting{did_you_mean(key, known) or '; known: ' + ', '.join(known)}"
    if details["type"] == "missing":
        return f"{path}: is missing"
    message = details["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return f"{path}: should be {message}, got {details['input']!r}".replace("should be an x-factor is", "is")


def _fields_at(model: type[BaseModel], path: tuple[int | str, ...]) -> dict[str, Any]:
    """Return the fields of the model that lies at a path inside a model."""
    for step in path:
        if isinstance(step, str) and step in model.model_fields:
            annotation = model.model_fields[step].annotation
            model = next(iter(_models_in(annotation)), model)
    return model.model_fields


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _models_in(part)]
