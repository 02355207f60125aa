"""The examples in the docs run, and the API page names what there is."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gatree
from gatree import GATreeClassifier, J48Classifier
from gatree.settings.presets import PRESETS, preset_values

DOCS = Path(__file__).parents[2] / "docs"
EXPECTED = {
    "classify_frame": ["job = none", "leaves", "['yes' 'yes']"],
    "compare_evaluators": ["vote: 435 instances", "old ", "0.0%", "bitset"],
    "explain_with_shap": ["DecisionTreeClassifier agrees on 100%", "of class 2 by 0."],
    "own_payoff": ["0.01 per leaf", "of the malignant cases found"],
}


def test_every_example_is_run():
    assert sorted(path.stem for path in (DOCS / "examples").glob("*.py")) == sorted(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_an_example_prints_what_it_promises(name: str, tmp_path: Path):
    root = DOCS.parent
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-W",
            "ignore::PendingDeprecationWarning",
            str(DOCS / "examples" / f"{name}.py"),
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for words in EXPECTED[name]:
        assert words in done.stdout
    assert (name == "classify_frame") == (tmp_path / "loans.png").exists()


def test_the_api_page_names_every_public_name_and_parameter():
    page = (DOCS / "api.md").read_text()
    for name in gatree.__all__:
        assert f"`{name}" in page, name
    for classifier in (GATreeClassifier, J48Classifier):
        for parameter in inspect.signature(classifier).parameters:
            assert f"`{parameter}`" in page, parameter


def test_the_api_page_states_the_presets():
    page = (DOCS / "api.md").read_text()
    values = [preset_values(preset) for preset in PRESETS]
    for setting in PRESETS["default"]:
        name = {"min_leaf": "min_samples_leaf"}.get(setting, setting)
        row = re.search(rf"^\| `{name}` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|", page, re.MULTILINE)
        assert row is not None, name
        assert list(row.groups()) == [f"{value[setting]}" for value in values], name
