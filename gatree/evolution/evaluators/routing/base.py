"""What the evaluators that route instances share: how their kernels are called.

`old`, `new` and `new-all-nodes` differ in what they keep of a tree and in their kernels, which take the
same arguments.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import Births
from gatree.evolution.evaluators.crew import Crew
from gatree.evolution.generation import Generation, Rules
from gatree.evolution.population import Trees
from gatree.evolution.problem import Problem
from gatree.jit import plain

Kernel = Callable[..., None]


class RoutingEvaluator(ABC):
    """Evaluates children with a kernel; a subclass says which, and what it works on."""

    evaluate_births: ClassVar[Kernel]
    """Takes instances, scoring, trees, births, claims, memory, scratch and ledger."""

    advance_generations: ClassVar[Kernel | None] = None
    """Takes a generation, its rules, where to end, and the rest of the same; if there is one."""

    def __init__(self, problem: Problem, n_slots: int, n_jobs: int = 1) -> None:
        self.instances, self.scoring = problem.instances, problem.scoring
        del n_slots  # what is kept per slot is the subclass's
        self.crew = Crew(n_jobs)
        self.scratch: list[Any] = []  # a member's each

    @property
    def ledger(self) -> NDArray[np.int64]:
        return self.crew.ledger

    @abstractmethod
    def _memory_of(self, member: int) -> Any:
        """Return what a member keeps of the trees' instances."""

    @abstractmethod
    def _fit(self, trees: Trees, births: Births) -> None:
        """Make room for these children."""

    def evaluate(self, trees: Trees, births: Births) -> None:
        """Count what the children classify correctly, and book the work."""
        self._fit(trees, births)
        crew, trees, births = self.crew, plain(trees), plain(births)
        instances, scoring = plain(self.instances), plain(self.scoring)

        def work(member: int) -> None:
            memory, scratch = plain(self._memory_of(member)), plain(self.scratch[member])
            ledger = crew.ledgers[member]
            self.evaluate_births(instances, scoring, trees, births, crew.claims, memory, scratch, ledger)

        crew.share(0, work)

    def advance(self, generation: Generation, rules: Rules, until: int) -> bool:
        """Run generations in one call, if there is a kernel for it and no threads to share them."""
        if self.advance_generations is None or self.crew.n_jobs > 1:
            return False
        self._fit(generation.trees, generation.births)
        self.advance_generations(
            plain(generation),
            plain(rules),
            until,
            plain(self.instances),
            plain(self.scoring),
            self.crew.claims,
            plain(self._memory_of(0)),
            plain(self.scratch[0]),
            self.crew.ledgers[0],
        )
        return True
