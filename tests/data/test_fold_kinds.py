"""Folds other than WEKA's equal those of naive twins that handle one row at a time."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import grouped_by_class

from gatree import load_dataset
from gatree.base.errors import DataError
from gatree.data.answer import Classes
from gatree.data.folds import fold_of_classes, fold_of_numbers, fold_rows
from gatree.evolution.evolve import evolve
from gatree.experiments.fold import Fold
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.weka.folds import stratified_folds

pytestmark = pytest.mark.no_jit

classes_and_folds = st.lists(st.integers(-1, 3), min_size=2, max_size=40).flatmap(
    lambda classes: st.tuples(
        st.just(np.array(classes, dtype=np.int32)), st.integers(2, min(7, len(classes)))
    )
)


def naive_every_nth(classes, n_folds):
    """Assign rows to the folds in turn."""
    tests = [[] for _ in range(n_folds)]
    for row in range(len(classes)):
        tests[row % n_folds].append(row)
    return tests


def naive_stratified(classes, n_folds):
    """Assign rows to the folds class by class, classes in order of appearance, by WEKA's swaps."""
    rows = grouped_by_class(range(len(classes)), classes)
    dealt = [row for first in range(n_folds) for row in rows[first::n_folds]]
    sizes = [len(rows) // n_folds + (fold < len(rows) % n_folds) for fold in range(n_folds)]
    return [sorted(dealt[sum(sizes[:fold]) : sum(sizes[: fold + 1])]) for fold in range(n_folds)]


TWINS = {"every-nth": naive_every_nth, "stratified-unshuffled": naive_stratified}


@pytest.mark.parametrize("kind", TWINS)
@given(case=classes_and_folds, drop=st.booleans())
def test_folds_equal_the_naive_twins(kind, case, drop):
    classes, n_folds = case
    n_kept = len(classes) // n_folds * n_folds if drop else len(classes)
    expected = TWINS[kind](classes[:n_kept].tolist(), n_folds)
    folds = fold_rows(classes, n_folds, kind=kind, drop_remainder=drop)
    assert [test.tolist() for _, test in folds] == expected
    for train, test in folds:
        assert train.tolist() == [row for row in range(n_kept) if row not in test]


@given(case=classes_and_folds, seed=st.integers(0, 99))
def test_wekas_folds_are_the_default_and_drop_the_remainder_on_request(case, seed):
    classes, n_folds = case
    kept = classes[: len(classes) // n_folds * n_folds]
    for given_classes, drop in ((classes, False), (kept, True)):
        expected = stratified_folds(given_classes, n_folds, seed)
        folds = fold_rows(classes, n_folds, seed, drop_remainder=drop)
        for found, wanted in zip(folds, expected, strict=True):
            assert [rows.tolist() for rows in found] == [rows.tolist() for rows in wanted]


@given(n=st.integers(2, 40), n_folds=st.integers(2, 50), seed=st.integers(0, 99))
def test_bootstrap_samples_have_n_rows_and_exclude_the_test_rows(n, n_folds, seed):
    folds = fold_rows(np.zeros(n, dtype=np.int32), n_folds, seed, "out-of-bag")
    assert len(folds) == n_folds
    for train, test in folds:
        assert len(train) == n
        assert len(test) > 0
        assert sorted({*train.tolist(), *test.tolist()}) == list(range(n))
        assert not {*train.tolist()} & {*test.tolist()}


def test_bootstrap_samples_are_drawn_with_replacement_and_uniformly():
    folds = fold_rows(np.zeros(20, dtype=np.int32), 2000, 1, "out-of-bag")
    drawn = Counter(row for train, _ in folds for row in train.tolist())
    assert max(abs(drawn[row] - 2000) for row in range(20)) < 5 * 2000**0.5  # five standard deviations
    left_out = np.mean([len(test) for _, test in folds]) / 20
    assert abs(left_out - (1 - 1 / 20) ** 20) < 0.01
    assert folds[0][0].tolist() != folds[1][0].tolist()


@pytest.mark.parametrize("kind", TWINS)
def test_impossible_numbers_of_folds_are_rejected(kind):
    with pytest.raises(DataError, match="5 folds of 4 instances"):
        fold_rows(np.zeros(4, dtype=np.int32), 5, kind=kind)
    with pytest.raises(DataError, match="at least 2 instances, got 1"):
        fold_rows(np.zeros(1, dtype=np.int32), 5, kind="out-of-bag")


def test_counts_equal_those_of_the_tree_on_the_test_rows_that_have_a_class():
    data = load_dataset("lymph")
    classes = np.where(np.arange(data.n_instances) < 10, -1, data.classes)
    data = replace(data, answer=Classes(data.class_attribute, classes))
    folds = [Fold.of(data, rows, "integer") for rows in stratified_folds(data.classes, 5, seed=1)]
    assert sum(fold.n_test for fold in folds) == data.n_instances - 10
    for fold in folds:
        assert fold.problem.n_instances + fold.n_test == data.n_instances - 10
        best = evolve(fold.problem, EvolutionSettings(population_size=30, n_generations=20)).best
        predicted = fold.problem.decision_tree(best).predict(fold.test)
        assert fold.test_correct(best) == np.count_nonzero(predicted == fold.test.classes)


def test_folds_spread_every_class():
    classes = np.repeat([0, 1, 2], [50, 23, 5]).astype(np.int32)
    folds = fold_of_classes(classes, 5, np.random.default_rng(0))
    counts = np.array([[np.count_nonzero(folds[classes == c] == f) for f in range(5)] for c in range(3)])
    assert (counts.max(axis=1) - counts.min(axis=1) <= 1).all()


def test_folds_spread_similar_numbers():
    numbers = np.random.default_rng(1).normal(size=52)
    folds = fold_of_numbers(numbers, 5, np.random.default_rng(0))
    in_order = folds[np.argsort(numbers)]
    assert all(sorted(in_order[at : at + 5].tolist()) == [0, 1, 2, 3, 4] for at in range(0, 50, 5))
