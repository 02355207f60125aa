"""One generation, and the loop over generations, as compiled code.

`breed_offspring` selects parents and fills free slots with their children, an evaluator counts what the
children classify correctly, and `replace_generation` ranks them into the population. A call from Python costs
as much as a generation on small data, so every evaluator gets a compiled loop over all three, made from one
template (`make_loop`). Where Python has to run in between, gatree.evolution.evolve calls the same kernels one
by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import NONE, Births, Breeding, breed, breeding_of
from gatree.evolution.draw import Stream, draw
from gatree.evolution.history import BREED, EVALUATE, LAST_READ, REPLACE, Stopwatch, lap, record, restart
from gatree.evolution.operators import Operators
from gatree.evolution.payoff import accuracy_squared, discount, is_monotonic, product
from gatree.evolution.population import Candidates, Trees, rank
from gatree.evolution.problem import Alphabet, Problem
from gatree.kernels.decorators import U, inlined, lean, specialised
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.registry import REPLACEMENTS, SELECTIONS

GENERATION, LARGEST, N_REJECTED, BROOD = range(4)  # the columns of `tally`

NOT_STARTED = -1
"""The generation number before the initial population is evaluated."""

_selections = Operators("selection", SELECTIONS.values())
choose_parents = _selections.kernel


class Generation(NamedTuple):
    """The state that changes between generations, in the form that kernels take."""

    trees: Trees
    births: Births
    candidates: Candidates  # the population, best first, then the free slots
    accuracy_squared: NDArray[np.float64]  # [slot]: factor of Eq. 1
    discount: NDArray[np.float64]  # [nodes]: factor of Eq. 1, scratch
    paid: NDArray[np.float64]  # [slot]: the payoff at birth
    x: NDArray[np.float64]  # [brood]: of Eq. 1
    parents: NDArray[np.int64]  # [row]: slots
    stream: Stream
    draws: NDArray[np.float64]  # [row, column]: this generation's random numbers
    history: Any  # [generation]
    tally: NDArray[np.int64]  # generations, nodes of the largest tree, rejected children, broods
    stopwatch: Stopwatch


class Rules(NamedTuple):
    """The constants of an evolution, in the form that kernels take."""

    population_size: int
    n_staying: int  # the best trees that are ranked together with the offspring
    selection: int  # index in `SELECTIONS`
    n_selection_draws: int  # random numbers per parent
    n_broods: int  # per generation
    paid_at_birth: bool  # otherwise in every generation
    counts_leaves: bool  # as the size in Eq. 1
    total_weight: int
    monotonic: NDArray[np.int8]  # [attribute]: 1 or -1 if the class may only rise or fall; or empty
    alphabet: Alphabet
    breeding: Breeding


def rules_of(settings: EvolutionSettings, problem: Problem) -> Rules:
    """Return the settings and the problem's constraints in the form that kernels take."""
    draws = SELECTIONS[settings.selection].draws
    n_staying = REPLACEMENTS[settings.replacement].load()
    return Rules(
        population_size=settings.population_size,
        n_staying=n_staying(settings.population_size, settings.brood_size),
        selection=_selections.index_of(settings.selection),
        n_selection_draws=getattr(settings, draws) if draws else 1,
        n_broods=settings.n_broods,
        paid_at_birth=settings.paid == "at-birth",
        counts_leaves=settings.size == "leaves",
        total_weight=problem.total_weight,
        monotonic=problem.monotonic,
        alphabet=problem.alphabet,
        breeding=breeding_of(settings),
    )


@inlined
def named(generation: Generation) -> Generation:
    """Restore the named tuples of a generation passed from Python (see gatree.kernels.decorators.plain)."""
    plain = Generation(*generation)
    return Generation(
        Trees(*plain.trees),
        Births(*plain.births),
        Candidates(*plain.candidates),
        plain.accuracy_squared,
        plain.discount,
        plain.paid,
        plain.x,
        plain.parents,
        plain.stream,
        plain.draws,
        plain.history,
        plain.tally,
        plain.stopwatch,
    )


def largest_child(largest: int, breeding: Breeding) -> int:
    """Return the maximum size of a child of trees with up to ``largest`` nodes."""
    return min(2 * largest + breeding.max_added_nodes, breeding.max_nodes)


largest_child_kernel = inlined(largest_child)


@lean
def breed_offspring(generation: Generation, rules: Rules) -> None:
    """Select parents and fill the free slots with their children."""
    trees, births = generation[0], generation[1]
    generation, rules = named(generation), Rules(*rules)
    slots, parents, draws = generation.candidates.slot, generation.parents, generation.draws
    n, n_selection_draws = rules.population_size, rules.n_selection_draws
    draw(generation.stream, draws)
    payoff, wheel = generation.candidates.payoff[:n], generation.candidates.spare_payoff
    choose_parents(rules.selection, payoff, draws[:, :n_selection_draws], parents, wheel)
    for row in range(len(parents)):
        parents[row] = slots[parents[row]]
    for k in range(len(generation.births.slot)):
        generation.births.slot[k] = slots[n + k]
    breed(trees, parents, births, rules.alphabet, rules.breeding, draws[:, n_selection_draws:])


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
def fill_discounts(generation: Generation, rules: Rules, largest: int) -> None:
    """Compute the discount of Eq. 1 for every possible size: there are far fewer sizes than trees."""
    x = generation.x[generation.tally[GENERATION] * rules.n_broods + generation.tally[BROOD]]
    for n_nodes in range(1, largest + 1, 2):
        generation.discount[n_nodes] = discount((n_nodes + 1) // 2 if rules.counts_leaves else n_nodes, x)


@inlined
def compute_payoffs(generation: Generation, rules: Rules, n: int, n_new: int) -> None:
    """Compute the payoffs of the first n candidates, of which the last n_new are new."""
    candidates, trees = generation.candidates, generation.trees
    largest = generation.tally[LARGEST]
    for k in range(n - n_new, n):
        slot = candidates.slot[k]
        allowed = len(rules.monotonic) == 0 or is_monotonic(trees, slot, rules.monotonic)
        n_correct = trees.n_correct[slot] if allowed else 0
        generation.accuracy_squared[slot] = accuracy_squared(n_correct, rules.total_weight)
        largest = max(largest, trees.n_nodes[slot])
    fill_discounts(generation, rules, largest)
    for k in range(n - n_new if rules.paid_at_birth else 0, n):
        slot = U(candidates.slot[k])
        n_nodes = U(trees.n_nodes[slot])
        candidates.payoff[k] = product(generation.accuracy_squared[slot], generation.discount[n_nodes])


@inlined
def rank_and_record(
    generation: Generation, rules: Rules, ledger: NDArray[np.int64], n: int, n_new: int
) -> None:
    """Rank the first n candidates, of which the last n_new are new, and record the generation."""
    candidates = generation.candidates
    rank(candidates, n, n_new)
    if generation.tally[BROOD] > 0:  # more broods follow in this generation
        for k in range(len(generation.births.slot)):
            n_nodes = np.int64(generation.trees.n_nodes[generation.births.slot[k]])
            generation.tally[LARGEST] = max(generation.tally[LARGEST], n_nodes)
        return
    generation.tally[LARGEST] = record(
        generation.history,
        generation.tally[GENERATION],
        generation.trees,
        candidates.slot[: rules.population_size],
        candidates.payoff[: rules.population_size],
        ledger,
    )


@inlined
def inherit_payoffs(generation: Generation, n: int, n_new: int) -> None:
    """Give a child that equals its source the source's payoff, and store the payoffs of the new trees."""
    candidates, births = generation.candidates, generation.births
    for k in range(n_new):
        at = n - n_new + k
        if births.source[k] != NONE and births.stale[k, 0] == NONE:
            candidates.payoff[at] = generation.paid[births.source[k]]
    for k in range(n - n_new, n):
        generation.paid[candidates.slot[k]] = candidates.payoff[k]


@inlined
def count_brood(generation: Generation, rules: Rules) -> None:
    """Update the counts of broods, generations and rejected children after an evaluated brood."""
    births, tally = generation.births, generation.tally
    tally[BROOD] += 1
    if tally[BROOD] == rules.n_broods:
        tally[BROOD] = 0
        tally[GENERATION] += 1
    for k in range(len(births.slot)):
        generation.tally[N_REJECTED] += births.rejected[k]


@inlined
def collect_candidates(generation: Generation, rules: Rules, ledger: NDArray[np.int64]) -> int:
    """Collect the trees that compete, after the initial population or a brood; return their number.

    The initial population inherits nothing, so the ledger does not count it.
    """
    if generation.tally[GENERATION] == NOT_STARTED:
        generation.tally[GENERATION] = 0
        for column in range(len(ledger)):
            ledger[column] = 0
        return int(rules.population_size)
    count_brood(generation, rules)
    return append_offspring(generation, rules)


@lean
def replace_generation(generation: Generation, rules: Rules, ledger: NDArray[np.int64]) -> None:
    """Rank the evaluated offspring, or the initial population, into the population."""
    generation, rules = named(generation), Rules(*rules)
    n, n_new = collect_candidates(generation, rules, ledger), len(generation.births.slot)
    compute_payoffs(generation, rules, n, n_new)
    if rules.paid_at_birth:
        inherit_payoffs(generation, n, n_new)
    rank_and_record(generation, rules, ledger, n, n_new)


@lean
def replace_generation_by(
    generation: Generation, rules: Rules, ledger: NDArray[np.int64], payoffs: NDArray[np.float64]
) -> None:
    """Replace a generation by given payoffs: of the trees that may stay, then of the offspring."""
    generation, rules = named(generation), Rules(*rules)
    n, n_new = collect_candidates(generation, rules, ledger), len(generation.births.slot)
    for k in range(n):
        generation.candidates.payoff[k] = payoffs[k]
    rank_and_record(generation, rules, ledger, n, n_new)


LONGEST_CALL = 50 * 10**6
"""Nanoseconds after which compiled code returns to Python, where it can be interrupted."""

EvaluateKernel = Callable[..., None]
"""Evaluates children: takes trees, births, claims, a ledger and the evaluator's data, as plain tuples."""


@inlined
def can_continue(generation: Generation, rules: Rules, until: int, started: int) -> bool:
    """Return whether the next generation can run without Python: rows are wide enough, and time is left."""
    generation, rules = named(generation), Rules(*rules)
    return bool(
        generation.tally[GENERATION] < until
        and largest_child_kernel(generation.tally[LARGEST], Breeding(*rules.breeding))
        <= generation.trees.span.shape[1]
        and generation.stopwatch[LAST_READ] - started < LONGEST_CALL
    )


def evaluate(
    trees: Trees, births: Births, claims: NDArray[np.int64], ledger: NDArray[np.int64], kept: Any
) -> None:
    """Placeholder for an evaluator's kernel."""
    raise NotImplementedError


def run_generations(
    generation: Generation,
    rules: Rules,
    until: int,
    claims: NDArray[np.int64],
    ledger: NDArray[np.int64],
    kept: Any,
) -> None:
    """Run generations up to `until`, or until Python is needed.

    An evolution begins with the births of its initial population, whose time is not counted.
    """
    trees, births, (tally, stopwatch) = generation[0], generation[1], generation[-2:]
    started = restart(stopwatch)
    while can_continue(generation, rules, until, started):
        is_initial = tally[GENERATION] == NOT_STARTED
        if not is_initial:
            breed_offspring(generation, rules)
            lap(stopwatch, BREED)
        claims[0] = 0
        evaluate(trees, births, claims, ledger, kept)
        if not is_initial:
            lap(stopwatch, EVALUATE)
        replace_generation(generation, rules, ledger)
        if not is_initial:
            lap(stopwatch, REPLACE)


def make_loop(name: str, kernel: EvaluateKernel) -> Callable[..., None]:
    """Return the compiled loop of an evaluator, named after it."""
    return lean(specialised(run_generations, f"run_generations_of_{name}", evaluate=kernel))
