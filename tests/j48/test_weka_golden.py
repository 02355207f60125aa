"""J48 equals WEKA 3.6.14, number for number. tests/weka/oracle.py writes the golden file."""

import json
import math
import random
from pathlib import Path

import numpy as np
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

from gatree.data.catalog import dataset_names, load_dataset
from gatree.j48 import Evaluation, J48Settings, cross_validate
from gatree.j48.evaluation import details_by_class
from gatree.j48.tree import decimals

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


GOLDEN = json.loads((Path(__file__).parent / "weka_details.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: f"{case['data']} {case['options']}")
def test_details_print_as_in_weka(case):
    options = case["options"].split()
    settings = J48Settings(
        pruning="reduced-error" if "-R" in options else "none" if "-U" in options else "confidence",
        binary_splits="-B" in options,
        laplace="-A" in options,
    )
    dataset = load_dataset(case["data"])
    found = cross_validate(dataset, settings, n_folds=int(options[-1]))
    assert decimals(found.kappa, 4) == case["kappa"]
    assert [line.rstrip() for line in details_by_class(found, dataset.class_values)] == case["details"]


def test_an_absent_class_and_unclassified_instances():
    found = Evaluation(np.array([0, 0, 1], dtype=np.int32), np.array([[1.0, 0, 0], [0, 0, 0], [0, 1, 0]]))
    assert found.n_unclassified == 1
    assert (found.n_correct, found.n_instances) == (2, 3)
    assert math.isnan(found.by_class()[2].roc_area)
    assert found.by_class()[2].precision == found.by_class()[2].tp_rate == 0
    assert "  ?    " in details_by_class(found, ("a", "b", "c"))[3]
    assert found.by_class()[0].roc_area == 0.75
