"""From an experiment to its cells: one cell per point of the grid, each with its own seed and key.

A cell says everything that decides its outcome. Its seed is hashed from the experiment's seed and the
cell's identity, so results do not depend on order, machine or workers; its key is hashed from all that
the outcome depends on, data and engine version included, so a cell runs again exactly if that changes.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from gatree.config import EvaluatorName, EvolutionSettings
from gatree.data.dataset import Dataset
from gatree.evolution import ENGINE_VERSION
from gatree.experiments.experiment import (
    Baseline,
    CrossValidationStudy,
    Experiment,
    Grid,
    SavingsStudy,
    dataset_name,
)

Identity = dict[str, Any]


@dataclass(frozen=True)
class Cell(ABC):
    """One point of an experiment's grid."""

    kind: ClassVar[str]

    study: str
    dataset: str  # its short name
    checksum: str  # of the data
    n_instances: int

    @property
    def identity(self) -> Identity:
        """What tells this cell from the others, as the journal has it."""
        return {"study": self.study, "kind": self.kind, "dataset": self.dataset}

    @property
    @abstractmethod
    def protocol(self) -> dict[str, Any]:
        """The settings that are not part of the identity."""

    @cached_property
    def key(self) -> str:
        """The hash of all that the outcome depends on."""
        return _digest([ENGINE_VERSION, self.checksum, self.identity, self.protocol])[:20]


@dataclass(frozen=True)
class _EvolutionCell(Cell):
    settings: EvolutionSettings

    @property
    def identity(self) -> Identity:
        names = ("mutation_rate", "x_factor", "population_size", "n_generations")
        settings = self.settings.model_dump(mode="json", include=set(names))
        return {**super().identity, **{name: settings[name] for name in names}}

    @property
    def protocol(self) -> dict[str, Any]:
        return self.settings.model_dump(mode="json", exclude={"evaluator"})


@dataclass(frozen=True)
class SavingsCell(_EvolutionCell):
    """The same evolution with every evaluator, on all data."""

    kind = "savings"

    evaluators: tuple[EvaluatorName, ...]
    repeats: int

    @property
    def protocol(self) -> dict[str, Any]:
        return {**super().protocol, "evaluators": self.evaluators, "repeats": self.repeats}


@dataclass(frozen=True)
class FoldCell(_EvolutionCell):
    """An evolution on the training rows of one fold, tried on its test rows."""

    kind = "cross-validation"

    fold: int  # counted from 0
    n_folds: int
    fold_seed: int
    history: bool

    @property
    def identity(self) -> Identity:
        return {**super().identity, "fold": self.fold}

    @property
    def protocol(self) -> dict[str, Any]:
        folds = {"n_folds": self.n_folds, "fold_seed": self.fold_seed, "history": self.history}
        return {**super().protocol, **folds}


@dataclass(frozen=True)
class BaselineCell(Cell):
    """Another classifier on the same data and the same folds."""

    kind = "baseline"

    baseline: Baseline
    n_folds: int
    fold_seed: int

    @property
    def identity(self) -> Identity:
        return {**super().identity, "baseline": self.baseline}

    @property
    def protocol(self) -> dict[str, Any]:
        return {"n_folds": self.n_folds, "fold_seed": self.fold_seed}


def cells_of(experiment: Experiment, datasets: Mapping[str, Dataset]) -> list[Cell]:
    """Return all cells of an experiment, study by study.

    Parameters
    ----------
    experiment : Experiment
    datasets : mapping
        From every source that the experiment names to its data.
    """
    return [
        cell
        for study in experiment.studies
        for source in study.datasets or experiment.datasets
        for cell in _study_cells(experiment, study, dataset_name(source), datasets[source])
    ]


def _study_cells(
    experiment: Experiment, study: SavingsStudy | CrossValidationStudy, name: str, data: Dataset
) -> Iterator[Cell]:
    about = (study.name, name, data.checksum, data.n_instances)
    if isinstance(study, CrossValidationStudy):
        for baseline in study.baselines:
            yield BaselineCell(*about, baseline, study.n_folds, study.fold_seed)
    for settings in _settings(experiment.settings_of(study), study.grid):
        if isinstance(study, SavingsStudy):
            yield _seeded(experiment, SavingsCell(*about, settings, study.evaluators, study.repeats))
        else:
            chosen = settings.model_copy(update={"evaluator": study.evaluator or settings.evaluator})
            for fold in range(study.n_folds):
                cell = FoldCell(*about, chosen, fold, study.n_folds, study.fold_seed, study.history)
                yield _seeded(experiment, cell)


def _settings(fixed: EvolutionSettings, grid: Grid) -> Iterator[EvolutionSettings]:
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
        point = {"mutation_rate": rate, "x_factor": x_factor}
        yield fixed.model_copy(update={**point, "population_size": population, "n_generations": generations})


def _seeded(experiment: Experiment, cell: SavingsCell | FoldCell) -> Cell:
    seed = int(_digest([experiment.seed, cell.identity])[:15], 16)
    return replace(cell, settings=cell.settings.model_copy(update={"seed": seed}))


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
