from dataclasses import replace

import numpy as np
import pytest

from bench.concepts import N_LEVELS, N_VALUES, multiplexer, random_tree_concept
from gatree.base.errors import DataError
from gatree.data.generate import chessboard, generated
from gatree.data.load import load_data
from gatree.experiments.sources import known_data


@pytest.mark.parametrize("n_address_bits", [1, 2, 3, 6])
def test_the_class_of_a_multiplexer_is_the_addressed_bit(n_address_bits):
    dataset = multiplexer(n_address_bits, 500, seed=1)
    assert dataset.n_attributes == n_address_bits + 2**n_address_bits
    for row in range(dataset.n_instances):
        bits = [str(column[row]) for column in dataset.columns]
        address = int("".join(bits[:n_address_bits]), base=2)
        assert bits[n_address_bits + address] == str(dataset.classes[row])


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: multiplexer(3, 200, 0.1, seed),
        lambda seed: random_tree_concept(200, 6, noise=0.1, seed=seed),
        lambda seed: chessboard(200, 0.1, seed=seed),
    ],
)
def test_the_seed_decides_everything(make):
    assert make(7) == make(7)
    assert make(7) != make(8)


@pytest.mark.parametrize(
    "make",
    [
        lambda noise: multiplexer(3, 20_000, noise),
        lambda noise: random_tree_concept(20_000, 8, n_classes=5, noise=noise),
        lambda noise: chessboard(20_000, noise),
    ],
)
def test_noise_is_the_share_of_other_classes(make):
    clean, noisy = make(0.0), make(0.25)
    assert all(np.array_equal(a, b) for a, b in zip(clean.columns, noisy.columns, strict=True))
    assert np.mean(clean.classes != noisy.classes) == pytest.approx(0.25, abs=0.01)
    assert noisy.classes.max() < noisy.n_classes


def test_fields_of_a_chessboard_alternate():
    dataset = chessboard(1000, seed=3)
    assert dataset.n_attributes == 8
    for x, y, colour in zip(*dataset.columns[:2], dataset.classes, strict=True):
        fields = ["1010", "0101", "1010", "0101"]
        assert fields[int(x)][int(y)] == str(colour)


def test_generated_data_have_names_that_commands_and_experiments_take():
    assert load_data("chessboard-5") == replace(chessboard(noise=0.05), name="chessboard-5")
    other = load_data("chessboard-10-seed-3")
    assert other.checksum == chessboard(noise=0.1, seed=3).checksum
    assert known_data("chessboard-5", ".") == "chessboard-5"
    for wrong in ("chessboard-", "chessboard-500", "chessboard-5-seed-"):
        assert generated(wrong) is None


def test_a_chessboard_flips_exactly_its_share_of_classes():
    clean, noisy = chessboard(200), chessboard(200, noise=0.05)
    assert np.count_nonzero(clean.classes != noisy.classes) == 10


def test_a_random_tree_has_the_attributes_asked_for():
    dataset = random_tree_concept(1000, 7, n_numeric=3, n_classes=4, depth=6, seed=2)
    assert [attribute.is_nominal for attribute in dataset.attributes] == [True] * 4 + [False] * 3
    assert dataset.n_classes == 4
    for attribute, column in zip(dataset.attributes, dataset.columns, strict=True):
        levels = N_VALUES if attribute.is_nominal else N_LEVELS
        assert column.min() == 0
        assert column.max() == levels - 1
    assert dataset.n_missing == 0


@pytest.mark.parametrize("n_numeric", [0, 4])
def test_a_tree_of_depth_one_is_one_test(n_numeric):
    dataset = random_tree_concept(2000, 4, n_numeric=n_numeric, depth=1, seed=3)
    classes = dataset.classes.astype(bool)
    candidates = [
        column <= level if n_numeric else column == level
        for column in dataset.columns
        for level in range(N_LEVELS if n_numeric else N_VALUES)
    ]
    exact_tests = [passed for passed in candidates if (passed == classes).all() or (passed != classes).all()]
    assert len(exact_tests) == 1


def test_equal_instances_have_equal_classes():
    dataset = random_tree_concept(5000, 3, n_numeric=0, n_classes=3, depth=3, seed=4)
    attributes = np.column_stack(dataset.columns)
    with_class = np.column_stack([attributes, dataset.classes])
    assert len(np.unique(attributes, axis=0)) == len(np.unique(with_class, axis=0)) == N_VALUES**3
    assert np.count_nonzero(dataset.class_counts) == 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: multiplexer(0, 10), "n_address_bits must be 1 or more, got 0"),
        (lambda: multiplexer(2, 0), "n_instances must be 1 or more, got 0"),
        (lambda: multiplexer(2, 10, noise=1.5), "noise must be between 0 and 1, got 1.5"),
        (lambda: random_tree_concept(10, 2, n_classes=1), "n_classes must be 2 or more, got 1"),
        (lambda: random_tree_concept(10, 2, depth=0), "depth must be 1 or more, got 0"),
        (
            lambda: random_tree_concept(10, 2, n_numeric=3),
            r"n_numeric must be between 0 and n_attributes \(2\), got 3",
        ),
    ],
)
def test_impossible_wishes_are_refused(make, message):
    with pytest.raises(DataError, match=message):
        make()


def test_there_are_two_classes_unless_more_are_wanted():
    assert len(random_tree_concept(50, 3).class_values) == 2
    assert len(random_tree_concept(50, 3, n_classes=4).class_values) == 4
