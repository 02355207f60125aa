"""Expand an experiment into cells: one per point of the grid, replicate and fold; and select among them.

A cell holds everything that determines its outcome; `gatree.experiments.key` derives its seed and key.
Replicates differ in their seed alone. The first ones are timed as their study says; the others run once, with
the fastest evaluator, whose ledger is the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gatree.data.dataset import Dataset
from gatree.evolution.folds import FoldKind, check_folds, fold_rows
from gatree.experiments.conditions import as_text, conditions
from gatree.experiments.experiment import CrossValidationStudy, Experiment, SavingsStudy
from gatree.experiments.key import Template, hashed_settings, key_of, seed_of, written, written_counters
from gatree.experiments.record import Baseline
from gatree.experiments.setting_grid import FIRST, SETTINGS, Grid
from gatree.settings.evolution_settings import EvaluatorName, EvolutionSettings
from gatree.weka.folds import Rows

Identity = dict[str, Any]

FASTEST: EvaluatorName = "bitset"
ALWAYS_IDENTIFYING = FIRST
"""The settings that the paper varies: they tell cells apart whether or not a grid varies them."""


@dataclass(frozen=True)
class Point:
    """The settings at one point of a grid, and the same in their JSON form, all but the seed."""

    settings: EvolutionSettings
    varied: tuple[str, ...] = ()  # what the grid varies in addition to what always identifies a cell

    @cached_property
    def values(self) -> dict[str, Any]:
        return self.settings.model_dump(mode="json", exclude={"seed", "evaluator"})

    @cached_property
    def identity(self) -> Identity:
        return {name: self.values[name] for name in (*ALWAYS_IDENTIFYING, *self.varied)}

    def protocol_text(self, protocol: dict[str, Any], seed: int) -> str:
        """Return the protocol of a cell as the text that its key is hashed from."""
        how = tuple(protocol.items())
        if how not in self._templates:
            self._templates[how] = Template.of({**hashed_settings(self.values), **protocol}, ["seed"])
        return self._templates[how].filled({"seed": seed})

    def identity_text(self, about: Identity, counters: Mapping[str, int]) -> str:
        """Return the identity of a cell as the text that its seed and key are hashed from."""
        which = (*about.values(), *counters)
        if which not in self._templates:
            self._templates[which] = Template.of({**about, **self.identity}, counters)
        return self._templates[which].filled(counters)

    @cached_property
    def _templates(self) -> dict[tuple[Any, ...], Template]:
        return {}


@dataclass(frozen=True)
class Split:
    """How data are split into folds, in one repeat of a cross-validation."""

    n_folds: int
    fold_seed: int
    repeat: int = 0  # counted from 0
    folds: FoldKind = "weka"
    drop_remainder: bool = False

    @property
    def values(self) -> dict[str, Any]:
        return {"n_folds": self.n_folds, "fold_seed": self.fold_seed, **self.kind}

    @property
    def kind(self) -> dict[str, Any]:
        """How the folds are made, unless they are WEKA's: these were there before there was a choice."""
        kind: dict[str, Any] = {} if self.folds == "weka" else {"folds": self.folds}
        return {**kind, "drop_remainder": True} if self.drop_remainder else kind

    @property
    def identity(self) -> dict[str, int]:
        return {"repeat": self.repeat} if self.repeat else {}  # the first is what a cell was before repeats

    def check(self, n_instances: int) -> None:
        """Raise an error for folds that the data do not allow."""
        check_folds(self.n_folds, n_instances, self.folds)

    def rows(self, classes: NDArray[np.int32]) -> list[tuple[Rows, Rows]]:
        """Return the training rows and the test rows of every fold."""
        return fold_rows(classes, self.n_folds, self.fold_seed, self.folds, self.drop_remainder)


@dataclass(frozen=True)
class Cell(ABC):
    """One point of an experiment's grid."""

    kind: ClassVar[str]

    study: str
    dataset: str  # its short name
    checksum: str  # of the data
    n_instances: int

    @cached_property
    @abstractmethod
    def identity(self) -> Identity:
        """The identity of this cell, as in the journal."""

    @property
    @abstractmethod
    def values(self) -> dict[str, Any]:
        """All settings as in the journal, those of the identity included."""

    @property
    @abstractmethod
    def key(self) -> str:
        """The hash of everything that the outcome depends on."""

    @property
    def _about(self) -> Identity:
        return {"study": self.study, "kind": self.kind, "dataset": self.dataset}


@dataclass(frozen=True)
class _EvolutionCell(Cell):
    point: Point
    experiment_seed: int
    replicate: int
    _seed_and_key: tuple[int, str] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def counters(self) -> dict[str, int]:
        """What tells this cell from the others of its point and data."""
        return {"replicate": self.replicate}

    @cached_property
    def identity(self) -> Identity:
        return {**self._about, **self.point.identity, **self.counters}

    @property
    @abstractmethod
    def protocol(self) -> dict[str, Any]:
        """How the evolution is used, as the journal has it."""

    @property
    def values(self) -> dict[str, Any]:
        return {**self.point.values, **self.protocol}

    @property
    def seed(self) -> int:
        return self._hashed()[0]

    @property
    def key(self) -> str:
        return self._hashed()[1]

    def _hashed(self) -> tuple[int, str]:
        """Return seed and key, hashed once. A cached_property would give each of a million cells a dict."""
        if self._seed_and_key is None:
            identity = self.point.identity_text(self._about, written_counters(self.counters))
            seed = seed_of(self.experiment_seed, identity)
            key = key_of(self.checksum, identity, self.point.protocol_text(self.protocol, seed))
            object.__setattr__(self, "_seed_and_key", (seed, key))
        assert self._seed_and_key is not None
        return self._seed_and_key

    def settings(self, evaluator: EvaluatorName) -> EvolutionSettings:
        """Return the settings of the evolution."""
        return self.point.settings.model_copy(update={"seed": self.seed, "evaluator": evaluator})


@dataclass(frozen=True)
class SavingsCell(_EvolutionCell):
    """The same evolution with every evaluator, on all data."""

    kind = "savings"

    evaluators: tuple[EvaluatorName, ...]
    repeats: int

    @property
    def protocol(self) -> dict[str, Any]:
        return {"evaluators": self.evaluators, "repeats": self.repeats}


@dataclass(frozen=True)
class FoldCell(_EvolutionCell):
    """An evolution on the training rows of one fold, tried on its test rows."""

    kind = "cross-validation"

    split: Split
    fold: int  # counted from 0
    evaluator: EvaluatorName  # no part of the key: the outcome is the same
    history: bool

    @property
    def _about(self) -> Identity:
        return {**super()._about, **self.split.kind}

    @property
    def counters(self) -> dict[str, int]:
        return {"replicate": self.replicate, **self.split.identity, "fold": self.fold}

    @property
    def protocol(self) -> dict[str, Any]:
        return {**self.split.values, "history": self.history}


@dataclass(frozen=True)
class BaselineCell(Cell):
    """Another classifier on the same data and the same folds. It has no seed, and so no other replicates."""

    kind = "baseline"

    split: Split
    baseline: Baseline
    replicate: int = field(default=0, init=False)

    @cached_property
    def identity(self) -> Identity:
        about = {**self._about, **self.split.kind}
        return {**about, "replicate": 0, **self.split.identity, "baseline": self.baseline}

    @property
    def values(self) -> dict[str, Any]:
        return dict(self.split.values)

    @cached_property
    def key(self) -> str:
        identity = {name: value for name, value in self.identity.items() if name != "replicate"}
        return key_of(self.checksum, written(identity), written(self.values))


@dataclass(frozen=True)
class Batch:
    """Cells that differ in replicate, repeat and fold alone, made when needed; all take the same time."""

    n_cells: int
    cells: Callable[[], Iterator[Cell]]

    @property
    def first(self) -> Cell:
        return next(self.cells())


def cells_of(experiment: Experiment, datasets: Mapping[str, Dataset]) -> list[Cell]:
    """Return all cells of an experiment, study by study; for the parameters, see `batches_of`."""
    return [cell for batch in batches_of(experiment, datasets) for cell in batch.cells()]


def batches_of(experiment: Experiment, datasets: Mapping[str, Dataset]) -> list[Batch]:
    """Return the cells of an experiment in batches, in order; data sets are by their names in it."""
    return [batch for study in experiment.studies for batch in _study_batches(experiment, study, datasets)]


def _study_batches(
    experiment: Experiment, study: SavingsStudy | CrossValidationStudy, datasets: Mapping[str, Dataset]
) -> Iterator[Batch]:
    points = list(_points(experiment.settings_of(study), study.grid))
    seeds, n_timed = experiment.seeds_of(study)
    splits = _splits(study) if isinstance(study, CrossValidationStudy) else []
    for source in study.datasets or experiment.datasets:
        data = datasets[source.name]
        about = (study.name, source.name, data.checksum, data.n_instances)
        if isinstance(study, CrossValidationStudy):
            of_baselines = _baseline_splits(study)
            for baseline in study.baselines:
                yield Batch(len(of_baselines), partial(_baseline_cells, about, of_baselines, baseline))
        for point in points:
            for replicates, is_timed in ((seeds[:n_timed], True), (seeds[n_timed:], False)):
                where = [(*about, point, experiment.seed, replicate) for replicate in replicates]
                if not where:
                    continue
                if isinstance(study, SavingsStudy):
                    how = (study.evaluators, study.repeats) if is_timed else ((FASTEST,), 1)
                    yield Batch(len(where), partial(_savings_cells, where, how))
                else:
                    evaluator = study.evaluator or point.settings.evaluator if is_timed else FASTEST
                    n_cells = len(where) * len(splits) * study.n_folds
                    yield Batch(n_cells, partial(_fold_cells, where, splits, evaluator, study.history))


_Place = tuple[str, str, str, int, Point, int, int]


def _baseline_cells(
    about: tuple[str, str, str, int], splits: list[Split], baseline: Baseline
) -> Iterator[Cell]:
    return (BaselineCell(*about, split, baseline) for split in splits)


def _savings_cells(where: list[_Place], how: tuple[tuple[EvaluatorName, ...], int]) -> Iterator[Cell]:
    return (SavingsCell(*place, *how) for place in where)


def _fold_cells(
    where: list[_Place], splits: list[Split], evaluator: EvaluatorName, history: bool
) -> Iterator[Cell]:
    for place, split in product(where, splits):
        for fold in range(split.n_folds):
            yield FoldCell(*place, split, fold, evaluator, history)


def _splits(study: CrossValidationStudy) -> list[Split]:
    """Return the repeats of a cross-validation; as in WEKA each has the next seed."""
    return [
        Split(study.n_folds, study.fold_seed + repeat, repeat, study.folds, study.drop_remainder)
        for repeat in range(study.n_repeats)
    ]


def _baseline_splits(study: CrossValidationStudy) -> list[Split]:
    """Return the same for the baselines; on folds of another kind, every instance is in one."""
    return [
        split if kind == study.folds else replace(split, folds=kind, drop_remainder=False)
        for kind in study.baseline_folds or (study.folds,)
        for split in _splits(study)
    ]


def _points(fixed: EvolutionSettings, grid: Grid) -> Iterator[Point]:
    """Yield the settings at every point of a grid."""
    varied = tuple(name for name in grid.names if name not in ALWAYS_IDENTIFYING)
    for values in grid.points():
        yield Point(fixed.model_copy(update=values), varied)


FIRST_KEYS = (
    "study",
    "kind",
    "dataset",
    "mutation_rate",
    "x_factor",
    "size",
    "replicate",
    "repeat",
    "fold",
    "baseline",
)
SELECTABLE = tuple(dict.fromkeys((*FIRST_KEYS, *SETTINGS)))
"""What cells can be chosen by: any setting, too."""


def select(cells: list[Cell], wanted: Iterable[str]) -> list[Cell]:
    """Return the cells that fit all of ``KEY=VALUE``; the same key twice means either value.

    ``size`` is the population's, or what counts as a tree's size where a grid varies that.
    """

    def texts(cell: Cell, name: str) -> set[str]:
        return {as_text(value) for value in _selectable_values(cell, name)}

    def known(name: str) -> Iterator[str]:
        return (as_text(value) for cell in cells for value in _selectable_values(cell, name))

    either = conditions("--only", "cell", SELECTABLE, known, wanted)
    return [cell for cell in cells if all(texts(cell, name) & values for name, values in either.items())]


def _selectable_values(cell: Cell, name: str) -> list[Any]:
    if name == "size":
        has = [cell.identity.get("population_size"), cell.identity.get("size")]
        return [value for value in has if value is not None]
    if name == "repeat":
        return [cell.split.repeat] if isinstance(cell, FoldCell | BaselineCell) else []
    if name in cell.identity:
        return [cell.identity[name]]
    return [cell.values[name]] if name in cell.values else []
