"""The search step by step: it ranks and bounds as its twins do, counts what it does, and stops in time."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatree.data.catalog import load_dataset
from gatree.data.coding import code
from gatree.data.dataset import Dataset
from gatree.optimum import search, solver
from gatree.optimum.bits import bit_sets
from gatree.optimum.problem import packed, problem_of
from gatree.optimum.solver import Size, Solver
from gatree.optimum.stack import make_stack


def signs(n):
    """Rows of two numbers, whose signs decide the class of nine in ten."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 2))
    labels = (x[:, 0] * x[:, 1] > 0) ^ (rng.random(n) < 0.1)
    return Dataset.from_frame(pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": labels.astype(str)}), "y")


def problem_in(data):
    return problem_of(
        code(data, "observed").coded(data, in_order=True), np.ones(data.n_classes, dtype=np.int64), 1
    )


def stack_with(n_tests):
    """A stack whose first frame has some tests of one attribute."""
    stack = make_stack(problem_in(signs(n_tests + 1)), 3)
    stack.frame["n_tests"][1], stack.frame["part"][1] = n_tests, 1
    tests = stack.tests[1, :n_tests]
    tests["ranked"], tests["first"], tests["end"] = np.arange(n_tests), 0, n_tests
    return stack, tests, stack.known[1, :n_tests]


@pytest.mark.no_jit
@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_tests_are_ranked_by_their_costs_and_equal_ones_keep_their_order(costs, chance):
    stack, tests, known = stack_with(len(costs))
    before = list(range(len(costs)))
    chance.shuffle(before)
    tests["ranked"], known[:, 0, 1] = before, costs
    n_passes = 0
    while not search._rank(stack, 1):
        n_passes += 1
    assert tests["ranked"].tolist() == sorted(before, key=lambda test: costs[test])
    assert n_passes <= np.log2(len(costs))


def tightened(known, passing, test):
    """The twin of `_spread`: compare every bound with every other one."""
    (left, right), known = known[test].copy(), known.copy()
    for other in range(len(known)):
        apart = abs(int(passing[other]) - int(passing[test]))
        if other < test:
            known[other] = np.maximum(known[other], (left - apart, right))
        if other > test:
            known[other] = np.maximum(known[other], (left, right - apart))
    return known


@pytest.mark.no_jit
@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 20), st.integers(0, 20)), max_size=12),
)
def test_costs_bound_those_of_all_other_thresholds(weights, found):
    stack, tests, known = stack_with(len(weights))
    tests["passing"] = np.cumsum(weights)
    for test, left, right in found:
        test %= len(weights)
        known[test, :, 2] = np.maximum(known[test, :, 2], (left, right))
        expected = tightened(known[:, :, 2], tests["passing"], test)
        search._spread(stack, 1, test, 2)
        np.testing.assert_array_equal(known[:, :, 2], expected)


def test_tests_become_bits():
    for name in ("zoo", "glass"):
        problem = problem_in(load_dataset(name))
        found = bit_sets(problem, 1).rows[0]
        n_tests, n_words = found.shape
        expected = [packed(problem.passing(test), problem.place, n_words) for test in range(n_tests)]
        assert found.any(axis=1).mean() > 0.8
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("data", "size"), [(signs(3_000), 3), (signs(3_000), 5), (load_dataset("glass"), 4)])
def test_a_search_takes_no_more_steps_than_it_is_given(data, size):
    """Ranking tests and bounding thresholds count, too."""
    found = Solver(problem_in(data), Size.of(size, None))
    for budget in (800_000, 600_000):
        before = found.steps
        assert not found.go_on(budget)
        assert budget <= found.steps - before <= 1.05 * budget


@pytest.mark.parametrize(("data", "size"), [(signs(1_000), 5), (load_dataset("glass"), 3)])
def test_kernels_return_to_python_after_some_steps(data, size, monkeypatch):
    most, unit, taken = 50_000, 25_000, []
    monkeypatch.setattr(solver, "STEPS_PER_CALL", most)
    for name in ("run_bits", "run_walks"):
        run = getattr(solver, name)

        def counted(sets, stack, memory, until, run=run):
            before = int(stack.registers["steps"][0])
            is_finished = run(sets, stack, memory, until)
            taken.append(int(stack.registers["steps"][0]) - before)
            return is_finished

        monkeypatch.setattr(solver, name, counted)
    found = Solver(problem_in(data), Size.of(size, None))
    found.go_on(5_000_000)
    assert len(taken) > 40
    assert max(taken) <= most + unit


@pytest.mark.parametrize("data", [signs(60), load_dataset("glass").take(np.arange(0, 214, 3))], ids=str)
def test_parts_of_the_work_are_the_whole(data, monkeypatch):
    """A search that stops after every step finds what one finds that never stops."""
    problem, found = problem_in(data), []
    for steps in (1, 10**9):
        monkeypatch.setattr(solver, "STEPS_PER_CALL", steps)
        solved = Solver(problem, Size.of(3, None))
        assert solved.go_on(10**9)
        found.append((solved.cost, solved.steps, str(solved.nested())))
    assert found[0] == found[1]


def test_with_too_few_steps_a_tree_is_the_best_one_found_with_these():
    problem, everything = problem_in(load_dataset("glass")), np.ones(214, dtype=np.bool_)
    costs = []
    for n_steps in (0, 300_000, 10**9):
        tree = Solver(problem, Size.of(3, None)).tree_of(everything, Size.of(3, None), n_steps)
        costs.append(solver.cost_of(problem, tree))
    assert costs[0] > costs[1] > costs[2] == 91
