"""What can be known to go wrong before a cell runs: settings and folds that the data do not allow."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any

from gatree.base.errors import GatreeError
from gatree.base.extras import extras
from gatree.data.dataset import Dataset
from gatree.evolution.problem import Problem
from gatree.experiments.baselines import BASELINES
from gatree.experiments.grid import BaselineCell, Cell, FoldCell, SavingsCell
from gatree.weka.folds import check_n_folds


def check_cells(cells: Iterable[Cell], datasets: Mapping[str, Dataset]) -> None:
    """Raise an error that names the study and the data if a cell is sure to fail.

    Parameters
    ----------
    cells : iterable of Cell
    datasets : mapping
        By checksum.
    """
    seen = set()
    for cell in cells:
        asked = (cell.checksum, *_asked(cell))
        if asked in seen:
            continue
        seen.add(asked)
        try:
            _check(cell, datasets[cell.checksum])
        except GatreeError as error:
            raise type(error)(f"study {cell.study!r}, data set {cell.dataset!r}: {error}") from error


def _asked(cell: Cell) -> tuple[Any, ...]:
    """Return what the data have to allow, as a key."""
    if isinstance(cell, BaselineCell):
        return (cell.split.n_folds, cell.baseline)
    assert isinstance(cell, SavingsCell | FoldCell)
    settings = cell.point.settings
    n_folds = cell.split.n_folds if isinstance(cell, FoldCell) else None
    return (settings.numeric_tests, str(settings.class_weight), n_folds)


def _check(cell: Cell, data: Dataset) -> None:
    if isinstance(cell, BaselineCell) and (library := BASELINES[cell.baseline].needs):
        with extras():
            importlib.import_module(library)
    if isinstance(cell, BaselineCell | FoldCell):
        check_n_folds(cell.split.n_folds, data.n_instances)
    if isinstance(cell, SavingsCell | FoldCell):
        settings = cell.point.settings
        Problem.of(data, settings.numeric_tests).scored(settings)
