"""What a record of the journal consists of: the fields of each kind, and what may stand in them.

docs/journal.md describes them. Bounds are given twice, as pydantic and as msgspec want them: `parse_record`
says by pydantic what is wrong with a line, and `gatree.experiments.swift_record` reads by msgspec, fast.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from msgspec import Meta
from pydantic import AfterValidator, ConfigDict, Field
from typing_extensions import TypedDict

from gatree.experiments.baseline_name import Baseline
from gatree.settings.evolution_settings import EvaluatorName

SCHEMA = 2

Text = Annotated[str, Field(max_length=1000), Meta(max_length=1000)]
Key = Annotated[str, Field(min_length=1, max_length=100), Meta(min_length=1, max_length=100)]
Count = Annotated[int, Field(ge=0, le=2**62), Meta(ge=0, le=2**62)]
Positive = Annotated[int, Field(ge=1, le=2**62), Meta(ge=1, le=2**62)]
Share = Annotated[float, Field(ge=0, le=1), Meta(ge=0, le=1)]
Number = Annotated[float, Field(allow_inf_nan=False)]  # for msgspec, JSON has no others
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False), Meta(gt=0)]
Attribute = Annotated[int, Field(ge=-1, lt=2**31), Meta(ge=-1, lt=2**31)]
Value = Annotated[int, Field(ge=0, lt=2**31), Meta(ge=0, lt=2**31)]
XFactorText = Annotated[str, Field(pattern=r"^[0-9.e+-]{1,60}$"), Meta(pattern=r"^[0-9.e+-]{1,60}\Z")]
_OPEN: ConfigDict = {"extra": "allow"}


def alike(lists: Any) -> Any:
    """Demand lists of one length, such as those of the nodes of a tree."""
    lengths = {len(values) for values in lists.values() if values}
    if len(lengths) > 1:
        raise ValueError("has lists of different lengths")
    return lists


class Cell(TypedDict):
    """What every cell has."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    study: Text
    dataset: Text
    replicate: NotRequired[Count]


class EvolutionCell(Cell):
    """What tells an evolution from others, beside what else the grid varies."""

    mutation_rate: Share
    x_factor: XFactorText
    population_size: Annotated[int, Field(ge=2, le=2**62), Meta(ge=2, le=2**62)]
    n_generations: Count


class SavingsCell(EvolutionCell):
    """An evolution on all instances."""

    kind: Literal["savings"]


class FoldCell(EvolutionCell):
    """An evolution on the training part of a fold."""

    kind: Literal["cross-validation"]
    fold: Count


class BaselineCell(Cell):
    """Another classifier."""

    kind: Literal["baseline"]
    baseline: Baseline


class Ledger(TypedDict):
    """What was counted while trees were evaluated."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    instances_reclassified: Count
    instances_total: Count
    node_instance_checks: Count
    node_instance_checks_full: Count


class Nodes(TypedDict):
    """A tree in preorder."""

    attribute: Annotated[list[Attribute], Field(min_length=1), Meta(min_length=1)]
    value: Annotated[list[Value], Field(min_length=1), Meta(min_length=1)]


class History(TypedDict):
    """The best tree of every generation."""

    accuracy: list[Number]
    test_accuracy: list[Number]
    size: list[Positive]


class FoundNumbers(TypedDict):
    """What an evolution has found, in numbers."""

    n_nodes: Positive
    n_leaves: Positive
    payoff: Number
    n_evaluations: Count
    ledger: Ledger
    total_weight: NotRequired[Positive]


class SavingsNumbers(FoundNumbers):
    """The same on all instances."""

    n_instances: Positive
    n_correct: Count


class FoldNumbers(FoundNumbers):
    """The same on a fold."""

    n_train: Positive
    n_test: Positive
    train_correct: Count
    test_correct: Count


class SavingsOutcome(SavingsNumbers):
    """All that was found on all instances."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    best: Annotated[Nodes, AfterValidator(alike)]
    class_weight: NotRequired[list[Count]]
    kept_bytes: dict[str, Count]


class FoldOutcome(FoldNumbers):
    """All that was found on a fold."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    best: Annotated[Nodes, AfterValidator(alike)]
    class_weight: NotRequired[list[Count]]
    history: NotRequired[Annotated[History, AfterValidator(alike)]]


class BaselineFold(TypedDict):
    """What a baseline did in a fold."""

    n_train: Positive
    n_test: Positive
    train_correct: Count
    test_correct: Count
    size: Positive
    leaves: Positive


class BaselineOutcome(TypedDict):
    """What a baseline did."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    n_instances: Positive
    cv_correct: Count
    size: Positive
    leaves: Positive
    train_correct: Count
    folds: NotRequired[list[BaselineFold]]


class EvolutionSeconds(TypedDict):
    """The seconds of an evaluator, a number per repeat."""

    wall: Annotated[list[Seconds], Field(min_length=1), Meta(min_length=1)]
    cpu: Annotated[list[Number], Field(min_length=1), Meta(min_length=1)]
    evaluate_wall: Annotated[list[Number], Field(min_length=1), Meta(min_length=1)]
    compiled: NotRequired[Positive]  # kernels, while the clock ran: the seconds are not those of the cell


class BaselineSeconds(TypedDict):
    """The seconds of a baseline."""

    build: Seconds
    cross_validate: Seconds
    compiled: NotRequired[Positive]
    folds: NotRequired[list[Seconds]]


Timing = Annotated[dict[EvaluatorName, EvolutionSeconds], Field(min_length=1), Meta(min_length=1)]


class Machine(TypedDict):
    """Where and when a cell ran."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    utc: Text


class Data(TypedDict):
    """The data of a cell."""

    name: Text
    checksum: Text | None


class AnyRecord(TypedDict):
    """What every record has."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    schema: Annotated[int, Field(ge=1, le=SCHEMA)]
    key: Key
    settings: NotRequired[dict[str, Any]]
    seed: NotRequired[Count | None]
    data: NotRequired[Data]


class Done(AnyRecord):
    """The record of a finished cell."""

    status: Literal["done"]
    machine: Machine


class Savings(Done):
    """An evolution on all instances."""

    cell: SavingsCell
    outcome: SavingsOutcome
    timing: Timing


class Fold(Done):
    """An evolution on a fold."""

    cell: FoldCell
    outcome: FoldOutcome
    timing: Timing


class BaselineRun(Done):
    """A baseline's."""

    cell: BaselineCell
    outcome: BaselineOutcome
    timing: BaselineSeconds


class Failed(AnyRecord):
    """The record of a cell that has failed."""

    status: Literal["failed"]
    cell: SavingsCell | FoldCell | BaselineCell
    error: str
