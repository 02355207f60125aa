"""Run an evolution, generation by generation. Start reading here.

One generation selects parents, breeds children, evaluates them and replaces part of the population (steady
state, Section 3). Random numbers are drawn for the initial population, selection and breeding only, which do
not depend on the evaluator, so two evaluators run the same evolution from the same seed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError
from gatree.data.dataset import Dataset
from gatree.evolution.breed import Births, Breeding, breed, breeding_of, empty_births
from gatree.evolution.evaluators.contract import Ledger, make_evaluator
from gatree.evolution.history import RECORD, record
from gatree.evolution.mutations import N_DRAWS
from gatree.evolution.outcome import Change, Outcome, Snapshot, Timing
from gatree.evolution.payoff import (
    Candidates,
    PayoffFunction,
    custom_payoff,
    fill_payoffs,
    keep_payoffs_of_copies,
    x_of_generations,
)
from gatree.evolution.population import N_INITIAL_DRAWS, Population, Slots, Trees, fill_initial_trees
from gatree.evolution.problem import Alphabet, Problem, problem_of
from gatree.kernels.decorators import plain
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import EQ_1, PAYOFFS, REPLACEMENTS, SELECTIONS
from gatree.settings.validation import validated
from gatree.trees.genome import Tree

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

CHANGEABLE = ("mutation_rate", "crossover_rate", "x_factor")
"""The settings that a running evolution can change."""

_USED = -1.0
"""In place of the first random number: all have been used. Drawing overwrites it, so no mark is missed."""


@dataclass(frozen=True)
class _Plain:
    """What kernels take, as plain tuples, which numba recognises sooner; they are made once."""

    trees: Trees
    births: Births
    alphabet: Alphabet
    breeding: Breeding


class Evolution:
    """A running evolution: create it, `step` or `advance` it, and read its `outcome`.

    Parameters
    ----------
    data : Dataset, Problem or DataFrame
        The training data.
    settings : EvolutionSettings, optional
        The settings; ``EvolutionSettings()`` by default.
    payoff_function : callable, optional
        In place of the setting `payoff`; see `gatree.evolution.payoff`.
    target : str, optional
        The column of a DataFrame to predict; the last one by default.

    Attributes
    ----------
    generation : int
        The number of generations after the initial population.
    population : Population
        The trees, best first.
    payoff : ndarray
        The payoffs of the population, best first.
    births : Births
        The children of the last generation, at first the initial population.
    evaluator : Evaluator
        What evaluates the trees, with its ledger.
    current : EvolutionSettings
        The settings as they were changed.
    changes : list of Change
        What was changed, and after which generation.
    """

    def __init__(
        self,
        data: Dataset | Problem | pd.DataFrame,
        settings: EvolutionSettings | None = None,
        payoff_function: PayoffFunction | None = None,
        *,
        target: str | None = None,
    ) -> None:
        self.settings = settings = settings or EvolutionSettings()
        self.problem = problem_of(data, settings.numeric_tests, target)
        own = None if settings.payoff == EQ_1 else PAYOFFS[settings.payoff].load()
        self.payoff_function: PayoffFunction | None = payoff_function or own
        n_offspring = settings.n_offspring
        self.population = Population.empty(settings.population_size, n_offspring)
        self.evaluator = make_evaluator(self.problem, settings, len(self.population.slots))
        self.history: NDArray[np.void] = np.zeros(settings.n_generations + 1, dtype=RECORD)
        self.timing = Timing()
        self.generation = -1
        self.births = empty_births(n_offspring)
        self.n_rejected = 0
        self._rng = np.random.default_rng(settings.seed)
        self._breeding = breeding_of(settings)
        self.current = settings
        self.changes: list[Change] = []
        self._x = x_of_generations(settings)
        self._paid_at_birth = settings.paid == "at-birth"
        self._counts_leaves = settings.size_measure == "leaves"
        self._selection = SELECTIONS[settings.selection]
        self._select = self._selection.load()
        n_staying = REPLACEMENTS[settings.replacement].load()(settings.population_size, n_offspring)
        self._paid = np.zeros(len(self.population.slots))  # [slot]: payoffs
        self._leaving = slice(n_staying, settings.population_size)
        self._competing = np.delete(np.arange(len(self._paid)), self._leaving)  # ranks
        n_rows = n_offspring + n_offspring % 2
        self._n_selection_draws = self._selection.n_draws(settings)
        self._draws = np.zeros((n_rows, self._n_selection_draws + N_DRAWS))
        self._most_nodes = 3  # of an initial tree
        self._start()

    def _start(self) -> None:
        """Create the initial population. It inherits nothing, so neither ledger nor times count it."""
        population = self.population
        draws = self._rng.random((population.size, N_INITIAL_DRAWS))
        n_single = 1 if self.settings.min_leaf > 0 else 0  # a single leaf is never too small
        fill_initial_trees(population.trees, population.alive, self.problem.alphabet, draws, n_single)
        self._make_room()
        births = empty_births(population.size)
        births.slot[:] = population.alive
        births.stale[:, 0] = 0
        self.evaluator.evaluate(population.trees, births)
        self.evaluator.ledger[:] = 0
        self._pay(population.alive, self._x[0])
        self._replace(leaving=slice(population.size, None))

    def step(self) -> None:
        """Advance by one generation. If it fails or is interrupted, it has not happened."""
        self._refuse_beyond_the_end(self.generation + 1)
        ledger = self.evaluator.ledger.copy()
        try:
            self._run_generation()
        except BaseException:
            self.evaluator.ledger[:] = ledger
            raise

    def _run_generation(self) -> None:
        started = time.perf_counter()
        draws = self._draw()
        parents = self._select_parents(draws[:, : self._n_selection_draws])
        births, n_rejected = self._breed(parents, draws)
        bred = time.perf_counter()
        self.evaluator.evaluate(self.population.trees, births)
        evaluated = time.perf_counter()
        self._pay_candidates(self._x[self.generation + 1])
        self._replace(self._leaving, n_rejected)
        self.timing.breed += bred - started
        self.timing.evaluate += evaluated - bred
        self.timing.replace += time.perf_counter() - evaluated

    def _draw(self) -> Floats:
        """Return the random numbers of a generation: those of the last one if it has failed."""
        if self._draws[0, 0] == _USED:
            self._rng.random(out=self._draws)
        return self._draws

    def _select_parents(self, draws: Floats) -> Slots:
        """Return the slot of a parent for each row of random numbers."""
        parents: Slots = self.population.slots[self._select(self.payoff, draws)]
        return parents

    def _breed(self, parents: Slots, draws: Floats) -> tuple[Births, int]:
        """Fill the free slots with children of the selected parents; return also how many were rejected."""
        if self._most_nodes > self._room_for_children_of:
            self._make_room()
        births, population = self.births, self.population
        births.slot[:] = population.slots[population.size :]
        given = self._plain
        return births, breed(given.trees, given.births, parents, given.alphabet, given.breeding, draws)

    def _make_room(self) -> None:
        """Widen the rows for the largest child that the population can have."""
        self.population.make_room(self._breeding.largest_child(self._most_nodes))
        alphabet, breeding = plain(self.problem.alphabet), plain(self._breeding)
        self._plain = _Plain(plain(self.population.trees), plain(self.births), alphabet, breeding)
        self._room_for_children_of = self._most_nodes

    def _pay_candidates(self, x: float) -> None:
        """Compute the payoffs of the children, and also of the trees that stay if they are paid again."""
        if self._paid_at_birth:
            self._pay(self.births.slot, x)
            keep_payoffs_of_copies(self._paid, self._plain.births)
        else:
            self._pay(self.population.slots[self._competing], x)

    def _pay(self, slots: Slots, x: float) -> None:
        """Compute the payoffs of the trees in some slots."""
        if self.payoff_function is None:
            trees, n_instances = self._plain.trees, self.problem.n_instances
            fill_payoffs(self._paid, slots, trees, n_instances, self._counts_leaves, x)
        else:
            self._paid[slots] = self._custom_payoffs(self.payoff_function, slots, x)

    def _custom_payoffs(self, function: PayoffFunction, slots: Slots, x: float) -> Floats:
        """Return the custom payoffs of the trees in some slots."""
        candidates = Candidates(self.problem, self.population.trees, slots, self._counts_leaves, x)
        payoffs = custom_payoff(function, candidates)
        if self._selection.turns_a_wheel and payoffs.min() < 0:
            raise ConfigError(
                f"payoff: should not be negative with selection {self.settings.selection}; "
                "selection tournament takes any"
            )
        return payoffs

    def _replace(self, leaving: slice, n_rejected: int = 0) -> None:
        """Rank the trees of all slots but those that leave; the best of them are the next population."""
        population, generation = self.population, self.generation + 1
        payoffs = self._paid[population.slots]
        payoffs[leaving] = -np.inf
        slots, best = best_first(population.slots, payoffs, population.size)
        trees, ledger = self._plain.trees, self.evaluator.ledger
        most_nodes = record(self.history, generation, trees, slots[: population.size], best, ledger)
        # Ctrl-C interrupts calls only: these lines happen together or not at all.
        population.slots = slots
        self.payoff = best
        self.generation = generation
        self.n_rejected += n_rejected
        self._most_nodes = most_nodes
        self._draws[0, 0] = _USED

    def advance(self, n_generations: int) -> None:
        """Advance by ``n_generations``. An interruption leaves fewer done, and the evolution can continue."""
        self._refuse_beyond_the_end(self.generation + n_generations)
        for _ in range(n_generations):
            self.step()

    def _refuse_beyond_the_end(self, until: int) -> None:
        if until > self.settings.n_generations:
            raise ConfigError(
                f"n_generations: this evolution ends after {self.settings.n_generations}, "
                f"so it cannot advance to {until}"
            )

    def change(self, **settings: float) -> None:
        """Change settings of the running evolution, from its next generation on.

        These are ``mutation_rate``, ``crossover_rate`` and ``x_factor``. A new x ends the schedule of x; with
        ``paid="at-birth"`` it holds for the payoffs of later children only. The changes are part of the
        outcome.
        """
        for name in settings:
            if name not in CHANGEABLE:
                allowed = ", ".join(CHANGEABLE)
                raise ConfigError(f"{name}: cannot be changed while an evolution runs; {allowed} can")
        current = validated(EvolutionSettings, self.current.model_dump() | settings)
        if "x_factor" in settings:
            if current.x_factor.first != current.x_factor.last:
                raise ConfigError(f"x_factor: should be one number by now, got {current.x_factor}")
            self._x[self.generation + 1 :] = current.x_factor.last
        self.current, self._breeding = current, breeding_of(current)
        self._plain = replace(self._plain, breeding=plain(self._breeding))
        self.changes += [Change(self.generation, name, float(value)) for name, value in settings.items()]

    @property
    def x(self) -> float:
        """The x of Eq. 1 in the last generation."""
        return float(self._x[self.generation])

    def snapshot(self) -> Snapshot:
        """Return what the evolution is like now."""
        row = self.history[self.generation]
        return Snapshot(
            generation=self.generation,
            payoff=float(row["best_payoff"]),
            accuracy=int(row["best_correct"]) / self.problem.n_instances,
            size=int(row["best_nodes"]),
            saved=Ledger(*self.evaluator.ledger.tolist()).instances_saved,
            distinct=self.population.n_distinct,
        )

    @property
    def best(self) -> Tree:
        """The tree with the highest payoff."""
        return self.population[0]

    def outcome(self) -> Outcome:
        """Return the outcome so far."""
        settings, best = self.settings, self.population.slots[0]
        return Outcome(
            best=self.best,
            n_correct=int(self.population.trees.n_correct[best]),
            n_instances=self.problem.n_instances,
            payoff=float(self.payoff[0]),
            n_generations=self.generation,
            n_evaluations=settings.population_size + self.generation * settings.n_offspring,
            n_rejected=self.n_rejected,
            ledger=Ledger(*self.evaluator.ledger.tolist()),
            history=self.history[: self.generation + 1],
            timing=replace(self.timing),
            n_bytes=self.evaluator.n_bytes,
            problem=self.problem,
            changes=tuple(self.changes),
        )


def best_first(slots: Slots, payoffs: Floats, n: int) -> tuple[Slots, Floats]:
    """Return slots in descending order of their payoffs, equal ones as they are, and the n highest payoffs.

    The order is found backwards, since arithmetic on arrays slows compiled code after it: the processor needs
    a moment to leave its widest registers.
    """
    order = payoffs[::-1].argsort(kind="stable")[::-1]
    return slots[::-1][order], payoffs[::-1][order[:n]]


def evolve(
    data: Dataset | Problem | pd.DataFrame,
    settings: EvolutionSettings | None = None,
    on_generation: Callable[[Evolution], bool | None] | None = None,
    payoff_function: PayoffFunction | None = None,
    *,
    target: str | None = None,
    changes: Sequence[Change] = (),
) -> Outcome:
    """Evolve decision trees on a data set.

    Parameters
    ----------
    data : Dataset, Problem or DataFrame
        The training data.
    settings : EvolutionSettings, optional
        The settings; ``EvolutionSettings()`` by default. ``EvolutionSettings.preset("paper")`` are those of
        the paper's experiments.
    on_generation : callable, optional
        Callback after the initial population, which is generation 0, and after every generation, called with
        the `Evolution`; a true result stops the evolution.
    payoff_function : callable, optional
        In place of the setting `payoff`; see `gatree.evolution.payoff`.
    target : str, optional
        The column of a DataFrame to predict; the last one by default.
    changes : sequence of Change
        Changes of settings, as `Outcome.changes` has them.

    Returns
    -------
    Outcome
        The best tree, the history of the generations and the ledger of saved work.
    """
    started, started_cpu = time.perf_counter(), time.process_time()
    evolution = Evolution(data, settings, payoff_function, target=target)
    while not (on_generation is not None and on_generation(evolution)):
        if evolution.generation == evolution.settings.n_generations:
            break
        for change in changes:
            if change.generation == evolution.generation:
                evolution.change(**{change.setting: change.value})
        evolution.step()
    outcome = evolution.outcome()
    outcome.timing.total = time.perf_counter() - started
    outcome.timing.total_cpu = time.process_time() - started_cpu
    return outcome
