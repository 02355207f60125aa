"""The settings of an evolution, validated once and shared by YAML, command line and estimator.

The preset of the paper is in gatree.settings.presets. This module knows nothing of data or trees.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema

from gatree.base.limits import (
    LARGEST_SEED,
    MOST_GENERATIONS,
    MOST_INSTANCES,
    MOST_NODES,
    MOST_THREADS,
    MOST_TREES,
)
from gatree.settings.entries import Entry
from gatree.settings.presets import PRESETS, Preset
from gatree.settings.registry import (
    EQ_1,
    EVALUATORS,
    PAYOFFS,
    REPLACEMENTS,
    SELECTIONS,
)
from gatree.settings.validation import complain, validated

Share = Annotated[float, Field(ge=0, le=1)]
PositiveFinite = Annotated[float, Field(gt=0, allow_inf_nan=False)]

OPTIONAL = ("x_start", "max_nodes", "max_depth")
"""Settings that may have no value."""


def none_from_text(value: object) -> object:
    """Return None for ``none``, as documents and tables write it."""
    return None if value == "none" else value


if TYPE_CHECKING:
    EvaluatorName: TypeAlias = str
    SelectionName: TypeAlias = str
    ReplacementName: TypeAlias = str
    PayoffName: TypeAlias = str
else:  # the registry's names, which type checkers cannot know
    EvaluatorName, SelectionName, ReplacementName, PayoffName = (
        Literal[tuple(entries)] for entries in (EVALUATORS, SELECTIONS, REPLACEMENTS, PAYOFFS)
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
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
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


SHARES = {"leaf": ("grow_share",), "test": ("prune_share", "shift_share")}
"""The settings that share the mutations of a leaf, or of an inner node; the rest change its class or test."""


class EvolutionSettings(BaseModel):
    """The settings of one evolution.

    The defaults are a plain steady-state evolution. The paper's experiments have some other values:
    ``EvolutionSettings.preset("paper")``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    population_size: int = Field(100, ge=2, le=MOST_TREES, description="trees in the population")
    n_generations: int = Field(
        100, ge=0, le=MOST_GENERATIONS, description="generations after the initial population"
    )
    mutation_rate: Share = Field(0.01, description="probability that a child is mutated")
    x_factor: XFactor = Field(XFactor(1e4, 1e4), description="the x of Eq. 1: 1e4, or 1e4..1e5")
    x_start: PositiveFinite | None = Field(
        None, description="initial x, in place of the x-factor's first value"
    )
    x_steps: int = Field(0, ge=0, description="steps in which x moves; 0: continuously")
    payoff: PayoffName = Field(EQ_1, description=f"what a tree is worth: {_described(PAYOFFS)}")
    paid: Literal["every-generation", "at-birth"] = Field(
        "every-generation",
        description="when a payoff is computed: in every generation, or once at birth (copies keep it)",
    )
    size_measure: Literal["nodes", "leaves"] = Field("nodes", description="what counts as the size in Eq. 1")
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
        description="threads of old, new and new-all-nodes, which do not change the result",
    )
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="seed of all random numbers")

    @classmethod
    def preset(cls, name: Preset, given: Mapping[str, object] | None = None) -> Self:
        """Return the settings of a preset, with the given values in place of its own.

        >>> EvolutionSettings.preset("paper", {"population_size": 400}).selection
        'scaled-roulette'
        """
        return validated(cls, {**PRESETS[name], **(given or {})})

    @property
    def n_offspring(self) -> int:
        """The number of children in a generation."""
        return max(1, round(self.generation_gap * self.population_size))

    @property
    def schedule_text(self) -> str:
        """How x changes from the first generation to the last."""
        first = self.x_factor.first if self.x_start is None else self.x_start
        steps = f" in {self.x_steps} steps" if self.x_steps and first != self.x_factor.last else ""
        return f"{XFactor(first, self.x_factor.last)}{steps}"

    @field_validator(*OPTIONAL, mode="before")
    @classmethod
    def _no_value(cls, value: object) -> object:
        return none_from_text(value)

    @model_validator(mode="after")
    def _shares_add_up(self) -> Self:
        for names in SHARES.values():
            shares = {name: getattr(self, name) for name in names}
            if fsum(shares.values()) > 1:
                used = {name: share for name, share in shares.items() if share > 0}
                got = " + ".join(map(str, used.values()))
                raise complain(tuple(used), f"should be at most 1 together, got {got}")
        return self
