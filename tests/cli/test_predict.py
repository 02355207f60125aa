"""`gatree predict` on data as it comes, in all formats and with other names, and `gatree export`."""

from __future__ import annotations

import csv
import io
import pickle

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from click.testing import Result
from commands import run
from example_trees import animal_tree
from small_searches import FAST

from gatree import Dataset, DecisionTree, load_dataset, read_csv, write_arff
from gatree.base.errors import DataError
from gatree.data.coding import code
from gatree.data.dataset import table_of
from gatree.data.load import load_data
from gatree.j48 import fit
from gatree.smalltree.fit import fit_front
from gatree.trees.export.registry import EXPORTS
from gatree.trees.genome import Tree


def predict(*arguments: object, code: int = 0, **options: object) -> Result:
    return run("predict", *arguments, code=code, **options)


def predicted(result: Result) -> list[str]:
    return [row["predicted"] for row in csv.DictReader(io.StringIO(result.stdout))]


def saved_tree(dataset: Dataset, path) -> DecisionTree:
    tree = fit_front(dataset, FAST).tree
    path.write_text(tree.to_json())
    return tree


def before_the_classes(stderr: str) -> str:
    """Return what `predict` reports before its table by class, which must follow."""
    said, _, table = stderr.partition("\n\n")
    assert table.split()[:4] == ["TP", "Rate", "FP", "Rate"], stderr
    assert "<- classified as\n" in table
    return said


def test_predictions_are_those_of_the_tree_with_a_class_and_without(tmp_path):
    data, file, output = load_dataset("vote"), tmp_path / "tree.json", tmp_path / "predictions.csv"
    tree = saved_tree(data, file)
    result = predict(file, "vote")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    expected = [data.class_values[code] for code in tree.predict(data)]
    assert [row["row"] for row in rows] == [str(number) for number in range(1, 436)]
    assert predicted(result) == expected
    assert [row["actual"] for row in rows] == [data.class_values[code] for code in data.classes]
    n_correct = sum(row["predicted"] == row["actual"] for row in rows)
    assert before_the_classes(result.stderr) == f"{n_correct} of 435 correct ({n_correct / 435:.4f})"
    assert predict(file, "vote", "--output", output).stdout == ""
    assert output.read_text() == result.stdout

    write_arff(table_of(data).dataset("crime").drop("Class"), tmp_path / "new.arff")
    without = predict(file, tmp_path / "new.arff")
    assert without.stdout.startswith("row,predicted\n")
    assert (without.stderr, predicted(without)) == ("", expected)
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    for left_out, header in (([], "row,predicted,actual\n"), (["Class"], "row,predicted\n")):
        data.to_frame().drop(columns=left_out).to_parquet(tmp_path / "new.parquet")
        result = predict(file, tmp_path / "new.parquet")
        assert predicted(result) == expected
        assert result.stdout.startswith(header)
    saved_tree(Dataset.from_frame(data.to_frame().rename(columns={"Class": "class"})), file)
    result = predict(file, "vote")  # the class of an estimator is called class
    assert result.stdout.startswith("row,predicted\n")
    assert predicted(result) == expected


@pytest.mark.parametrize("ending", ["csv", "arff", "parquet"])
def test_many_numbers_without_a_class(tmp_path, ending):
    """More different ones than there may be classes: no column can replace the class."""
    frame = pd.DataFrame(np.random.default_rng(1).random((12_000, 2)), columns=["x", "y"])
    labelled = frame.assign(where=np.where(frame.x < 0.5, "left", "right"))
    tree = saved_tree(Dataset.from_frame(labelled[:50]), tmp_path / "tree.json")
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


def by_size(classes: list[str]) -> str:
    return "size,kind\n" + "".join(f"{size},{kind}\n" for size, kind in enumerate(classes))


@pytest.mark.parametrize(
    ("learnt", "given", "said"),
    [
        (["1.0", "2.0", "other"], ["1.0", "2.0"], "2 of 2 correct (1.0000)"),  # all numbers: normalised
        (["1", "2", "other"], ["1.00", "2.0", "other"], "3 of 3 correct (1.0000)"),
        (["False", "True"], ["0", "1"], "2 of 2 correct (1.0000)"),
        (
            ["1", "1.0", "other", "else", "7", ""],
            ["1", "1.0", "other", "else", "7", ""],
            "3 of 5 correct (0.6000)\n2 rows of classes that the tree does not know",
        ),
    ],
    ids=["normalised", "not normalised", "booleans", "not known"],
)
def test_classes_of_the_data_are_called_as_the_tree_calls_them(tmp_path, learnt, given, said):
    data, tree = tmp_path / "sizes.csv", tmp_path / "tree.json"
    head, *rows = by_size(learnt[:3]).splitlines(keepends=True)
    data.write_text(head + "".join(rows) * 20)
    saved_tree(read_csv(data), tree)
    data.write_text(by_size(given))
    result = predict(tree, data)
    assert before_the_classes(result.stderr) == said
    actual = [row["actual"] for row in csv.DictReader(io.StringIO(result.stdout))]
    assert actual == learnt[: len(given)]


def test_booleans_that_are_written_as_0_and_1_and_another_separator(tmp_path):
    flags, tree = tmp_path / "flags.csv", tmp_path / "tree.json"
    flags.write_text("size,flag,kind\n" + "1,True,yes\n2,True,yes\n1,False,no\n2,False,no\n" * 10)
    saved_tree(read_csv(flags), tree)
    flags.write_text("size,flag,kind\n1,1,yes\n1,0,no\n")
    assert before_the_classes(predict(tree, flags).stderr) == "2 of 2 correct (1.0000)"
    flags.write_text("size\tflag\n1\t1\n1\t0\n")
    assert predict(tree, flags).stdout == "row,predicted\n1,yes\n2,no\n"
    assert predict(tree, "-", input=flags.read_bytes()).stdout == "row,predicted\n1,yes\n2,no\n"


@pytest.mark.parametrize(
    ("tree", "file", "text", "message"),
    [
        ("", "new.csv", "x\n1\n", "the file is empty"),
        ("{}", "new.csv", "x\n1\n", "not a tree file"),
        ("tree", "new.csv", "x\n1\n", "it is no JSON"),
        (None, "new.csv", "x:y\n1:2\n", "which the data does not have (there are: x:y)"),
        (
            None,
            "texts.arff",
            "@relation texts\n@attribute text string\n@data\n'a'\n",
            "texts.arff: only attributes of type string",
        ),
    ],
)
def test_what_is_no_tree_and_columns_that_are_not_those_of_the_tree(tmp_path, tree, file, text, message):
    frame = pd.DataFrame({"x": [1, 2, 3, 4] * 5, "y": [1, 1, 2, 2] * 5, "where": list("aabb") * 5})
    saved_tree(Dataset.from_frame(frame), tmp_path / "tree.json")
    if tree is not None:
        (tmp_path / "tree.json").write_text(tree)
    (tmp_path / file).write_text(text)
    error = predict(tmp_path / "tree.json", tmp_path / file, "--drop-strings", code=1).exception
    assert isinstance(error, DataError)
    assert message in str(error)


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


def rows_of(folder, *options, tree="tree.json", data="new.csv", code=0):
    result = predict(folder / tree, folder / data, *options, code=code)
    return list(csv.DictReader(io.StringIO(result.stdout))), result


def test_columns_of_the_data_and_probabilities(folder):
    rows, result = rows_of(folder, "--with", "id,day", "--with", "predicted", "--probabilities")
    assert list(rows[0]) == ["row", "id", "day", "predicted", "predicted_", "actual", "p(small)", "p(large)"]
    assert [row["id"] for row in rows] == ["A-1", "b, 2", "c"]
    assert [row["day"] for row in rows] == ["2020-01-01", "2020-01-02", "2020-01-03"]
    assert [row["predicted_"] for row in rows] == ["small", "large", "large"]
    assert [row["p(small)"] for row in rows] == ["0.909091", "0", "0"]
    assert "2 of 3 correct (0.6667)" in result.stderr
    assert "1 row of classes that the tree does not know" in result.stderr
    rows, _ = rows_of(folder, "--with", "all")
    assert list(rows[0]) == ["row", "id", "size", "day", "predicted", "predicted_", "actual"]
    assert [row["size"] for row in rows] == ["1.5", "", "9"]
    _, result = rows_of(folder, "--with", "idd", code=1)
    assert "no column 'idd'; did you mean 'id'" in str(result.exception)


def test_categories_that_the_tree_has_never_seen_are_named(folder):
    colours = "colour,kind\n" + "red,small\nblue,large\n" * 10
    (folder / "train.csv").write_text(colours)
    saved_tree(load_data(folder / "train.csv"), folder / "tree.json")
    (folder / "new.csv").write_text('colour\ngreen\nred\ngreen\nfibre optic\n""\n')
    _, result = rows_of(folder)
    assert "note: 'colour' has categories that the tree has never seen, in 3 rows: green, fibre optic; " in (
        result.stderr
    )
    (folder / "new.csv").write_text('colour\nred\n""\n')
    assert rows_of(folder)[1].stderr == ""


def test_flips_of_every_row(folder):
    rows, _ = rows_of(folder, "--flips")
    assert [row["flip"] for row in rows] == ["size > 5: large", "size <= 5: small", "size <= 5: small"]
    rows, _ = rows_of(folder, "--flips", "--fixed", "size")
    assert [row["flip"] for row in rows] == ["", "", ""]
    _, result = rows_of(folder, "--flips", "--fixed", "sise", code=1)
    assert "--fixed: no column 'sise'; did you mean 'size'" in str(result.exception)
    rows, _ = rows_of(folder, "--flips", tree="numbers.json", data="numbers.csv")
    assert [row["flip"] for row in rows] == ["size > 5: 1000000", "size <= 5: 0.3", "size <= 5: 0.3"]


def test_numbers_are_judged_by_their_errors(folder):
    rows, result = rows_of(folder, tree="numbers.json", data="numbers.csv")
    assert [row["predicted"] for row in rows] == ["0.30000000000000004", "1000000", "1000000"]
    assert "R2 1.0000 on 2 rows (errors: root mean square 0.72111, mean absolute 0.6)" in result.stderr
    _, result = rows_of(folder, "--probabilities", tree="numbers.json", data="numbers.csv", code=2)
    assert "predicts numbers, not classes" in result.stderr


def test_a_tree_of_j48_predicts_as_it_does_where_values_are_missing(tmp_path):
    data = load_data("vote")
    tree = fit(data)
    (tmp_path / "tree.json").write_text(tree.to_decision_tree().to_json())
    result = predict(tmp_path / "tree.json", "vote", "--probabilities")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    written = np.array([[float(row["p(democrat)"]), float(row["p(republican)"])] for row in rows])
    assert np.allclose(written, tree.distribution(data), atol=1e-6)
    assert [row["predicted"] for row in rows] == [data.class_values[i] for i in tree.predict(data)]


# --- gatree export, and trees that `gatree j48` keeps and draws ----------------------------------------


@pytest.fixture
def tree_file(tmp_path):
    file = tmp_path / "tree.json"
    file.write_text(animal_tree().to_json())
    return file


@pytest.mark.parametrize("form", [name for name in EXPORTS if name not in ("onnx", "sklearn")])
def test_text_goes_to_stdout_or_into_a_file(form: str, tree_file, tmp_path):
    expected = getattr(animal_tree(), f"to_{form}")()
    assert run("export", tree_file, "--to", form).stdout == expected
    run("export", tree_file, "--to", form, "--output", tmp_path / "out")
    assert (tmp_path / "out").read_text() == expected


def test_onnx_and_sklearn_need_a_file(tree_file, tmp_path):
    for form in ("onnx", "sklearn"):
        run("export", tree_file, "--to", form, code=2)
        run("export", tree_file, "--to", form, "--output", tmp_path / form)
    assert len(onnxruntime.InferenceSession(tmp_path / "onnx").get_inputs()) == 3
    assert pickle.loads((tmp_path / "sklearn").read_bytes()).classes_.tolist() == ["mammal", "bird", "fish"]


def test_sql_has_a_dialect_and_a_table(tree_file):
    written = run("export", tree_file, "--to", "sql", "--dialect", "mysql", "--table", "zoo").stdout
    assert written == animal_tree().to_sql("mysql", "zoo")
    assert "are for --to sql" in run("export", tree_file, "--to", "rules", "--table", "zoo", code=2).output
    nowhere = ("--output", tree_file.parent / "no" / "tree.dot")
    assert "there is no folder" in run("export", tree_file, "--to", "dot", *nowhere, code=2).output


def test_j48_saves_and_draws(tmp_path):
    run("j48", "zoo", "--save", tmp_path / "zoo.json", "--picture", tmp_path / "zoo.svg")
    kept = DecisionTree.from_json((tmp_path / "zoo.json").read_text())
    assert kept == fit(load_dataset("zoo")).to_decision_tree()
    assert (tmp_path / "zoo.svg").stat().st_size > 1000
    predict(tmp_path / "zoo.json", "zoo")
