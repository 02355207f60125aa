"""scikit-learn's own checks: none may fail, none may be skipped."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CHECK = """
from sklearn.utils.estimator_checks import check_estimator
from gatree import GATreeClassifier, GATreeRegressor, J48Classifier
results = check_estimator({estimator}, on_skip=None, on_fail=None)
assert len(results) > 50
print([(r["check_name"], r["status"], r["exception"]) for r in results if r["status"] != "passed"])
"""


@pytest.mark.parametrize(
    "estimator",
    [
        "GATreeClassifier('fast')",
        "GATreeClassifier(population_size=40, n_generations=40)",
        "GATreeClassifier('paper', n_generations=40)",
        "GATreeRegressor(population_size=60, n_generations=40)",
        "J48Classifier()",
    ],
)
def test_no_check_fails_or_is_skipped(estimator: str):
    """In a process of its own: one check is skipped unless SCIPY_ARRAY_API is set in the beginning."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHECK.format(estimator=estimator)],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_without_scikit_learn_the_error_says_what_to_install():
    code = "import sys; sys.modules['sklearn'] = None; import gatree; gatree.GATreeClassifier"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "this needs scikit-learn, which is not installed: pip install 'gatree-lab[sklearn]'" in done.stderr


def test_the_library_and_its_commands_do_not_import_scikit_learn():
    code = (
        "import sys, gatree, gatree.evolution.evolve, gatree.j48, gatree.trees.plot, gatree.cli.evolve;"
        "print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
