"""The examples run, and the reference of Python is complete."""

from __future__ import annotations

import inspect
import json
import re
import runpy
from pathlib import Path

import pytest

import gatree
from gatree import GATreeClassifier, J48Classifier, SmallTreeClassifier, SmallTreeRegressor
from gatree.experiments.frame import Results
from gatree.experiments.places import reference_folder
from gatree.paper.tables import our_table

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


def test_the_python_page_names_every_public_name():
    page = (DOCS / "python.md").read_text()
    assert [name for name in gatree.__all__ if f"`{name}" not in page] == []


@pytest.mark.parametrize(
    "estimator", [GATreeClassifier, SmallTreeClassifier, SmallTreeRegressor, J48Classifier]
)
def test_the_docstring_of_an_estimator_describes_every_parameter(estimator: type):
    described = inspect.getdoc(estimator).partition("Parameters\n---")[2].partition("Attributes\n---")[0]
    named = re.findall(r"\w+", " ".join(re.findall(r"^(\w.*?) :", described, re.MULTILINE)))
    assert sorted(named) == sorted(inspect.signature(estimator).parameters)


ROOT = Path(__file__).parents[2]


@pytest.mark.long
def test_the_notebook_has_the_numbers_of_tables_4_and_8(monkeypatch):
    monkeypatch.chdir(ROOT)
    notebook = json.loads((ROOT / "docs/examples/tables_from_the_frame.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(len(cell.splitlines()) <= 11 for cell in cells)
    names = {}
    for cell in cells:
        exec(cell, names)
    results = Results.read(reference_folder())
    found = {
        "savings": lambda spot: names["table_4"].loc[spot.dataset, int(spot.column)],
        "old_s": lambda spot: names["seconds"].loc[(spot.dataset, "old"), int(spot.column)],
        "accuracy": lambda spot: names["accuracy"].loc[spot.dataset, int(spot.column)],
        "size": lambda spot: names["size"].loc[spot.dataset, int(spot.column)],
    }
    numbers = {**our_table(4, results).numbers, **our_table(8, results).numbers}
    compared = [spot for spot in numbers if spot.metric in found and spot.column.isdigit()]
    assert len(compared) == 4 * 12 * 8
    for spot in compared:
        assert found[spot.metric](spot) == pytest.approx(numbers[spot])
