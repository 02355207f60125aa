"""The exact solver against trying all trees, and what it proves about the paper's data."""

import math
import re
import signal
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import naive
import numpy as np
import pandas as pd
import pytest
from fuzz.random_data import random_data
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_searches import goal_of
from strategies import datasets

from bench.concepts import random_tree_concept
from gatree.base.background import Interrupted
from gatree.base.errors import ConfigError, DataError
from gatree.base.progress import SilentListener
from gatree.data.attribute import Attribute
from gatree.data.catalog import load_dataset
from gatree.data.dataset import Dataset
from gatree.kernels.words import WORD
from gatree.optimum import AllowedTrees, optimum, optimum_of_numbers, problem, solve
from gatree.optimum.bits import pack

SMALL = datasets(min_instances=1, max_instances=12, max_attributes=3, max_values=3)


def n_correct(found, data):
    return int(np.count_nonzero(found.tree.predict(data) == data.classes))


@pytest.fixture(params=["bits", "sorted instances"])
def _either_way(request, monkeypatch):
    """Have sets be bits, or their instances be sorted, however many tests there are."""
    monkeypatch.setattr(problem, "MOST_THRESHOLDS", math.inf if request.param == "bits" else -1)


def leaf_sizes(tree, data):
    return np.unique(tree.apply(data), return_counts=True)[1]


def test_one_attribute_value_and_large_leaves():
    """A case that random tests have found."""
    sizes = {"n_instances": 12, "n_attributes": 2, "n_values": 1, "n_classes": 2}
    data = random_data({"data_seed": 1644458019, **sizes})
    fewest = naive.fewest_errors(naive.Data.of(data, "integer"), 1, depth=None, min_leaf=2)
    for seconds in (math.inf, 1e-9):
        found = optimum(data, AllowedTrees(1, numeric_tests="integer", min_leaf=2), max_seconds=seconds)
        assert found.n_correct == naive.n_correct_by_names(found.tree, data)
        assert found.n_correct <= data.n_instances - fewest <= found.bound


@pytest.mark.no_jit
@pytest.mark.usefixtures("_either_way")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SMALL, st.integers(0, 4), st.sampled_from(["observed", "integer"]))
def test_no_tree_at_all_makes_fewer_errors(data, n_tests, kind):
    found = optimum(data, AllowedTrees(n_tests, numeric_tests=kind))
    fewest = naive.fewest_errors(naive.Data.of(data, kind), n_tests)
    assert data.n_instances - found.n_correct == fewest
    assert found.is_proven
    assert found.tree.n_leaves - 1 <= n_tests
    assert n_correct(found, data) == found.n_correct


@pytest.mark.no_jit
@pytest.mark.usefixtures("_either_way")
@pytest.mark.parametrize("n_tests", [3, 5])
def test_no_tree_makes_fewer_errors_where_no_few_tests_are_enough(n_tests):
    """Classes of four bits at random, so that the tests of both branches are searched for."""
    rows = pd.DataFrame(product(("off", "on"), repeat=4)).add_prefix("bit")
    data = Dataset.from_frame(rows.assign(label=np.random.default_rng(1).choice(["a", "b", "c"], 16)))
    found = optimum(data, AllowedTrees(n_tests))
    assert data.n_instances - found.n_correct == naive.fewest_errors(naive.Data.of(data), n_tests) > 0


@pytest.mark.no_jit
@pytest.mark.usefixtures("_either_way")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    datasets(min_instances=1, max_instances=8, max_attributes=2, max_values=2),
    st.tuples(st.integers(1, 4), st.integers(0, 3), st.integers(1, 3)),
    st.lists(st.integers(0, 5), min_size=9),
)
def test_no_tree_of_a_depth_with_large_leaves_and_class_weights_is_better(data, limits, weights):
    n_tests, depth, least = limits
    worth = np.array(weights[: data.n_classes], dtype=np.int64)
    found = optimum(data, AllowedTrees(n_tests, depth=depth, min_leaf=least), goal=goal_of(data, worth))
    n_tests = min(n_tests, 2**depth - 1)
    best = naive.fewest_errors(naive.Data.of(data, "observed"), n_tests, None, depth, least, worth)
    assert found.total - found.n_correct == best
    assert found.is_proven
    assert found.tree.n_leaves - 1 <= n_tests
    assert found.tree.depth <= depth
    right = found.tree.predict(data) == data.classes
    assert worth[data.classes[right]].sum() == found.n_correct
    assert found.tree.n_leaves == 1 or leaf_sizes(found.tree, data).min() >= least


@pytest.mark.no_jit
@given(
    datasets(min_instances=1, max_instances=8, max_attributes=2, max_values=2),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(1, 3),
    st.integers(0, 1000),
)
def test_no_regression_tree_has_a_smaller_squared_error(data, n_tests, depth, least, seed):
    target = np.random.default_rng(seed).lognormal(size=data.n_instances)
    found = optimum_of_numbers(data.with_numbers(target), AllowedTrees(n_tests, depth=depth, min_leaf=least))
    n_tests = min(n_tests, 2**depth - 1)
    best = naive.least_squares(naive.Data.of(data, "observed"), target.tolist(), n_tests, depth, least)
    assert found.is_proven
    assert found.squared_error == found.bound == pytest.approx(best / data.n_instances, rel=1e-9, abs=1e-12)
    means = np.array([float(value) for value in found.tree.class_attribute.values])
    errors = (means[found.tree.predict(data)] - target) ** 2
    assert errors.mean() == pytest.approx(found.squared_error, rel=1e-4, abs=1e-8)
    assert found.tree.n_leaves == 1 or leaf_sizes(found.tree, data).min() >= least


@pytest.mark.no_jit
def test_packed_sets_keep_their_instances_in_order():
    rng = np.random.default_rng(0)
    begin = np.array([0, 3, 3, 5])
    for share in (0.02, 0.5, 1.0):
        flags, mask = rng.random((4, 5 * WORD)) < 0.5, rng.random(5 * WORD) < share
        words = [np.packbits(each, axis=-1, bitorder="little").view(np.uint64) for each in (flags, mask)]
        target, target_begin = np.zeros((4, 5), dtype=np.uint64), np.zeros(4, dtype=np.int64)
        pack((words[0], begin), (0, 4), words[1], (target, target_begin), np.zeros(6, dtype=np.uint64))
        for label in range(3):
            part = slice(begin[label] * WORD, begin[label + 1] * WORD)
            kept = flags[:, part][:, mask[part]]
            got = target[:, target_begin[label] : target_begin[label + 1]]
            bits = np.unpackbits(np.ascontiguousarray(got).view(np.uint8), axis=1, bitorder="little")
            np.testing.assert_array_equal(bits[:, : kept.shape[1]], kept)
            assert not bits[:, kept.shape[1] :].any()


@pytest.mark.parametrize("seed", range(3))
def test_thresholds_that_bounds_rule_out_would_not_have_won(seed):
    """Many thresholds and few instances: nearly all are skipped, and three tests are still solved exactly."""
    data = random_tree_concept(16, 2, seed=seed)
    found = optimum(data, AllowedTrees(3))
    assert data.n_instances - found.n_correct == naive.fewest_errors(naive.Data.of(data, "observed"), 3)


def test_tests_beyond_the_number_of_values_count_too():
    """A grid of integers has more tests than the three instances have values."""
    frame = pd.DataFrame({"a": [0, 100, 0], "b": [0, 0, 100], "target": list("xxy")})
    assert (
        optimum(Dataset.from_frame(frame, "target"), AllowedTrees(1, numeric_tests="integer")).n_correct == 3
    )


@pytest.mark.parametrize(("nodes", "share"), [(5, 0.778), (9, 0.941)])
def test_what_small_trees_reach_on_kr_vs_kp(nodes, share):
    found = optimum(load_dataset("kr-vs-kp"), AllowedTrees((nodes - 1) // 2))
    assert round(found.accuracy, 3) == share
    assert found.is_proven


def test_five_nodes_are_no_better_than_three_on_vote():
    vote = load_dataset("vote")
    assert [optimum(vote, AllowedTrees(tests)).n_correct for tests in (1, 2, 3)] == [416, 416, 420]


class Heard(SilentListener):
    """Keeps the progress that it is notified of, and presses Ctrl-C after some lines of it."""

    def __init__(self, signals_at=None):
        self.lines, self.signals_at = [], signals_at

    def progress(self, what, done=0.0, of=0.0):
        self.lines.append(what)
        if len(self.lines) == self.signals_at:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("n_steps", [1, 100_000])
def test_the_bound_shrinks_and_always_holds(n_steps, monkeypatch):
    monkeypatch.setattr(solve, "_STEPS", n_steps)
    data, heard = load_dataset("glass"), Heard()
    found = optimum(data, AllowedTrees(3), listener=heard)
    reported = [re.fullmatch(r"correct: (\d+) so far, bound (\d+)", line).groups() for line in heard.lines]
    best, bounds = (list(map(int, column)) for column in zip(*reported, strict=True))
    assert best == sorted(best)
    assert bounds == sorted(bounds, reverse=True)
    assert best[-1] == bounds[-1] == found.n_correct
    assert n_steps == 100_000 or len(set(bounds)) > 3


@pytest.mark.parametrize("n_steps", [1, 10_000])
def test_the_best_tree_so_far_is_what_it_is_said_to_be(n_steps, monkeypatch):
    data, moments = load_dataset("glass"), iter([0, 0, 2])
    monkeypatch.setattr(solve, "_STEPS", n_steps)
    monkeypatch.setattr(solve, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    found = optimum(data, AllowedTrees(4), max_seconds=1)
    assert n_correct(found, data) == found.n_correct < found.bound <= data.n_instances
    assert not found.is_proven


@pytest.mark.parametrize("signals_at", [1, 2])
def test_ctrl_c_ends_the_search_with_the_best_tree_so_far(signals_at, monkeypatch):
    data, numbers = load_dataset("glass"), load_dataset("glass").columns[0]
    monkeypatch.setattr(solve, "_STEPS", 10_000)
    with pytest.raises(Interrupted) as stopped:
        optimum(data, AllowedTrees(4), listener=Heard(signals_at))
    found = stopped.value.found
    assert n_correct(found, data) == found.n_correct < found.bound < data.n_instances
    with pytest.raises(KeyboardInterrupt) as stopped:
        optimum_of_numbers(data.with_numbers(numbers), AllowedTrees(3), listener=Heard(signals_at))
    found = stopped.value.found
    assert found.bound < found.squared_error <= np.var(numbers)
    assert not found.is_proven


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_tests": -1}, "n_tests: should be 0 or more, got -1"),
        ({"numeric_tests": "auto"}, "numeric_tests: should be 'observed' or 'integer', got 'auto'"),
        ({"min_leaf": 0}, "min_leaf: should be 1 or more, got 0"),
        ({"depth": -1}, "depth: should be 0 or more, got -1"),
        ({"leaves": 2}, "leaves: give either n_tests or leaves"),
        ({"n_tests": None, "leaves": 0}, "leaves: should be 1 or more, got 0"),
        ({"n_tests": None}, "n_tests: give the size as n_tests, leaves or depth"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(ConfigError) as caught:
        AllowedTrees(**{"n_tests": 1, **wrong})
    assert str(caught.value) == message


def test_no_time_at_all_is_refused():
    with pytest.raises(ConfigError, match="max_seconds: should be above zero, got nan"):
        optimum(load_dataset("zoo"), AllowedTrees(1), max_seconds=math.nan)


@given(datasets(min_instances=1, max_instances=8, max_attributes=2))
def test_the_bound_without_a_proof_holds_for_all_trees(data):
    fewest = naive.fewest_errors(naive.Data.of(data, "observed"), 4)
    assert optimum(data, AllowedTrees(9), max_seconds=1e-9).bound >= data.n_instances - fewest


@pytest.mark.usefixtures("_either_way")
def test_without_a_test_the_tree_is_a_leaf():
    data = load_dataset("vote").take(np.arange(3))
    constant = replace(data, columns=tuple(np.full_like(column, -1) for column in data.columns))
    numbers = replace(
        constant,
        attributes=tuple(Attribute(each.name, "numeric") for each in data.attributes),
        columns=tuple(np.full(3, 7.0) for _ in data.columns),
    )
    for each in (constant, numbers):
        assert optimum(each, AllowedTrees(4)).tree.n_nodes == 1


def test_without_a_class_there_is_nothing_to_learn():
    data = load_dataset("vote").take(np.array([], dtype=np.intp))
    with pytest.raises(DataError, match="no instance with a class"):
        optimum(data, AllowedTrees(1))
