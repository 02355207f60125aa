"""A tree under construction: arrays that kernels fill, and that are enlarged when they are full.

A tree is built depth first, without recursion, since trees may be deep. Pending steps are on a stack, so a
kernel that runs out of memory can return and continue later. Samples are stored one after the other in a
pool, which is a stack too: the space after the current sample is free for the samples of its branches. An
instance with a missing value goes down all branches with fractional weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.j48.tables import INSTANCE, Branches, Floats, Sample, branch_of, greater
from gatree.kernels.decorators import U, lean


@lean
def spread(
    pool: Sample, sample: Sample, first: int, column: Floats, kind: int, threshold: float, branches: Branches
) -> bool:
    """Write the samples of the branches to the pool, from `first` on, and their ends; False if it is full."""
    for branch in range(len(branches)):
        share = branches[branch]["share"]
        for i in range(len(sample)):
            row, weight = sample[U(i)]["row"], sample[U(i)]["weight"]
            taken = branch_of(column[U(row)], kind, threshold)
            if taken == branch or (taken < 0 and greater(share, 0.0)):
                if first == len(pool):
                    return False
                pool[U(first)]["row"] = row
                pool[U(first)]["weight"] = weight if taken >= 0 else share * weight
                first += 1
        branches[branch]["end"] = first
    return True


LEAF = -1
DONE, MORE_NODES, MORE_PLACES, PAUSED = 0, 1, 2, 3
"""The return values of a kernel: done, which arrays are full, or that Python has its turn (for Ctrl-C)."""
_FULL = {MORE_NODES: ("nodes", "counts", "branch_counts", "stack"), MORE_PLACES: ("pool",)}
NO_LIMIT = 2**62
_PAUSE = 5_000_000  # steps between two returns to Python, of some nanoseconds each
_PLACES_PER_INSTANCE = 6  # in the pool, initially

_NODE = np.dtype(
    [
        ("attribute", np.intp),  # the tested attribute, LEAF for a leaf
        ("kind", np.intp),  # of the test: see gatree.j48.tables
        ("threshold", np.float64),  # or the index of the value
        ("first_child", np.intp),  # its children are consecutive
        ("n_children", np.intp),
        ("is_empty", np.bool_),  # a leaf that no training instance reached
        ("training_errors", np.float64),  # of the unpruned subtree
        ("errors", np.float64),  # of the subtree, as pruning estimates them
    ],
    align=True,
)
_STEP = np.dtype(
    [
        ("step", np.intp),  # the kind of step
        ("node", np.intp),
        ("start", np.intp),  # the start of the node's sample in the pool
        ("stop", np.intp),
        ("is_new", np.bool_),  # whether the node is being grown
    ],
    align=True,
)
_ONLY_THE_ROOT = np.array(
    [(0, 1, 0, 0, NO_LIMIT)],
    np.dtype(
        [
            ("height", np.intp),  # of the stack
            ("n_nodes", np.intp),
            ("work", np.int64),  # steps so far: a row that is read, compared or moved
            ("pause_at", np.int64),  # steps after which a kernel returns
            ("most_work", np.int64),  # steps after which the tree is given up
        ],
        align=True,
    ),
)


def plain(fields: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a NamedTuple of arrays, or of such tuples, as plain tuples.

    numba's dispatcher recognises them in half the time, which matters for small trees. So the kernels begin
    with ``growing = Growing(*growing)``.
    """
    return tuple([plain(field) if isinstance(field, tuple) else field for field in fields])


class Growing(NamedTuple):
    """The arrays of a tree under construction; node 0 is the root."""

    nodes: NDArray[np.void]
    counts: Floats  # the training weight of every class, and their sum
    branch_counts: Floats  # the same for the branch to the node, as its parent counted it
    pool: Sample  # the samples of the current nodes
    stack: NDArray[np.void]
    done: NDArray[np.void]  # one entry: the height of the stack, the number of nodes, and the steps

    @classmethod
    def of(cls, n_nodes: int, n_instances: int, n_classes: int) -> Growing:
        """Allocate ``n_nodes`` nodes, and a pool for ``n_instances`` instances."""
        return cls(
            nodes=np.empty(n_nodes, dtype=_NODE),
            counts=np.empty((n_nodes, n_classes + 1)),
            branch_counts=np.empty((n_nodes, n_classes + 1)),
            pool=np.empty(_PLACES_PER_INSTANCE * n_instances, dtype=INSTANCE),
            stack=np.empty(n_nodes, dtype=_STEP),
            done=_ONLY_THE_ROOT.copy(),
        )

    def run(
        self,
        kernel: Callable[..., int],
        rows: NDArray[np.intp],
        is_new: bool,
        *others: tuple[Any, ...],
        weight: float = 1.0,
    ) -> Growing:
        """Run a kernel on the tree and weighted instances, enlarging full arrays; return the tree."""
        growing, others, done = self, plain(others), self.done[0]
        self.pool["row"][: len(rows)], self.pool["weight"][: len(rows)] = rows, weight
        self.stack[0], done["height"] = (0, 0, 0, len(rows), is_new), 1
        done["pause_at"] = done["work"] + _PAUSE
        while status := kernel(plain(growing), *others):
            if done["work"] > done["most_work"]:
                raise DataError(f"J48 takes more than {done['most_work']:,} steps on these data")
            done["pause_at"] = done["work"] + _PAUSE
            full = {name: getattr(growing, name) for name in _FULL.get(status, ())}
            wider = {name: np.concatenate([array, np.empty_like(array)]) for name, array in full.items()}
            growing = growing._replace(**wider)
        return growing


@lean
def push(
    stack: NDArray[np.void], done: np.void, step: int, node: int, start: int, stop: int, is_new: bool
) -> None:
    """Push a step on the stack."""
    todo = stack[done["height"]]
    todo["step"], todo["node"], todo["is_new"] = step, node, is_new
    todo["start"], todo["stop"] = start, stop
    done["height"] += 1


@lean
def make_leaf(node: np.void) -> None:
    """Turn a node into a leaf."""
    node["attribute"], node["n_children"] = LEAF, 0
