"""Ranking equals a stable sort, for any initial order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatree.evolution.population import empty_candidates, rank
from gatree.kernels.decorators import COMPILED


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
@settings(max_examples=100 if COMPILED else 30)
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
