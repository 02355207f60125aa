"""Run an evolution, generation by generation. Start reading here.

One generation selects parents, breeds children, evaluates them and replaces part of the population (steady
state). Random numbers are drawn for the initial population, selection and breeding only, which do not depend
on the evaluator, so two evaluators run the same evolution from the same seed.

The generations are compiled code (see gatree.evolution.generation). Control returns to Python to widen the
rows when trees outgrow them, to handle Ctrl-C, and for threads, a custom payoff or a callback.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import ConfigError
from gatree.data.dataset import Dataset
from gatree.data.pieces import DataInPieces
from gatree.evolution.breed import Births, empty_births
from gatree.evolution.draw import Stream, stream_of
from gatree.evolution.evaluators import Evaluator, Ledger, make_evaluator
from gatree.evolution.evaluators.shards.sharded import (
    ShardedEvaluator,
    check_compatible_with_shards,
    start_workers,
)
from gatree.evolution.evaluators.shards.workers import ShardWorkers
from gatree.evolution.generation import (
    BROOD,
    GENERATION,
    LARGEST,
    N_REJECTED,
    NOT_STARTED,
    Generation,
    breed_offspring,
    largest_child,
    replace_generation,
    replace_generation_by,
    rules_of,
)
from gatree.evolution.history import BREED, EVALUATE, RECORD, REPLACE, lap, restart
from gatree.evolution.operators import N_DRAWS
from gatree.evolution.outcome import Outcome, Timing
from gatree.evolution.payoff import PayoffFunction, custom_payoff, x_of_broods
from gatree.evolution.population import Population, empty_candidates, fill_initial_trees
from gatree.evolution.problem import Problem
from gatree.kernels.decorators import plain
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
    workers : ShardWorkers, optional
        The workers that evaluate, each on a shard of the instances; see
        `gatree.evolution.evaluators.shards`.
    """

    problem: Problem
    settings: EvolutionSettings
    payoff_function: PayoffFunction | None = None
    initial: Sequence[Tree] = ()
    workers: ShardWorkers | None = None

    def __post_init__(self) -> None:
        settings = self.settings
        if self.payoff_function is not None and settings.paid == "at-birth":
            raise ConfigError("paid: at-birth requires the payoff of Eq. 1, not a custom payoff")
        self.problem = self.problem.scored(settings)
        self.total_weight = self.problem.total_weight
        rng = np.random.default_rng(settings.seed)
        n_offspring = settings.brood_size
        self.population = Population.empty(settings.population_size, n_offspring)
        self.evaluator = self._evaluator(settings.population_size + n_offspring)
        self.rules = rules_of(settings, self.problem)
        self._plain_rules = plain(self.rules)
        self._check_constraints()
        initial = rng.random((settings.population_size, _INITIAL_DRAWS))
        self.state = self._initial_state(n_offspring, stream_of(rng))
        self._start(initial)

    def _evaluator(self, n_slots: int) -> Evaluator:
        settings = self.settings
        if self.workers is not None:
            check_compatible_with_shards(settings, self.problem)
            return ShardedEvaluator(self.problem, n_slots, self.workers)
        return make_evaluator(settings.evaluator, self.problem, n_slots, settings.n_jobs)

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

    def _initial_state(self, n_offspring: int, stream: Stream) -> Generation:
        n_rows = n_offspring + n_offspring % 2
        n_slots = len(self.population.slots)
        return Generation(
            trees=self.population.trees,
            births=empty_births(n_offspring),
            candidates=empty_candidates(n_slots)._replace(slot=self.population.slots),
            accuracy_squared=np.zeros(n_slots),
            discount=np.zeros(self.population.trees.width + 1),
            paid=np.zeros(n_slots),
            x=x_of_broods(self.settings),
            parents=np.zeros(n_rows, dtype=np.int64),
            stream=stream,
            draws=np.zeros((n_rows, self.rules.n_selection_draws + N_DRAWS)),
            history=np.zeros(self.settings.n_generations + 1, dtype=RECORD),
            tally=np.array([NOT_STARTED, 0, 0, 0]),
            stopwatch=np.zeros(4, dtype=np.int64),
        )

    @property
    def generation(self) -> int:
        """The number of generations after the initial population."""
        return int(self.state.tally[GENERATION])

    @property
    def n_broods(self) -> int:
        """The number of broods so far: one per generation, or several if offspring enter in pairs."""
        return self.generation * self.rules.n_broods + int(self.state.tally[BROOD])

    @property
    def births(self) -> Births:
        """The children of the last brood."""
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

    @property
    def timing(self) -> Timing:
        """The seconds spent in each phase so far."""
        breed, evaluate, replace, _ = (self.state.stopwatch / 1e9).tolist()
        return Timing(breed, evaluate, replace)

    def _start(self, draws: NDArray[np.float64]) -> None:
        """Create the initial population. It inherits nothing, so the ledger does not count it."""
        population = self.population
        # A single leaf is never too small and violates no direction: a valid initial tree.
        n_single = 1 if self.settings.min_leaf > 0 or len(self.problem.monotonic) else 0
        fill_initial_trees(population.trees, population.alive, self.problem.alphabet, draws, n_single)
        for slot, tree in zip(population.alive[::-1], self.initial, strict=False):
            population.put(int(slot), tree)
        births = empty_births(population.size)
        births.slot[:] = population.alive
        births.stale[:, 0] = 0
        state = self.state._replace(births=births)
        if self.payoff_function is None and self.evaluator.advance(state, self._plain_rules, 0):
            return
        self.evaluator.evaluate(population.trees, births)
        self.evaluator.pool.ledgers[:] = 0
        self._replace(state, population.alive, brood=0)

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
            runs_alone = self.payoff_function is None
            if not (runs_alone and self.evaluator.advance(self.state, self._plain_rules, until)):
                self._step()

    def _make_room(self) -> None:
        """Widen the rows for the largest child that the population can have."""
        self.population.make_room(largest_child(int(self.state.tally[LARGEST]), self.rules.breeding))
        if self.state.trees is not self.population.trees:
            trees = self.population.trees
            self.state = self.state._replace(trees=trees, discount=np.zeros(trees.width + 1))

    def _step(self) -> None:
        """Advance by one brood, with Python between breeding, evaluation and replacement.

        An exception before the last kernel restores the random numbers and the ledger, so the brood can be
        repeated.
        """
        n_broods, stream = self.n_broods, self.state.stream.copy()
        ledgers = self.evaluator.pool.ledgers.copy()
        try:
            self._breed_and_replace()
        except BaseException:
            if self.n_broods == n_broods:
                self.state.stream[:] = stream
                self.evaluator.pool.ledgers[:] = ledgers
            raise

    def _breed_and_replace(self) -> None:
        stopwatch = self.state.stopwatch
        restart(stopwatch)
        breed_offspring(plain(self.state), self._plain_rules)
        lap(stopwatch, BREED)
        self.evaluator.evaluate(self.population.trees, self.births)
        lap(stopwatch, EVALUATE)
        self._replace(self.state, self._candidates(), self.n_broods + 1)
        lap(stopwatch, REPLACE)

    def _replace(self, state: Generation, candidates: NDArray[np.int64], brood: int) -> None:
        """Rank an evaluated brood against the trees that it competes with."""
        if self.payoff_function is None:
            replace_generation(plain(state), self._plain_rules, self.evaluator.ledger)
        else:
            payoffs = self._custom_payoffs(candidates, brood)
            replace_generation_by(plain(state), self._plain_rules, self.evaluator.ledger, payoffs)

    def _candidates(self) -> NDArray[np.int64]:
        """Return the slots of the trees that may stay, best first, followed by the offspring."""
        return np.concatenate((self.population.slots[: self.rules.n_staying], self.births.slot))

    def _custom_payoffs(self, slots: NDArray[np.int64], brood: int) -> NDArray[np.float64]:
        assert self.payoff_function is not None
        trees = self.population.trees
        payoffs = custom_payoff(
            self.payoff_function,
            trees.n_correct[slots],
            self.total_weight,
            trees.n_nodes[slots].astype(np.int64),
            float(self.state.x[brood]),
        )
        if SELECTIONS[self.settings.selection].turns_a_wheel and payoffs.min() < 0:
            raise ConfigError(f"payoff: should not be negative with selection {self.settings.selection}")
        return payoffs

    def extend(self, n_generations: int) -> None:
        """Raise the maximum number of generations, so that the evolution can continue."""
        history = np.zeros(max(n_generations, self.generation) + 1, dtype=RECORD)
        history[: self.generation + 1] = self.history[: self.generation + 1]
        self.settings = self.settings.model_copy(update={"n_generations": n_generations})
        self.state = self.state._replace(history=history, x=x_of_broods(self.settings))

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
            n_evaluations=self.population.size + self.n_broods * len(self.births.slot),
            n_rejected=int(self.state.tally[N_REJECTED]),
            ledger=Ledger(*(int(total) for total in self.evaluator.ledger)),
            history=self.history[: self.generation + 1],
            timing=self.timing,
            n_bytes=self.evaluator.n_bytes,
            problem=self.problem,
            counts=self._class_counts(),
        )

    def _class_counts(self) -> NDArray[np.int64] | None:
        """Return the class counts of the best tree if only the workers hold the instances, else None."""
        if self.workers is None or len(self.problem.instances.classes):
            return None
        return self.workers.class_counts(self.best)


def problem_of(
    data: Dataset | Problem | DataInPieces | pd.DataFrame,
    settings: EvolutionSettings,
    target: str | None = None,
    in_memory: bool = True,
) -> Problem:
    """Return data as a problem, with its codes in memory or left for shards to read."""
    if isinstance(data, Problem):
        return data
    if isinstance(data, DataInPieces):
        return Problem.in_pieces(data, in_memory)
    dataset = data if isinstance(data, Dataset) else Dataset.from_frame(data, target)
    return Problem.of(dataset, settings.numeric_tests)


def evolve(
    data: Dataset | Problem | DataInPieces | pd.DataFrame,
    settings: EvolutionSettings | None = None,
    on_generation: Callable[[Evolution], bool | None] | None = None,
    payoff_function: PayoffFunction | None = None,
    *,
    target: str | None = None,
    initial: Sequence[Tree] = (),
    shards: int | None = None,
    client: Any = None,
) -> Outcome:
    """Evolve decision trees on a data set.

    Parameters
    ----------
    data : Dataset, Problem, DataInPieces or DataFrame
        The training data. Data in pieces are already coded, so `numeric_tests` is ignored.
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
        `gatree.trees.named_tree.recoded`.
    shards : int, optional
        The number of processes that evaluate, each with a shard of the instances. The outcome does not
        depend on it.
    client : distributed.Client, optional
        A Dask cluster whose workers hold the shards, one each unless `shards` is given.

    Returns
    -------
    Outcome
        The best tree, the history of the generations and the ledger of saved work.
    """
    started, started_cpu = time.perf_counter(), time.process_time()
    settings = settings or EvolutionSettings()
    problem = problem_of(data, settings, target, in_memory=shards is None and client is None)
    with start_workers(problem, shards, client) or nullcontext() as workers:
        evolution = Evolution(problem, settings, payoff_function, initial, workers)
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
