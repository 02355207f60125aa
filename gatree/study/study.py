"""A study of one data set, from its source to a finding: every stage in order."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from gatree.base.background import Interrupted
from gatree.base.progress import Listener
from gatree.data.costs import read_costs
from gatree.data.dataset import Dataset
from gatree.learners.comparison import Baseline
from gatree.settings.small_tree import SmallTreeSettings
from gatree.study.finding import Finding, Request, compare, find, find_other_firsts, validate
from gatree.study.reading import DataRequest, read_to_learn


@dataclass(frozen=True)
class StudyRequest:
    """What to study, and how far.

    Parameters
    ----------
    data : DataRequest
    settings : SmallTreeSettings, optional
    costs : Path, optional
        A file with the costs of predictions.
    n_folds : int, optional
        Folds of the cross-validation, 0 for none; by default the number of rows decides.
    compares : bool
        Whether other methods are tried on the folds of the cross-validation.
    tries_firsts : bool
        Whether trees that test another column first are compared, too.
    may_be_constant : bool
        Whether a single class, or number, is no error.
    command : str
        The command that asked for it, which a page shows.
    """

    data: DataRequest
    settings: SmallTreeSettings = field(default_factory=SmallTreeSettings)
    costs: Path | None = None
    n_folds: int | None = None
    compares: bool = True
    tries_firsts: bool = False
    may_be_constant: bool = False
    command: str = ""


class StudyListener(Listener, Protocol):
    """What a study reports to, stage by stage."""

    def read(self, dataset: Dataset) -> None:
        """Note the data, before the search."""

    def found(self, finding: Finding) -> None:
        """Note the trees, before they are validated."""

    def validated(self, finding: Finding) -> None:
        """Note the cross-validation, before the comparison."""

    def tried(self, baseline: Baseline) -> None:
        """Note another method, or ours, on the folds of the comparison."""


def study(request: StudyRequest, listener: StudyListener) -> Finding:
    """Read and screen the data, search, validate and compare; return what is found.

    After Ctrl-C the finding has what was known by then (``is_interrupted``). Before there is a tree, it is a
    KeyboardInterrupt.
    """
    started = time.perf_counter()
    dataset, left_out = read_to_learn(request.data, listener)
    reading = ("reading", time.perf_counter() - started)
    listener.read(dataset)
    wanted = Request(
        settings=request.settings,
        costs=None if request.costs is None else read_costs(request.costs, dataset),
        n_folds=request.n_folds,
        left_out=left_out,
        command=request.command,
        may_be_constant=request.may_be_constant,
    )
    try:
        finding = find(dataset, wanted, listener)
    except Interrupted as stop:
        finding = replace(stop.found, is_interrupted=True)
    return _judged(replace(finding, spent=(*finding.spent, reading)), request, listener)


def _judged(finding: Finding, request: StudyRequest, listener: StudyListener) -> Finding:
    """Return a finding with its cross-validation and the comparison, as far as Ctrl-C lets them come."""
    try:
        listener.found(finding)
        if finding.is_interrupted:
            return finding
        finding = validate(finding, listener)
        listener.validated(finding)
        if request.compares and request.tries_firsts:
            finding = find_other_firsts(finding, listener)
        if request.compares:
            finding = compare(finding, listener, listener.tried)
    except KeyboardInterrupt:
        finding = replace(finding, is_interrupted=True)
    return finding
