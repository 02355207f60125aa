"""The exact solver against trying all trees, and what it proves about the paper's data."""

from __future__ import annotations

import math
from itertools import chain, repeat

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import datasets

from gatree.base.errors import ConfigError, DataError
from gatree.data.cases import cases_of
from gatree.data.catalog import load_dataset
from gatree.data.coding import code
from gatree.data.generate import random_tree_concept
from gatree.optimum import optimum
from gatree.optimum.search import Search
from gatree.optimum.similar import SimilarSets

SMALL = datasets(min_instances=1, max_instances=12, max_attributes=3, max_values=3)


def n_correct(found, data):
    return int(np.count_nonzero(found.tree.predict(data) == data.classes))


@pytest.mark.no_jit
@settings(max_examples=60, deadline=None)
@given(SMALL, st.integers(0, 4), st.sampled_from(["observed", "integer"]))
def test_no_tree_at_all_makes_fewer_errors(data, n_tests, kind):
    found = optimum(data, n_tests, numeric_tests=kind)
    fewest = naive.fewest_errors(naive.Data.of(data, kind), n_tests)
    assert data.n_instances - found.n_correct == fewest
    assert found.is_proven
    assert found.tree.n_leaves - 1 <= n_tests
    assert n_correct(found, data) == found.n_correct


@pytest.mark.parametrize("seed", range(3))
def test_thresholds_that_bounds_rule_out_would_not_have_won(seed):
    """Many thresholds and few instances: nearly all are skipped, and three tests are still solved exactly."""
    data = random_tree_concept(16, 2, seed=seed)
    found = optimum(data, 3)
    assert data.n_instances - found.n_correct == naive.fewest_errors(naive.Data.of(data, "observed"), 3)


@pytest.mark.parametrize(("nodes", "share"), [(3, 0.683), (5, 0.778), (7, 0.904), (9, 0.941)])
def test_what_small_trees_reach_on_kr_vs_kp(nodes, share):
    found = optimum(load_dataset("kr-vs-kp"), (nodes - 1) // 2)
    assert round(found.accuracy, 3) == share
    assert found.is_proven


def test_five_nodes_are_no_better_than_three_on_vote():
    vote = load_dataset("vote")
    assert [optimum(vote, tests).n_correct for tests in (1, 2, 3)] == [416, 416, 420]


def test_similar_sets_bound_each_other():
    """Every bound holds, near sets give a close one, and more sets are solved than are kept."""
    data = load_dataset("glass")
    everything = np.ones(data.n_instances, dtype=np.bool_)
    search = Search(cases_of(data, code(data, "observed")))
    rng, similar, members = np.random.default_rng(0), SimilarSets(data.n_instances), everything
    assert similar.bound(everything) == 0
    for _ in range(1200):
        members = members ^ (rng.random(len(members)) < 0.01)
        errors = search.solve(members, 1, data.n_instances).errors
        assert similar.bound(members) <= errors
        similar.add(members, errors)
        assert similar.bound(members) == errors
        assert similar.bound(members & (rng.random(len(members)) < 0.99)) >= errors - len(members) // 10


def test_out_of_time_there_is_a_tree_and_a_bound():
    data = load_dataset("credit-a")
    found = optimum(data, 4, max_seconds=1e-9)
    assert not found.is_proven
    assert n_correct(found, data) == found.n_correct < found.bound <= data.n_instances


def test_a_proof_that_is_finished_is_kept_however_late_it_is(monkeypatch):
    data = load_dataset("credit-a")
    moments = chain([0, 0], repeat(2))  # in time for one test and for two, not for a look at their branches
    monkeypatch.setattr("gatree.optimum.search.time.monotonic", lambda: next(moments))
    found = Search(cases_of(data, code(data, "observed")), until=1).best_tree(2)
    monkeypatch.undo()
    assert found.is_proven
    assert found.errors == data.n_instances - optimum(data, 2).n_correct


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_tests": -1}, "n_tests: should be 0 or more, got -1"),
        ({"numeric_tests": "auto"}, "numeric_tests: should be 'observed' or 'integer', got 'auto'"),
        ({"max_seconds": math.nan}, "max_seconds: should be above zero, got nan"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(ConfigError) as caught:
        optimum(load_dataset("zoo"), **{"n_tests": 1, **wrong})
    assert str(caught.value) == message


@given(datasets(min_instances=1, max_instances=8, max_attributes=2))
@settings(max_examples=30, deadline=None)
def test_the_bound_without_a_proof_holds_for_all_trees(data):
    fewest = naive.fewest_errors(naive.Data.of(data, "observed"), 4)
    assert optimum(data, 9, max_seconds=1e-9).bound >= data.n_instances - fewest


def test_without_a_class_there_is_nothing_to_learn():
    data = load_dataset("vote").take(np.array([], dtype=np.intp))
    with pytest.raises(DataError, match="no instance with a class"):
        optimum(data, 1)
