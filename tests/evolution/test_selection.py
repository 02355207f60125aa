"""Selections equal their naive twins, and GAlib's scaling has its documented properties."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatree.evolution import operators as selection
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


def scaled(payoffs):
    slope, shift = selection.linear_scaling(np.array(payoffs))
    return slope * np.array(payoffs) + shift


@pytest.mark.no_jit
def test_scaling_keeps_the_mean_and_scales_the_best_by_its_factor():
    payoffs = [0.9, 0.85, 0.84, 0.8, 0.7]
    assert scaled(payoffs).mean() == pytest.approx(np.mean(payoffs))
    assert scaled(payoffs).max() == pytest.approx(selection.SCALING * np.mean(payoffs))


@pytest.mark.no_jit
def test_scaling_makes_no_payoff_negative():
    payoffs = [*[0.5] * 9, 0.01]  # so low that the factor is unreachable
    assert scaled(payoffs).min() == pytest.approx(0.0)
    assert scaled(payoffs).mean() == pytest.approx(np.mean(payoffs))
    assert scaled(payoffs).max() < selection.SCALING * np.mean(payoffs)
