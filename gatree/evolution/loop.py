"""The loop over generations, once for all evaluators: breed, evaluate, replace, as one compiled call.

A call from Python costs as much as a generation on small data. So an evaluator that can do without Python
between the generations gets a loop of its own, made of this one template (see `specialised`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.breed import Births, Breeding
from gatree.evolution.generation import (
    GENERATION,
    LARGEST,
    NOT_BEGUN,
    Generation,
    Rules,
    bear,
    largest_child_kernel,
    named,
    succeed,
)
from gatree.evolution.population import Trees
from gatree.evolution.stopwatch import BREED, EVALUATE, LAST_READ, REPLACE, lap, restart
from gatree.kernels.decorators import inlined, lean, specialised

LONGEST_CALL = 50 * 10**6
"""Nanoseconds after which compiled code goes back to Python, where it can be interrupted."""

EvaluateKernel = Callable[..., None]
"""Evaluates children: takes trees, births, claims, a ledger, and what the evaluator keeps, all plain."""


@inlined
def may_go_on(generation: Generation, rules: Rules, until: int, started: int) -> bool:
    """Tell whether one more generation can do without Python: rows are wide enough, it is not time yet."""
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
    """Stand for an evaluator's kernel."""
    raise NotImplementedError


def run_generations(
    generation: Generation,
    rules: Rules,
    until: int,
    claims: NDArray[np.int64],
    ledger: NDArray[np.int64],
    kept: Any,
) -> None:
    """Run generations, up to some generation or to where Python has to come in.

    An evolution begins with the births of its initial population, whose time belongs to no phase.
    """
    trees, births, (tally, stopwatch) = generation[0], generation[1], generation[-2:]
    started = restart(stopwatch)
    while may_go_on(generation, rules, until, started):
        begins = tally[GENERATION] == NOT_BEGUN
        if not begins:
            bear(generation, rules)
            lap(stopwatch, BREED)
        claims[0] = 0
        evaluate(trees, births, claims, ledger, kept)
        if not begins:
            lap(stopwatch, EVALUATE)
        succeed(generation, rules, ledger)
        if not begins:
            lap(stopwatch, REPLACE)


def loop_with(name: str, kernel: EvaluateKernel) -> Callable[..., None]:
    """Return the loop of an evaluator, compiled under its own name."""
    return lean(specialised(run_generations, f"run_generations_of_{name}", evaluate=kernel))
