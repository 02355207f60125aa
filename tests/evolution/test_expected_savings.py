"""Expected savings that can be derived by hand, and the engine's ledger beside them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import naive
import numpy as np
import pytest
from evolution.nursery import Nursery, empty_births

from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.evolution.mutations import N_DRAWS
from gatree.evolution.problem import Problem
from gatree.trees.genome import Tree


def bits(n_bits: int) -> Dataset:
    """All combinations of some bits, the class being their parity."""
    rows = np.array(list(product((0, 1), repeat=n_bits)), dtype=np.int32)
    return Dataset(
        name="bits",
        attributes=tuple(Attribute(f"bit{i}", "nominal", ("0", "1")) for i in range(n_bits)),
        columns=tuple(rows.T.copy()),
        class_attribute=Attribute("class", "nominal", ("even", "odd")),
        classes=(rows.sum(axis=1) % 2).astype(np.int32),
        class_position=n_bits,
    )


STUMP = (0, 0, 0, 1)


def enumerated_saving(mutation_rate: Fraction) -> Fraction:
    """Average, over all cut points and all mutated nodes, the share of instances not re-classified."""
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


def test_derived_savings_between_stumps():
    assert enumerated_saving(Fraction(0)) == Fraction(4, 9)
    assert enumerated_saving(Fraction(1, 2)) == Fraction(14, 45)


@pytest.mark.parametrize("evaluator", ["new", "new-all-nodes"])
@pytest.mark.parametrize("mutation_rate", [Fraction(0), Fraction(1, 2)])
def test_the_ledger_agrees_within_sampling_error(mutation_rate, evaluator):
    n_children = 40_000
    problem = Problem.of(bits(2))
    nursery = Nursery(problem, [Tree.nested(STUMP)] * n_children, evaluator)
    draws = np.random.default_rng(7).random((n_children, N_DRAWS))
    nursery.evaluate(nursery.breed(draws, mutation_rate=float(mutation_rate)))
    # A child's saving has a standard deviation below 1/2, so this is more than six standard errors.
    tolerance = 6.5 * 0.5 / n_children**0.5
    assert nursery.ledger.instances_total == n_children * problem.n_instances
    assert abs(nursery.ledger.instances_saved - float(enumerated_saving(mutation_rate))) < tolerance


def complete(depth: int, level: int = 0):
    """A complete tree that tests one bit per level."""
    return 0 if level == depth else (level, 0, complete(depth, level + 1), complete(depth, level + 1))


@pytest.mark.parametrize("evaluator", ["new", "new-all-nodes"])
@pytest.mark.parametrize("depth", range(1, 7))
def test_complete_trees_cost_what_equation_2_says(depth, evaluator):
    """Mark every node of a complete tree stale in turn: R = (k + 1) / (2^(k+1) - 1)."""
    tree = Tree.nested(complete(depth))
    nursery = Nursery(Problem.of(bits(depth)), [tree] * tree.n_nodes, evaluator)
    births = empty_births(np.arange(tree.n_nodes, 2 * tree.n_nodes))
    births.source[:] = np.arange(tree.n_nodes)
    births.stale[:, 0] = np.arange(tree.n_nodes)
    for slot in births.slot:
        nursery.population.put(int(slot), tree)
    nursery.evaluate(births)
    ledger = nursery.ledger
    assert Fraction(ledger.instances_reclassified, ledger.instances_total) == Fraction(
        depth + 1, 2 ** (depth + 1) - 1
    )
    assert ledger.node_instance_checks_full == tree.n_nodes * 2**depth * (depth + 1)
    # Section 4's sharper count, without the way down: (n / 2^i)(k - i + 1) for each of 2^i nodes
    assert ledger.node_instance_checks == sum(2**depth * (depth - i + 1) for i in range(depth + 1))
