"""What a record holds of an evolution's course: the clock at twenty points, with `history` all generations.

The clock only reads the time, because it runs while evolutions are timed. What needs more, such as the number
of distinct trees, is counted in a second run of the same evolution, which is not timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.evolve import Evolution, evolve
from gatree.evolution.outcome import Outcome
from gatree.evolution.population import Population
from gatree.experiments.record import History, Progress
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import Tree

N_POINTS = 20
"""The points at which CPU seconds are recorded, evenly spaced over an evolution; the last one is its end."""


def points_of(n_generations: int) -> list[int]:
    """Return the generations of the points; of short evolutions there are fewer."""
    return sorted({-(-n_generations * k // N_POINTS) for k in range(1, N_POINTS + 1)} - {0})


class Clock:
    """A callback of `evolve` that notes the CPU seconds at each point, and when each generation ends."""

    def __init__(self, settings: EvolutionSettings, has_history: bool = False) -> None:
        self._points = frozenset(points_of(settings.n_generations))
        self._has_history = has_history
        self._cpu: list[float] = []
        self._ends: list[float] = []
        self._started = time.process_time()

    def __call__(self, evolution: Evolution) -> None:
        if evolution.generation in self._points:
            self._cpu.append(time.process_time())
        if self._has_history:
            self._ends.append(time.perf_counter())

    @property
    def cpu_at(self) -> list[float]:
        """The CPU seconds so far at each point."""
        return [round(read - self._started, 6) for read in self._cpu]

    @property
    def generation_wall(self) -> list[float]:
        """The seconds of each generation, with a history."""
        return [round(lap, 7) for lap in np.diff(self._ends).tolist()]


def progress_of(run: Outcome, settings: EvolutionSettings) -> Progress:
    """Return at each point the payoff of the best tree, and how many trees have been examined."""
    points = points_of(run.n_generations)
    return Progress(
        generation=points,
        payoff=[round(payoff, 6) for payoff in run.history["best_payoff"][points].tolist()],
        examined=[settings.population_size + point * settings.n_offspring for point in points],
    )


def history_of(
    run: Outcome,
    settings: EvolutionSettings,
    test_correct: Callable[[Tree], int] | None = None,
    n_test: int = 0,
) -> History:
    """Return the course of an evolution that has been run, from generation 1 on."""
    distinct: list[int] = []
    tested: list[int] = []

    def watch(evolution: Evolution) -> None:
        if evolution.generation > 0:
            distinct.append(n_distinct(evolution.population))
            if test_correct is not None:
                tested.append(test_correct(evolution.best))

    evolve(run.problem, settings, watch)
    rows = run.history[1:]
    work = [np.diff(run.history[name]) for name in ("instances_reclassified", "instances_total")]
    return History(
        accuracy=_rounded(rows["best_correct"] / run.n_instances),
        test_accuracy=[round(correct / n_test, 6) for correct in tested] if n_test else [],
        size=rows["best_nodes"].tolist(),
        payoff=_rounded(rows["best_payoff"]),
        mean_payoff=_rounded(rows["mean_payoff"]),
        distinct=distinct,
        savings=_rounded(100 * (1 - work[0] / np.maximum(1, work[1]))),
    )


def _rounded(values: NDArray[np.float64]) -> list[float]:
    return [round(value, 6) for value in values.tolist()]


def n_distinct(population: Population) -> int:
    """Return how many different trees a population has."""
    trees = population.trees
    rows = zip(population.alive.tolist(), trees.n_nodes[population.alive].tolist(), strict=True)
    return len({(trees.attribute[slot, :n].tobytes(), trees.value[slot, :n].tobytes()) for slot, n in rows})
