"""A given first test, the comparison of first tests, and the work and threads of a search."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_searches import FAST, FAST_NUMBERS

from gatree.base.errors import DataError
from gatree.data.catalog import load_dataset
from gatree.data.dataset import Dataset
from gatree.smalltree.firsts import first_tests
from gatree.smalltree.fit import fit_front

LITTLE, LITTLE_NUMBERS = (replace(each, effort=0.2) for each in (FAST, FAST_NUMBERS))


@pytest.fixture(scope="module")
def glass():
    return load_dataset("glass")


def numbers_of(data):
    rng = np.random.default_rng(3)
    numbers = data.columns[3] * 2 + (data.columns[1] > 13) + rng.normal(0, 0.1, data.n_instances)
    return data.with_numbers(numbers)


def roots(front):
    return {front.attributes[tree.attribute[0]].name for tree, *_ in front.genomes if tree.attribute[0] >= 0}


@pytest.mark.parametrize("size", ["auto", 8])
def test_the_root_tests_the_given_attribute_in_every_tree(glass, size):
    found = fit_front(glass, replace(LITTLE, first="Fe", size=size))
    assert roots(found.fronts["evolved"]) == roots(found.fronts["greedy"]) == {"Fe"}
    numbers = fit_front(numbers_of(glass), replace(LITTLE_NUMBERS, first="Na", size=size))
    assert roots(numbers.fronts["evolved"]) == {"Na"}
    assert numbers.fronts["evolved"].r2[-1] > numbers.fronts["greedy"].r2[0]


def test_an_unknown_or_constant_first_attribute_is_refused(glass):
    with pytest.raises(DataError, match=r"no attribute .Nb. to test first .there are: RI, Na, Mg"):
        fit_front(glass, replace(LITTLE, first="Nb"))
    frame = pd.DataFrame({"a": [1.0] * 20, "b": range(20), "class": list("xy") * 10})
    with pytest.raises(DataError, match="'a' has a single value"):
        fit_front(Dataset.from_frame(frame, "class"), replace(LITTLE, first="a"))


def test_first_tests_are_compared_from_the_best_down(glass):
    found = first_tests(glass, LITTLE, 6, most=4)
    assert len(found) == 4
    assert [test.worth for test in found] == sorted((test.worth for test in found), reverse=True)
    assert all(roots(test.front) == {test.attribute} for test in found)
    assert max(test.front.leaves[-1] for test in found) <= 6
    of_numbers = first_tests(numbers_of(glass), LITTLE_NUMBERS, 6, most=3)
    assert [roots(test.front) for test in of_numbers] == [{test.attribute} for test in of_numbers]
    assert of_numbers[0].worth > 0.5


def test_threads_change_nothing(glass):
    one, two = (fit_front(glass, replace(LITTLE, n_jobs=n_jobs)) for n_jobs in (1, 2))
    assert one.tree == two.tree
    assert np.array_equal(one.fronts["evolved"].validated, two.fronts["evolved"].validated)
    numbers = [fit_front(numbers_of(glass), replace(LITTLE_NUMBERS, n_jobs=n_jobs)) for n_jobs in (1, 2)]
    assert np.array_equal(*(found.fronts["evolved"].validated for found in numbers))


def test_more_effort_finds_more(glass):
    little, much = (
        fit_front(glass, replace(LITTLE, size=24, effort=effort)).fronts["evolved"] for effort in (0.2, 5)
    )
    best = [max(front.accuracy[front.leaves <= size]) for front in (little, much) for size in range(2, 25)]
    assert sum(best[23:]) > sum(best[:23])
