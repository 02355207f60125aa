"""`gatree predict` on data as it comes: in all formats, and without the class."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from gatree import Dataset, DecisionTree, load_dataset
from gatree.base.errors import DataError
from gatree.cli.main import cli
from gatree.front.fit import fit_front
from gatree.front.settings import FrontSettings


def predict(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["predict", *map(str, arguments)])


def predicted(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return [row["predicted"] for row in csv.DictReader(io.StringIO(result.stdout))]


def kept_tree(frame: pd.DataFrame, path) -> DecisionTree:
    tree = fit_front(Dataset.from_frame(frame[:500]), FrontSettings(size=4)).tree
    path.write_text(tree.to_json())
    return tree


@pytest.mark.parametrize("left_out", [[], ["Class"]])
def test_a_parquet_file(tmp_path, left_out):
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    frame = load_dataset("vote").to_frame()
    tree = kept_tree(frame, tmp_path / "tree.json")
    frame.drop(columns=left_out).to_parquet(tmp_path / "new.parquet")
    result = predict(tmp_path / "tree.json", tmp_path / "new.parquet")
    assert predicted(result) == [tree.class_values[code] for code in tree.predict(load_dataset("vote"))]
    assert result.stdout.startswith("row,predicted\n" if left_out else "row,predicted,actual\n")


def test_a_data_set_of_the_catalog_whose_class_has_another_name(tmp_path):
    """That of an estimator is called class."""
    frame = load_dataset("vote").to_frame().rename(columns={"Class": "class"})
    tree = kept_tree(frame, tmp_path / "tree.json")
    result = predict(tmp_path / "tree.json", "vote")
    assert predicted(result) == [tree.class_values[code] for code in tree.predict(load_dataset("vote"))]
    assert result.stdout.startswith("row,predicted\n")


@pytest.mark.parametrize("ending", ["csv", "arff", "parquet"])
def test_many_numbers_without_a_class(tmp_path, ending):
    """More different ones than there may be classes: no column can replace the class."""
    frame = pd.DataFrame(np.random.default_rng(1).random((12_000, 2)), columns=["x", "y"])
    labelled = frame.assign(where=np.where(frame.x < 0.5, "left", "right"))
    tree = kept_tree(labelled, tmp_path / "tree.json")
    new = tmp_path / f"new.{ending}"
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
        frame.to_parquet(new)
    else:
        head = "x,y\n" if ending == "csv" else "@relation new\n@attribute x real\n@attribute y real\n@data\n"
        new.write_text(head + frame.to_csv(index=False, header=False))
    result = predict(tmp_path / "tree.json", new)
    expected = tree.predict(Dataset.from_frame(labelled))
    assert predicted(result) == [tree.class_values[code] for code in expected]
    assert set(expected) == {0, 1}
    assert result.stderr == ""


def test_new_data_may_have_another_separator(tmp_path):
    frame = pd.DataFrame({"x": [1.5, 2, 3, 4], "y": [1, 1, 2, 2], "where": list("aabb")})
    kept_tree(frame, tmp_path / "tree.json")
    frame[["y", "x"]].to_csv(tmp_path / "new.tsv", index=False, sep="\t")
    result = predict(tmp_path / "tree.json", tmp_path / "new.tsv")
    assert predicted(result) == list("aabb")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x:y\n1:2\n", "which the data does not have (there are: x:y)"),
    ],
)
def test_columns_that_are_not_those_of_the_tree(tmp_path, text, message):
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "y": [1, 1, 2, 2], "where": list("aabb")})
    kept_tree(frame, tmp_path / "tree.json")
    (tmp_path / "new.csv").write_text(text)
    error = predict(tmp_path / "tree.json", tmp_path / "new.csv").exception
    assert isinstance(error, DataError)
    assert str(error).endswith(message)


def test_nothing_that_can_be_tested(tmp_path):
    kept_tree(load_dataset("zoo").to_frame(), tmp_path / "tree.json")
    (tmp_path / "texts.arff").write_text("@relation texts\n@attribute text string\n@data\n'a'\n")
    error = predict(tmp_path / "tree.json", tmp_path / "texts.arff", "--drop-strings").exception
    assert isinstance(error, DataError)
    assert "texts.arff: only attributes of type string" in str(error)
