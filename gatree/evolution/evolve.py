"""Run an evolution, generation by generation. Start reading here.

One generation selects parents, breeds children, evaluates them and replaces part of the population (steady
state). Random numbers are drawn for the initial population, selection and breeding only, which do not depend
on the evaluator, so two evaluators run the same evolution from the same seed.

The loop over generations is compiled code, `run_generations` in generation.py. It returns to this module for
what has to be done in Python (`Evolution._advance_to`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError
from gatree.data.dataset import Dataset
from gatree.evolution.breed import Births, empty_births
from gatree.evolution.evaluators.contract import Ledger, make_evaluator
from gatree.evolution.generation import (
    TO_EVALUATE,
    TO_PAY,
    TO_REPLACE,
    Generation,
    first_generation,
    largest_child,
    rules_of,
)
from gatree.evolution.history import EVALUATE, LAST_READ, RECORD, lap, restart
from gatree.evolution.outcome import Outcome, Timing
from gatree.evolution.payoff import PayoffFunction, custom_payoff, x_of_generations
from gatree.evolution.population import Population, fill_initial_trees
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import SELECTIONS
from gatree.trees.genome import Tree

if TYPE_CHECKING:
    import pandas as pd

_INITIAL_DRAWS = 4


@dataclass
class Evolution:
    """A running evolution: create it, `advance` or `step` it, and read its `outcome`.

    Parameters
    ----------
    problem : Problem
        The coded data set.
    settings : EvolutionSettings
        The settings.
    payoff_function : callable, optional
        Replaces Eq. 1; see `gatree.evolution.payoff`.
    initial : sequence of Tree
        Trees of the initial population, in the coding of the problem; the others are random.
    """

    problem: Problem
    settings: EvolutionSettings
    payoff_function: PayoffFunction | None = None
    initial: Sequence[Tree] = ()

    def __post_init__(self) -> None:
        settings = self.settings
        if self.payoff_function is not None and settings.paid == "at-birth":
            raise ConfigError("paid: should be every-generation with a custom payoff, got at-birth")
        self.problem = self.problem.scored(settings)
        self.total_weight = self.problem.total_weight
        self._rng = np.random.default_rng(settings.seed)
        self.population = Population.empty(settings.population_size, settings.n_offspring)
        n_slots = len(self.population.slots)
        self.evaluator = make_evaluator(settings.evaluator, self.problem, n_slots, settings.n_jobs)
        self.rules = rules_of(settings, self.problem, self.payoff_function is not None)
        self._check_constraints()
        x = x_of_generations(settings)
        self.state = first_generation(settings, self.population.trees, self.population.slots, x)
        self._start()

    def _check_constraints(self) -> None:
        settings = self.settings
        if self.payoff_function is not None and len(self.problem.monotonic):
            raise ConfigError("payoff: a custom payoff cannot be combined with monotonic constraints")
        if len(self.problem.scoring.target) and not self.evaluator.sums_numbers:
            raise ConfigError(f"evaluator: {settings.evaluator} counts classes, not numbers; use new or old")
        if len(self.initial) > settings.population_size - 1:
            most = settings.population_size - 1
            raise ConfigError(f"initial trees: the population has room for {most}, got {len(self.initial)}")
        for tree in self.initial:
            breeding = self.rules.breeding
            if tree.n_nodes > breeding.max_nodes or tree.depth > breeding.max_depth:
                raise ConfigError(
                    f"initial trees: one has {tree.n_nodes} nodes and depth {tree.depth}, "
                    "more than max_nodes or max_depth allow"
                )
            self.population.make_room(tree.n_nodes)

    @property
    def generation(self) -> int:
        """The number of generations after the initial population."""
        return int(self.state.progress[0]["generation"])

    @property
    def births(self) -> Births:
        """The children of the last generation."""
        return self.state.births

    @property
    def payoff(self) -> NDArray[np.float64]:
        """The payoffs of the population, best first. A view that changes: copy it to keep it."""
        return self.state.candidates.payoff[: self.population.size]

    @property
    def history(self) -> NDArray[np.void]:
        """One row per generation, including those not yet run."""
        history: NDArray[np.void] = self.state.history
        return history

    def _start(self) -> None:
        """Create the initial population. It inherits nothing, so neither ledger nor times count it."""
        population = self.population
        draws = self._rng.random((population.size, _INITIAL_DRAWS))
        # A single leaf is never too small and violates no direction: a valid initial tree.
        n_single = 1 if self.settings.min_leaf > 0 or len(self.problem.monotonic) else 0
        fill_initial_trees(population.trees, population.alive, self.problem.alphabet, draws, n_single)
        for slot, tree in zip(population.alive[::-1], self.initial, strict=False):
            population.put(int(slot), tree)
        births = empty_births(population.size)
        births.slot[:] = population.alive
        births.stale[:, 0] = 0
        self._advance_to(0, self.state._replace(births=births))
        self.evaluator.ledgers[:] = 0
        self.state.stopwatch[:] = 0

    def step(self) -> None:
        """Advance by one generation."""
        self.advance(1)

    def advance(self, n_generations: int) -> None:
        """Advance by ``n_generations``. An interruption leaves fewer done, and the evolution can continue."""
        until = self.generation + n_generations
        if until > self.settings.n_generations:
            raise ConfigError(
                f"n_generations: this evolution ends after {self.settings.n_generations}, "
                f"so it cannot advance to {until}; extend it first"
            )
        while self.generation < until:
            self._make_room()
            self._advance_to(until, self.state)

    def _make_room(self) -> None:
        """Widen the rows for the largest child that the population can have, and draw random numbers."""
        progress = self.state.progress[0]
        self.population.make_room(largest_child(int(progress["largest"]), self.rules.breeding))
        if self.state.trees is not self.population.trees:
            trees, merits = self.population.trees, self.state.merits
            merits = merits._replace(discount=np.zeros(trees.width + 1))
            self.state = self.state._replace(trees=trees, merits=merits)
        if progress["n_drawn"] == len(self.state.draws):
            before = self._rng.bit_generator.state
            try:
                self._rng.random(out=self.state.draws)
                progress["n_drawn"] = 0
            except BaseException:  # Ctrl-C: the same numbers are drawn again
                self._rng.bit_generator.state = before
                progress["n_drawn"] = len(self.state.draws)
                raise

    def _advance_to(self, until: int, state: Generation) -> None:
        """Run the compiled loop; then do what it has stopped for, if this is a step of a generation.

        An error in such a step leaves everything as it was before, so the step can be repeated.
        """
        evaluator, progress = self.evaluator, state.progress[0]
        evaluator.fit(state.trees, state.births)
        alone, kept = evaluator.runs_alone, evaluator.kept_for(0)
        while True:
            evaluator.loop(state, self.rules, until, alone, evaluator.ledger, kept)
            if progress["next"] == TO_EVALUATE:
                self._evaluate(state)
            elif progress["next"] == TO_PAY:
                self._pay(state)
            else:
                return

    def _evaluate(self, state: Generation) -> None:
        """Evaluate the children outside of the compiled loop."""
        ledgers = self.evaluator.ledgers.copy()
        restart(state.stopwatch)
        try:
            self.evaluator.evaluate(state.trees, state.births)
            lap(state.stopwatch, EVALUATE)
            state.progress[0]["next"] = TO_PAY
        except BaseException:
            self.evaluator.ledgers[:] = ledgers
            state.progress[0]["next"] = TO_EVALUATE
            raise

    def _pay(self, state: Generation) -> None:
        """Compute the custom payoffs of the trees that may stay and of the offspring."""
        assert self.payoff_function is not None
        trees, progress = state.trees, state.progress[0]
        n_staying = self.rules.n_staying if progress["generation"] >= 0 else 0
        slots = np.concatenate((self.population.slots[:n_staying], state.births.slot))
        payoffs = custom_payoff(
            self.payoff_function,
            trees.n_correct[slots],
            self.total_weight,
            trees.n_nodes[slots].astype(np.int64),
            float(state.merits.x[progress["generation"] + 1]),
        )
        if SELECTIONS[self.settings.selection].turns_a_wheel and payoffs.min() < 0:
            raise ConfigError(f"payoff: should not be negative with selection {self.settings.selection}")
        state.merits.paid[slots] = payoffs
        progress["next"] = TO_REPLACE

    def extend(self, n_generations: int) -> None:
        """Raise the maximum number of generations, so that the evolution can continue.

        The x of Eq. 1 keeps its last value.
        """
        history = np.zeros(max(n_generations, self.generation) + 1, dtype=RECORD)
        history[: self.generation + 1] = self.history[: self.generation + 1]
        self.settings = self.settings.model_copy(update={"n_generations": n_generations})
        x = self.state.merits.x
        x = np.append(x, np.full(max(0, n_generations + 1 - len(x)), x[-1]))
        merits = self.state.merits._replace(x=x)
        self.state = self.state._replace(history=history, merits=merits)

    @property
    def best(self) -> Tree:
        """The tree with the highest payoff."""
        return self.population.tree(int(self.population.slots[0]))

    def outcome(self) -> Outcome:
        """Return the outcome so far."""
        best = int(self.population.slots[0])
        return Outcome(
            best=self.best,
            n_correct=int(self.population.trees.n_correct[best]),
            n_instances=self.problem.n_instances,
            total_weight=self.total_weight,
            payoff=float(self.payoff[0]),
            n_generations=self.generation,
            n_evaluations=self.population.size + self.generation * len(self.births.slot),
            n_rejected=int(self.state.progress[0]["n_rejected"]),
            ledger=Ledger(*(int(total) for total in self.evaluator.ledger)),
            history=self.history[: self.generation + 1],
            timing=Timing(*(self.state.stopwatch[:LAST_READ] / 1e9).tolist()),
            n_bytes=self.evaluator.n_bytes,
            problem=self.problem,
        )


def problem_of(
    data: Dataset | Problem | pd.DataFrame, settings: EvolutionSettings, target: str | None = None
) -> Problem:
    """Return data as a problem."""
    if isinstance(data, Problem):
        return data
    dataset = data if isinstance(data, Dataset) else Dataset.from_frame(data, target)
    return Problem.of(dataset, settings.numeric_tests)


def evolve(
    data: Dataset | Problem | pd.DataFrame,
    settings: EvolutionSettings | None = None,
    on_generation: Callable[[Evolution], bool | None] | None = None,
    payoff_function: PayoffFunction | None = None,
    *,
    target: str | None = None,
    initial: Sequence[Tree] = (),
) -> Outcome:
    """Evolve decision trees on a data set.

    Parameters
    ----------
    data : Dataset, Problem or DataFrame
        The training data.
    settings : EvolutionSettings, optional
        The settings; the paper's by default.
    on_generation : callable, optional
        Callback after every generation, called with the `Evolution`; a true result stops the evolution.
    payoff_function : callable, optional
        Replaces Eq. 1; see `gatree.evolution.payoff`.
    target : str, optional
        The column of a DataFrame to predict; the last one by default.
    initial : sequence of Tree
        Trees of the initial population, in the coding of the problem; see
        `gatree.trees.recode.recoded`.

    Returns
    -------
    Outcome
        The best tree, the history of the generations and the ledger of saved work.
    """
    started, started_cpu = time.perf_counter(), time.process_time()
    settings = settings or EvolutionSettings()
    evolution = Evolution(problem_of(data, settings, target), settings, payoff_function, initial)
    if on_generation is None:
        evolution.advance(settings.n_generations)
    else:
        for _ in range(settings.n_generations):
            evolution.step()
            if on_generation(evolution):
                break
    outcome = evolution.outcome()
    outcome.timing.total = time.perf_counter() - started
    outcome.timing.total_cpu = time.process_time() - started_cpu
    return outcome
