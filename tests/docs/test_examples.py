"""The examples in the docs run, and the API page names what there is."""

from __future__ import annotations

import inspect
import re
import runpy
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
LONG = {"explain_with_shap", "own_payoff"}  # importing shap, and evolving four times, takes seconds


def test_every_example_is_run():
    assert sorted(path.stem for path in (DOCS / "examples").glob("*.py")) == sorted(EXPECTED)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long if name in LONG else []) for name in EXPECTED],
)
def test_an_example_prints_what_it_promises(name: str, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [name])
    runpy.run_path(str(DOCS / "examples" / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    for words in EXPECTED[name]:
        assert words in printed
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
