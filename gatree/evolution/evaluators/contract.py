"""The interface of an evaluator, and the ledger of its work.

An evaluator fills `n_correct` of the new trees and adds the work to its ledger, in integers. Payoffs are
computed elsewhere from those integers, so any difference between two evaluators is a bug. An evaluator does
not depend on generations: `gatree.evolution.generation` compiles a loop around its kernel.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import Births
from gatree.evolution.generation import EvaluateKernel, make_loop
from gatree.evolution.population import Trees
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvaluatorName
from gatree.settings.registry import EVALUATORS

# The columns of a ledger.
RECLASSIFIED, TOTAL, CHECKS, CHECKS_FULL = range(4)


@dataclass(frozen=True)
class Ledger:
    """The cost of evaluating all offspring, with and without inheritance."""

    instances_reclassified: int
    instances_total: int
    node_instance_checks: int
    node_instance_checks_full: int

    @property
    def instances_saved(self) -> float:
        """The share of instances not reclassified: the paper's "Train Savings", as a fraction."""
        return _share_saved(self.instances_reclassified, self.instances_total)

    @property
    def checks_saved(self) -> float:
        """The share of node-instance checks saved."""
        return _share_saved(self.node_instance_checks, self.node_instance_checks_full)


def _share_saved(done: int, total: int) -> float:
    return 1 - done / total if total else 0.0


Part = Callable[[int, int, int], None]
"""A part of the work: called with the number of its thread, its first item, and the item after its last."""


class Threads:
    """Threads that share the items of a piece of work equally, with a number each.

    Kernels release the GIL and every item is independent of the others, so the result does not depend on the
    number of threads.
    """

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self._executor: ThreadPoolExecutor | None = None
        self._started_in: int | None = None  # the process: a fork has no threads

    def run(self, first: int, last: int, part: Part) -> None:
        """Share the items from `first` up to `last`; wait for all threads, even after Ctrl-C."""
        if self.n_jobs == 1:
            part(0, first, last)
            return
        if self._executor is None or self._started_in != os.getpid():
            self._executor, self._started_in = ThreadPoolExecutor(self.n_jobs, "gatree"), os.getpid()
        bounds = [first + (last - first) * thread // self.n_jobs for thread in range(self.n_jobs + 1)]
        running = [self._executor.submit(part, thread, *some) for thread, some in enumerate(pairwise(bounds))]
        interrupt: KeyboardInterrupt | None = None
        while any(not future.done() for future in running):
            try:
                wait(running)
            except KeyboardInterrupt as raised:
                interrupt = raised
        if interrupt is not None:
            raise interrupt
        for future in running:
            future.result()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_executor": None}  # threads cannot be pickled


class Evaluator(ABC):
    """Compute `n_correct` of trees, for one problem and one population.

    A subclass defines the kernel, allocates the data it keeps (`fit`), and passes them to the kernel
    (`kept_for`). Its entry is in gatree.settings.registry.
    """

    kernel: ClassVar[EvaluateKernel]
    """Evaluates a range of children: fills ``trees.n_correct`` and adds the work to the ledger.

    Takes trees, births, the range's first child and the child after its last, a ledger, and the result of
    `kept_for`. `gatree.evolution.evaluators.children` has the loop that gatree's own evaluators share.
    """

    sums_numbers: ClassVar[bool] = False
    """Whether it supports regression: leaves scored by the target numbers of their instances."""

    loop: ClassVar[Callable[..., None]]
    """The compiled loop over generations."""

    def __init_subclass__(cls) -> None:
        if "kernel" in vars(cls):
            name = f"{cls.__module__}.{cls.__name__}".replace(".", "_")  # unique across packages
            cls.loop = staticmethod(make_loop(name, cls.kernel))

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1) -> None:
        del n_slots  # subclasses keep data per slot
        self.instances, self.scoring = problem.instances, problem.scoring
        self.threads = Threads(n_jobs)
        self.ledgers = np.zeros((n_jobs, 4), dtype=np.int64)  # [thread, column]

    @property
    def ledger(self) -> NDArray[np.int64]:
        """The four totals, in the order of `Ledger`."""
        total: NDArray[np.int64] = self.ledgers[0] if len(self.ledgers) == 1 else self.ledgers.sum(axis=0)
        return total

    @property
    def runs_alone(self) -> bool:
        """Whether generations can run without Python in between."""
        return self.threads.n_jobs == 1

    @property
    @abstractmethod
    def n_bytes(self) -> int:
        """The memory kept for the trees' instances."""

    @abstractmethod
    def fit(self, trees: Trees, births: Births) -> None:
        """Allocate what is kept for these children, with rows as wide as those of the trees."""

    @abstractmethod
    def kept_for(self, thread: int) -> tuple[Any, ...]:
        """Return the kernel's data in a thread: what is kept per tree, and scratch arrays."""

    def evaluate(self, trees: Trees, births: Births) -> None:
        """Fill ``trees.n_correct`` for the slots of the births, and add the work to the ledger."""
        self.fit(trees, births)
        self.evaluate_range(self.kernel, trees, births, 0, len(births.slot))

    def evaluate_range(
        self, kernel: EvaluateKernel, trees: Trees, births: Births, first: int, last: int
    ) -> None:
        """Evaluate some of the births, a part of them in every thread."""

        def part(thread: int, begin: int, end: int) -> None:
            kernel(trees, births, begin, end, self.ledgers[thread], self.kept_for(thread))

        self.threads.run(first, last, part)


def make_evaluator(name: EvaluatorName, problem: Problem, n_slots: int, n_jobs: int = 1) -> Evaluator:
    """Return a new evaluator for a population of ``n_slots`` slots that runs in ``n_jobs`` threads."""
    evaluator: Evaluator = EVALUATORS[name].load()(problem, n_slots, n_jobs)
    return evaluator
