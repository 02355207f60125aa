"""How a test sends instances down its branches: one with a missing value goes down all of them in parts.

Samples lie one behind the other in a pool, the branches' behind the one that they were made of. Trees are
built depth first, so the pool is a stack: what lies behind the sample in hand is free.
"""

from __future__ import annotations

from gatree.j48.tables import Branches, Floats, Sample, branch_of, greater
from gatree.kernels.decorators import U, lean


@lean
def spread(
    pool: Sample, sample: Sample, first: int, column: Floats, kind: int, threshold: float, branches: Branches
) -> bool:
    """Write the branches' samples into the pool from a place on, and their ends; False for want of room."""
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
