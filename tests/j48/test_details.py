"""Kappa and the accuracy by class equal those of WEKA 3.6.14 (see tests/weka/make_details_golden.py)."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from gatree.data.catalog import load_dataset
from gatree.j48 import Evaluation, J48Settings, cross_validate
from gatree.j48.evaluation import details_by_class
from gatree.j48.tree import decimals

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
