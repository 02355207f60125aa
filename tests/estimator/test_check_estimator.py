"""scikit-learn's own checks: none may fail, none may be skipped."""

import json
import os
import subprocess
import sys
import warnings

import pytest
from sklearn.utils.estimator_checks import check_estimator

from gatree import GATreeClassifier, J48Classifier, SmallTreeClassifier, SmallTreeRegressor

CHECK = """
import json, sys
from gatree.base.extras import EXTRA_OF
sys.modules.update(dict.fromkeys(set(EXTRA_OF) - {"pyarrow"}))  # which narwhals looks for itself
from sklearn.utils.estimator_checks import check_estimator
from gatree import GATreeClassifier, J48Classifier, SmallTreeClassifier, SmallTreeRegressor
for estimator in sys.argv[1:]:
    results = check_estimator(eval(estimator), on_skip=None, on_fail=None)
    wrong = [[r["check_name"], r["status"], str(r["exception"])] for r in results if r["status"] != "passed"]
    print(json.dumps([estimator, len(results), wrong]))
"""
ALL = [
    "J48Classifier()",
    "GATreeClassifier()",
    "SmallTreeClassifier()",
    "SmallTreeClassifier(effort=0.1)",
    "SmallTreeRegressor()",
    "SmallTreeRegressor(effort=0.1)",
]


@pytest.mark.parametrize(
    "estimator",
    [
        GATreeClassifier(population_size=100, n_generations=100, mutation_rate=0.5, leaf_class="majority"),
        SmallTreeClassifier(effort=0.01),
        SmallTreeRegressor(size=3, effort=0.005),
        J48Classifier(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_no_check_fails(estimator):
    """One check is skipped, as SCIPY_ARRAY_API must be set before scipy is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_skip=None, on_fail=None)
    assert len(results) > 50
    wrong = [(each["check_name"], each["status"]) for each in results if each["status"] != "passed"]
    assert wrong == [("check_array_api_input", "skipped")]


@pytest.mark.long
def test_no_check_fails_or_is_skipped_without_extras():
    """In another process, which has none of the other extras, and all checks."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHECK, *ALL],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [estimator for estimator, _, _ in found] == ALL
    for estimator, n_checks, wrong in found:
        assert n_checks > 50, estimator
        assert wrong == [], estimator
