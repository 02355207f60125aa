"""Copies of a sample are held out together; rows that are equal by chance are not."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from gatree import SmallTreeClassifier
from gatree.data.answer import Classes
from gatree.data.catalog import dataset_names, load_dataset
from gatree.data.dataset import Dataset
from gatree.data.generate import chessboard
from gatree.smalltree.copies import are_copies

RNG = np.random.default_rng(0)


def of_columns(**columns) -> Dataset:
    """Return a data set with a random class."""
    n = len(next(iter(columns.values())))
    return Dataset.from_frame(pd.DataFrame(columns).assign(target=RNG.choice(["x", "y"], n)), "target")


def with_classes(dataset: Dataset, classes) -> Dataset:
    return replace(dataset, answer=Classes(dataset.class_attribute, classes))


def bootstrap(dataset: Dataset) -> tuple[Dataset, np.ndarray]:
    """Return a data set of rows that were drawn with replacement, and their numbers."""
    rows = np.random.default_rng(1).integers(0, dataset.n_instances, dataset.n_instances)
    return dataset.take(rows), rows


def is_apart(dataset: Dataset) -> bool:
    return not are_copies(dataset, np.ones(dataset.n_instances, dtype=np.int64))


NUMBERS = {
    "continuous": of_columns(a=RNG.normal(size=300), b=RNG.integers(0, 3, 300)),
    "with missing values": of_columns(
        a=np.where(RNG.random(300) < 0.03, np.nan, RNG.normal(size=300)), b=RNG.normal(size=300)
    ),
    "two decimals": Dataset.from_frame(load_wine(as_frame=True).frame, "target"),
    "mixed": load_dataset("credit-a"),
}


@pytest.mark.parametrize("dataset", NUMBERS.values(), ids=NUMBERS)
def test_a_bootstrap_sample_of_numbers_has_copies(dataset):
    assert is_apart(dataset)
    drawn, rows = bootstrap(dataset)
    assert not is_apart(drawn)
    assert are_copies(dataset, np.bincount(rows, minlength=dataset.n_instances))


SMALL_SPACES = {
    "missing": of_columns(a=np.where(np.arange(300) < 9, np.nan, np.arange(300) ** 2.0)),
    "marks": of_columns(mark=np.tile([0, 2, 3, 4, 5, 6], 50)),
    "years": of_columns(age=RNG.integers(18, 90, 1000)),
    "mostly zero": of_columns(gain=np.where(RNG.random(900) < 0.9, 0, RNG.integers(0, 99_999, 900))),
    "one value": of_columns(a=np.ones(20)),
}


@pytest.mark.parametrize("dataset", SMALL_SPACES.values(), ids=SMALL_SPACES)
def test_rows_of_a_small_space_are_equal_by_chance(dataset):
    assert is_apart(dataset)


@pytest.mark.parametrize("name", dataset_names())
def test_no_shipped_data_have_copies(name):
    assert is_apart(load_dataset(name))


def test_equal_rows_of_random_classes_are_no_copies():
    data = of_columns(a=RNG.normal(size=100)).take(np.tile(np.arange(100), 3))
    assert not is_apart(data)
    random = with_classes(data, RNG.integers(0, 2, 300))  # no copy has its sample's class but by chance
    assert is_apart(random)


def test_answers_of_people_in_one_section_are_no_copies():
    """A section has a course, a teacher, a size and a term; the few people of each often answer alike."""
    rng = np.random.default_rng(0)
    course, teacher, size = rng.integers(0, 20, 120), rng.integers(0, 20, 120), rng.integers(10, 55, 120)
    of = rng.integers(0, 120, 140)
    columns = {"course": course, "teacher": teacher, "size": size, "summer": teacher * size % 2}
    data = of_columns(**{name: column[of] for name, column in columns.items()})
    assert is_apart(with_classes(data, np.where(rng.random(140) < 0.8, of % 2, rng.integers(0, 2, 140))))


def coarse(rng, n):
    X = np.column_stack([rng.integers(0, 5, (n, 10)), rng.normal(250, 50, n).round()]).astype(float)
    return X, (X[:, 0] + X[:, 1] + X[:, 2] > 5).astype(int)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_bootstraps_of_coarse_data_get_small_trees(seed):
    """With the copies in several folds there were 22 to 46 leaves."""
    rng = np.random.default_rng(seed)
    X, y = coarse(rng, 300)
    X[0, 10] = 564  # the only rare value
    y ^= rng.random(300) < 0.2
    rows = np.r_[0, rng.integers(0, 300, 299)]
    drawn, once = (
        SmallTreeClassifier(effort=0.1, random_state=0).fit(X[chosen], y[chosen])
        for chosen in (rows, np.unique(rows))
    )
    assert drawn.get_n_leaves() <= 2 * once.get_n_leaves()


def test_copies_do_not_make_trees_grow():
    """Of 16 fields; with copies in other folds than their samples there were 61, 61 and 47 leaves."""
    data = chessboard(1000, noise=0.05, seed=1)
    X, y = np.column_stack(data.columns), data.classes
    rows = np.random.default_rng(0).integers(0, 1000, 1000)
    drawn = SmallTreeClassifier(effort=0.1, random_state=0).fit(X[rows], y[rows])
    weighted = SmallTreeClassifier(effort=0.1, random_state=0).fit(X, y, np.bincount(rows, minlength=1000))
    assert drawn.tree_.to_text() == weighted.tree_.to_text()
    assert drawn.get_n_leaves() < 30
