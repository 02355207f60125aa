"""The interface of an evaluator, and the ledger of its work.

An evaluator fills `n_correct` of the new trees and adds the work to its ledger, in integers. Payoffs are
computed elsewhere from those integers, so any difference between two evaluators is a bug. An evaluator does
not depend on generations: `gatree.evolution.generation` compiles a loop around its kernel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import Births
from gatree.evolution.evaluators.thread_pool import ThreadPool
from gatree.evolution.generation import EvaluateKernel, Generation, Rules, make_loop
from gatree.evolution.population import Trees
from gatree.evolution.problem import Alphabet, Instances
from gatree.evolution.scoring import Scoring
from gatree.kernels.decorators import plain

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


class Evaluable(Protocol):
    """What an evaluator needs of a problem: a `Problem` or a shard of one."""

    @property
    def instances(self) -> Instances: ...

    @property
    def alphabet(self) -> Alphabet: ...

    @property
    def scoring(self) -> Scoring: ...

    @property
    def n_instances(self) -> int: ...


class Evaluator(ABC):
    """Compute `n_correct` of trees, for one problem and one population.

    A subclass defines the kernel, allocates the data it keeps (`fit`), and passes them to the kernel
    (`kept_for`). Its entry is in gatree.settings.registry.
    """

    kernel: ClassVar[EvaluateKernel]
    """Fills ``trees.n_correct`` of the births it claims, and adds the work to the ledger.

    Takes trees, births, claims, a ledger, and the result of `kept_for`.
    """

    runs_alone: ClassVar[bool] = True
    """Whether generations can run in one compiled loop, without Python in between."""

    sums_numbers: ClassVar[bool] = False
    """Whether it supports regression: leaves scored by the target numbers of their instances."""

    _loop: ClassVar[EvaluateKernel]

    def __init_subclass__(cls) -> None:
        if "kernel" in vars(cls):
            name = f"{cls.__module__}.{cls.__name__}".replace(".", "_")  # unique across packages
            cls._loop = staticmethod(make_loop(name, cls.kernel))

    def __init__(self, problem: Evaluable, n_slots: int, n_jobs: int = 1) -> None:
        del n_slots  # subclasses keep data per slot
        self.instances, self.scoring = problem.instances, problem.scoring
        self.pool = ThreadPool(n_jobs)

    @classmethod
    def suited_to(cls, problem: Evaluable) -> type[Evaluator]:
        """Return the evaluator class to use for a problem of this size."""
        del problem
        return cls

    @property
    def ledger(self) -> NDArray[np.int64]:
        """The four totals, in the order of `Ledger`."""
        return self.pool.ledger

    @property
    def loop(self) -> Callable[..., None]:
        """The compiled loop over generations."""
        return self._loop

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
        pool, trees, births = self.pool, plain(trees), plain(births)

        def work(thread: int) -> None:
            self.kernel(trees, births, pool.claims, pool.ledgers[thread], plain(self.kept_for(thread)))

        pool.run_on_all(0, work)

    def advance(self, generation: Generation, rules: Rules, until: int) -> bool:
        """Run generations in one compiled call, up to `until` or until Python is needed.

        Returns False, without any effect, if this evaluator cannot do so; then call `evaluate` in every
        generation. The rules are given as plain tuples, since they never change.
        """
        if not self.runs_alone or self.pool.n_jobs > 1:
            return False
        self.fit(generation.trees, generation.births)
        kept, ledger = plain(self.kept_for(0)), self.pool.ledgers[0]
        self.loop(plain(generation), rules, until, self.pool.claims, ledger, kept)
        return True
