"""The settings of an evolution, validated once and shared by YAML, command line and estimator.

Presets, the paper's among them, are in gatree.settings.presets. This module knows nothing of data or trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic_core import CoreSchema, ErrorDetails, core_schema

from gatree.base.errors import ConfigError, did_you_mean
from gatree.base.limits import (
    LARGEST_SEED,
    MOST_GENERATIONS,
    MOST_INSTANCES,
    MOST_NODES,
    MOST_THREADS,
    MOST_TREES,
)
from gatree.settings.entries import Entry
from gatree.settings.registry import (
    EVALUATORS,
    REGISTERED_SHARES,
    REPLACEMENTS,
    SELECTIONS,
    mutations_of,
)

Share = Annotated[float, Field(ge=0, le=1)]
PositiveFinite = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]

if TYPE_CHECKING:
    EvaluatorName: TypeAlias = str
    SelectionName: TypeAlias = str
    ReplacementName: TypeAlias = str
else:  # the registry's names, which type checkers cannot know
    EvaluatorName, SelectionName, ReplacementName = (
        Literal[tuple(entries)] for entries in (EVALUATORS, SELECTIONS, REPLACEMENTS)
    )


Unchanged = Literal["saved", "not-evaluated", "evaluated"]
"""How the ledger counts a child that is identical to a tree that was evaluated before.

``saved``: all its instances count as saved. ``not-evaluated``: it does not count as an evaluation.
``evaluated``: all its instances count as classified again.
"""


@dataclass(frozen=True)
class XFactor:
    """The x of Eq. 1: constant, or moving linearly from the first to the last generation.

    Written ``1e4`` or ``1e4..1e5``. The larger x, the less the size of a tree matters.
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

    def at(self, generation: Any, n_generations: int, n_steps: int = 0) -> Any:
        """Return x in a generation, or in each of an array of generations; 0 is the initial population.

        With ``n_steps``, x moves from the first value to the last in that many steps.
        """
        if n_generations == 0:
            return self.first
        progress = generation / n_generations
        if n_steps > 0:
            progress = generation * n_steps // n_generations / n_steps
        return self.first + (self.last - self.first) * progress

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


def _described(entries: Mapping[str, Entry]) -> str:
    return "; ".join(f"{name}: {entry.description}" for name, entry in entries.items())


REMOVED: Mapping[str, str] = {
    "subtree_cache": "this setting was removed, since the cache no longer saved time; leave it out",
    "enter": "this setting was removed: offspring enter together, at the end of a generation; leave it out",
}
"""Settings of earlier versions, with the message for a configuration that still has them."""


class EvolutionSettings(BaseModel):
    """The settings of one evolution. The presets of the paper and of new evolutions are in presets.py."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    population_size: int = Field(100, ge=2, le=MOST_TREES, description="trees in the population")
    n_generations: int = Field(
        100, ge=0, le=MOST_GENERATIONS, description="generations after the initial population"
    )
    mutation_rate: Share = Field(0.01, description="probability that a child is mutated")
    x_factor: XFactor = Field(XFactor(1e4, 1e4), description="x of Eq. 1: 1e4, or 1e4..1e5")
    x_start: PositiveFinite | None = Field(
        None, description="initial x, in place of the x-factor's first value"
    )
    x_steps: int = Field(0, ge=0, description="steps in which x moves; 0: continuously")
    paid: Literal["every-generation", "at-birth"] = Field(
        "every-generation",
        description="when a payoff is computed: in every generation, or once at birth (copies keep it)",
    )
    size: Literal["nodes", "leaves"] = Field("nodes", description="what counts as the size in Eq. 1")
    selection: SelectionName = Field("tournament", description="how parents are chosen")
    tournament_size: int = Field(2, ge=1, le=MOST_TREES, description="trees that compete to become a parent")
    generation_gap: float = Field(
        0.12, gt=0, le=1, description="offspring per generation, as a share of the population"
    )
    replacement: ReplacementName = Field("worst", description=_described(REPLACEMENTS))
    crossover_rate: Share = Field(1.0, description="probability that two parents are crossed; else copied")
    copies: Unchanged = Field(
        "saved", description="how a child that is a copy of its parent counts in the ledger"
    )
    root_swaps: Unchanged = Field(
        "saved", description="how the children of two exchanged roots count in the ledger"
    )
    root_share: Share = Field(
        1.0, description="probability of the root as a crossover point, as a share of a uniform choice"
    )
    prune_share: Share = Field(0.5, description="share of an inner node's mutations that prune it")
    shift_share: Share = Field(
        0.0, description="share of an inner node's mutations that move its test to a neighbouring one"
    )
    grow_share: Share = Field(0.0, description="share of a leaf's mutations that grow it into a test")
    leaf_class: Literal["random", "majority"] = Field(
        "random", description="a leaf's class: random (the paper), or the majority of its instances"
    )
    min_leaf: int = Field(
        0, ge=0, le=MOST_INSTANCES, description="minimum instances per leaf; other trees get no payoff"
    )
    class_weight: dict[str, Weight] | Literal["balanced"] | None = Field(
        None,
        description="weight of a correct instance of each class; balanced: equal totals for all classes",
    )
    max_nodes: int | None = Field(
        None, ge=3, le=MOST_NODES, description="maximum nodes of a tree; larger children are rejected"
    )
    max_depth: int | None = Field(
        None, ge=1, le=MOST_NODES, description="maximum depth of a tree; deeper children are rejected"
    )
    numeric_tests: Literal["integer", "observed", "auto"] = Field(
        "integer",
        description="thresholds: every integer (the paper), between observed values, or by the data",
    )
    evaluator: EvaluatorName = Field("new", description="how the fitness is computed; all agree exactly")
    n_jobs: int = Field(
        1,
        ge=1,
        le=MOST_THREADS,
        description="threads, which do not change the result; trees of all sizes use one per core",
    )
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="seed of all random numbers")

    @property
    def n_offspring(self) -> int:
        """The number of children in a generation."""
        return max(1, round(self.generation_gap * self.population_size))

    @model_validator(mode="after")
    def _shares_add_up(self) -> Self:
        for kind in ("leaf", "test"):
            shares = {entry.share: getattr(self, entry.share) for entry in mutations_of(kind) if entry.share}
            if fsum(shares.values()) > 1:
                used = {name: share for name, share in shares.items() if share > 0}
                got = " + ".join(map(str, used.values()))
                raise ValueError(f"{', '.join(used)}: should be at most 1 together, got {got}")
        return self


if REGISTERED_SHARES and not TYPE_CHECKING:  # add a setting for each mutation of another package
    EvolutionSettings = create_model(
        "EvolutionSettings",
        __base__=EvolutionSettings,
        __module__=__name__,
        __doc__=EvolutionSettings.__doc__,
        **{
            name: (Share, Field(0.0, description=f"share of mutations that {entry.description}"))
            for name, entry in REGISTERED_SHARES.items()
        },
    )


Model = TypeVar("Model", bound=BaseModel)


def validated(
    model: type[Model], values: Mapping[str, Any], where: str = "", context: dict[str, Any] | None = None
) -> Model:
    """Return the model of what a user wrote, or raise one ConfigError that lists all errors.

    Each message begins with ``where``, such as the file. The context is for the model's validators.
    """
    try:
        return model.model_validate(dict(values), context=context)
    except ValidationError as error:
        complaints = [complaint(details, model, values) for details in _of_unions(error.errors())]
    prefix = f"{where}: " if where else ""
    raise ConfigError("\n".join(f"{prefix}{text}" for text in complaints))


def _of_unions(errors: list[ErrorDetails]) -> Iterator[ErrorDetails]:
    """Yield errors; of those of a value that may be a word or a mapping, only the one that fits it."""
    places = [{each["loc"][:-1] for each in errors if is_such(each)} for is_such in (_is_word, _is_mapping)]
    of_both = places[0] & places[1]
    for details in errors:
        if _is_word(details) and isinstance(details["input"], Mapping):
            continue  # the mapping's own errors are reported
        if details["loc"][:-1] in of_both:
            if _is_mapping(details):
                continue
            details["ctx"]["expected"] += " or a mapping"
        yield details


def _is_mapping(details: ErrorDetails) -> bool:
    """Tell whether an error says that a value is no mapping."""
    return details["type"] == "dict_type"


def _is_word(details: ErrorDetails) -> bool:
    """Tell whether an error says that a value is none of the words that a union has."""
    return details["type"] == "literal_error" and str(details["loc"][-1]).startswith("literal[")


def complaint(details: ErrorDetails, model: type[BaseModel], values: Mapping[str, Any]) -> str:
    """Return a message with the location of a value, what is wrong, what was given and what is allowed."""
    path, got = _path(details["loc"], values), details["input"]
    context = details.get("ctx", {})
    match details["type"]:
        case "extra_forbidden":
            if reason := REMOVED.get(str(details["loc"][-1])):
                return f"{path}: {reason}"
            known = list(_fields_at(model, details["loc"][:-1]))
            near = did_you_mean(str(details["loc"][-1]), known)
            return f"{path}: unknown setting{near or '; known: ' + ', '.join(known)}"
        case "missing":
            return f"{path}: is missing"
        case "union_tag_not_found" | "union_tag_invalid" as problem:
            name = context["discriminator"].strip("'")
            if problem == "union_tag_not_found":
                return f"{path}.{name}: is missing"
            expected, tag = context["expected_tags"], context["tag"]
            return f"{path}.{name}: should be {expected}, got {tag!r}{_near(tag, expected)}"
        case "literal_error":
            return f"{path}: should be {context['expected']}, got {got!r}{_near(got, context['expected'])}"
        case "value_error":
            return f"{path}: {context['error']}" if path else str(context["error"])
    message = details["msg"].partition(" should ")[2]
    return f"{path}: should {message or details['msg']}, got {got!r}"


def _near(got: object, expected: str) -> str:
    return did_you_mean(str(got), re.findall("'([^']*)'", expected))


def _path(location: tuple[int | str, ...], values: Any) -> str:
    """Format a location as in the file, such as ``studies[0].grid.size[2]``."""
    path = ""
    for depth, step in enumerate(location, start=1):
        is_item = isinstance(step, int) and isinstance(values, list | tuple)
        is_key = isinstance(values, Mapping) and (depth == len(location) or step in values)
        if not is_item and not is_key:
            continue  # the tag of a model in a union, or the index of a single value: not in the file
        path += f"[{step}]" if is_item else f".{step}"
        try:
            values = values[step]
        except (KeyError, IndexError, TypeError):
            values = None
    return path.removeprefix(".")


def _fields_at(model: type[BaseModel], path: tuple[int | str, ...]) -> dict[str, Any]:
    """Return the fields of the model at a path inside a model."""
    choices = [model]
    for step in path:
        if isinstance(step, str) and step in model.model_fields:
            choices = _models_in(model.model_fields[step].annotation) or choices
            model = choices[0]
        elif isinstance(step, str):  # the tag of a model in a union
            model = next((choice for choice in choices if _has_tag(choice, step)), model)
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _has_tag(model: type[BaseModel], tag: str) -> bool:
    return any(tag in getattr(field.annotation, "__args__", ()) for field in model.model_fields.values())


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _models_in(part)]
