"""Kappa and the accuracy by class equal those of WEKA 3.6.14 (see tests/weka/make_details_golden.py)."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support, roc_auc_score

from gatree.data.catalog import load_dataset
from gatree.j48 import Evaluation, J48Settings, cross_validate
from gatree.j48.evaluation import aligned, details_by_class
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


def test_the_measures_equal_scikit_learns():
    rng = np.random.default_rng(3)
    classes = rng.integers(0, 3, 200).astype(np.int32)
    probabilities = rng.integers(1, 5, (200, 3)) / 4.0
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    found, predicted = Evaluation(classes, probabilities), probabilities.argmax(axis=1)
    assert found.kappa == pytest.approx(cohen_kappa_score(classes, predicted))
    precision, recall, f, _ = precision_recall_fscore_support(classes, predicted)
    for label, measures in enumerate(found.by_class()):
        assert measures.precision == pytest.approx(precision[label])
        assert measures.recall == pytest.approx(recall[label])
        assert measures.f_measure == pytest.approx(f[label])
        assert measures.roc_area == pytest.approx(roc_auc_score(classes == label, probabilities[:, label]))
    assert found.weighted().roc_area == pytest.approx(
        sum(m.roc_area * n for m, n in zip(found.by_class(), np.bincount(classes), strict=True)) / 200
    )


def test_an_absent_class_and_unclassified_instances():
    found = Evaluation(np.array([0, 0, 1], dtype=np.int32), np.array([[1.0, 0, 0], [0, 0, 0], [0, 1, 0]]))
    assert found.n_unclassified == 1
    assert (found.n_correct, found.n_instances) == (2, 3)
    assert math.isnan(found.by_class()[2].roc_area)
    assert found.by_class()[2].precision == found.by_class()[2].tp_rate == 0
    assert "  ?    " in details_by_class(found, ("a", "b", "c"))[3]
    assert found.by_class()[0].roc_area == 0.75


@pytest.mark.parametrize(
    ("value", "text"), [(0.97, "  0.97 "), (1.0, "  1    "), (0.0304, "  0.03 "), (0.9996, "  1    ")]
)
def test_numbers_are_aligned(value: float, text: str):
    assert aligned(value) == text
