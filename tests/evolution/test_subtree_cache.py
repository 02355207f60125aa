"""Which subtrees are the same: all tests above them count, however deep they lie."""

from __future__ import annotations

import numpy as np
import pytest
from evolution.nursery import empty_births

from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.evolution.evaluators import make_evaluator
from gatree.evolution.population import Population
from gatree.evolution.problem import Problem
from gatree.trees.genome import Tree

N = 80


def positions() -> Dataset:
    """Instances told apart by their position only; every third one has the second class."""
    classes = (np.arange(N) % 3 == 0).astype(np.int32)
    target = Attribute("class", "nominal", ("a", "b"))
    columns = (np.arange(N, dtype=np.float64),)
    return Dataset("positions", (Attribute("position", "numeric"),), columns, target, classes, 1)


def chain(cuts: list[int]) -> Tree:
    """A tree that parts off one piece after the other from the left, down to a test of two leaves."""
    shape = (0, N - 10, 0, 1)
    for cut in reversed(cuts):
        shape = (0, cut, 1, shape)
    return Tree.nested(shape)


@pytest.mark.parametrize("depth", [1, 5, 15, 16, 17, 18, 24, 31, 32, 40])
def test_trees_that_differ_in_one_test_far_up_are_told_apart(depth):
    """The same subtree below `depth` tests of which only the last differs: other instances reach it."""
    problem = Problem.of(positions())
    cuts = list(range(depth))
    parents = [chain(cuts), chain([*cuts[:-1], depth + 7])]
    population = Population.empty(2, 2)
    for slot, tree in enumerate(parents + parents):
        population.put(slot, tree)
    correct = {}
    for subtree_cache in (False, True):
        evaluator = make_evaluator("bitset", problem, 4, subtree_cache=subtree_cache)
        grown = empty_births(np.arange(2))
        grown.stale[:, 0] = 0
        evaluator.evaluate(population.trees, grown)
        bred = empty_births(np.arange(2, 4))
        bred.source[:] = 0, 1
        bred.stale[:, 0] = 2 * depth  # where the chain ends in a test of two leaves
        evaluator.evaluate(population.trees, bred)
        correct[subtree_cache] = population.trees.n_correct.tolist(), evaluator.ledger.tolist()
    assert correct[True] == correct[False]
    assert correct[False][0][0] != correct[False][0][1]
