"""What is proven of the small trees of a front."""

from __future__ import annotations

from dataclasses import replace

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from strategies import datasets

from bench.concepts import random_tree_concept
from gatree.data.catalog import load_dataset
from gatree.front.fit import fit_front
from gatree.front.plot import plot_fronts
from gatree.front.settings import FRONT_PRESETS, FrontSettings
from gatree.optimum import optimum

LAZY = FrontSettings(size=16, polished=(), most_offspring=0, work=1e9)
"""A search that improves on nothing, so that most small trees are the solver's."""


@settings(max_examples=40, deadline=None)
@given(datasets(min_instances=2, max_instances=10, max_attributes=2, max_values=3))
def test_no_tree_of_a_proven_size_makes_fewer_errors(data):
    front = fit_front(data, LAZY).fronts["evolved"]
    twin = naive.Data.of(data, "observed")
    assert front.proven[0]
    for leaves, proven in zip(front.leaves.tolist(), front.proven.tolist(), strict=True):
        if proven and leaves <= 4:
            errors = np.count_nonzero(front.tree(leaves).predict(data) != data.classes)
            assert errors == naive.fewest_errors(twin, leaves - 1)


@pytest.mark.parametrize("data", [load_dataset("glass"), random_tree_concept(60, 4, seed=1)], ids=str)
def test_trees_of_the_solver_take_the_places_of_worse_ones(data):
    front = fit_front(data, LAZY).fronts["evolved"]
    assert front.proven[front.leaves <= 4].all()
    for leaves, accuracy in zip(front.leaves.tolist(), front.accuracy.tolist(), strict=True):
        tree = front.tree(leaves)
        assert tree.n_leaves == leaves
        assert np.mean(tree.predict(data) == data.classes) == accuracy
        if leaves <= 4:
            assert accuracy == optimum(data, leaves - 1).accuracy


def test_class_weights_and_large_leaves_count_in_proofs():
    data, worth = load_dataset("vote"), np.array([1, 3])
    demanding = FrontSettings(size=4, min_leaves=(30,))
    front = fit_front(data, demanding, worth).fronts["evolved"]
    best = optimum(data, 3, min_leaf=30, worth=worth)
    assert front.proven.all()
    assert front.accuracy[-1] == best.accuracy


def test_proofs_do_not_change_the_size_that_was_chosen():
    data = load_dataset("vote")
    lazy = replace(LAZY, size="auto", n_folds=3)
    found, unproven = fit_front(data, lazy), fit_front(data, replace(lazy, min_split=3))
    assert found.tree.n_leaves == unproven.tree.n_leaves  # nothing is proven with that limit
    assert found.fronts["evolved"].proven[:3].all()
    assert not unproven.fronts["evolved"].proven.any()
    assert not found.fronts["greedy"].proven.any()


def test_proven_sizes_are_marked_in_the_plot():
    fronts = fit_front(load_dataset("zoo"), FRONT_PRESETS["fast"]).fronts
    (marked,) = (line for line in plot_fronts(fronts).lines if "proven" in str(line.get_label()))
    front = fronts["evolved"]
    np.testing.assert_array_equal(marked.get_xdata(), front.leaves[front.proven])
