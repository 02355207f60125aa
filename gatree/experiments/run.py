"""Run the cells of an experiment that are not yet in its journal, the longest first.

This module connects configuration, cells, workers and journal. Running again resumes. All errors of the
file, of its data and of settings and folds that the data do not allow are raised before any cell runs.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Protocol

from gatree.base.errors import ConfigError, DataError, GatreeError
from gatree.base.progress import SilentListener
from gatree.data.dataset import Dataset
from gatree.evolution.problem import Problem
from gatree.experiments.estimate import Measured, calibration, measured, modelled_seconds
from gatree.experiments.experiment import CrossValidationStudy, Experiment
from gatree.experiments.grid import Batch, Cell, Split, batches_of, select
from gatree.experiments.journal import read_records
from gatree.experiments.journal_writer import JournalWriter
from gatree.experiments.places import JOURNAL
from gatree.experiments.record import Failed, Record
from gatree.experiments.sources import DataSource
from gatree.learners.registry import LEARNERS


def check_cells(cells: Iterable[Cell], datasets: Mapping[str, Dataset]) -> Iterator[GatreeError]:
    """Yield errors that name the study and the data of cells that are sure to fail; data are by checksum."""
    seen = set()
    for cell in cells:
        demands = (cell.checksum, *_demands_of(cell))
        if demands in seen:
            continue
        seen.add(demands)
        try:
            _check(cell, datasets[cell.checksum])
        except GatreeError as error:
            kind = ConfigError if isinstance(error, ConfigError) else DataError
            yield kind(f"study {cell.identity.study!r}, data set {cell.identity.dataset!r}: {error}")


def _demands_of(cell: Cell) -> tuple[Split, str]:
    """Return what the data have to allow, as a key."""
    return cell.split, cell.identity.baseline or cell.settings.numeric_tests


def _check(cell: Cell, data: Dataset) -> None:
    if cell.identity.kind != "savings":
        cell.split.check(data.n_instances)
    if not cell.identity.baseline:
        Problem.of(data, cell.settings.numeric_tests)


def _unpredictable(experiment: Experiment, datasets: Mapping[str, Dataset]) -> Iterator[GatreeError]:
    """Yield errors for methods that do not predict what the data have; an evolution predicts classes."""
    for study in experiment.studies:
        baselines = study.baselines if isinstance(study, CrossValidationStudy) else ()
        for data in (datasets[source.name] for source in study.datasets or experiment.datasets):
            for name in baselines or ("evolution",):
                try:
                    LEARNERS[name].check(data)
                except DataError as error:
                    where = f"study {study.name!r}, data set {data.name!r}"
                    yield DataError(
                        f"{where}: {error}; or choose another column with class:, or make classes"
                    )


def _loaded(sources: Iterable[DataSource]) -> tuple[dict[str, Dataset], list[GatreeError]]:
    """Return the data of sources by name, and the errors of those that cannot be used."""
    data: dict[str, Dataset] = {}
    errors: list[GatreeError] = []
    for source in sources:
        try:
            data[source.name] = source.load()
        except GatreeError as error:
            errors.append(error)
    return data, errors


def _joined(errors: Sequence[GatreeError]) -> GatreeError:
    """Return several errors as one, a line for each."""
    kind = DataError if isinstance(errors[0], DataError) else ConfigError
    return errors[0] if len(errors) == 1 else kind("\n".join(map(str, errors)))


@dataclass(frozen=True)
class Plan:
    """The cells of an experiment, their data, and which of them are asked for."""

    experiment: Experiment
    datasets: Mapping[str, Dataset]  # by checksum
    batches: tuple[Batch, ...]
    only: tuple[str, ...] = ()

    @classmethod
    def of(cls, experiment: Experiment, only: Iterable[str] = ()) -> Plan:
        """Load the data, lay out the grid and check it; ``only`` narrows it (see `select`).

        The errors of all data are raised as one, else those of all cells.
        """
        data, errors = _loaded(experiment.sources())
        if errors:
            raise _joined(errors)
        if errors := list(_unpredictable(experiment, data)):
            raise _joined(errors)
        by_checksum = {dataset.checksum: dataset for dataset in data.values()}
        plan = cls(experiment, by_checksum, tuple(batches_of(experiment, data)), tuple(only))
        cells = plan.chosen if only else [batch.first for batch in plan.batches]
        if errors := list(check_cells(cells, by_checksum)):
            raise _joined(errors)
        return plan

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(cell for batch in self.batches for cell in batch.cells())

    @cached_property
    def chosen(self) -> tuple[Cell, ...]:
        return tuple(select(list(self.cells), self.only)) if self.only else self.cells

    @property
    def n_chosen(self) -> int:
        return len(self.chosen) if self.only else sum(batch.n_cells for batch in self.batches)

    @property
    def seconds(self) -> float:
        """The seconds that all cells should take on the model's machine; no cell is made for it."""
        return sum(batch.n_cells * modelled_seconds(batch.first) for batch in self.batches)

    @cached_property
    def modelled(self) -> Mapping[str, float]:
        """The seconds that each cell should take, by key."""
        modelled: dict[str, float] = {}
        cells = iter(self.cells)
        for batch in self.batches:
            seconds = modelled_seconds(batch.first)
            modelled.update((cell.key, seconds) for cell in islice(cells, batch.n_cells))
        return modelled

    def folder(self, results: Path) -> Path:
        return results / self.experiment.name


class Workers(Protocol):
    """Run cells and yield their records as they finish: in local processes or on a cluster."""

    def __call__(self, cells: Sequence[Cell], datasets: Mapping[str, Dataset], /) -> Generator[Record]: ...


@dataclass(frozen=True)
class Work:
    """The finished and the remaining part of a plan."""

    done: int
    todo: tuple[Cell, ...]  # the longest first, so that no worker is left with one at the end
    modelled: Mapping[str, float]  # seconds by key, on one core of the model's machine
    factor: float  # how much slower this machine is

    def seconds_of(self, key: str) -> float:
        """Return the seconds that a cell should take on one core."""
        return self.factor * self.modelled[key]

    @property
    def seconds_left(self) -> float:
        return sum(self.seconds_of(cell.key) for cell in self.todo)


class RunListener(SilentListener):
    """What a run of an experiment reports to; this one ignores everything."""

    def begun(self, work: Work) -> None:
        """Note the work that is left, before it starts."""

    def started(self, cell: Cell) -> None:
        """Note that a worker begins a cell."""

    def finished(self, record: Record) -> None:
        """Note a record, once it is written."""


def work_left(plan: Plan, seconds: Measured) -> Work:
    """Compare a plan with what the journal has."""
    modelled = plan.modelled
    factor = calibration(modelled, seconds)
    todo = sorted(
        (cell for cell in plan.chosen if seconds.get(cell.key) is None), key=lambda cell: -modelled[cell.key]
    )
    return Work(len(plan.chosen) - len(todo), tuple(todo), modelled, factor)


def recorded(plan: Plan, results: Path) -> Measured:
    """Return what the journal of a plan has so far; a cell is done if all its numbers are in order."""
    path = plan.folder(results) / JOURNAL
    return measured(read_records(path)) if path.exists() else {}


def run_plan(
    plan: Plan,
    results: Path,
    workers: Workers,
    listener: RunListener | None = None,
) -> int:
    """Run the remaining cells of a plan and return the number of failed ones.

    The journal is ``results/NAME/cells.jsonl``.
    """
    listener = listener or RunListener()
    n_failed = 0
    with JournalWriter(plan.folder(results)) as journal:
        work = work_left(plan, recorded(plan, results))
        journal.write_plan(_by_study(plan), plan.experiment.sources())
        listener.begun(work)
        with closing(workers(work.todo, plan.datasets)) as records:
            for record in records:
                journal.append(record)
                n_failed += isinstance(record, Failed)
                listener.finished(record)
    return n_failed


def _by_study(plan: Plan) -> dict[str, dict[str, float]]:
    studies: dict[str, dict[str, float]] = {study.name: {} for study in plan.experiment.studies}
    for cell in plan.cells:
        studies[cell.identity.study][cell.key] = round(plan.modelled[cell.key], 4)
    return studies
