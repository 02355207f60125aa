"""Trees of a given depth: below the tests near the root, the last two levels are optimal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import datasets

from bench.concepts import random_tree_concept
from gatree.data.catalog import load_dataset
from gatree.optimum import AllowedTrees, optimum, optimum_of_numbers
from gatree.smalltree import fit
from gatree.smalltree.fit import fit_front
from gatree.smalltree.settings import RegressionSettings, SearchSettings

LAZY = {"size": 8, "max_depth": 3, "polished": (), "most_offspring": 0}


def sides_of(tree, data):
    """The rows on either side of the root."""
    reached, right = tree.apply(data), 1 + tree.tree.span[1]
    return np.flatnonzero(reached < right), np.flatnonzero(reached >= right)


@pytest.mark.parametrize("data", [load_dataset("glass"), random_tree_concept(300, 6, seed=3)], ids=str)
@pytest.mark.parametrize("min_leaf", [1, 9])
def test_below_the_root_a_tree_of_depth_three_is_optimal(data, min_leaf):
    front = fit_front(data, SearchSettings(**LAZY, min_leaves=(min_leaf,))).fronts["evolved"]
    tree = front.tree(8)
    assert tree.depth <= 3
    is_correct = tree.predict(data) == data.classes
    assert is_correct.mean() == front.accuracy[-1]
    for rows in sides_of(tree, data):
        best = optimum(data.take(rows), AllowedTrees(depth=2, min_leaf=min_leaf))
        assert np.count_nonzero(is_correct[rows]) == round(best.accuracy * len(rows))


def test_so_it_is_for_numbers():
    data = load_dataset("glass")
    target = data.columns[3] * 2 + (data.columns[1] > 13)
    data = data.with_numbers(target)
    search = replace(RegressionSettings(), **LAZY, min_leaves=(5,))
    front = fit_front(data, search).fronts["evolved"]
    tree, _ = front.tree_and_numbers(8)
    for rows in sides_of(tree, data):
        reached = tree.apply(data)[rows]
        errors = sum(np.var(part := target[rows][reached == leaf]) * len(part) for leaf in np.unique(reached))
        best = optimum_of_numbers(data.take(rows), AllowedTrees(depth=2, min_leaf=5))
        assert errors <= best.squared_error * len(rows) * (1 + 1e-9) + 1e-9


def test_what_the_solver_does_not_know_keeps_all_the_work_of_the_search():
    data, search = load_dataset("glass"), SearchSettings(size=8, max_depth=3, first="Fe", work=5e6)
    found = fit_front(data, search)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit, "DEPTHS", ())
        assert fit_front(data, search).tree == found.tree
        assert fit_front(data, replace(search, work=2e5)).tree != found.tree


@settings(max_examples=25, deadline=None)
@given(datasets(min_instances=8, max_instances=30, min_classes=2))
def test_no_tree_gets_worse_and_every_depth_is_kept(data):
    for depth in (3, 4):
        search = SearchSettings(**(LAZY | {"size": 2**depth, "max_depth": depth}))
        found = fit_front(data, search).fronts["evolved"]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fit, "DEPTHS", ())
            before = fit_front(data, search).fronts["evolved"]
        assert found.accuracy[-1] >= before.accuracy[-1]
        tree = found.tree(2**depth)
        assert tree.depth <= depth
        assert np.mean(tree.predict(data) == data.classes) == found.accuracy[-1]
