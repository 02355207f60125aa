"""Selections equal their naive twins, and GAlib's scaling has its documented properties."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatree.evolution import operators as selection
from gatree.evolution.population import empty_candidates, rank
from gatree.kernels.decorators import COMPILED
from gatree.settings.registry import SELECTIONS

PAYOFFS = st.lists(st.sampled_from([0.0, 1e-6, 0.1, 0.25, 0.5, 0.9, 0.92, 1.0]), min_size=1, max_size=20)


@pytest.mark.no_jit
@pytest.mark.parametrize("name", SELECTIONS)
@given(payoffs=PAYOFFS, n_draws=st.integers(1, 3), seed=st.integers(0, 1000))
def test_parents_equal_those_of_the_naive_twin(name, payoffs, n_draws, seed):
    ordered = np.array(sorted(payoffs, reverse=True))
    draws = np.random.default_rng(seed).random((6, n_draws))
    parents = np.zeros(6, dtype=np.int64)
    SELECTIONS[name].load()(ordered, draws, parents, np.zeros(len(ordered) + 2))
    assert parents.tolist() == [naive.SELECTIONS[name](ordered.tolist(), row) for row in draws]


@pytest.mark.no_jit
@pytest.mark.parametrize("payoffs", [[0.9, 0.85, 0.84, 0.8, 0.7], [*[0.5] * 9, 0.01]])
def test_scaling_keeps_the_mean_and_scales_the_best_by_its_factor_unless_some_were_negative(payoffs):
    slope, shift = selection.linear_scaling(np.array(payoffs))
    scaled, is_reachable = slope * np.array(payoffs) + shift, len(payoffs) == 5
    assert scaled.mean() == pytest.approx(np.mean(payoffs))
    most = selection.SCALING * np.mean(payoffs)
    assert scaled.max() == pytest.approx(most) if is_reachable else scaled.max() < most
    assert scaled.min() > 0 if is_reachable else scaled.min() == pytest.approx(0.0)


def ranked(payoffs, n, n_new=0):
    candidates = empty_candidates(len(payoffs))
    candidates.slot[:] = np.arange(len(payoffs))
    candidates.payoff[:] = payoffs
    rank(candidates, n, n_new)
    return candidates.slot.tolist(), candidates.payoff.tolist()


def stable(payoffs, n):
    order = sorted(range(n), key=lambda slot: -payoffs[slot])
    order += range(n, len(payoffs))
    return order, [payoffs[slot] for slot in order]


@pytest.mark.no_jit
@settings(max_examples=50 if COMPILED else 30)
@given(
    payoffs=st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, -1.0]) | st.floats(0, 1), max_size=150),
    n_left_alone=st.integers(0, 3),
    share_new=st.floats(0, 1),
)
def test_any_payoffs(payoffs, n_left_alone, share_new):
    n = max(0, len(payoffs) - n_left_alone)
    assert ranked(payoffs, n, round(share_new * n)) == stable(payoffs, n)


@pytest.mark.parametrize("n", [1, 15, 16, 17, 31, 32, 33, 400, 448])
@pytest.mark.parametrize("n_new", [0, 1, 48])
def test_a_sorted_population_followed_by_offspring(n, n_new):
    rng = np.random.default_rng(n)
    living = np.sort(rng.integers(0, 30, max(0, n - n_new)))[::-1] / 30
    payoffs = [*living.tolist(), *(rng.integers(0, 30, min(n, n_new)) / 30).tolist()]
    assert ranked(payoffs, n, min(n, n_new)) == stable(payoffs, n)
    assert ranked(payoffs[::-1], n) == stable(payoffs[::-1], n)
