"""The engine's ledger equals expected savings that are derived by hand."""

import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import naive
import numpy as np
import pandas as pd
import pytest
from evolution.manual_breeding import ManualBreeding, births_in

from gatree.data.dataset import Dataset
from gatree.evolution.problem import Problem
from gatree.trees.genome import Tree

STUMP = (0, 0, 0, 1)


def bits(n_bits: int) -> Dataset:
    """Return all combinations of ``n_bits`` bits, with their parity as the class."""
    rows = pd.DataFrame(product(("off", "on"), repeat=n_bits)).add_prefix("bit")
    return Dataset.from_frame(rows.assign(parity=((rows == "on").sum(axis=1) % 2).astype(str)))


def enumerated_saving(mutation_rate: Fraction) -> Fraction:
    """Return the mean share of instances saved over all cut points and all mutated nodes."""
    data = naive.Data.of(bits(2))
    n = data.dataset.n_instances
    expected = Fraction(0)
    for cut, graft in product(range(3), repeat=2):
        child, stale = naive.crossover(STUMP, cut, STUMP, graft)
        unmutated = Fraction(naive.work(data, child, stale)[0], n)
        paths = [path for path, _ in naive.nodes(child)]
        mutated = [Fraction(naive.work(data, child, [*stale, path])[0], n) for path in paths]
        average = sum(mutated) / len(mutated)
        expected += ((1 - mutation_rate) * unmutated + mutation_rate * average) / 9
    return 1 - expected


def stump_savings(
    mutation_rate: Fraction,
    root_share: Fraction = Fraction(1),
    root_swaps: str = "saved",
    crossover_rate: Fraction = Fraction(1),
    copies: str = "saved",
) -> Fraction:
    """Return the share of instances that stumps save, by the closed form of docs/original.md."""
    m, c, q = mutation_rate, crossover_rate, root_share / 3
    leaf_by_leaf = (1 - m) * Fraction(1, 2) + m * Fraction(5, 6)
    leaf_by_root = (1 - m) * Fraction(1, 2) + m * Fraction(7, 10)
    swapped, copied = ((1 - m) * (how == "evaluated") + m * Fraction(2, 3) for how in (root_swaps, copies))
    crossed = (1 - q) ** 2 * leaf_by_leaf + (1 - q) * q * leaf_by_root + q * (1 - q) + q**2 * swapped
    left_out = c * q**2 * (root_swaps == "not-evaluated") + (1 - c) * (copies == "not-evaluated")
    return 1 - (c * crossed + (1 - c) * copied) / (1 - (1 - m) * left_out)


def test_the_closed_form_equals_the_enumeration():
    assert stump_savings(Fraction(0)) == enumerated_saving(Fraction(0)) == Fraction(4, 9)
    assert stump_savings(Fraction(1, 2)) == enumerated_saving(Fraction(1, 2)) == Fraction(14, 45)


def test_the_documented_savings_of_stumps_equal_the_closed_form():
    text = (Path(__file__).parents[2] / "docs" / "original.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) \| ([a-z-]+) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
    assert len(rows) == 5
    for share, swaps, *printed in rows:
        how = (Fraction(share), swaps, Fraction(9, 10), "not-evaluated")
        expected = [100 * stump_savings(rate, *how) for rate in (Fraction(1, 100), Fraction(1, 2))]
        assert printed == [f"{float(number):.2f}" for number in expected]


def complete(depth: int, level: int = 0):
    """Return a complete tree that tests one bit per level."""
    return 0 if level == depth else (level, 0, complete(depth, level + 1), complete(depth, level + 1))


@pytest.mark.parametrize("evaluator", ["new", "new-all-nodes"])
@pytest.mark.parametrize("depth", [1, 3, 6])
def test_complete_trees_cost_what_equation_2_says(depth, evaluator):
    """Mark every node of a complete tree stale in turn: R = (k + 1) / (2^(k+1) - 1)."""
    tree = Tree.nested(complete(depth))
    breeding = ManualBreeding(Problem.of(bits(depth)), [tree] * tree.n_nodes, evaluator)
    births = births_in(np.arange(tree.n_nodes, 2 * tree.n_nodes))
    births.source[:] = np.arange(tree.n_nodes)
    births.stale[:, 0] = np.arange(tree.n_nodes)
    for slot in births.slot:
        breeding.population.put(int(slot), tree)
    breeding.evaluate(births)
    ledger = breeding.ledger
    assert Fraction(ledger.instances_reclassified, ledger.instances_total) == Fraction(
        depth + 1, 2 ** (depth + 1) - 1
    )
    assert ledger.node_instance_checks_full == tree.n_nodes * 2**depth * (depth + 1)
    # Section 4's tighter count, without the path to the node: (n / 2^i)(k - i + 1) for each of 2^i nodes
    assert ledger.node_instance_checks == sum(2**depth * (depth - i + 1) for i in range(depth + 1))
