from __future__ import annotations

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatree.j48.candidates import best_threshold, sort_known
from gatree.j48.estimates import NO_TEST, Limits, gain_ratio, info_gain, n_log_n_of_integers
from gatree.j48.growing import spread
from gatree.j48.tables import (
    BRANCH,
    EVERY_VALUE,
    INSTANCE,
    add_known,
    add_missing,
    fill_shares,
    majority,
)

KNOWN = n_log_n_of_integers()


def sample_of(weights):
    sample = np.zeros(len(weights), dtype=INSTANCE)
    sample["row"], sample["weight"] = np.arange(len(weights)), weights
    return sample


def unsorted_parts():
    return np.empty(128, dtype=np.intp)


def with_margins(table):
    table = np.array(table, dtype=float)
    table = np.column_stack([table, table.sum(axis=1)])
    return np.vstack([table, table.sum(axis=0)])


@pytest.mark.no_jit
def test_quinlans_weather_example():
    outlook = with_margins([[2, 3], [4, 0], [3, 2]])  # sunny, overcast, rainy by play, don't play
    gain = info_gain(outlook, 14.0, KNOWN)
    assert gain == pytest.approx(0.2467, abs=1e-4)
    assert gain_ratio(outlook, 14.0, gain, KNOWN) == pytest.approx(0.1564, abs=1e-4)


@pytest.mark.no_jit
def test_missing_values_lower_the_gain_and_are_a_branch_of_the_split():
    # Quinlan's book: one outlook of the fourteen unknown gives gain 0.199 and split information 1.809
    outlook = with_margins([[2, 3], [3, 0], [3, 2]])
    gain = info_gain(outlook, 14.0, KNOWN)
    assert gain == pytest.approx(0.199, abs=1e-3)
    assert gain / gain_ratio(outlook, 14.0, gain, KNOWN) == pytest.approx(1.809, abs=1e-3)


def naive_best_threshold(keys, labels, n_classes, least):
    """Return the threshold with the largest gain by trying all of them, or None."""

    def bits(rows):
        counts = np.bincount(rows, minlength=n_classes)
        return -sum(count * math.log2(count / len(rows)) for count in counts if count)

    least = max(least, min(0.1 * len(keys) / n_classes, 25))
    values = np.unique(keys)
    gains = {}
    for low, high in pairwise(values):
        below, above = labels[keys <= low], labels[keys > low]
        if min(len(below), len(above)) >= least:
            gains[(low + high) / 2] = (bits(labels) - bits(below) - bits(above)) / len(keys)
    if not gains:
        return None
    best = max(gains.values())
    if best - math.log2(len(gains)) / len(keys) <= 1e-6:
        return None
    return [cut for cut, gain in gains.items() if gain > best - 1e-6]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=2, max_size=40), st.integers(1, 4))
def test_best_threshold_equals_trying_all(pairs, least):
    keys = np.array([float(key) for key, _ in pairs])
    labels = np.array([label for _, label in pairs], dtype=np.int32)
    table, limits = np.empty((3, 4)), Limits(float(least), float(len(keys)))
    sample = sample_of(np.ones(len(keys)))
    threshold, gain = best_threshold(keys, labels, sample, limits, KNOWN, unsorted_parts(), table)
    expected = naive_best_threshold(keys, labels, 3, least)
    assert (gain != NO_TEST) == (expected is not None)
    if expected is not None:
        assert threshold in expected
        assert gain > 0
        assert table[0, -1] == np.count_nonzero(keys <= threshold)


@given(st.lists(st.one_of(st.integers(0, 6), st.none()), max_size=40))
def test_sorting_keeps_rows_with_their_weights_and_puts_missing_last(values):
    keys = np.array([math.nan if value is None else float(value) for value in values])
    sample = sample_of(np.arange(len(keys)) + 0.5)
    n_known = sort_known(sample, keys, unsorted_parts())
    assert n_known == np.count_nonzero(~np.isnan(keys))
    assert np.all(np.diff(sample["key"][:n_known]) >= 0)
    assert sorted(sample["row"]) == list(range(len(keys)))
    np.testing.assert_array_equal(sample["weight"], sample["row"] + 0.5)
    np.testing.assert_array_equal(sample["key"][:n_known], keys[sample["row"][:n_known]])


@pytest.mark.no_jit
def test_every_order_of_few_keys_is_sorted():
    for values in product(range(4), repeat=4):
        sample = sample_of(np.ones(4))
        sort_known(sample, np.array(values, dtype=np.float64), unsorted_parts())
        assert sample["key"].tolist() == sorted(values), values


@pytest.mark.no_jit
def test_missing_values_go_down_all_branches_with_fractional_weights():
    column = np.array([0.0, 0.0, 0.0, 1.0, math.nan])
    classes = np.array([0, 0, 1, 1, 1], dtype=np.int32)
    sample, table, branches = sample_of(np.ones(5)), np.zeros((4, 3)), np.zeros(3, dtype=BRANCH)
    add_known(table, column, classes, sample, EVERY_VALUE, math.nan)
    assert table[:, -1].tolist() == [3, 1, 0, 4]
    fill_shares(branches, table, table[-1, -1])
    add_missing(table, column, classes, sample, branches)
    assert table[:, 1].tolist() == [1.75, 1.25, 0, 3]
    pool = np.zeros(6, dtype=INSTANCE)
    assert not spread(pool[:5], sample, 0, column, EVERY_VALUE, math.nan, branches), "one place is wanting"
    assert spread(pool, sample, 0, column, EVERY_VALUE, math.nan, branches)
    assert branches["end"].tolist() == [4, 6, 6]  # the third branch has no share and gets nothing
    assert pool["row"].tolist() == [0, 1, 2, 4, 3, 4]
    assert pool["weight"].tolist() == [1, 1, 1, 0.75, 1, 0.25]


@pytest.mark.no_jit
def test_looked_up_gains_of_integer_weights_equal_computed_ones():
    table = with_margins([[2, 3], [4, 0], [3, 2]])
    assert info_gain(table, 14.0, KNOWN) == info_gain(table, 14.0, KNOWN[:1])


@pytest.mark.no_jit
def test_the_first_of_equal_classes_wins():
    assert majority(np.array([1.0, 2.0, 2.0 + 1e-7, 5.0])) == 1
