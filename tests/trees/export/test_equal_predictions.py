"""Every form of a tree gives 3,000 random inputs the classes that the tree gives them."""

import json
import re
import sqlite3
from contextlib import closing
from typing import Any

import numpy as np
import onnxruntime
import pytest
from random_inputs import MIXED, NUMERIC, Sampled, sampled

from gatree.trees.export.registry import EXPORTS
from gatree.trees.model import DecisionTree

SEEDS = range(3)


@pytest.fixture(params=SEEDS, scope="module")
def mixed(request: pytest.FixtureRequest) -> Sampled:
    case = sampled(request.param)
    assert case.tree.n_nodes > 3
    assert len(set(case.classes)) > 1
    return case


def test_python(mixed: Sampled):
    scope: dict[str, Any] = {}
    exec(mixed.tree.to_python(), scope)
    assert [scope["predict"](row) for row in mixed.rows()] == mixed.classes
    without_missing = ({key: cell for key, cell in row.items() if cell is not None} for row in mixed.rows())
    assert [scope["predict"](row) for row in without_missing] == mixed.classes


def test_sql_in_sqlite(mixed: Sampled):
    names = [attribute.name for attribute in mixed.tree.attributes]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE inputs ({', '.join(quoted)})")
        marks = ", ".join("?" * len(names))
        rows = [tuple(row.values()) for row in mixed.rows()]
        database.executemany(f"INSERT INTO inputs VALUES ({marks})", rows)
        selected = database.execute(mixed.tree.to_sql("sqlite", table="inputs")).fetchall()
        expression = database.execute(f"SELECT {mixed.tree.to_sql()} FROM inputs").fetchall()
    assert [row[-1] for row in selected] == mixed.classes
    assert [row[0] for row in expression] == mixed.classes


_WORD = r'("(?:[^"\\]|\\.)*"|[\w.+-]+)'
_CONDITION = re.compile(rf"\(?{_WORD} (<=|>|=|!=) {_WORD}( OR {_WORD} is missing\))?")


def test_the_text_of_exactly_one_rule_fits_each_row(mixed: Sampled):
    rules = []
    for line in mixed.tree.to_rules().splitlines():
        premise, conclusion = re.fullmatch(r"IF (.*) THEN (.*)  \(\d+ of \d+\)", line).groups()
        conditions = [found.groups() for found in _CONDITION.finditer(premise)]
        assert " AND ".join(found[0] for found in _CONDITION.finditer(premise)) == premise
        rules.append((conditions, read(re.fullmatch(rf"{_WORD} = {_WORD}", conclusion)[2])))
    for row, expected in zip(mixed.rows(), mixed.classes, strict=True):
        (label,) = [label for conditions, label in rules if all(fulfilled(c, row) for c in conditions)]
        assert label == expected


def fulfilled(condition: tuple[str, ...], row: dict[str, Any]) -> bool:
    name, relation, wanted, or_missing, _ = condition
    value = row[read(name)]
    if value is None:
        return or_missing is not None
    wanted = read(wanted) if isinstance(value, str) else float(wanted)
    return {"<=": value <= wanted, ">": value > wanted, "=": value == wanted, "!=": value != wanted}[relation]


def read(written: str) -> str:
    return json.loads(written) if written.startswith('"') else written


def test_onnx(mixed: Sampled):
    label, probabilities = onnx_answer(mixed)
    assert label.tolist() == mixed.classes
    assert np.allclose(probabilities.sum(axis=1), 1)


def onnx_answer(case: Sampled) -> list[Any]:
    session = onnxruntime.InferenceSession(case.tree.to_onnx().SerializeToString())
    frame = case.frame()
    feeds = {
        attribute.name: frame[attribute.name].fillna("").to_numpy(dtype=object).reshape(-1, 1)
        if attribute.is_nominal
        else frame[attribute.name].to_numpy(dtype=np.float64).reshape(-1, 1)
        for attribute in case.tree.attributes
    }
    return session.run(["label", "probabilities"], feeds)


@pytest.mark.parametrize("seed", SEEDS)
def test_onnx_of_numbers_alone(seed: int):
    case = sampled(seed, NUMERIC)
    assert onnx_answer(case)[0].tolist() == case.classes


def test_sklearn_pipeline():
    for seed in SEEDS:
        case = sampled(seed, single_precision=True)
        pipeline = case.tree.to_sklearn()
        assert pipeline.predict(case.frame()).tolist() == case.classes
        with_nan = case.frame().fillna({name.name: np.nan for name in MIXED})
        assert pipeline.predict(with_nan).tolist() == case.classes


@pytest.mark.parametrize("seed", SEEDS)
def test_sklearn_tree_and_back(seed: int):
    case = sampled(seed, NUMERIC, single_precision=True)
    classifier = case.tree.to_sklearn()
    assert type(classifier).__name__ == "DecisionTreeClassifier"
    assert classifier.predict(case.frame()).tolist() == case.classes
    assert classifier.get_n_leaves() == case.tree.n_leaves
    assert classifier.get_depth() == case.tree.depth
    again = DecisionTree.from_sklearn(classifier, "the class")
    assert again.tree == case.tree.tree
    assert [again.class_values[index] for index in again.predict(case.inputs)] == case.classes


def test_every_form_is_written():
    tree = sampled(0, NUMERIC).tree  # pandas' queries have no name with a backtick
    for name, form in EXPORTS.items():
        assert len(form.write(tree)) > 50, name
