"""One generation as compiled code: choose parents, breed, and let the offspring take their place.

Between `bear` and `succeed` an evaluator counts what the children classify correctly. An evaluator that can
do so without Python runs generation after generation in one call (its `advance`), as long as `may_advance`
says so: a call from Python costs as much as breeding and ranking do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.config import EvolutionSettings
from gatree.evolution.breed import NONE, Births, Breeding, breed
from gatree.evolution.draw import Stream, draw
from gatree.evolution.history import record
from gatree.evolution.payoff import accuracy_squared, discount
from gatree.evolution.population import Trees
from gatree.evolution.problem import Alphabet
from gatree.evolution.rank import Candidates, rank
from gatree.evolution.selection import roulette, tournament
from gatree.evolution.stopwatch import LAST_READ, Stopwatch
from gatree.jit import U, inlined, lean

GENERATION, LARGEST, N_REJECTED = range(3)  # the columns of `tally`

_LONGEST_CALL = 50 * 10**6
"""Nanoseconds after which compiled code goes back to Python, where it can be interrupted."""

_LARGEST_TREE = np.iinfo(np.int32).max


class Generation(NamedTuple):
    """All that changes from one generation to the next, as kernels take it."""

    trees: Trees
    births: Births
    candidates: Candidates  # the living, best first, then the free slots
    accuracy_squared: NDArray[np.float64]  # [slot]: of Eq. 1
    discount: NDArray[np.float64]  # [nodes]: of Eq. 1, scratch
    parents: NDArray[np.int64]  # [row]: slots
    stream: Stream
    draws: NDArray[np.float64]  # [row, column]: this generation's random numbers
    history: Any  # [generation]
    tally: NDArray[np.int64]  # the generations so far, the nodes of the largest living tree, the rejected
    stopwatch: Stopwatch


class Rules(NamedTuple):
    """All that stays the same, as kernels take it."""

    population_size: int
    n_generations: int
    tournament_size: int  # 0: roulette
    replaces_worst: bool  # else the best of all live on
    counts_leaves: bool  # as the size in Eq. 1
    total_weight: int
    x_first: float
    x_last: float
    alphabet: Alphabet
    breeding: Breeding


def rules_of(settings: EvolutionSettings, alphabet: Alphabet, total_weight: int) -> Rules:
    """Return the settings as kernels take them."""
    return Rules(
        population_size=settings.population_size,
        n_generations=settings.n_generations,
        tournament_size=settings.tournament_size if settings.selection == "tournament" else 0,
        replaces_worst=settings.replacement == "worst",
        counts_leaves=settings.size == "leaves",
        total_weight=total_weight,
        x_first=settings.x_factor.first,
        x_last=settings.x_factor.last,
        alphabet=alphabet,
        breeding=Breeding(
            mutation_rate=settings.mutation_rate,
            prune_share=settings.prune_share,
            max_nodes=settings.max_nodes or _LARGEST_TREE,
            crossover_rate=settings.crossover_rate,
            shift_share=settings.shift_share,
            grow_share=settings.grow_share,
        ),
    )


def no_births(n: int) -> Births:
    """Return room for so many births, of which nothing is known yet."""
    return Births(
        slot=np.zeros(n, dtype=np.int64),
        source=np.full(n, NONE, dtype=np.int64),
        stale=np.full((n, 2), NONE, dtype=np.int32),
        rejected=np.zeros(n, dtype=np.bool_),
    )


@lean
def largest_child(largest: int, breeding: Breeding) -> int:
    """Return the size of the largest child that crossover and growing can make of trees of a size."""
    grown = 2 if breeding.grow_share > 0 else 0
    return min(2 * largest + grown, breeding.max_nodes)


@inlined
def parts(generation: Generation) -> tuple[Trees, Births, Stopwatch]:
    """Return what an evaluator needs of a generation."""
    generation = Generation(*generation)
    return generation.trees, generation.births, generation.stopwatch


@inlined
def may_advance(generation: Generation, rules: Rules, until: int, started: int) -> bool:
    """Tell whether one more generation can do without Python: rows are wide enough, it is not time yet."""
    generation, rules = Generation(*generation), Rules(*rules)
    tally = generation.tally
    return bool(
        tally[GENERATION] < until
        and largest_child(tally[LARGEST], Breeding(*rules.breeding)) <= Trees(*generation.trees).span.shape[1]
        and generation.stopwatch[LAST_READ] - started < _LONGEST_CALL
    )


@lean
def bear(generation: Generation, rules: Rules) -> None:
    """Choose parents and fill the free slots with their children."""
    generation, rules = Generation(*generation), Rules(*rules)
    candidates, births = Candidates(*generation.candidates), Births(*generation.births)
    n, parents = rules.population_size, generation.parents
    payoff, draws = candidates.payoff[:n], generation.draws
    draw(generation.stream, draws)
    if rules.tournament_size > 0:
        tournament(payoff, draws[:, : rules.tournament_size], parents)
    else:
        roulette(payoff, draws[:, :1], parents, candidates.spare_payoff)
    for row in range(len(parents)):
        parents[row] = candidates.slot[parents[row]]
    for k in range(len(births.slot)):
        births.slot[k] = candidates.slot[n + k]
    breed(
        generation.trees,
        parents,
        generation.births,
        rules.alphabet,
        rules.breeding,
        draws[:, max(1, rules.tournament_size) :],
    )


@lean
def admit(generation: Generation, rules: Rules) -> int:
    """Put the offspring behind the living, or in place of the worst of them; return how many that makes."""
    generation, rules = Generation(*generation), Rules(*rules)
    candidates, n_offspring = Candidates(*generation.candidates), len(Births(*generation.births).slot)
    slots, spare = candidates.slot, candidates.spare_slot
    n = rules.population_size
    if not rules.replaces_worst:
        return n + n_offspring
    n_kept = max(1, n - n_offspring)  # the best tree is never lost
    for k in range(n_kept, n):
        spare[k] = slots[k]
    for k in range(n_offspring):
        slots[n_kept + k] = slots[n + k]
    for k in range(n_kept, n):
        slots[n_offspring + k] = spare[k]
    return n_kept + n_offspring


@inlined
def fill_discounts(generation: Generation, rules: Rules, largest: int) -> None:
    """Compute the discount of Eq. 1 for all sizes there can be: there are far fewer sizes than trees."""
    x = rules.x_first
    if rules.n_generations > 0:
        x += (rules.x_last - rules.x_first) * (generation.tally[GENERATION] / rules.n_generations)
    for n_nodes in range(1, largest + 1, 2):
        generation.discount[n_nodes] = discount((n_nodes + 1) // 2 if rules.counts_leaves else n_nodes, x)


@lean
def pay(generation: Generation, rules: Rules, n: int, n_new: int) -> None:
    """Compute the payoffs of the first n candidates, of which the last n_new are new."""
    generation, rules = Generation(*generation), Rules(*rules)
    candidates, trees = Candidates(*generation.candidates), Trees(*generation.trees)
    largest = generation.tally[LARGEST]
    for k in range(n - n_new, n):
        slot = candidates.slot[k]
        generation.accuracy_squared[slot] = accuracy_squared(trees.n_correct[slot], rules.total_weight)
        largest = max(largest, trees.n_nodes[slot])
    fill_discounts(generation, rules, largest)
    for k in range(n):
        slot = U(candidates.slot[k])
        n_nodes = U(trees.n_nodes[slot])
        candidates.payoff[k] = generation.accuracy_squared[slot] * generation.discount[n_nodes]  # Eq. 1


@lean
def rank_and_record(
    generation: Generation, rules: Rules, ledger: NDArray[np.int64], n: int, n_new: int
) -> None:
    """Let the best of the first n candidates live, of which the last n_new are new; keep a record of it."""
    generation, rules = Generation(*generation), Rules(*rules)
    candidates = Candidates(*generation.candidates)
    rank(generation.candidates, n, n_new)
    generation.tally[LARGEST] = record(
        generation.history,
        generation.tally[GENERATION],
        generation.trees,
        candidates.slot[: rules.population_size],
        candidates.payoff[: rules.population_size],
        ledger,
    )


@lean
def close(generation: Generation) -> None:
    """Count the generation that has been evaluated."""
    generation = Generation(*generation)
    births = Births(*generation.births)
    generation.tally[GENERATION] += 1
    for k in range(len(births.slot)):
        generation.tally[N_REJECTED] += births.rejected[k]


@lean
def succeed_by(
    generation: Generation, rules: Rules, ledger: NDArray[np.int64], payoffs: NDArray[np.float64]
) -> None:
    """Do what `succeed` does, by given payoffs: of the living that stay, best first, and of the offspring."""
    close(generation)
    n, n_new = admit(generation, rules), len(Births(*Generation(*generation).births).slot)
    candidates = Candidates(*Generation(*generation).candidates)
    for k in range(n):
        candidates.payoff[k] = payoffs[k]
    rank_and_record(generation, rules, ledger, n, n_new)


@lean
def succeed(generation: Generation, rules: Rules, ledger: NDArray[np.int64]) -> None:
    """Let the evaluated offspring take their place among the living."""
    close(generation)
    n, n_new = admit(generation, rules), len(Births(*Generation(*generation).births).slot)
    pay(generation, rules, n, n_new)
    rank_and_record(generation, rules, ledger, n, n_new)
