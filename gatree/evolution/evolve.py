"""The generation loop. Start here.

One generation selects parents, breeds children, evaluates them, and keeps the best of parents and
children (steady state). Breeding is the only place that uses random numbers, and it does not know
the evaluator, so two evaluators run the same evolution from the same seed.

The loop is Python; each step is one compiled call for the whole generation.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gatree.config import EvolutionSettings
from gatree.data.dataset import Dataset
from gatree.errors import ConfigError
from gatree.evolution.breed import N_DRAWS, NONE, Births, Breeding, breed
from gatree.evolution.evaluators import Evaluator, Ledger, make_evaluator
from gatree.evolution.history import RECORD, record
from gatree.evolution.payoff import PayoffFunction, custom_payoff, payoff
from gatree.evolution.population import Population, plant
from gatree.evolution.problem import Problem
from gatree.evolution.select import roulette, tournament
from gatree.jit import plain
from gatree.trees.genome import Tree

_INITIAL_DRAWS = 4
_LARGEST_TREE = np.iinfo(np.int32).max


@dataclass
class Timing:
    """Seconds spent: breeding, evaluating (wall and CPU), and in all."""

    breed: float = 0.0
    evaluate: float = 0.0
    evaluate_cpu: float = 0.0
    replace: float = 0.0
    total: float = 0.0
    total_cpu: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """What an evolution has found, and what it has cost."""

    best: Tree
    n_correct: int
    n_instances: int
    total_weight: int  # n_correct of a perfect tree; n_instances, unless classes have weights
    payoff: float
    n_generations: int
    n_evaluations: int
    n_rejected: int
    ledger: Ledger
    history: NDArray[np.void]  # one row per generation, see gatree.evolution.history
    timing: Timing
    n_bytes: int  # what the evaluator keeps

    @property
    def accuracy(self) -> float:
        return self.n_correct / self.total_weight


@dataclass
class Evolution:
    """An evolution under way: make one, call `step` once per generation, ask for its `outcome`.

    Parameters
    ----------
    problem : Problem
        The coded data set.
    settings : EvolutionSettings
        How to evolve.
    payoff_function : callable, optional
        What to select by instead of Eq. 1; see `gatree.evolution.payoff`.
    """

    problem: Problem
    settings: EvolutionSettings
    payoff_function: PayoffFunction | None = None
    timing: Timing = field(default_factory=Timing)

    def __post_init__(self) -> None:
        settings = self.settings
        self.problem = self.problem.scored(settings)
        self.total_weight = self.problem.total_weight
        n_offspring = max(1, round(settings.generation_gap * settings.population_size))
        self.rng = np.random.default_rng(settings.seed)
        self.generation = 0
        self.n_rejected = 0
        self.population = Population.empty(settings.population_size, n_offspring)
        self.births = no_births(n_offspring)
        self.breeding = Breeding(
            mutation_rate=settings.mutation_rate,
            prune_share=settings.prune_share,
            max_nodes=settings.max_nodes or _LARGEST_TREE,
            crossover_rate=settings.crossover_rate,
            shift_share=settings.shift_share,
            grow_share=settings.grow_share,
        )
        self.evaluator: Evaluator = make_evaluator(
            settings.evaluator,
            self.problem,
            settings.population_size + n_offspring,
            settings.n_jobs,
            settings.subtree_cache,
        )
        self.history = np.zeros(settings.n_generations + 1, dtype=RECORD)
        self._start()

    @property
    def n_offspring(self) -> int:
        return len(self.births.slot)

    def _start(self) -> None:
        """Plant the initial population. It has nothing to inherit, so it does not count in the ledger."""
        population = self.population
        draws = self.rng.random((population.size, _INITIAL_DRAWS))
        # One leaf is never too small, so there is a tree to begin with whatever min_leaf asks for.
        n_single = 1 if self.settings.min_leaf > 0 else 0
        plant(population.trees, population.alive, self.problem.alphabet, draws, n_single)
        births = no_births(population.size)
        births.slot[:] = population.alive
        births.stale[:, 0] = 0
        self.evaluator.evaluate(population.trees, births)
        self.evaluator.crew.ledgers[:] = 0
        self._rank(population.alive)

    def step(self) -> None:
        """Advance by one generation."""
        started = time.perf_counter()
        self.generation += 1
        self._breed()
        bred, bred_cpu = time.perf_counter(), time.process_time()
        self.evaluator.evaluate(self.population.trees, self.births)
        evaluated, evaluated_cpu = time.perf_counter(), time.process_time()
        self._replace()
        timing = self.timing
        timing.breed += bred - started
        timing.evaluate += evaluated - bred
        timing.evaluate_cpu += evaluated_cpu - bred_cpu
        timing.replace += time.perf_counter() - evaluated

    def _breed(self) -> None:
        """Choose parents and fill the free slots with their children."""
        population, settings = self.population, self.settings
        n_parents = self.n_offspring + self.n_offspring % 2
        size = settings.tournament_size if settings.selection == "tournament" else 1
        draws = self.rng.random((n_parents, size + N_DRAWS))
        choose = tournament if settings.selection == "tournament" else roulette
        parents = population.slots[choose(self.payoff, draws[:, :size])]
        self._make_room()
        self.births.slot[:] = population.free
        breed(
            plain(population.trees),
            parents,
            plain(self.births),
            plain(self.problem.alphabet),
            plain(self.breeding),
            draws[:, size:],
        )
        if settings.max_nodes is not None:
            self.n_rejected += int(self.births.rejected.sum())

    def _make_room(self) -> None:
        """Let the rows hold the largest child that crossover and growing can make of the living."""
        grown = 2 if self.breeding.grow_share > 0 else 0
        self.population.make_room(min(2 * self.largest + grown, self.breeding.max_nodes))

    def _replace(self) -> None:
        """Let the offspring take the place of the worst trees, or of all that are worse than they."""
        population, n_offspring = self.population, self.n_offspring
        n_kept = population.size
        if self.settings.replacement == "worst":
            n_kept = max(1, population.size - n_offspring)  # the best tree is never lost
            out = population.alive[n_kept:].copy()
            population.slots[n_kept : n_kept + n_offspring] = population.free
            population.slots[n_kept + n_offspring :] = out
        self._rank(population.slots[: n_kept + n_offspring])

    def _rank(self, slots: NDArray[np.int64]) -> None:
        """Order these slots by payoff, best first; the population's first ones live on."""
        population, settings = self.population, self.settings
        x = settings.x_factor.at(self.generation, settings.n_generations)
        n_correct, n_nodes = (
            population.trees.n_correct[slots],
            population.trees.n_nodes[slots].astype(np.int64),
        )
        if self.payoff_function is not None:
            payoffs = custom_payoff(self.payoff_function, n_correct, self.total_weight, n_nodes, x)
            if settings.selection == "roulette" and payoffs.min() < 0:
                raise ConfigError("payoff: should not be negative with selection roulette")
        else:
            size = (n_nodes + 1) // 2 if settings.size == "leaves" else n_nodes
            payoffs = payoff(n_correct, self.total_weight, size, x)
        order = np.argsort(-payoffs, kind="stable")
        population.slots[: len(slots)] = slots[order]
        self.payoff = payoffs[order[: population.size]]
        self.largest = record(
            self.history,
            self.generation,
            plain(population.trees),
            population.alive,
            self.payoff,
            self.evaluator.ledger,
        )

    def extend(self, n_generations: int) -> None:
        """Make room for a later end, so that the evolution can go on."""
        self.settings = self.settings.model_copy(update={"n_generations": n_generations})
        history = np.zeros(max(n_generations, self.generation) + 1, dtype=RECORD)
        history[: self.generation + 1] = self.history[: self.generation + 1]
        self.history = history

    @property
    def best(self) -> Tree:
        """The tree with the highest payoff."""
        return self.population.tree(int(self.population.slots[0]))

    def outcome(self) -> Outcome:
        """Return what has been found so far."""
        best = int(self.population.slots[0])
        return Outcome(
            best=self.best,
            n_correct=int(self.population.trees.n_correct[best]),
            n_instances=self.problem.n_instances,
            total_weight=self.total_weight,
            payoff=float(self.payoff[0]),
            n_generations=self.generation,
            n_evaluations=self.population.size + self.generation * self.n_offspring,
            n_rejected=self.n_rejected,
            ledger=Ledger(*(int(total) for total in self.evaluator.ledger)),
            history=self.history[: self.generation + 1],
            timing=self.timing,
            n_bytes=self.evaluator.n_bytes,
        )


def no_births(n: int) -> Births:
    """Return room for so many births, of which nothing is known yet."""
    return Births(
        slot=np.zeros(n, dtype=np.int64),
        source=np.full(n, NONE, dtype=np.int64),
        stale=np.full((n, 2), NONE, dtype=np.int32),
        rejected=np.zeros(n, dtype=np.bool_),
    )


def evolve(
    data: Dataset | Problem,
    settings: EvolutionSettings | None = None,
    on_generation: Callable[[Evolution], bool | None] | None = None,
    payoff_function: PayoffFunction | None = None,
) -> Outcome:
    """Evolve decision trees on a data set.

    Parameters
    ----------
    data : Dataset or Problem
        What to learn from.
    settings : EvolutionSettings, optional
        How to evolve; the paper's settings by default.
    on_generation : callable, optional
        Called after every generation with the `Evolution`; a true result stops it there.
    payoff_function : callable, optional
        What to select by instead of Eq. 1; see `gatree.evolution.payoff`.

    Returns
    -------
    Outcome
        The best tree, the history of the generations and the ledger of work saved.
    """
    started, started_cpu = time.perf_counter(), time.process_time()
    settings = settings or EvolutionSettings()
    problem = data if isinstance(data, Problem) else Problem.of(data, settings.numeric_tests)
    evolution = Evolution(problem, settings, payoff_function)
    for _ in range(settings.n_generations):
        evolution.step()
        if on_generation is not None and on_generation(evolution):
            break
    evolution.timing.total = time.perf_counter() - started
    evolution.timing.total_cpu = time.process_time() - started_cpu
    return evolution.outcome()
