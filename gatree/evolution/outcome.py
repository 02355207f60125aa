"""The outcome of an evolution: the best tree, and what finding it has cost."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import counted
from gatree.evolution.evaluators.contract import Ledger
from gatree.evolution.problem import Problem
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree


@dataclass
class Timing:
    """Seconds spent in each phase of all generations, and in total."""

    breed: float = 0.0
    evaluate: float = 0.0
    replace: float = 0.0
    total: float = 0.0
    total_cpu: float = 0.0


class Change(NamedTuple):
    """A setting that was changed while the evolution ran, after a generation."""

    generation: int
    setting: str
    value: float


class Snapshot(NamedTuple):
    """An evolution after a generation: what `gatree evolve` shows and writes, and what Figure 6 draws."""

    generation: int
    payoff: float  # of the best tree
    accuracy: float  # of the best tree, on the training data
    size: int  # of the best tree, in nodes
    saved: float  # the share of the instances that were not classified again, so far
    distinct: int  # different trees in the population


@dataclass(frozen=True, repr=False)
class Outcome:
    """The outcome of an evolution: the best tree, and what finding it has cost."""

    best: Tree
    n_correct: int
    n_instances: int
    payoff: float
    n_generations: int
    n_evaluations: int
    n_rejected: int
    ledger: Ledger
    history: NDArray[np.void]  # one row per generation, see gatree.evolution.history
    timing: Timing
    n_bytes: int  # memory that the evaluator keeps
    problem: Problem = field(repr=False)
    changes: tuple[Change, ...] = ()

    @property
    def digest(self) -> str:
        """A digest of the last population; evolutions that are equal have equal ones."""
        return f"{int(self.history['digest'][-1]):016x}"

    @property
    def accuracy(self) -> float:
        return self.n_correct / self.n_instances

    @property
    def tree(self) -> DecisionTree:
        """The best tree with names and training counts, ready to predict, print, draw and save."""
        return self.problem.decision_tree(self.best)

    def __repr__(self) -> str:
        size, after = counted(self.best.n_nodes, "node"), counted(self.n_generations, "generation")
        found = f"{size}, accuracy {self.accuracy:.4f}, payoff {self.payoff:.4f}"
        return f"<Outcome on {self.problem.dataset.name!r}: {found} after {after}>"

    def __str__(self) -> str:
        return f"{self.tree}\n{repr(self)[1:-1]}\n"

    def _repr_html_(self) -> str:
        """Return the outcome as HTML for notebooks."""
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{self.tree._repr_html_()}"
