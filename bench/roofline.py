"""The roofline: what an evaluation moves and computes, against what the machine can do at best.

The bytes and operations are those that the algorithm asks for, counted from its trees and its ledger; the
roofs are measured with loops that do nothing else, on arrays as large as what the evaluator works on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numba
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bench.brood import Brood
from bench.common import Options, Report, Row, interleaved, progress, repeated
from gatree.data.generate import random_tree_concept
from gatree.evolution.breed import NONE
from gatree.evolution.evaluators.bits.sets import WORD, popcount
from gatree.evolution.evaluators.contract import Ledger
from gatree.evolution.evaluators.old_and_new import index_type
from gatree.evolution.problem import Problem

TITLE = "Roofline"

N_NODES = 15
N_ATTRIBUTES = 10
EVALUATORS = ("old", "new", "bitset")
WORD_BYTES = 8
ROUNDS = 100

COLUMNS = {
    "n": "instances",
    "evaluator": "evaluator",
    "operations": "operations per evaluation",
    "bytes": "bytes per evaluation",
    "microseconds": "per evaluation [µs]",
    "gigabytes_per_second": "GB/s",
    "giga_operations_per_second": "10^9 operations/s",
    "roof_microseconds": "roof [µs]",
    "share_of_roof": "of the roof [%]",
    "bound_by": "bound by",
}

NOTES = """\
- Children of random trees of {n_nodes} nodes, {n_attributes} attributes, one thread; best of {repeats}. The
  roof is the larger of the time to move the bytes at the speed of a plain copy and the time to compute at
  the speed of a plain loop, both on arrays of the evaluator's own size.
- `old`, `new`: an operation is the test of one instance at one node. For each, an index and a code are read
  and an index is written; `new` also copies its parent's indices.
- `bitset`: an operation is the AND of one word of 64 instances, with its popcount. For each, a word of a mask
  is read; the sets themselves are worked on in blocks that stay in the nearest cache, and do not count.
  Counted are the path to the change and the subtree below it.
"""


@dataclass(frozen=True)
class Roofs:
    """The best the machine does on arrays of a size."""

    bytes_per_second: float  # copying, read and written bytes both counted
    words_per_second: float  # AND and popcount of 64-bit words
    compares_per_second: float  # of one-byte codes


@dataclass(frozen=True)
class Work:
    """What the evaluation of a whole brood asks for."""

    n_bytes: float
    words: float = 0  # 64-bit ANDs, most of them with a popcount
    compares: float = 0  # tests of one instance

    @property
    def operations(self) -> float:
        return self.words + self.compares

    def seconds_at(self, roofs: Roofs) -> tuple[float, float]:
        """Return the least seconds for moving and for computing."""
        computing = self.words / roofs.words_per_second + self.compares / roofs.compares_per_second
        return self.n_bytes / roofs.bytes_per_second, computing


# Each loop goes over its arrays many times in one call, and changes a little in between: a compiler might
# otherwise notice that once is enough.


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _copy(one: NDArray[np.uint64], other: NDArray[np.uint64], rounds: int) -> None:
    for _ in range(rounds):
        for i in range(len(one)):
            other[i] = one[i]
        one, other = other, one


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _and_popcount(one: NDArray[np.uint64], other: NDArray[np.uint64], rounds: int) -> int:
    total = np.uint64(0)
    for _ in range(rounds):
        for i in range(len(one)):
            total += popcount(one[i] & other[i])
        one[0] += np.uint64(1)
    return int(total)


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def _compare(codes: NDArray[np.uint8], threshold: np.uint8, rounds: int) -> int:
    total = 0
    for _ in range(rounds):
        for i in range(len(codes)):
            total += codes[i] <= threshold
        codes[0] += np.uint8(1)
    return total


def measure(options: Options) -> Report:
    """Measure the roofs and the evaluators at several sizes of data."""
    rows: list[Row] = []
    roofs: dict[int, Roofs] = {}
    for n in (1000,) if options.quick else (3_196, 100_000, 1_000_000):
        progress(f"roofline: {n:,} instances")
        roofs[n] = measure_roofs(n, options.repeats)
        rows += _rows(n, roofs[n], options.repeats)
    return Report(
        rows,
        COLUMNS,
        notes=NOTES.format(n_nodes=N_NODES, n_attributes=N_ATTRIBUTES, repeats=options.repeats)
        + "".join(_sentence(n, roof) for n, roof in roofs.items()),
        figures={"roofline": _figure(rows, roofs)},
        facts={"roofs": roofs},
    )


def _sentence(n: int, roofs: Roofs) -> str:
    words, compares = roofs.words_per_second / 1e9, roofs.compares_per_second / 1e9
    return (
        f"- Roofs at {n:,} instances: copy {roofs.bytes_per_second / 1e9:.1f} GB/s, AND and popcount "
        f"{words:.2f} x 10^9 words/s, compares {compares:.2f} x 10^9/s.\n"
    )


def measure_roofs(n_instances: int, repeats: int) -> Roofs:
    """Measure plain loops over the arrays that ``n_instances`` instances need."""
    rng = np.random.default_rng(0)
    n_words = max(1, n_instances // WORD)
    # The masks of some tests together are what an evaluation goes through: a dozen or so.
    masks = rng.integers(0, 2**63, (2, n_words * N_NODES // 2), dtype=np.uint64)
    codes = rng.integers(0, 100, n_instances, dtype=np.uint8)
    target = np.empty_like(masks[0])
    loops: dict[str, Callable[[], object]] = {
        "copy": lambda: _copy(masks[0], target, ROUNDS),
        "words": lambda: _and_popcount(masks[0], masks[1], ROUNDS),
        "compares": lambda: _compare(codes, np.uint8(50), ROUNDS),
    }
    best = interleaved({name: repeated(loop) for name, loop in loops.items()}, repeats)
    per_second = {name: ROUNDS * each.result / each.seconds for name, each in best.items()}
    return Roofs(
        bytes_per_second=2 * masks[0].nbytes * per_second["copy"],
        words_per_second=masks.shape[1] * per_second["words"],
        compares_per_second=n_instances * per_second["compares"],
    )


def _rows(n: int, roofs: Roofs, repeats: int) -> list[Row]:
    problem = Problem.of(random_tree_concept(n, N_ATTRIBUTES))
    n_trees = max(8, min(100, 10**6 // n))
    brood = Brood(problem, n_trees, N_NODES)
    evaluators = {name: brood.evaluator(name) for name in EVALUATORS}  # type: ignore[arg-type]
    runs = {name: repeated(partial(brood.evaluate, each)) for name, each in evaluators.items()}
    best = interleaved(runs, repeats)
    rows = []
    for name in EVALUATORS:
        seconds = best[name].seconds / best[name].result
        work = _work(name, brood, brood.ledger(evaluators[name]))
        moving, computing = work.seconds_at(roofs)
        rows.append(
            {
                "n": n,
                "evaluator": name,
                "operations": work.operations / n_trees,
                "bytes": work.n_bytes / n_trees,
                "microseconds": 1e6 * seconds / n_trees,
                "gigabytes_per_second": work.n_bytes / seconds / 1e9,
                "giga_operations_per_second": work.operations / seconds / 1e9,
                "roof_microseconds": 1e6 * max(moving, computing) / n_trees,
                "share_of_roof": 100 * max(moving, computing) / seconds,
                "bound_by": "memory" if moving > computing else "computing",
            }
        )
    return rows


def _work(evaluator: str, brood: Brood, ledger: Ledger) -> Work:
    """Count what the algorithm asks for."""
    n, n_trees = brood.problem.n_instances, len(brood.children.slot)
    if evaluator == "bitset":
        words = word_operations(brood) * -(-n // WORD)
        return Work(n_bytes=WORD_BYTES * words, words=words)
    index = np.dtype(index_type(n)).itemsize
    per_check = 2 * index + brood.problem.instances.codes.itemsize
    taken_over = n_trees * n * index * (1 if evaluator == "old" else 2)  # written; for `new` also read
    return Work(
        n_bytes=ledger.node_instance_checks * per_check + taken_over, compares=ledger.node_instance_checks
    )


def word_operations(brood: Brood) -> int:
    """Return how often a whole set is ANDed for a brood: once per test on the way and per node below."""
    total = 0
    for slot, stale in zip(brood.children.slot.tolist(), brood.children.stale.tolist(), strict=True):
        tree = brood.population.tree(slot)
        levels = tree.depths()
        total += sum(int(levels[node] + max(1, tree.span[node] - 1)) for node in stale if node != NONE)
    return total


def _figure(rows: list[Row], roofs: dict[int, Roofs]) -> Figure:
    """Draw operations per second against operations per byte, below the roofs of each size."""
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.subplots()
    intensity = np.logspace(-2.5, 1, 100)
    for color, (n, roof) in enumerate(roofs.items()):
        words = np.minimum(intensity * roof.bytes_per_second, roof.words_per_second) / 1e9
        axes.plot(intensity, words, color=f"C{color}", linewidth=1, label=f"roof, {n:,} instances")
        for marker, name in zip("osD", EVALUATORS, strict=True):
            row = next(row for row in rows if (row["n"], row["evaluator"]) == (n, name))
            x, y = row["operations"] / row["bytes"], row["giga_operations_per_second"]
            axes.scatter(x, y, marker=marker, color=f"C{color}", label=name if color == 0 else None)
    axes.set(
        title="Roofline: an operation is one word of 64 instances, or one instance",
        xlabel="operations per byte",
        ylabel="10^9 operations per second",
        xscale="log",
        yscale="log",
    )
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False, fontsize="small")
    return figure
