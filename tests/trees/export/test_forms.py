"""What the forms look like, and the corners of each."""

import csv
import io
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import datetime

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from example_trees import animal_tree, animals
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from gatree.base.errors import ConfigError, DataError
from gatree.data.attribute import Attribute, Reading
from gatree.data.coding import Coding
from gatree.data.dataset import Dataset
from gatree.smalltree.fit import fit_front
from gatree.smalltree.settings import SearchSettings
from gatree.trees.export.registry import EXPORTS
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import number
from gatree.trees.picture import draw_tree


def left_leaning(levels: int) -> DecisionTree:
    """A chain of passed tests, deeper than Python's or a database's nesting."""
    attribute, value = [0] * levels + [-1] * (levels + 1), [0] * levels + [1] + [2] * levels
    return replace(animal_tree((0, 0, 1, 2)), tree=Tree.from_preorder(attribute, value), counts=None)


def queried(query: str) -> tuple[object, ...]:
    with closing(sqlite3.connect(":memory:")) as database:
        return database.execute(query).fetchone()


def test_rules_read_like_this():
    assert animal_tree().to_rules() == (
        "IF legs <= 3 AND skin = feathers THEN kind = bird  (2 of 2)\n"
        "IF legs <= 3 AND (skin != feathers OR skin is missing) THEN kind = fish  (2 of 2)\n"
        "IF (legs > 3 OR legs is missing) AND skin = fur THEN kind = mammal  (2 of 2)\n"
        "IF (legs > 3 OR legs is missing) AND (skin != fur OR skin is missing) THEN kind = fish  (2 of 2)\n"
    )


def test_rules_merge_what_is_said_of_an_attribute_and_drop_what_nothing_reaches():
    tree = replace(animal_tree((0, 2, (0, 0, 0, (0, 1, 1, 2)), (0, 1, 0, 1))), counts=None)
    assert tree.to_rules() == (
        "IF legs <= 1 THEN kind = mammal\n"
        "IF legs > 1 AND legs <= 3 THEN kind = bird\n"
        "IF legs > 3 AND legs <= 5 THEN kind = fish\n"
        "IF (legs > 5 OR legs is missing) THEN kind = bird\n"
    )
    tree = replace(animal_tree((1, 0, (1, 1, 0, 1), (1, 0, 0, (1, 2, 1, 2)))), counts=None)
    assert tree.to_rules() == (
        "IF skin = fur THEN kind = bird\n"
        "IF skin = scales THEN kind = bird\n"
        "IF (skin != fur OR skin is missing) AND (skin != scales OR skin is missing) THEN kind = fish\n"
    )


def test_sql_reads_like_this():
    assert animal_tree().to_sql() == (
        "CASE\n"
        "  WHEN \"legs\" <= 3 AND \"skin\" = 'feathers' THEN 'bird'\n"
        "  WHEN \"legs\" <= 3 THEN 'fish'\n"
        "  WHEN \"skin\" = 'fur' THEN 'mammal'\n"
        "  ELSE 'fish'\n"
        "END\n"
    )


@pytest.mark.parametrize(
    ("dialect", "name", "text"),
    [
        ("ansi", '"a`b]c""d"', "'it''s \\'"),
        ("mysql", '`a``b]c"d`', "'it''s \\\\'"),
        ("mssql", '[a`b]]c"d]', "'it''s \\'"),
    ],
)
def test_dialects_quote_differently(dialect: str, name: str, text: str):
    tree = animal_tree((1, 0, 0, 1))
    odd = Attribute('a`b]c"d', "nominal", ("it's \\", "b", "c"))
    written = replace(tree, attributes=(tree.attributes[0], odd, tree.attributes[2])).to_sql(dialect)
    assert f"WHEN {name} = {text} THEN 'mammal'" in written


def dated_tree() -> tuple[DecisionTree, Dataset]:
    """A tree that tests a date, and the days it is of."""
    days = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=40), "warm": ["no"] * 25 + ["yes"] * 15})
    data = Dataset.from_frame(days)
    return fit_front(data, SearchSettings(size=2)).tree, data


def test_programs_compare_dates_in_every_form_that_rows_have():
    tree, data = dated_tree()
    wanted = [tree.class_values[label] for label in tree.predict(data)]
    query, source = tree.to_sql(), tree.to_python()
    assert "IF day <= 2020-01-25 THEN warm = no  (25 of 25)" in tree.to_rules()
    assert query.startswith(
        "-- day: a date such as 2020-01-31\nCASE\n  WHEN \"day\" <= '2020-01-25' THEN 'no'"
    )
    exec(source, known := {})
    for day, label in zip(pd.date_range("2020-01-01", periods=40), wanted, strict=True):
        text = day.date().isoformat()
        assert queried(f"SELECT {query} FROM (SELECT '{text}' AS \"day\")") == (label,)
        forms = (day, day.date(), day.to_pydatetime(), day.to_datetime64(), text, f"{text}T00:00:00Z")
        assert {known["predict"]({"day": form}) for form in (*forms, day.tz_localize("UTC"))} == {label}
    for gone in (None, float("nan"), pd.NaT, pd.NA):
        assert known["predict"]({"day": gone}) == wanted[-1]


NOON = pd.Timestamp("2020-01-01 12:00")


def timed_tree() -> DecisionTree:
    """A tree that gives mammal until noon, and then bird."""
    attribute = Attribute("at", "numeric", (), "yyyy-MM-dd HH:mm")
    return replace(
        animal_tree((0, 0, 0, 1)),
        attributes=(attribute, *animal_tree().attributes[1:]),
        coding=Coding.of(animal_tree().attributes, [np.array([NOON.timestamp() * 1000.0]), [], []]),
        counts=None,
    )


def test_times_are_compared_to_the_second():
    tree = timed_tree()
    assert 'IF at <= "2020-01-01 12:00:00"' not in tree.to_rules()
    assert "IF at <= 2020-01-01 12:00:00 THEN" in tree.to_rules()
    predict, case = compiled(tree), tree.to_sql()
    for moment, kind in (
        (NOON, "mammal"),
        (NOON + pd.Timedelta(milliseconds=1), "bird"),
        (NOON.floor("D"), "mammal"),
    ):
        assert predict({"at": moment}) == predict({"at": str(moment)}) == kind
        assert queried(f"SELECT {case} FROM (SELECT '{moment}' AS \"at\")") == (kind,)


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("2020-01-01T12:00:00.000Z", True), ("2020-01-01 12:00", True), ("2020-01-01T12:00:00,001Z", False),
        ("2020-01-01T13:00:00+02:00", True), ("2020-01-01 14:00:00.000+0200", True),
        ("2020-01-01T14:00:01+02:00", False), ("2020-01-01T07:00:00-05:00", True),
        ("2020-01-01T08:00:00-05:00", False), ("2019-12-31T23:00:00-13:00", True), ("2020-01", True),
        ("2020-02", False), ("20200101", True), ("NaT", False), ("", False),
    ],
)  # fmt: skip
def test_python_compares_times_with_offsets_and_fractions_in_utc(text: str, passes: bool):
    predict = compiled(timed_tree())
    forms: list[object] = [text]
    if text[:1].isdigit() and len(text) > 7:
        forms += [datetime.fromisoformat(text), pd.Timestamp(text.replace(",", "."))]
    assert {predict({"at": form}) for form in forms} == {"mammal" if passes else "bird"}


@pytest.mark.parametrize(
    ("text", "passes"),
    [("2020-01-25T23:59:59-00:30", False), ("2020-01-26T01:00+02:00", True), ("2020-01-25 23:59:59.9", True)],
)
def test_python_compares_the_day_in_utc(text: str, passes: bool):
    tree, _ = dated_tree()
    assert compiled(tree)({"day": text}) == ("no" if passes else "yes")


def test_python_refuses_a_text_that_is_no_iso_date():
    with pytest.raises(ValueError, match="02/11/2023"):
        compiled(timed_tree())({"at": "02/11/2023"})


def number_tree() -> tuple[DecisionTree, Dataset, np.ndarray]:
    """A regression tree over the animals, the animals, and what it predicts for them."""
    predicted = np.array([0, 0, 27.49283333333, 0.1 + 0.2, 0, 1e-7, -1090270.25])
    tree = animal_tree().with_numbers(predicted, "size")
    found = np.array([tree.prediction(leaf) for leaf in tree.apply(animals())])
    assert len(set(found.tolist())) == 4
    return tree, animals(), found


def test_numbers_leave_as_numbers():
    tree, data, found = number_tree()
    rows = _frame().astype(object).where(_frame().notna(), None)
    assert [compiled(tree)(row) for row in rows.to_dict("records")] == found.tolist()
    with closing(sqlite3.connect(":memory:")) as database:
        rows.to_sql("t", database, index=False)
        assert [n for (n,) in database.execute(f"SELECT {tree.to_sql()} FROM t")] == found.tolist()
    for text in (tree.to_rules(), tree.to_python(), tree.to_sql(), tree.to_markdown(), tree.to_json()):
        assert {"27.49283333333", "0.30000000000000004", "1e-7", "-1090270.25"} <= set(
            re.findall(r"-?\d+\.?\d*(?:e-7)?", text)
        )
    back = DecisionTree.from_json(tree.to_json())
    assert [back.prediction(leaf) for leaf in back.apply(data)] == found.tolist()
    assert back.to_json() == tree.to_json()
    assert "n = 2" in [text.get_text().split("\n")[-1] for text in draw_tree(back).texts]
    assert tree.to_sklearn().predict(_frame()).tolist() == found.tolist()
    session = onnxruntime.InferenceSession(tree.to_onnx().SerializeToString())
    feeds = {
        name: np.array(column.tolist(), dtype=object if name == "skin" else np.float64)[:, None]
        for name, column in _frame().fillna({"skin": ""}).items()
    }
    assert session.run(["prediction"], feeds)[0].tolist() == found.tolist()


def test_queries_of_pandas_select_the_rows_of_every_leaf():
    tree, frame = animal_tree(), _frame()
    exec(tree.to_pandas(), known := {})
    found = pd.Series("", index=frame.index)
    for query, label in known["queries"].items():
        rows = frame.query(query).index
        assert (found[rows] == "").all()
        found[rows] = label
    assert found.tolist() == [tree.class_values[index] for index in tree.predict(animals())]
    with pytest.raises(DataError, match="no name with the character '`'"):
        renamed(tree, "a`b").to_pandas()


@pytest.mark.parametrize("character", ["\t", "\n", "\r", "\u2028", "\x00", "\x85"])
def test_queries_of_pandas_refuse_names_that_they_cannot_hold(character: str):
    with pytest.raises(DataError, match=r"pandas' queries take no name with the character .* rename"):
        renamed(animal_tree(), f"a{character}b").to_pandas()


@pytest.mark.parametrize("shape", [1, (0, 1, 0, 1)])
def test_queries_of_pandas_find_every_row_of_a_column_called_index(shape: object):
    tree, frame = renamed(animal_tree(shape), "index"), pd.DataFrame({"index": [1.0, np.nan, 9.0]})
    exec(tree.to_pandas(), known := {})
    rows = [index for query in known["queries"] for index in frame.query(query).index]
    assert sorted(rows) == [0, 1, 2]


def test_python_takes_rows_of_texts():
    """As `csv.DictReader` gives them: numbers with blanks around them, nothing where a value is missing."""
    rows = ["4,fur", " 2.0 ,feathers", "0,scales", "1e1,fur", ",fur", "NA,feathers", "?,fur", "nan,scales"]
    texts = list(csv.DictReader(io.StringIO("\n".join(["legs,skin", *rows]))))
    tree = animal_tree()
    assert [compiled(tree)(row) for row in texts] == (
        ["mammal", "bird", "fish", "mammal", "mammal", "fish", "mammal", "fish"]
    )
    with pytest.raises(ValueError, match="four"):
        compiled(tree)({"legs": "four", "skin": "fur"})


@pytest.mark.parametrize(
    ("shape", "helpers"),
    [(1, []), ((0, 1, 0, 1), ["at_most"]), ((1, 0, 0, 1), ["equals", "text"])],
)
def test_python_has_the_helpers_that_it_needs_and_no_import(shape: object, helpers: list[str]):
    source = animal_tree(shape).to_python()
    assert re.findall(r"def (\w+)\(", source)[1:] == helpers
    assert "import" not in source


def test_python_of_dates_has_no_other_helpers():
    source = timed_tree().to_python()
    assert re.findall(r"def (\w+)\(", source) == ["predict", "not_after"]


def test_a_select_names_the_prediction_differently_from_every_column():
    tree = animal_tree((0, 1, 0, 1))
    assert 'END AS "predicted_kind"\nFROM "t"' in tree.to_sql(table="t")
    assert 'END AS "predicted_kind__"' in renamed(tree, "Predicted_Kind", "predicted_kind_").to_sql(table="t")


def without_values() -> DecisionTree:
    """A tree over an attribute that no instance has a value of, which no node tests."""
    tree = animal_tree((0, 1, 0, 1))
    skin = replace(tree.attributes[1], values=())
    attributes = (tree.attributes[0], skin, tree.attributes[2])
    return replace(tree, attributes=attributes, coding=Coding.of(attributes, tree.coding.thresholds))


def test_an_attribute_without_values_leaves_in_every_form():
    tree, frame = without_values(), _frame()
    for name, form in EXPORTS.items():
        assert form.write(tree), name
    wanted = [tree.class_values[index] for index in tree.predict(animals())]
    for skins in (frame["skin"], np.nan, None, ""):
        assert tree.to_sklearn().predict(frame.assign(skin=skins)).tolist() == wanted
    assert onnx_answers(tree, 2, 4)[0] == ["mammal", "bird"]
    assert compiled(tree)({"legs": 2}) == "mammal"
    assert DecisionTree.from_json(tree.to_json()).to_json() == tree.to_json()


def test_markdown_reads_like_this():
    tree = renamed(animal_tree((0, 1, 0, (1, 0, 1, 2))), "*legs*")
    assert tree.to_markdown() == (
        "- **\\*legs\\*** ≤ 3: kind is **mammal** (0 of 4)\n"
        "- **\\*legs\\*** > 3 (or missing) and **skin** is fur: kind is **bird** (0 of 2)\n"
        "- **\\*legs\\*** > 3 (or missing) and **skin** is not fur (or missing): kind is **fish** (2 of 2)\n"
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_have_the_shortest_text_that_reads_back(x: float):
    assert float(number(x)) == x
    assert len(number(x).replace("0", "")) <= len(repr(x).replace("0", ""))


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (5.0, "5"), (-0.0, "0"), (1e16, "10000000000000000"), (1e21, "1e+21"), (1.5e-6, "0.0000015"),
        (1e-7, "1e-7"), (123456789012345680000.0, "123456789012345680000"),
        (np.inf, "1.7976931348623157e+308"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_javascript_does(x: float, text: str):
    assert number(x) == text


@pytest.mark.parametrize(
    ("reading", "form"),
    [
        (Reading("number", left_out=("$",)), "-- legs: a plain number such as 1234.5, without $\n"),
        (Reading("number", decimal=","), "-- legs: a plain number such as 1234.5\n"),
        (Reading("number", missing=("-9",)), "-- legs: missing where the file has -9\n"),
    ],
)
def test_exports_say_which_form_of_a_column_they_expect(reading: Reading, form: str):
    tree = animal_tree()
    legs = replace(tree.attributes[0], reading=reading)
    tree = replace(tree, attributes=(legs, *tree.attributes[1:]))
    assert tree.to_sql().startswith(form)
    assert tree.to_python().startswith(form.replace("--", "#"))
    assert DecisionTree.from_json(tree.to_json()).attributes[0].reading == reading


def test_a_single_leaf_in_every_form():
    leaf = animal_tree(1)
    scope: dict = {}
    exec(leaf.to_python("kind_of"), scope)
    assert scope["kind_of"]({}) == "bird"
    assert queried(f"SELECT {leaf.to_sql()}") == ("bird",)
    assert leaf.to_rules() == "IF TRUE THEN kind = bird  (2 of 8)\n"
    assert onnx_answers(leaf, 1)[0] == ["bird"]
    unnamed = replace(leaf, class_attribute=replace(leaf.class_attribute, name=""))
    assert unnamed.to_sql("duckdb", table="t").endswith('END AS "predicted_class"\nFROM "t"\n')


def with_classes(n_classes: int) -> DecisionTree:
    values = tuple(f"k{index}" for index in range(n_classes))
    return replace(
        animal_tree((0, 1, 0, 1)),
        tree=Tree.nested((0, 0, 0, n_classes - 1)),
        class_attribute=Attribute("kind", "nominal", values),
        counts=None,
    )


def onnx_answers(tree: DecisionTree, *legs: float) -> list[list]:
    """Return the labels and the probabilities of animals with these legs."""
    feeds = {"legs": np.array([legs], dtype=float).T, "skin": np.array([["fur"]] * len(legs), dtype=object)}
    session = onnxruntime.InferenceSession(tree.to_onnx().SerializeToString())
    return [part.tolist() for part in session.run(None, feeds | {"weight": feeds["legs"]})]


@pytest.mark.parametrize("n_classes", [1, 2, 4])
def test_onnx_with_few_and_many_classes(n_classes: int):
    last = f"k{n_classes - 1}"
    assert onnx_answers(with_classes(n_classes), 2, 4, np.nan)[0] == ["k0", last, last]


def test_onnx_probabilities_are_shares_and_labels_the_trees():
    # fish is one of two equals at its leaf, and not the first: the leaf is sure of it
    assert onnx_answers(animal_tree((0, 1, 2, 0)), 2, 4)[1] == [[0, 0, 1], [0.5, 0, 0.5]]
    # both classes have a share of every leaf: onnxruntime's own classifier labels all of them k1
    counts = np.array([[8, 7], [2, 3], [6, 4]])
    tree = replace(with_classes(2), counts=counts, tree=Tree.nested((0, 0, 1, 0)))
    label, probabilities = onnx_answers(tree, 2, 4, np.nan)
    assert label == ["k1", "k0", "k0"]
    assert np.allclose(probabilities, [[0.4, 0.6], [0.6, 0.4], [0.6, 0.4]])
    # shares that differ in no float
    counts = np.array([[2**25, 2**25 + 2], [0, 0], [2**25, 2**25 + 2]])
    assert onnx_answers(replace(tree, counts=counts, tree=Tree.nested((0, 0, 0, 1))), 4)[0] == ["k1"]


def renamed(tree: DecisionTree, *names: str) -> DecisionTree:
    """The tree with other names of its first attributes."""
    others = [replace(attribute, name=name) for attribute, name in zip(tree.attributes, names, strict=False)]
    return replace(tree, attributes=(*others, *tree.attributes[len(names) :]))


@pytest.mark.parametrize(
    ("names", "inputs", "outputs"),
    [
        (("label", "probabilities"), ["label", "probabilities"], ["label_", "probabilities_"]),
        (("label", "label_"), ["label", "label_"], ["label__", "probabilities"]),
        (("_codes", "_code_0"), ["_codes", "_code_0"], ["label", "probabilities"]),
        (("codes", "code_1", "winner"), ["codes", "code_1", "winner"], ["label", "probabilities"]),
        (("", "attribute_0"), ["attribute_0_", "attribute_0"], ["label", "probabilities"]),
    ],
)
def test_onnx_names_give_way_to_attributes(names: tuple[str, ...], inputs: list[str], outputs: list[str]):
    tree = renamed(animal_tree(), *names)
    session = onnxruntime.InferenceSession(tree.to_onnx().SerializeToString())
    assert [put.name for put in session.get_inputs()][: len(inputs)] == inputs
    assert [put.name for put in session.get_outputs()] == outputs
    cells = ([[2.0], [4.0]], np.array([["feathers"], ["fur"]], dtype=object), [[1.0], [1.0]])
    feeds = {put.name: np.asarray(cell) for put, cell in zip(session.get_inputs(), cells, strict=True)}
    assert session.run(outputs[:1], feeds)[0].tolist() == ["bird", "mammal"]


def test_what_a_program_cannot_hold_is_refused():
    tree = renamed(animal_tree(), "le\0gs")
    with pytest.raises(DataError, match="NUL character, which SQL cannot have"):
        tree.to_sql()
    with pytest.raises(DataError, match="NUL character, where onnxruntime ends a text"):
        tree.to_onnx()
    with pytest.raises(DataError, match="ONNX needs an attribute"):
        replace(animal_tree(1), attributes=(), coding=Coding.of((), []), counts=None).to_onnx()
    with pytest.raises(DataError, match="scikit-learn needs a column or more"):
        replace(animal_tree(1), attributes=(), coding=Coding.of((), []), counts=None).to_sklearn()
    with pytest.raises(ConfigError, match="got 'mysq'; did you mean 'mysql'"):
        animal_tree().to_sql("mysq")


@pytest.mark.parametrize("name", ["", "1x", "a b", "class", "str", "int", "x(row): pass\n\ndef y"])
def test_a_function_has_a_name_that_python_leaves_free(name: str):
    with pytest.raises(ConfigError, match="function: should be a name that is not Python's own, got"):
        animal_tree().to_python(name)


def test_an_infinite_threshold_is_passed_by_every_number():
    tree = animal_tree((0, 1, 0, 1))
    thresholds = [np.array([np.inf]), tree.coding.thresholds[1], tree.coding.thresholds[2]]
    tree = replace(tree, coding=Coding.of(tree.attributes, thresholds))
    for cell, wanted in ((1.0, "mammal"), (1e308, "mammal"), (None, "bird")):
        assert compiled(tree)({"legs": cell}) == wanted
        with closing(sqlite3.connect(":memory:")) as database:
            query = f'SELECT {tree.to_sql()} FROM (SELECT ? AS "legs")'
            assert database.execute(query, (cell,)).fetchone() == (wanted,)


@pytest.mark.parametrize("dialect", ["mysql", "mssql"])
def test_databases_that_ignore_case_get_a_remark(dialect: str):
    remark, _, query = animal_tree().to_sql(dialect).partition("\n")
    assert "case and trailing spaces count, so these need an exact collation: " in remark
    assert remark.endswith("skin`" if dialect == "mysql" else "[skin]")
    assert query.startswith("CASE")
    assert with_skins("False", "True").to_sql(dialect).startswith("CASE")


def test_deep_trees_have_no_nesting_to_run_out_of():
    deep = left_leaning(400)
    scope: dict = {}
    exec(deep.to_python(), scope)
    assert scope["predict"]({"legs": 0}) == "bird"
    assert scope["predict"]({}) == "fish"
    assert queried(f'SELECT {deep.to_sql()} FROM (SELECT 0 AS "legs")') == ("bird",)
    deeper = left_leaning(1500)
    assert deeper.to_text().count("\n") == 3000
    assert deeper.to_text(style="sklearn").count("class:") == 1501
    assert DecisionTree.from_json(deeper.to_json()).depth == 1500


@pytest.mark.parametrize("two", [2, 2.0, np.float32(2), np.float64(2), np.int64(2), "2"])
def test_python_knows_a_category_that_is_a_number(two: object):
    """`Dataset.from_frame` calls the category 2.0 "2"."""
    tree = with_skins("1", "2", "2.5")
    predict = compiled(tree)
    assert predict({"skin": two}) == "bird"
    assert "so kind is bird" in tree.explain({"skin": two})
    assert predict({"skin": 2.5}) == predict({"skin": np.inf}) == "fish"
    both = compiled(with_skins("1", "True", "x"))
    assert (both({"skin": True}), both({"skin": 1})) == ("bird", "fish")


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        (True, False),
        (np.True_, np.False_),
        ("True", "False"),
        (1, 0),
        (1.0, 0.0),
        ("1", "0"),
        (1, 2),
        (1, None),
    ],
)
def test_python_and_words_take_0_and_1_for_booleans(yes: object, no: object):
    tree = with_skins("False", "True")
    predict = compiled(tree)
    assert (predict({"skin": yes}), predict({"skin": no})) == ("bird", "fish")
    assert "so kind is bird" in tree.explain({"skin": yes})
    assert "so kind is fish" in tree.explain({"skin": no})


@pytest.mark.parametrize("dialect", ["ansi", "sqlite"])
@pytest.mark.parametrize("kind", ["", "BOOLEAN", "INTEGER", "REAL", "TEXT"])
def test_sql_takes_0_and_1_for_booleans(dialect: str, kind: str):
    """A database keeps booleans as a type of its own, as numbers or as text."""
    cells = [True, False, 1, 0, 1.0, 0.0, "1", "0", "True", "False", None, 2]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE skins (skin {kind})")
        database.executemany("INSERT INTO skins VALUES (?)", [(cell,) for cell in cells])
        case = with_skins("False", "True").to_sql(dialect)
        found = [kind for (kind,) in database.execute(f"SELECT {case} FROM skins")]
    assert found == ["bird", "fish"] * 5 + ["fish", "fish"]


def test_sql_of_booleans_reads_like_this():
    tree = with_skins("False", "True")
    test = "LOWER(CAST(\"skin\" AS VARCHAR(20))) IN ('true', '1', '1.0')"
    assert tree.to_sql() == f"CASE\n  WHEN {test} THEN 'bird'\n  ELSE 'fish'\nEND\n"
    assert "LOWER(CAST(`skin` AS CHAR)) IN" in tree.to_sql("mysql")  # which casts to no VARCHAR


def with_skins(*values: str) -> DecisionTree:
    """A bird if the skin is the second value, else a fish."""
    tree = animal_tree((1, 1, 1, 2))
    legs, _, weight = tree.attributes
    return replace(tree, attributes=(legs, Attribute("skin", "nominal", values), weight))


def compiled(tree: DecisionTree) -> Callable[[dict[str, object]], str]:
    scope: dict = {}
    exec(tree.to_python(), scope)
    return scope["predict"]


def test_what_is_no_tree_of_classes_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(DataError, match="fitted DecisionTreeClassifier, got DecisionTreeRegressor"):
        DecisionTree.from_sklearn(DecisionTreeRegressor().fit(X, y))
    with pytest.raises(DataError, match="fitted DecisionTreeClassifier, got DecisionTreeClassifier"):
        DecisionTree.from_sklearn(DecisionTreeClassifier())
    with pytest.raises(DataError, match="one class to predict"):
        DecisionTree.from_sklearn(DecisionTreeClassifier().fit(X, np.c_[y, y]))


def test_sklearn_keeps_the_labels_it_is_given():
    labels = np.array([10, 20, 30])
    pipeline = animal_tree().to_sklearn(labels)
    assert pipeline.classes_.tolist() == [10, 20, 30]
    assert len(pipeline.predict_proba(_frame())) == 8
    assert pipeline.predict(_frame()).tolist() == [10, 20, 30, 10, 20, 30, 30, 30]


def _frame() -> pd.DataFrame:
    return animals().to_frame().drop(columns="kind").astype({"skin": object})
