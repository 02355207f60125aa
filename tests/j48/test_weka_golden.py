"""J48 equals WEKA 3.6.14, number for number. tests/weka/oracle.py writes the golden file."""

from __future__ import annotations

import random

import pytest
from j48_cases import (
    PAPER,
    Case,
    dataset_of,
    differences,
    generated_cases,
    golden_answers,
    odd_cases,
    our_answer,
    shipped_cases,
)

from gatree.data.catalog import dataset_names
from gatree.j48 import J48Settings

SHIPPED = list(shipped_cases(dataset_names()))
ODD = list(odd_cases())
GENERATED = list(generated_cases())
N_PARTS = 8  # of generated cases; the first part is fast


@pytest.fixture(scope="module")
def golden():
    return golden_answers()


def check(case, golden):
    wekas = golden[case.name]
    assert dataset_of(case.data).checksum.startswith(wekas["checksum"]), "not the data that WEKA saw"
    ours = our_answer(case)
    wrong = differences(ours, wekas)
    assert {key: ours.get(key) for key in wrong} == {key: wekas.get(key) for key in wrong}, case.name


def test_the_golden_file_holds_exactly_these_cases(golden):
    named = [case.name for case in [*SHIPPED, *GENERATED, *ODD]]
    assert named == list(golden)


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", dataset_names())
def test_included_data_sets_equal_weka(name, part, golden):
    for case in shuffled([case for case in SHIPPED if case.data == name])[part::2]:
        check(case, golden)


def shuffled(cases):
    return random.Random(1).sample(cases, len(cases))


@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.long) for n in range(1, N_PARTS))])
def test_generated_data_sets_equal_weka(part, golden):
    for case in shuffled(GENERATED)[part::N_PARTS]:
        check(case, golden)


@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2, 3))])
def test_attributes_without_values_and_small_confidences_equal_weka(part, golden):
    for case in shuffled(ODD)[part::4]:
        check(case, golden)


@pytest.mark.parametrize("name", PAPER)
def test_the_golden_file_has_the_papers_columns(name, golden):
    """Numbers typed in by hand, so that they are tested even if the golden file is wrong."""
    cases = [Case(name, 5, 1, settings) for settings in (J48Settings(), J48Settings(pruning="reduced-error"))]
    found = [golden[case.name][key] for case in cases for key in ("cv_correct", "size")]
    assert tuple(found) == PAPER[name]
