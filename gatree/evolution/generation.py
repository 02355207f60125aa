"""One generation, and the loop over generations, as compiled code.

A generation has five steps: draw random numbers, select parents, breed children into free slots, evaluate
what the children classify correctly, and replace a part of the population. `run_generations` is the loop over
them. A call from Python costs as much as a generation on small data, so the loop is compiled, around the
kernel of each evaluator (`make_loop`). It returns to Python where something has to be done there: wider rows
for larger trees, more random numbers, an evaluation by several threads, a custom payoff, or
Ctrl-C. `Progress` says which step comes next, so the loop goes on where it has stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births, Breeding, breed, breeding_of, empty_births
from gatree.evolution.history import (
    BREED,
    EVALUATE,
    LAST_READ,
    RECORD,
    REPLACE,
    Stopwatch,
    lap,
    record,
    restart,
)
from gatree.evolution.operators import N_DRAWS, Operators
from gatree.evolution.payoff import accuracy_squared, discount, is_monotonic
from gatree.evolution.population import Candidates, Trees, empty_candidates, rank
from gatree.evolution.problem import Alphabet, Problem
from gatree.kernels.decorators import U, inlined, lean, shared, specialised
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import REPLACEMENTS, SELECTIONS

TO_BREED, TO_EVALUATE, TO_PAY, TO_REPLACE = range(4)
"""The step that comes next; `TO_PAY` waits for a custom payoff."""

NOT_STARTED = -1
"""The generation number before the initial population is evaluated."""

PROGRESS = np.dtype(
    [
        ("generation", np.int64),
        ("next", np.int64),  # step
        ("n_drawn", np.int64),  # generations whose random numbers have been used
        ("largest", np.int64),  # nodes of the largest tree
        ("n_rejected", np.int64),  # children
    ]
)

_MOST_NUMBERS = 2**16  # that are drawn at once, unless one generation needs more

_selections = Operators("selection", SELECTIONS.values())
choose_parents = _selections.kernel


class Merits(NamedTuple):
    """What payoffs are computed from, in the form that kernels take."""

    accuracy_squared: NDArray[np.float64]  # [slot]: factor of Eq. 1
    discount: NDArray[np.float64]  # [nodes]: factor of Eq. 1, scratch
    paid: NDArray[np.float64]  # [slot]: the payoff at birth, or a custom payoff
    x: NDArray[np.float64]  # [generation]: of Eq. 1


class Generation(NamedTuple):
    """The state that changes between generations, in the form that kernels take."""

    trees: Trees
    births: Births
    candidates: Candidates  # the population, best first, then the free slots
    merits: Merits
    parents: NDArray[np.int64]  # [row]: slots
    draws: NDArray[np.float64]  # [generation, row, column]: random numbers
    history: Any  # [generation]
    progress: Any  # [0]: a record
    stopwatch: Stopwatch


def first_generation(
    settings: EvolutionSettings, trees: Trees, slots: NDArray[np.int64], x: NDArray[np.float64]
) -> Generation:
    """Return the state of an evolution whose initial population has to be evaluated."""
    n_offspring, n_slots = settings.n_offspring, len(slots)
    n_rows = n_offspring + n_offspring % 2
    n_columns = n_selection_draws(settings) + N_DRAWS
    n_generations = max(1, min(settings.n_generations, _MOST_NUMBERS // (n_rows * n_columns)))
    progress = np.zeros(1, dtype=PROGRESS)
    progress[0] = (NOT_STARTED, TO_EVALUATE, n_generations, 0, 0)
    return Generation(
        trees=trees,
        births=empty_births(n_offspring),
        candidates=empty_candidates(n_slots)._replace(slot=slots),
        merits=Merits(np.zeros(n_slots), np.zeros(trees.width + 1), np.zeros(n_slots), x),
        parents=np.zeros(n_rows, dtype=np.int64),
        draws=np.zeros((n_generations, n_rows, n_columns)),
        history=np.zeros(settings.n_generations + 1, dtype=RECORD),
        progress=progress,
        stopwatch=np.zeros(4, dtype=np.int64),
    )


def n_selection_draws(settings: EvolutionSettings) -> int:
    """Return the random numbers that the selection of a parent takes."""
    draws = SELECTIONS[settings.selection].draws
    return int(getattr(settings, draws)) if draws else 1


class Rules(NamedTuple):
    """The constants of an evolution, in the form that kernels take."""

    population_size: int
    n_staying: int  # the best trees that are ranked together with the offspring
    selection: int  # index in `SELECTIONS`
    n_selection_draws: int  # random numbers per parent
    custom_payoff: bool  # payoffs are computed in Python
    paid_at_birth: bool  # otherwise in every generation
    counts_leaves: bool  # as the size in Eq. 1
    total_weight: int
    monotonic: NDArray[np.int8]  # [attribute]: 1 or -1 if the class may only rise or fall; or empty
    alphabet: Alphabet
    breeding: Breeding


def rules_of(settings: EvolutionSettings, problem: Problem, custom_payoff: bool) -> Rules:
    """Return the settings and the problem's constraints in the form that kernels take."""
    n_staying = REPLACEMENTS[settings.replacement].load()
    return Rules(
        population_size=settings.population_size,
        n_staying=n_staying(settings.population_size, settings.n_offspring),
        selection=_selections.index_of(settings.selection),
        n_selection_draws=n_selection_draws(settings),
        custom_payoff=custom_payoff,
        paid_at_birth=settings.paid == "at-birth",
        counts_leaves=settings.size_measure == "leaves",
        total_weight=problem.total_weight,
        monotonic=problem.monotonic,
        alphabet=problem.alphabet,
        breeding=breeding_of(settings),
    )


@shared
def largest_child(largest: int, breeding: Breeding) -> int:
    """Return the maximum size of a child of trees with up to ``largest`` nodes."""
    return min(2 * largest + breeding.max_added_nodes, breeding.max_nodes)


@lean
def select(generation: Generation, rules: Rules, draws: NDArray[np.float64]) -> None:
    """Select a parent for each row of random numbers."""
    slots, parents, n = generation.candidates.slot, generation.parents, rules.population_size
    payoff, wheel = generation.candidates.payoff[:n], generation.candidates.spare_payoff
    choose_parents(rules.selection, payoff, draws, parents, wheel)
    for row in range(len(parents)):
        parents[row] = slots[parents[row]]


@lean
def breed_children(generation: Generation, rules: Rules, draws: NDArray[np.float64]) -> None:
    """Fill the free slots with children of the selected parents."""
    births, slots = generation.births, generation.candidates.slot
    for k in range(len(births.slot)):
        births.slot[k] = slots[rules.population_size + k]
    breed(generation.trees, generation.parents, births, rules.alphabet, rules.breeding, draws)


@inlined
def append_offspring(generation: Generation, rules: Rules) -> int:
    """Move the offspring behind the trees that may stay; return the number of both."""
    slots, spare = generation.candidates.slot, generation.candidates.spare_slot
    n, n_staying, n_offspring = rules.population_size, rules.n_staying, len(generation.births.slot)
    for k in range(n_staying, n):
        spare[k] = slots[k]
    for k in range(n_offspring):
        slots[n_staying + k] = slots[n + k]
    for k in range(n_staying, n):
        slots[n_offspring + k] = spare[k]
    return int(n_staying + n_offspring)


@inlined
def compute_payoffs(generation: Generation, rules: Rules, n: int, n_new: int) -> None:
    """Compute the payoffs of the first n candidates, of which the last n_new are new, by Eq. 1.

    The discount is computed once for every possible size: there are far fewer sizes than trees.
    """
    candidates, trees, merits = generation.candidates, generation.trees, generation.merits
    largest = generation.progress[0]["largest"]
    for k in range(n - n_new, n):
        slot = candidates.slot[k]
        allowed = len(rules.monotonic) == 0 or is_monotonic(trees, slot, rules.monotonic)
        n_correct = trees.n_correct[slot] if allowed else 0
        merits.accuracy_squared[slot] = accuracy_squared(n_correct, rules.total_weight)
        largest = max(largest, trees.n_nodes[slot])
    x = merits.x[generation.progress[0]["generation"]]
    for n_nodes in range(1, largest + 1, 2):
        merits.discount[n_nodes] = discount((n_nodes + 1) // 2 if rules.counts_leaves else n_nodes, x)
    for k in range(n - n_new if rules.paid_at_birth else 0, n):
        slot = U(candidates.slot[k])
        candidates.payoff[k] = merits.accuracy_squared[slot] * merits.discount[U(trees.n_nodes[slot])]


@inlined
def inherit_payoffs(generation: Generation, n: int, n_new: int) -> None:
    """Give a child that equals its source the source's payoff, and store the payoffs of the new trees."""
    candidates, births, paid = generation.candidates, generation.births, generation.merits.paid
    for k in range(n_new):
        if births.source[k] != NONE and births.stale[k, 0] == NONE:
            candidates.payoff[n - n_new + k] = paid[births.source[k]]
    for k in range(n - n_new, n):
        paid[candidates.slot[k]] = candidates.payoff[k]


@lean
def replace(generation: Generation, rules: Rules, ledger: NDArray[np.int64]) -> None:
    """Rank the evaluated offspring, or the initial population, into the population, and record it.

    The initial population inherits nothing, so the ledger does not count it.
    """
    candidates, progress, n_new = generation.candidates, generation.progress[0], len(generation.births.slot)
    n = rules.population_size
    if progress["generation"] == NOT_STARTED:
        for column in range(len(ledger)):
            ledger[column] = 0
    else:
        n = append_offspring(generation, rules)
        for k in range(n_new):
            progress["n_rejected"] += generation.births.rejected[k]
    progress["generation"] += 1
    if rules.custom_payoff:
        for k in range(n):
            candidates.payoff[k] = generation.merits.paid[candidates.slot[k]]
    else:
        compute_payoffs(generation, rules, n, n_new)
    if rules.paid_at_birth:
        inherit_payoffs(generation, n, n_new)
    rank(candidates, n, n_new)
    alive = candidates.slot[: rules.population_size]
    payoff = candidates.payoff[: rules.population_size]
    generation.progress[0]["largest"] = record(
        generation.history, progress["generation"], generation.trees, alive, payoff, ledger
    )


LONGEST_CALL = 50 * 10**6
"""Nanoseconds after which compiled code returns to Python, where it can be interrupted."""

EvaluateKernel = Callable[..., None]
"""Evaluates children: takes trees, births, a range of them, a ledger and the evaluator's data."""


@inlined
def can_breed(generation: Generation, rules: Rules, until: int, started: int) -> bool:
    """Return whether a generation can begin: rows are wide enough, and numbers and time are left."""
    progress, width = generation.progress[0], generation.trees.span.shape[1]
    return bool(
        progress["generation"] < until
        and largest_child(progress["largest"], rules.breeding) <= width
        and progress["n_drawn"] < len(generation.draws)
        and generation.stopwatch[LAST_READ] - started < LONGEST_CALL
    )


def evaluate(
    trees: Trees, births: Births, first: int, last: int, ledger: NDArray[np.int64], kept: Any
) -> None:
    """Stand for an evaluator's kernel."""
    raise NotImplementedError


def run_generations(
    generation: Generation, rules: Rules, until: int, alone: bool, ledger: NDArray[np.int64], kept: Any
) -> None:
    """Run generations up to `until`, or until Python is needed: for every evaluation, if not `alone`."""
    births = generation.births
    progress, stopwatch, n_draws = generation.progress[0], generation.stopwatch, rules.n_selection_draws
    started = restart(stopwatch)
    while True:
        if progress["next"] == TO_BREED:
            if not can_breed(generation, rules, until, started):
                return
            draws = generation.draws[progress["n_drawn"]]
            progress["n_drawn"] += 1
            select(generation, rules, draws[:, :n_draws])
            breed_children(generation, rules, draws[:, n_draws:])
            progress["next"] = TO_EVALUATE
            lap(stopwatch, BREED)
        if progress["next"] == TO_EVALUATE:
            if not alone:
                return
            evaluate(generation.trees, births, 0, len(births.slot), ledger, kept)
            progress["next"] = TO_PAY
            lap(stopwatch, EVALUATE)
        if progress["next"] == TO_PAY and rules.custom_payoff:
            return
        replace(generation, rules, ledger)
        progress["next"] = TO_BREED
        lap(stopwatch, REPLACE)


def make_loop(name: str, kernel: EvaluateKernel) -> Callable[..., None]:
    """Return the compiled loop of an evaluator, named after it."""
    return lean(specialised(run_generations, f"run_generations_of_{name}", evaluate=kernel))
