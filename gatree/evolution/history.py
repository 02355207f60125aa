"""The history of an evolution: a row of numbers per generation, and the time of each phase.

A stopwatch is an array of nanoseconds: the total of each phase, and the time of the last reading. Compiled
code reads the clock itself, since a call into Python takes longer than a phase.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.evolution.population import Trees
from gatree.kernels.decorators import COMPILED, U, lean

RECORD = np.dtype(
    [
        ("best_payoff", np.float64),
        ("mean_payoff", np.float64),
        ("best_correct", np.int64),
        ("total_correct", np.int64),  # over the population
        ("best_nodes", np.int64),
        ("total_nodes", np.int64),  # over the population
        ("instances_reclassified", np.int64),  # so far
        ("instances_total", np.int64),  # so far
        ("digest", np.uint64),  # of the population: order, size, correct count; only for this version
    ]
)

_START = np.uint64(0xCBF29CE484222325)
_STEP = np.uint64(0x9E3779B97F4A7C15)


@lean
def record(
    history: Any,
    generation: int,
    trees: Trees,
    alive: NDArray[np.int64],
    payoff: NDArray[np.float64],
    ledger: NDArray[np.int64],
) -> int:
    """Write the row of one generation: its trees, best first, and the ledger so far.

    Returns the number of nodes of the largest tree.
    """
    total_correct, total_nodes, largest = np.int64(0), np.int64(0), np.int64(0)
    total_payoff = 0.0
    digest = _START
    for rank in range(len(alive)):
        slot = U(alive[rank])
        n_correct, n_nodes = trees.n_correct[slot], np.int64(trees.n_nodes[slot])
        total_correct += n_correct
        total_nodes += n_nodes
        largest = max(largest, n_nodes)
        total_payoff += payoff[rank]
        tree = (
            np.uint64(slot) + (np.uint64(n_nodes) << np.uint64(16)) + (np.uint64(n_correct) << np.uint64(32))
        )
        digest = (digest ^ tree) * _STEP  # odd, so the multiplication is invertible
    row = history[generation]
    row["best_payoff"] = payoff[0]
    row["mean_payoff"] = total_payoff / len(alive)
    row["best_correct"] = trees.n_correct[alive[0]]
    row["total_correct"] = total_correct
    row["best_nodes"] = trees.n_nodes[alive[0]]
    row["total_nodes"] = total_nodes
    row["instances_reclassified"] = ledger[0]
    row["instances_total"] = ledger[1]
    row["digest"] = digest
    return int(largest)


BREED, EVALUATE, REPLACE, LAST_READ = range(4)

Stopwatch = NDArray[np.int64]


if COMPILED and hasattr(time, "CLOCK_MONOTONIC"):
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def now(typing_context: Any) -> Any:  # noqa: ARG001
        """Return the nanoseconds of the clock that `time.monotonic_ns` reads."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            int32, int64 = ir.IntType(32), ir.IntType(64)
            timespec = cgutils.alloca_once(builder, ir.ArrayType(int64, 2))
            signature = ir.FunctionType(int32, [int32, timespec.type])
            read = cgutils.get_or_insert_function(builder.module, signature, "clock_gettime")
            builder.call(read, [int32(time.CLOCK_MONOTONIC), timespec])
            seconds = builder.extract_value(builder.load(timespec), 0)
            nanoseconds = builder.extract_value(builder.load(timespec), 1)
            return builder.add(builder.mul(seconds, int64(10**9)), nanoseconds)

        return types.int64(), emit

elif COMPILED:  # no such clock: phases are not timed, and loops return only for other reasons

    @lean
    def now() -> int:
        """Return 0."""
        return 0

else:
    now = time.monotonic_ns


@lean
def restart(stopwatch: Stopwatch) -> int:
    """Start a phase and return the current time; the time since the last reading is not counted."""
    stopwatch[LAST_READ] = now()
    return int(stopwatch[LAST_READ])


@lean
def lap(stopwatch: Stopwatch, phase: int) -> None:
    """Add the time since the last reading to a phase."""
    read = now()
    stopwatch[phase] += read - stopwatch[LAST_READ]
    stopwatch[LAST_READ] = read
