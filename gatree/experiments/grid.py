"""From an experiment to its cells: one cell per point of the grid, replicate and fold.

A cell says everything that decides its outcome; `gatree.experiments.key` makes its seed and its key of it.
Replicates differ in their seed alone. The first ones are timed as their study says; the others run once, with
the fastest evaluator, whose ledger is the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from gatree.config import EvaluatorName, EvolutionSettings
from gatree.data.dataset import Dataset
from gatree.experiments.experiment import (
    Baseline,
    CrossValidationStudy,
    Experiment,
    Grid,
    SavingsStudy,
    dataset_name,
)
from gatree.experiments.key import Protocol, hashed_settings, identity_text, key_of, seed_of, written

Identity = dict[str, Any]

FASTEST: EvaluatorName = "bitset"
ALWAYS_IDENTIFYING = ("mutation_rate", "x_factor", "population_size", "n_generations")
"""The settings that the paper varies: they tell cells apart whether or not a grid varies them."""


@dataclass(frozen=True)
class Point:
    """The settings at one point of a grid, and the same in their JSON form, all but the seed."""

    settings: EvolutionSettings
    varied: tuple[str, ...] = ()  # what the grid varies beside what always identifies a cell

    @cached_property
    def values(self) -> dict[str, Any]:
        return self.settings.model_dump(mode="json", exclude={"seed", "evaluator"})

    @cached_property
    def identity(self) -> Identity:
        return {name: self.values[name] for name in (*ALWAYS_IDENTIFYING, *self.varied)}

    def run_by(self, protocol: dict[str, Any]) -> Protocol:
        """Return what keys are hashed from, but the seed: of all cells of this point and protocol, once."""
        how = tuple(protocol.items())
        if how not in self._protocols:
            self._protocols[how] = Protocol.of({**hashed_settings(self.values), **protocol})
        return self._protocols[how]

    @cached_property
    def _protocols(self) -> dict[tuple[Any, ...], Protocol]:
        return {}


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
        """What tells this cell from the others, as the journal has it."""

    @property
    @abstractmethod
    def values(self) -> dict[str, Any]:
        """All settings as the journal has them, those of the identity included."""

    @property
    @abstractmethod
    def key(self) -> str:
        """The hash of all that the outcome depends on."""

    @property
    def _about(self) -> Identity:
        return {"study": self.study, "kind": self.kind, "dataset": self.dataset}


@dataclass(frozen=True)
class _EvolutionCell(Cell):
    point: Point
    experiment_seed: int
    replicate: int

    @cached_property
    def identity(self) -> Identity:
        return {**self._about, **self.point.identity, "replicate": self.replicate}

    @property
    @abstractmethod
    def protocol(self) -> dict[str, Any]:
        """How the evolution is used, as the journal has it."""

    @property
    def values(self) -> dict[str, Any]:
        return {**self.point.values, **self.protocol}

    @cached_property
    def _seed_and_key(self) -> tuple[int, str]:
        identity = identity_text(self.identity)
        seed = seed_of(self.experiment_seed, identity)
        return seed, key_of(self.checksum, identity, self.point.run_by(self.protocol).seeded(seed))

    @property
    def seed(self) -> int:
        return self._seed_and_key[0]

    @property
    def key(self) -> str:
        return self._seed_and_key[1]

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

    evaluator: EvaluatorName  # no part of the key: the outcome is the same
    fold: int  # counted from 0
    n_folds: int
    fold_seed: int
    history: bool

    @cached_property
    def identity(self) -> Identity:
        return {**super().identity, "fold": self.fold}

    @property
    def protocol(self) -> dict[str, Any]:
        return {"n_folds": self.n_folds, "fold_seed": self.fold_seed, "history": self.history}


@dataclass(frozen=True)
class BaselineCell(Cell):
    """Another classifier on the same data and the same folds. It has no seed, and so no other replicates."""

    kind = "baseline"

    baseline: Baseline
    n_folds: int
    fold_seed: int
    replicate: int = field(default=0, init=False)

    @cached_property
    def identity(self) -> Identity:
        return {**self._about, "replicate": self.replicate, "baseline": self.baseline}

    @property
    def values(self) -> dict[str, Any]:
        return {"n_folds": self.n_folds, "fold_seed": self.fold_seed}

    @cached_property
    def key(self) -> str:
        return key_of(self.checksum, identity_text(self.identity), written(self.values))


def cells_of(experiment: Experiment, datasets: Mapping[str, Dataset]) -> list[Cell]:
    """Return all cells of an experiment, study by study.

    Parameters
    ----------
    experiment : Experiment
    datasets : mapping
        From every source that the experiment names to its data.
    """
    return [cell for study in experiment.studies for cell in _study_cells(experiment, study, datasets)]


def _study_cells(
    experiment: Experiment, study: SavingsStudy | CrossValidationStudy, datasets: Mapping[str, Dataset]
) -> Iterator[Cell]:
    points = list(_points(experiment.settings_of(study), study.grid))
    seeds, n_timed = experiment.seeds_of(study)
    replicates = [(replicate, index < n_timed) for index, replicate in enumerate(seeds)]
    for source in study.datasets or experiment.datasets:
        data = datasets[source]
        about = (study.name, dataset_name(source), data.checksum, data.n_instances)
        if isinstance(study, CrossValidationStudy):
            for baseline in study.baselines:
                yield BaselineCell(*about, baseline, study.n_folds, study.fold_seed)
        for point, (replicate, is_timed) in product(points, replicates):
            where = (*about, point, experiment.seed, replicate)
            if isinstance(study, SavingsStudy):
                how = (study.evaluators, study.repeats) if is_timed else ((FASTEST,), 1)
                yield SavingsCell(*where, *how)
            else:
                evaluator = study.evaluator or point.settings.evaluator if is_timed else FASTEST
                folds = (study.n_folds, study.fold_seed, study.history)
                yield from (FoldCell(*where, evaluator, fold, *folds) for fold in range(study.n_folds))


def _points(fixed: EvolutionSettings, grid: Grid) -> Iterator[Point]:
    """Yield the settings at every point of a grid."""
    sizes: Iterable[tuple[int, int]]
    if grid.size is not None:
        sizes = [(size, size) for size in grid.size]
    else:
        sizes = product(
            grid.population_size or [fixed.population_size], grid.n_generations or [fixed.n_generations]
        )
    rates = grid.mutation_rate or [fixed.mutation_rate]
    for rate, x_factor, (population, generations) in product(rates, grid.x_factor or [fixed.x_factor], sizes):
        at = {"mutation_rate": rate, "x_factor": x_factor}
        yield Point(
            fixed.model_copy(update={**at, "population_size": population, "n_generations": generations})
        )
