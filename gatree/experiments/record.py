"""The records of a journal: their fields, and the values that they may have.

`gatree.experiments.record_line` reads and writes them, and docs/journal.md describes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from gatree.base.json_values import Scalar
from gatree.settings.evolution_settings import EvaluatorName

Baseline = Literal["small-tree", "j48", "j48-reduced-error", "cart", "majority", "mean"]
"""The methods that an experiment compares evolutions with; `gatree.learners.registry` has them."""

EARLIER_NAMES = {"front": "small-tree", "size": "size_measure"}
"""The names that a baseline and a setting had, and those of today."""

Setting = Scalar | Sequence[Scalar] | Mapping[str, Scalar]
"""The value of a setting in its JSON form."""

Text = Annotated[str, Meta(max_length=1000)]
Key = Annotated[str, Meta(min_length=1, max_length=100)]
Count = Annotated[int, Meta(ge=0, le=2**62)]
Positive = Annotated[int, Meta(ge=1, le=2**62)]
Share = Annotated[float, Meta(ge=0, le=1)]
Number = float  # JSON has no infinite ones
Seconds = Annotated[float, Meta(gt=0)]
Attribute = Annotated[int, Meta(ge=-1, lt=2**31)]
Value = Annotated[int, Meta(ge=0, lt=2**31)]
XFactorText = Annotated[str, Meta(pattern=r"^[0-9.e+-]{1,60}\Z")]

CellKind = Literal["savings", "cross-validation", "baseline"]

# --- cells ---------------------------------------------------------------------------------------------


class CellIdentity(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What distinguishes a cell from all others of its experiment."""

    study: Text
    kind: CellKind
    dataset: Text
    folds: Text | None = None  # how they are made, unless they are WEKA's
    drop_remainder: bool = False
    mutation_rate: Share | None = None  # of an evolution, as the next three
    x_factor: XFactorText | None = None
    population_size: Annotated[int, Meta(ge=2, le=2**62)] | None = None
    n_generations: Count | None = None
    varied: Mapping[str, Setting] = {}  # what else the grid varies
    replicate: Count
    repeat: Count = 0
    fold: Count | None = None
    baseline: Baseline | None = None

    @property
    def fields(self) -> dict[str, Setting]:
        """The fields of a line: what is varied stands next to the others, what is not there is left out."""
        fields: dict[str, Setting] = {}
        for name, value in msgspec.to_builtins(self).items():
            fields |= value if name == "varied" else {name: value}
        return fields


# --- outcomes ------------------------------------------------------------------------------------------


class LedgerRecord(Struct):
    """The counts of the evaluations."""

    instances_reclassified: Count
    instances_total: Count
    node_instance_checks: Count
    node_instance_checks_full: Count


class TreeRecord(Struct):
    """A tree in preorder."""

    attribute: Annotated[list[Attribute], Meta(min_length=1)]
    value: Annotated[list[Value], Meta(min_length=1)]

    def __post_init__(self) -> None:
        _refuse_different_lengths([self.attribute, self.value])


class History(Struct, omit_defaults=True):
    """The best tree of every generation, and the population; records of earlier versions have less."""

    accuracy: list[Number]
    test_accuracy: list[Number]
    size: list[Positive]
    payoff: list[Number] = []
    mean_payoff: list[Number] = []
    distinct: list[Positive] = []
    savings: list[Number] = []

    def __post_init__(self) -> None:
        _refuse_different_lengths(self.columns.values())

    @property
    def columns(self) -> dict[str, list[float]]:
        """What was recorded, by name."""
        return {name: values for name in self.__struct_fields__ if (values := getattr(self, name))}


class Progress(Struct):
    """The evolution at a few points: the best payoff, and the number of trees examined."""

    generation: Annotated[list[Positive], Meta(min_length=1)]
    payoff: list[Number]
    examined: list[Positive]

    def __post_init__(self) -> None:
        _refuse_different_lengths([self.generation, self.payoff, self.examined])


def _refuse_different_lengths(lists: Iterable[Sequence[float]]) -> None:
    if len(set(map(len, lists))) > 1:
        raise ValueError("has lists of different lengths")


class EvolutionOutcome(Struct, kw_only=True, omit_defaults=True):
    """What an evolution ends with."""

    n_nodes: Positive
    n_leaves: Positive
    payoff: Number
    n_evaluations: Count
    ledger: LedgerRecord
    best: TreeRecord
    history: History | None = None
    total_weight: Positive | None = None  # of all training instances, if classes have weights
    class_weight: list[Count] | None = None


class SavingsOutcome(EvolutionOutcome, kw_only=True):
    """The outcome on all instances."""

    n_instances: Positive
    n_correct: Count
    n_rejected: Count | None = None
    digest: str | None = None  # of the last generation
    kept_bytes: dict[str, Count]
    progress: Progress | None = None

    @property
    def n_train(self) -> int:
        return self.n_instances

    @property
    def train_correct(self) -> int:
        return self.n_correct


class FoldOutcome(EvolutionOutcome, kw_only=True):
    """The outcome on a fold."""

    n_train: Positive
    n_test: Positive
    train_correct: Count
    test_correct: Count


class BaselineFold(Struct):
    """The outcome of a baseline on a fold."""

    n_train: Positive
    n_test: Positive
    train_correct: Count
    test_correct: Count
    size: Positive
    leaves: Positive


class BaselineOutcome(Struct, omit_defaults=True):
    """The outcome of a baseline."""

    n_instances: Positive
    cv_correct: Count
    train_correct: Count
    size: Positive
    leaves: Positive
    folds: list[BaselineFold] = []


class NumberFold(Struct):
    """The outcome of a baseline that predicts numbers on a fold."""

    n_train: Positive
    n_test: Positive
    train_r2: Number
    r2: Number
    rmse: Number
    mae: Number
    size: Positive
    leaves: Positive


class NumberOutcome(Struct):
    """The outcome of a baseline that predicts numbers."""

    n_instances: Positive
    train_r2: Number
    size: Positive
    leaves: Positive
    folds: Annotated[list[NumberFold], Meta(min_length=1)]


# --- seconds -------------------------------------------------------------------------------------------


class EvolutionSeconds(Struct, kw_only=True, omit_defaults=True):
    """The seconds of an evaluator, a number per repeat."""

    compiled: Count = 0  # kernels, while the clock ran: the seconds are not those of the cell
    cpu_at: list[Number] = []  # CPU seconds so far at the points of the progress
    generation_wall: list[Number] = []  # of each generation, with a history
    wall: Annotated[list[Seconds], Meta(min_length=1)]
    cpu: Annotated[list[Number], Meta(min_length=1)]
    evaluate_wall: Annotated[list[Number], Meta(min_length=1)]


class BaselineSeconds(Struct, kw_only=True, omit_defaults=True):
    """The seconds of a baseline."""

    compiled: Count = 0
    build: Seconds
    cross_validate: Seconds
    folds: list[Seconds] = []


Timing = Annotated[dict[EvaluatorName, EvolutionSeconds], Meta(min_length=1)]


class Machine(Struct, kw_only=True, omit_defaults=True):
    """Where and when a cell ran, as far as is known."""

    cpu: str | None = None
    cores: int | None = None
    os: str | None = None
    python: str | None = None
    numpy: str | None = None
    numba: str | None = None
    gatree: str | None = None
    commit: str | None = None
    utc: Text


# --- records -------------------------------------------------------------------------------------------


class Data(Struct):
    """The data of a cell."""

    name: Text
    checksum: Text | None


class Record(Struct):
    """The fields of every record."""

    key: Key
    cell: CellIdentity
    settings: Mapping[str, Setting]
    seed: Count | None
    data: Data


class Failed(Record, kw_only=True):
    """The record of a cell that has failed."""

    status: Literal["failed"] = "failed"
    error: str


class EvolutionRecord(Record, kw_only=True):
    """The record of an evolution."""

    status: Literal["done"] = "done"
    outcome: EvolutionOutcome
    timing: Timing
    machine: Machine

    @property
    def compiled(self) -> int:
        """The number of kernels that were compiled while a clock ran."""
        return sum(seconds.compiled for seconds in self.timing.values())


class SavingsRecord(EvolutionRecord, kw_only=True):
    """The record of an evolution on all instances."""

    outcome: SavingsOutcome


class FoldRecord(EvolutionRecord, kw_only=True):
    """The record of an evolution on a fold."""

    outcome: FoldOutcome


class BaselineRecord(Record, kw_only=True):
    """The record of a baseline."""

    status: Literal["done"] = "done"
    outcome: BaselineOutcome
    timing: BaselineSeconds
    machine: Machine

    @property
    def compiled(self) -> int:
        """The number of kernels that were compiled while a clock ran."""
        return self.timing.compiled


class NumberRecord(Record, kw_only=True):
    """The record of a baseline that predicts numbers."""

    status: Literal["done"] = "done"
    outcome: NumberOutcome
    timing: BaselineSeconds
    machine: Machine

    @property
    def compiled(self) -> int:
        """The number of kernels that were compiled while a clock ran."""
        return self.timing.compiled


Done = SavingsRecord | FoldRecord | BaselineRecord | NumberRecord
"""The record of a finished cell."""
