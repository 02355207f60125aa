"""Random numbers in kernels equal numpy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatree.evolution.draw import draw, stream_of
from gatree.kernels.decorators import COMPILED


@pytest.mark.no_jit
@settings(max_examples=25 if COMPILED else 10)
@given(
    seed=st.integers(0, 2**63),
    shapes=st.lists(st.tuples(st.integers(0, 20), st.integers(1, 10)), min_size=1, max_size=4),
    n_before=st.integers(0, 5),
)
def test_draws_equal_numpy_bit_for_bit(seed, shapes, n_before):
    rng = np.random.default_rng(seed)
    rng.random(n_before)
    stream = stream_of(rng)
    for shape in shapes:
        draws = np.zeros(shape)
        draw(stream, draws)
        assert np.array_equal(draws, rng.random(shape))
    assert np.array_equal(stream, stream_of(rng))
