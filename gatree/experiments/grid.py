"""Expand an experiment into cells: one per point of the grid, replicate and fold; and select among them.

A cell runs an evolution, or one of `LEARNERS` on the same data and folds: J48, CART, the majority class, and
the small tree of `gatree tree` and `SmallTreeClassifier`. Where numbers are to be predicted, there are no
evolutions.

A cell holds everything that determines its outcome. Its key is a hash of that: a cell runs again if and only
if its key changes. A setting that was added later is hashed only where it is used, so others keep theirs.
Replicates differ in their seed alone. The first ones are timed as their study says; the others run once, with
the fastest evaluator, whose ledger is the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import msgspec

from gatree.data.answer import Classes
from gatree.data.dataset import Dataset
from gatree.data.folds import FoldKind, check_folds, fold_rows
from gatree.evolution import ENGINE_VERSION
from gatree.experiments.experiment import CrossValidationStudy, Experiment, SavingsStudy
from gatree.experiments.record import CellIdentity, CellKind, Data, Setting
from gatree.experiments.setting_grid import FIRST, SETTINGS, as_text, conditions
from gatree.settings.evolution_settings import EvaluatorName, EvolutionSettings
from gatree.weka.folds import Rows

FASTEST: EvaluatorName = "bitset"
ALWAYS_IDENTIFYING = FIRST
"""The settings that the paper varies: they tell cells apart whether or not a grid varies them."""


# --- keys ----------------------------------------------------------------------------------------------

NEVER_HASHED = frozenset({"evaluator"})  # all evaluators have one outcome

NEUTRAL: Mapping[str, Setting] = {
    "x_start": None,
    "x_steps": 0,
    "payoff": "eq-1",
    "paid": "every-generation",
    "copies": "saved",
    "root_swaps": "saved",
    "root_share": 1.0,
    "max_depth": None,
}
"""For every setting that was added later, the value that leaves an evolution as it was before.

Values are in their JSON form. A released value must never change, even if the setting's default does: two
different cells would get the same key.
"""

REMOVED: Mapping[str, Setting] = {"subtree_cache": False, "class_weight": None}
"""Settings that no longer exist, with the value that keeps the keys of cells from before their removal."""

_IN_KEYS = {"size_measure": "size", "small-tree": "front"}  # the names of earlier versions


def hashed_settings(values: Mapping[str, Setting]) -> dict[str, Setting]:
    """Return the settings, in their JSON form, that are part of a key; unlisted ones are."""
    hashed = {
        _IN_KEYS.get(name, name): value
        for name, value in values.items()
        if name not in NEVER_HASHED and (name not in NEUTRAL or value != NEUTRAL[name])
    }
    return {**REMOVED, **hashed}


_encode = json.JSONEncoder(sort_keys=True).encode


def _digest(content: Sequence[Setting | Mapping[str, Setting]]) -> str:
    return hashlib.sha256(_encode(content).encode()).hexdigest()


# --- cells ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GridPoint:
    """The settings at one point of a grid, and the same in their JSON form, all but the seed."""

    settings: EvolutionSettings
    varied: tuple[str, ...] = ()  # what the grid varies in addition to what always identifies a cell

    @cached_property
    def values(self) -> dict[str, Setting]:
        return self.settings.model_dump(mode="json", exclude={"seed", "evaluator"})

    def identity(self, study: str, kind: CellKind, dataset: str) -> CellIdentity:
        """Return what distinguishes the cells of this point from others, all but their seed and fold."""
        return CellIdentity(
            study=study,
            kind=kind,
            dataset=dataset,
            mutation_rate=self.settings.mutation_rate,
            x_factor=str(self.settings.x_factor),
            population_size=self.settings.population_size,
            n_generations=self.settings.n_generations,
            varied={name: self.values[name] for name in self.varied},
            replicate=0,
        )

    @cached_property
    def hashed(self) -> dict[str, Setting]:
        return hashed_settings(self.values)


@dataclass(frozen=True)
class Split:
    """How data are split into folds, in one repeat of a cross-validation."""

    n_folds: int
    fold_seed: int
    repeat: int = 0  # counted from 0
    folds: FoldKind = "weka"
    drop_remainder: bool = False

    @property
    def other_folds(self) -> FoldKind | None:
        """How the folds are made, unless they are WEKA's, which were there before there was a choice."""
        return None if self.folds == "weka" else self.folds

    @property
    def values(self) -> dict[str, Setting]:
        """The settings as in the journal."""
        values: dict[str, Setting] = {"n_folds": self.n_folds, "fold_seed": self.fold_seed}
        if self.other_folds:
            values["folds"] = self.other_folds
        return {**values, "drop_remainder": True} if self.drop_remainder else values

    def check(self, n_instances: int) -> None:
        """Raise an error for folds that the data do not allow."""
        check_folds(self.n_folds, n_instances, self.folds)

    def rows(self, data: Dataset) -> list[tuple[Rows, Rows]]:
        """Return the training rows and the test rows of every fold."""
        return fold_rows(data.answer.strata, self.n_folds, self.fold_seed, self.folds, self.drop_remainder)


_NOT_SPLIT = Split(0, 0)


@dataclass(frozen=True)
class Cell:
    """One point of an experiment's grid, data and replicate: what is run, and what its key is hashed from.

    The kind decides which fields count. ``savings``: the same evolution with every evaluator, on all data.
    ``cross-validation``: an evolution on the training rows of one fold, tried on its test rows.
    ``baseline``: another classifier on all folds; it has no seed, and so no other replicates.
    """

    identity: CellIdentity
    checksum: str  # of the data
    n_instances: int
    point: GridPoint | None = None  # of an evolution
    experiment_seed: int = 0
    split: Split = _NOT_SPLIT
    evaluators: tuple[EvaluatorName, ...] = ()  # a fold has one, no part of its key: the outcome is the same
    repeats: int = 1
    history: bool = False
    _known: tuple[int, str] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def settings(self) -> EvolutionSettings:
        """The settings of an evolution, all but seed and evaluator."""
        assert self.point is not None
        return self.point.settings

    def settings_with(self, evaluator: EvaluatorName) -> EvolutionSettings:
        """Return the settings of the evolution."""
        return self.settings.model_copy(update={"seed": self.seed, "evaluator": evaluator})

    @property
    def _protocol(self) -> dict[str, Setting]:
        """How the evolution, or the baseline, is used, as the journal has it."""
        if self.identity.kind == "baseline":
            return self.split.values
        if self.identity.kind == "cross-validation":
            return {**self.split.values, "history": self.history}
        protocol: dict[str, Setting] = {"evaluators": self.evaluators, "repeats": self.repeats}
        return {**protocol, "history": True} if self.history else protocol  # which is newer than these cells

    @property
    def values(self) -> dict[str, Setting]:
        """All settings as in the journal, those of the identity included."""
        return {**({} if self.point is None else self.point.values), **self._protocol}

    @property
    def about(self) -> tuple[str, CellIdentity, dict[str, Setting], int | None, Data]:
        """What every record of this cell begins with."""
        return self.key, self.identity, self.values, self.seed, Data(self.identity.dataset, self.checksum)

    @property
    def seed(self) -> int | None:
        """The seed of the evolution; a baseline has none."""
        return None if self.point is None else self._hashed()[0]

    @property
    def key(self) -> str:
        """The hash of everything that the outcome depends on."""
        return self._hashed()[1]

    def _hashed(self) -> tuple[int, str]:
        """Return seed and key, hashed once. A cached_property would give each of a million cells a dict."""
        if self._known is None:
            object.__setattr__(self, "_known", self._seed_and_key())
        assert self._known is not None
        return self._known

    def _seed_and_key(self) -> tuple[int, str]:
        identity = {_IN_KEYS.get(name, name): value for name, value in self.identity.fields.items()}
        if self.identity.baseline in _IN_KEYS:
            identity["baseline"] = _IN_KEYS[self.identity.baseline]
        seed, protocol = 0, self._protocol
        if not self.identity.replicate:
            del identity["replicate"]  # as before there were replicates
        if self.point is not None:
            seed = int(_digest([self.experiment_seed, identity])[:15], 16)
            protocol = {**self.point.hashed, **protocol, "seed": seed}
        return seed, _digest([ENGINE_VERSION, self.checksum, identity, protocol])[:20]


@dataclass(frozen=True)
class Batch:
    """Cells that differ in replicate, repeat and fold alone, made when needed; all take the same time."""

    pattern: Cell
    replicates: Sequence[int] = (0,)
    splits: Sequence[Split] = (_NOT_SPLIT,)
    folds: Sequence[int | None] = (None,)  # of each split: none, if a cell is about all of them

    @property
    def n_cells(self) -> int:
        return len(self.replicates) * len(self.splits) * len(self.folds)

    def cells(self) -> Iterator[Cell]:
        for replicate, split, fold in product(self.replicates, self.splits, self.folds):
            identity = msgspec.structs.replace(
                self.pattern.identity,
                folds=split.other_folds,
                drop_remainder=split.drop_remainder,
                replicate=replicate,
                repeat=split.repeat,
                fold=fold,
            )
            yield replace(self.pattern, identity=identity, split=split)

    @property
    def first(self) -> Cell:
        return next(self.cells())


def batches_of(experiment: Experiment, datasets: Mapping[str, Dataset]) -> list[Batch]:
    """Return the cells of an experiment in batches, in order; of the data sets that are given by name."""
    return [batch for study in experiment.studies for batch in _study_batches(experiment, study, datasets)]


def _study_batches(
    experiment: Experiment, study: SavingsStudy | CrossValidationStudy, datasets: Mapping[str, Dataset]
) -> Iterator[Batch]:
    fixed = experiment.settings_of(study)
    varied = tuple(name for name in study.grid.names if name not in ALWAYS_IDENTIFYING)
    points = [GridPoint(fixed.model_copy(update=values), varied) for values in study.grid.points()]
    for source in study.datasets or experiment.datasets:
        if (data := datasets.get(source.name)) is None:
            continue
        if isinstance(study, CrossValidationStudy):
            yield from _baselines(study, source.name, data)
        for point in points if isinstance(data.answer, Classes) else ():
            yield from _evolutions(experiment, study, point, source.name, data)


def _baselines(study: CrossValidationStudy, name: str, data: Dataset) -> Iterator[Batch]:
    about = CellIdentity(study=study.name, kind="baseline", dataset=name, replicate=0)
    for baseline in study.baselines:
        identity = msgspec.structs.replace(about, baseline=baseline)
        yield Batch(Cell(identity, data.checksum, data.n_instances), splits=_baseline_splits(study))


def _evolutions(
    experiment: Experiment,
    study: SavingsStudy | CrossValidationStudy,
    point: GridPoint,
    name: str,
    data: Dataset,
) -> Iterator[Batch]:
    """Yield the cells of the seeds that are timed, and of the others, which run once, with the fastest."""
    timed = Cell(
        point.identity(study.name, study.kind, name),
        data.checksum,
        data.n_instances,
        point=point,
        experiment_seed=experiment.seed,
        history=study.history,
    )
    splits: Sequence[Split] = (_NOT_SPLIT,)
    folds: Sequence[int | None] = (None,)
    if isinstance(study, SavingsStudy):
        timed = replace(timed, evaluators=study.evaluators, repeats=study.repeats)
    else:
        timed = replace(timed, evaluators=(study.evaluator or point.settings.evaluator,))
        splits, folds = _splits(study), range(study.n_folds)
    fast = replace(timed, evaluators=(FASTEST,), repeats=1)
    seeds, n_timed = experiment.seeds_of(study)
    for cell, replicates in ((timed, seeds[:n_timed]), (fast, seeds[n_timed:])):
        if replicates:
            yield Batch(cell, replicates, splits, folds)


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

    ``size`` is the population's.
    """

    def texts(cell: Cell, name: str) -> set[str]:
        return {as_text(value) for value in _selectable_values(cell, name)}

    def known(name: str) -> Iterator[str]:
        return (as_text(value) for cell in cells for value in _selectable_values(cell, name))

    either = conditions("--only", "cell", SELECTABLE, known, wanted)
    return [cell for cell in cells if all(texts(cell, name) & values for name, values in either.items())]


def _selectable_values(cell: Cell, name: str) -> list[Setting]:
    if name == "size":
        name = "population_size"
    if name == "repeat":
        return [cell.identity.repeat] if cell.identity.kind != "savings" else []
    fields = {**cell.values, **cell.identity.fields}
    return [fields[name]] if name in fields else []
