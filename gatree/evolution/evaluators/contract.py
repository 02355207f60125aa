"""The contract of an evaluator, and the ledger it keeps.

An evaluator fills `n_correct` for the trees just born and books the work in integers. Payoffs are
computed elsewhere, from those integers, so two evaluators agree exactly or there is a bug. It knows nothing
of generations: `gatree.evolution.generation` makes a compiled loop of its kernel.
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
    """What the evaluation of all offspring has cost, and what it would cost without inheritance."""

    instances_reclassified: int
    instances_total: int
    node_instance_checks: int
    node_instance_checks_full: int

    @property
    def instances_saved(self) -> float:
        """The share of instances not classified again: the paper's "Train Savings", as a fraction."""
        return _share_saved(self.instances_reclassified, self.instances_total)

    @property
    def checks_saved(self) -> float:
        """The share of node-instance-checks not made."""
        return _share_saved(self.node_instance_checks, self.node_instance_checks_full)


def _share_saved(done: int, total: int) -> float:
    return 1 - done / total if total else 0.0


class Evaluable(Protocol):
    """What an evaluator needs to know: a `Problem`, or a shard of one."""

    @property
    def instances(self) -> Instances: ...

    @property
    def alphabet(self) -> Alphabet: ...

    @property
    def scoring(self) -> Scoring: ...

    @property
    def n_instances(self) -> int: ...


class Evaluator(ABC):
    """Computes `n_correct` of trees, for one problem and one population.

    A subclass says by which kernel, makes room for what it keeps (`fit`), and hands that to the kernel
    (`kept_for`). Its entry is in gatree.settings.registry.
    """

    kernel: ClassVar[EvaluateKernel]
    """Fills ``trees.n_correct`` for the births it claims, and books the work.

    Takes trees, births, claims, a ledger, and what `kept_for` returns.
    """

    runs_alone: ClassVar[bool] = True
    """Whether Python need not come in between generations."""

    sums_numbers: ClassVar[bool] = False
    """Whether it can also score leaves by the numbers of their instances, for regression."""

    _loop: ClassVar[EvaluateKernel]

    def __init_subclass__(cls) -> None:
        if "kernel" in vars(cls):
            name = f"{cls.__module__}.{cls.__name__}".replace(".", "_")  # also of other packages' evaluators
            cls._loop = staticmethod(make_loop(name, cls.kernel))

    def __init__(self, problem: Evaluable, n_slots: int, n_jobs: int = 1) -> None:
        del n_slots  # what is kept per slot is the subclass's
        self.instances, self.scoring = problem.instances, problem.scoring
        self.pool = ThreadPool(n_jobs)

    @classmethod
    def suited_to(cls, problem: Evaluable) -> type[Evaluator]:
        """Return the evaluator, of those that do the same, for a problem of this size."""
        del problem
        return cls

    @property
    def ledger(self) -> NDArray[np.int64]:
        """The four totals so far, in the order of `Ledger`."""
        return self.pool.ledger

    @property
    def loop(self) -> Callable[..., None]:
        """The compiled loop around the kernel."""
        return self._loop

    @property
    @abstractmethod
    def n_bytes(self) -> int:
        """The memory that is kept for the trees' instances."""

    @abstractmethod
    def fit(self, trees: Trees, births: Births) -> None:
        """Make room for these children, in rows of this width."""

    @abstractmethod
    def kept_for(self, thread: int) -> tuple[Any, ...]:
        """Return what the kernel needs in a thread: what is known of the trees, room to work in."""

    def evaluate(self, trees: Trees, births: Births) -> None:
        """Fill ``trees.n_correct`` for the slots of the births, and book the work."""
        self.fit(trees, births)
        pool, trees, births = self.pool, plain(trees), plain(births)

        def work(thread: int) -> None:
            self.kernel(trees, births, pool.claims, pool.ledgers[thread], plain(self.kept_for(thread)))

        pool.run_on_all(0, work)

    def advance(self, generation: Generation, rules: Rules, until: int) -> bool:
        """Run generations in one compiled call, up to `until` or to where Python has to come in.

        Returns whether that can be done at all; if not, nothing has happened and `evaluate` has to be called
        between the steps of each generation. The rules come plain, as they never change.
        """
        if not self.runs_alone or self.pool.n_jobs > 1:
            return False
        self.fit(generation.trees, generation.births)
        kept, ledger = plain(self.kept_for(0)), self.pool.ledgers[0]
        self.loop(plain(generation), rules, until, self.pool.claims, ledger, kept)
        return True
