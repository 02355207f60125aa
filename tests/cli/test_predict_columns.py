"""What `gatree predict` writes: probabilities, columns of the data, and how good the predictions are."""

import csv
import io

import numpy as np
import pytest
from click.testing import CliRunner

from gatree.cli.main import cli
from gatree.data.coding import code
from gatree.data.load import load_data
from gatree.j48 import fit
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree

ROWS = """id,size,day,predicted,kind
A-1,1.5,2020-01-01,p,small
"b, 2",,2020-01-02,q,large
c,9,2020-01-03,r,other
"""


@pytest.fixture
def folder(tmp_path):
    train = "size,kind\n" + "1,small\n2,small\n8,large\n9,large\n" * 5 + "1,large\n"
    (tmp_path / "train.csv").write_text(train)
    data = load_data(tmp_path / "train.csv")
    tree = DecisionTree.of(Tree.nested((0, 1, 0, 1)), code(data, "observed"), data)
    (tmp_path / "tree.json").write_text(tree.to_json())
    (tmp_path / "new.csv").write_text(ROWS)
    numbers = tree.with_numbers(np.array([0, 0.1 + 0.2, 1e6]), "kind")
    (tmp_path / "numbers.json").write_text(numbers.to_json())
    (tmp_path / "numbers.csv").write_text("size,kind\n1,0.5\n9,999999\n8,\n")
    return tmp_path


def predicted(folder, *options, tree="tree.json", data="new.csv"):
    result = CliRunner().invoke(cli, ["predict", str(folder / tree), str(folder / data), *options])
    return list(csv.DictReader(io.StringIO(result.stdout))), result


def test_columns_of_the_data_and_probabilities(folder):
    rows, result = predicted(folder, "--with", "id,day", "--with", "predicted", "--probabilities")
    assert result.exit_code == 0, result.output
    assert list(rows[0]) == ["row", "id", "day", "predicted", "predicted_", "actual", "p(small)", "p(large)"]
    assert [row["id"] for row in rows] == ["A-1", "b, 2", "c"]
    assert [row["day"] for row in rows] == ["2020-01-01", "2020-01-02", "2020-01-03"]
    assert [row["predicted_"] for row in rows] == ["small", "large", "large"]
    assert [row["p(small)"] for row in rows] == ["0.909091", "0", "0"]
    assert "2 of 3 correct (0.6667)" in result.stderr
    assert "1 row of classes that the tree does not know" in result.stderr
    rows, _ = predicted(folder, "--with", "all")
    assert list(rows[0]) == ["row", "id", "size", "day", "predicted", "predicted_", "actual"]
    assert [row["size"] for row in rows] == ["1.5", "", "9"]
    _, result = predicted(folder, "--with", "idd")
    assert "no column 'idd'; did you mean 'id'" in str(result.exception or result.output)


def test_numbers_are_judged_by_their_errors(folder):
    rows, result = predicted(folder, tree="numbers.json", data="numbers.csv")
    assert [row["predicted"] for row in rows] == ["0.30000000000000004", "1000000", "1000000"]
    assert "R2 1.0000 on 2 rows (errors: root mean square 0.72111, mean absolute 0.6)" in result.stderr
    _, result = predicted(folder, "--probabilities", tree="numbers.json", data="numbers.csv")
    assert "predicts numbers, not classes" in result.stderr


def test_a_tree_of_j48_predicts_as_it_does_where_values_are_missing(tmp_path):
    data = load_data("vote")
    tree = fit(data)
    (tmp_path / "tree.json").write_text(tree.to_decision_tree().to_json())
    result = CliRunner().invoke(cli, ["predict", str(tmp_path / "tree.json"), "vote", "--probabilities"])
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    written = np.array([[float(row["p(democrat)"]), float(row["p(republican)"])] for row in rows])
    assert np.allclose(written, tree.distribution(data), atol=1e-6)
    assert [row["predicted"] for row in rows] == [data.class_values[i] for i in tree.predict(data)]
