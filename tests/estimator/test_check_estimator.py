"""scikit-learn's own checks: none may fail, none may be skipped."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

CHECK = """
import json, sys
from gatree.base.extras import EXTRA_OF
sys.modules.update(dict.fromkeys(set(EXTRA_OF) - {"pyarrow"}))  # which narwhals looks for itself
from sklearn.utils.estimator_checks import check_estimator
from gatree import GATreeClassifier, GATreeRegressor, J48Classifier
for estimator in sys.argv[1:]:
    results = check_estimator(eval(estimator), on_skip=None, on_fail=None)
    wrong = [[r["check_name"], r["status"], str(r["exception"])] for r in results if r["status"] != "passed"]
    print(json.dumps([estimator, len(results), wrong]))
"""
ONE_PER_CLASS = [
    "GATreeClassifier(population_size=40, n_generations=40)",
    "GATreeRegressor('fast', size=8)",
    "J48Classifier()",
]
OTHERS = [
    "GATreeClassifier()",
    "GATreeClassifier('fast')",
    "GATreeClassifier('paper', n_generations=40)",
    "GATreeRegressor()",
    "GATreeRegressor('fast')",
    "GATreeRegressor(population_size=60, n_generations=40)",
]


@pytest.mark.parametrize(
    "estimators",
    [ONE_PER_CLASS, pytest.param(OTHERS, marks=pytest.mark.long)],
    ids=["one per class", "others"],
)
def test_no_check_fails_or_is_skipped(estimators: list[str]):
    """In another process, which has none of the other extras.

    One check is skipped unless SCIPY_ARRAY_API is set before scipy is imported.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHECK, *estimators],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [estimator for estimator, _, _ in found] == estimators
    for estimator, n_checks, wrong in found:
        assert n_checks > 50, estimator
        assert wrong == [], estimator
