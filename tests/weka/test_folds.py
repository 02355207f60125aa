import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import grouped_by_class

from gatree.base.errors import DataError
from gatree.weka.folds import JavaRandom, group_by_class, next_int, stratified_folds


def formula_classes(n_instances: int, n_classes: int) -> np.ndarray:
    """A class per row by a formula, so that the WEKA run below could use the same; some are missing."""
    codes = np.array([(i * i + i // 2) % (n_classes + 1) for i in range(n_instances)], dtype=np.int32)
    return np.where(codes == n_classes, -1, codes).astype(np.int32)


# (instances, classes, folds, seed) and the rows that WEKA 3.6.14 trains and tests on, by
# Instances.randomize, stratify, trainCV(folds, fold, random) and testCV.
WEKA_FOLDS = [
    (
        (13, 3, 4, 1),
        [
            ([0, 11, 6, 1, 2, 7, 3, 12, 10], [5, 9, 8, 4]),
            ([9, 5, 12, 7, 1, 2, 4, 8, 0, 11], [6, 10, 3]),
            ([3, 9, 5, 10, 4, 0, 12, 6, 2, 8], [1, 7, 11]),
            ([6, 1, 4, 5, 8, 9, 3, 11, 7, 10], [2, 0, 12]),
        ],
    ),
    (
        (20, 2, 5, 1),
        [
            ([7, 16, 14, 15, 13, 10, 9, 1, 5, 0, 3, 4, 8, 17, 18, 12], [2, 19, 6, 11]),
            ([12, 0, 4, 14, 5, 18, 15, 13, 3, 9, 19, 1, 17, 11, 2, 6], [8, 7, 10, 16]),
            ([3, 13, 19, 8, 10, 15, 2, 0, 6, 7, 1, 11, 5, 4, 16, 18], [14, 9, 17, 12]),
            ([14, 13, 1, 19, 6, 5, 11, 16, 8, 9, 4, 7, 12, 17, 10, 2], [15, 3, 0, 18]),
            ([18, 19, 15, 7, 16, 17, 11, 0, 3, 9, 12, 2, 8, 6, 14, 10], [13, 1, 4, 5]),
        ],
    ),
    (
        (11, 3, 3, 42),
        [
            ([2, 0, 5, 10, 6, 3, 7], [9, 1, 4, 8]),
            ([1, 5, 4, 10, 8, 0, 9], [2, 6, 3, 7]),
            ([3, 9, 7, 2, 1, 6, 4, 8], [10, 5, 0]),
        ],
    ),
    ((8, 2, 2, -7), [([2, 3, 5, 0], [6, 4, 7, 1]), ([6, 1, 7, 4], [5, 0, 3, 2])]),
]


@pytest.mark.parametrize(("case", "expected"), WEKA_FOLDS)
def test_folds_are_wekas(case, expected):
    n_instances, n_classes, n_folds, seed = case
    folds = stratified_folds(formula_classes(n_instances, n_classes), n_folds, seed)
    assert [(train.tolist(), test.tolist()) for train, test in folds] == expected


def test_random_numbers_are_javas():
    state = JavaRandom(42).state  # what Java prints for nextInt of these bounds, after new Random(42)
    large = 1_500_000_000
    numbers = [
        (10, 0),
        (10, 3),
        (10, 8),
        (16, 0),
        (large, 662969970),
        (large, 595021505),
        (large, 1429255519),
    ]
    for bound, number in numbers:
        found, state = next_int(state, bound)
        assert found == number


@pytest.mark.no_jit
@pytest.mark.parametrize("n_rows", [1, 300, 12_345])
def test_many_rows_are_shuffled_as_few(n_rows):
    """Many rows by compiled code, a few by Python; the twin draws from the generator itself."""
    random, expected = JavaRandom(7), list(range(n_rows))
    state = random.state
    for last in range(n_rows - 1, 0, -1):
        other, state = next_int(state, last + 1)
        expected[last], expected[other] = expected[other], expected[last]
    assert random.shuffled(np.arange(n_rows)).tolist() == expected
    assert random.state == state


@pytest.mark.no_jit
@given(st.lists(st.integers(-1, 4), max_size=60), st.randoms(use_true_random=False))
def test_rows_are_grouped_by_wekas_swaps(classes, chance):
    rows = np.array(chance.sample(range(len(classes)), len(classes)), dtype=np.intp)
    expected = grouped_by_class(rows.tolist(), classes)
    group_by_class(rows, np.array(classes, dtype=np.int32))
    assert rows.tolist() == expected


@pytest.mark.parametrize(("n_instances", "n_folds"), [(10, 1), (10, 0), (10, 11), (0, 2), (1, 2)])
def test_impossible_numbers_of_folds_are_refused(n_instances, n_folds):
    with pytest.raises(DataError, match=f"{n_folds} folds of {n_instances} instances"):
        stratified_folds(np.zeros(n_instances, dtype=np.int32), n_folds, 1)
