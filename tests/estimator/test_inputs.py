"""What may be handed in: kinds of columns, missing values, and everything that is wrong."""

import warnings
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris

from gatree import GATreeClassifier, J48Classifier, SmallTreeClassifier, SmallTreeRegressor
from gatree.data.dataset import Dataset
from gatree.estimator import gatree_classifier, j48_classifier, small_tree

BOTH = pytest.mark.parametrize(
    "make",
    [lambda: SmallTreeClassifier(effort=0.02, random_state=0), J48Classifier],
    ids=["gatree", "j48"],
)

COLOURS = ["red", "green", "blue"]


def mixed(n: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    """Categories, text, booleans, integers and floats, with holes; the colour tells the class."""
    rng = np.random.default_rng(2)
    colour = rng.choice(COLOURS, n)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "colour": pd.Categorical(colour, categories=COLOURS),
            "text": pd.Series(rng.choice(["a", "b"], n), dtype=object),
            "flag": rng.random(n) < 0.5,
            "count": pd.Series(rng.integers(0, 5, n)).astype("Int64"),
        }
    )
    frame.loc[::10, "size"] = np.nan
    frame.loc[::9, "text"] = None
    frame.loc[::8, "count"] = pd.NA
    return frame, np.where(colour == "green", "yes", "no")


@BOTH
def test_categories_are_known_by_their_names(make):
    """In any order; one that was not learnt from, or is missing, is not the tested one."""
    frame, labels = mixed()
    fitted = make().fit(frame, labels)
    assert fitted.score(frame, labels) == 1
    assert "colour = green" in fitted.tree_.to_text()
    other = frame.assign(colour=pd.Categorical(frame["colour"].astype(str), categories=["x", *COLOURS[::-1]]))
    assert (fitted.predict(other) == labels).all()
    assert (fitted.predict(frame.assign(colour=frame["colour"].astype(object))) == labels).all()
    strange = frame.head(3).assign(colour=["violet", None, "green"])
    assert fitted.predict(strange)[[0, 2]].tolist() == ["no", "yes"]


@BOTH
def test_booleans_may_come_as_0_and_1(make):
    frame = mixed()[0][["size", "flag"]]
    labels = np.where(frame["flag"], "yes", "no")
    fitted = make().fit(frame, labels)
    for kind in (int, float, "Int64", "boolean", object, str):
        assert fitted.score(frame.assign(flag=frame["flag"].astype(int).astype(kind)), labels) == 1
        assert fitted.score(frame.assign(flag=frame["flag"].astype(kind)), labels) == 1


@BOTH
def test_one_feature_and_constant_columns(make):
    signal = np.arange(60.0).reshape(-1, 1)
    labels = (signal[:, 0] > 30).astype(int)
    assert make().fit(signal, labels).score(signal, labels) == 1
    constant = np.hstack([np.ones((60, 1)), signal, np.full((60, 1), np.nan)])
    assert make().fit(constant, labels).score(constant, labels) == 1
    nothing = make().fit(np.ones((60, 2)), labels)
    assert set(nothing.predict(np.ones((3, 2)))) <= {0, 1}


def test_one_class_and_one_instance():
    signal = np.arange(10.0).reshape(-1, 1)
    for make in (lambda: GATreeClassifier(n_generations=5, population_size=10), SmallTreeClassifier):
        one_class = make().fit(signal, ["only"] * 10)
        assert set(one_class.predict(signal)) == {"only"}
        one = make().fit([[1.0, 2.0]], [7])
        assert one.predict([[9.0, np.nan]]).tolist() == [7]
    with pytest.raises(ValueError, match="1 class"):
        J48Classifier().fit(signal, ["only"] * 10)


@BOTH
@pytest.mark.parametrize(
    "written",
    [
        lambda number: Decimal(str(number)),
        Fraction,
        lambda number: Decimal(str(number)) if number < 0 else np.float32(number),
    ],
    ids=["decimals", "fractions", "mixed"],
)
@pytest.mark.parametrize("others", [{}, {"text": "a"}], ids=["alone", "with text"])
def test_objects_that_are_numbers_are_numbers(make, written, others):
    numbers = np.random.default_rng(0).integers(-100, 100, 80) / 8
    holes = [None, pd.NA, np.nan, Decimal("NaN")]
    labels = ["no"] * len(holes) + list(np.where(numbers > 0.2, "yes", "no"))
    objects = pd.DataFrame({"x": pd.Series([*holes, *map(written, numbers)], dtype=object), **others})
    floats = pd.DataFrame({"x": [np.nan] * len(holes) + list(numbers), **others})
    fitted, expected = make().fit(objects, labels), make().fit(floats, labels)
    assert fitted.tree_.to_text() == expected.tree_.to_text()
    assert not fitted.tree_.attributes[0].is_nominal
    for rows in (slice(None), slice(4), slice(-1, None)):
        for frame in (objects, floats):
            assert (fitted.predict_proba(frame[rows]) == expected.predict_proba(floats[rows])).all()
    assert objects["x"].dtype == object


TOO_LARGE = [np.inf, -np.inf, Decimal("-Infinity"), Decimal("1e999"), 10**400, -(10**400)]


@BOTH
@pytest.mark.parametrize("number", TOO_LARGE, ids=lambda number: str(number)[:9])
def test_infinite_numbers_and_integers_that_are_no_floats_are_refused(make, number):
    frame, labels = mixed()
    frame = frame.assign(size=frame["size"].astype(float if isinstance(number, float) else object))
    frame.loc[3, "size"] = number
    message, few = "contains infinity", [[1.0], [2.0]] * 60
    for X in (frame, frame[["size"]], [[number], [1]] * 60, np.array([[number], [1]] * 60, dtype=object)):
        with pytest.raises(ValueError, match=message):
            make().fit(X, labels)
    if isinstance(number, int):
        with pytest.raises(ValueError, match=f"{message} or a value too large"):
            make().fit(few, labels, sample_weight=[number, 1] * 60)
        with pytest.raises(ValueError, match=f"{message} or a value too large"):
            SmallTreeRegressor(effort=0.02).fit(few, [number, 1] * 60)


HALF = "\ud800"
HALVES = {
    "array of objects": np.array([[HALF], ["b"]] * 9, dtype=object),
    "array of text": np.array([[HALF], ["b"]] * 9),
    "rows": [[HALF], ["b"]] * 9,
    "text": pd.DataFrame({"x": pd.Series([HALF, "b"] * 9, dtype=object)}),
    "categories": pd.DataFrame(
        {"x": pd.Categorical.from_codes([0, 1] * 9, categories=pd.Index([HALF, "b"], dtype=object))}
    ),
    "name": pd.DataFrame(np.arange(18.0).reshape(18, 1), columns=pd.Index([HALF], dtype=object)),
}


@BOTH
@pytest.mark.parametrize("kind", HALVES)
def test_half_of_a_surrogate_pair_is_refused(make, kind):
    """Whatever the library below says to it: no file could hold it."""
    with pytest.raises(ValueError, match=r"^(X: )?'\\ud800' has half of a surrogate pair"):
        make().fit(HALVES[kind], [0, 1] * 9)
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        make().fit([[1.0], [2.0]] * 9, np.array([HALF, "b"] * 9, dtype=object))


@BOTH
def test_a_signaling_nan_is_refused(make):
    cells = np.array([Decimal("sNaN"), Decimal(1)] * 9, dtype=object)
    for X, y in ((cells.reshape(-1, 1), [0, 1] * 9), ([[1.0], [2.0]] * 9, cells)):
        with pytest.raises(ValueError, match="contains a signaling NaN"):
            make().fit(X, y)


@pytest.mark.parametrize("y", [[1e308] * 18, [1.7e308, 1e308] * 9, np.array([None] * 18, dtype=object)])
def test_a_target_without_a_mean_is_refused(y):
    with pytest.raises(ValueError, match="Input y contains NaN, infinity, or values whose sum is too large"):
        SmallTreeRegressor(effort=0.02).fit([[1.0], [2.0]] * 9, y)


@pytest.mark.parametrize(
    "y", [["a", "b"] * 20, np.array(["1", "b"] * 20, dtype=object), pd.Categorical(["b"] * 40)]
)
def test_text_is_no_number_to_predict(y):
    with pytest.raises(ValueError, match=r"^y must be numbers, got '[ab]'; SmallTreeClassifier predicts"):
        SmallTreeRegressor().fit(np.ones((40, 1)), y)


@BOTH
@pytest.mark.parametrize("cells", [np.ones((40, 3)), np.array([["x", "y", "z"]] * 40)])
def test_names_that_come_twice_are_refused(make, cells):
    frame = pd.DataFrame(cells, columns=["a", "b", "a"])
    for X in (frame, pa.table([[1] * 40] * 3, names=["a", "b", "a"])):
        with pytest.raises(ValueError, match=r"^X has several columns called 'a'; rename or drop"):
            make().fit(X, [0, 1] * 20)


@BOTH
@pytest.mark.parametrize("hole", [np.nan, None, pd.NA])
def test_missing_classes_are_refused(make, hole):
    frame, labels = mixed()
    holes = labels.astype(object)
    holes[4] = hole
    with pytest.raises(ValueError, match="Input y contains NaN"):
        make().fit(frame, holes)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"class_weight": {"maybe": 2}}, "no class 'maybe'"),
        ({"class_weight": "equal"}, r"^class_weight: should be 'balanced' or a mapping, got 'equal'$"),
        ({"class_weight": "balancd"}, r"^class_weight: .*, got 'balancd'; did you mean 'balanced'\?$"),
        ({"class_weight": 3}, r"^class_weight: should be 'balanced' or a mapping, got 3$"),
        (
            {"class_weight": {"maybe": -2}},
            r"^class_weight.maybe: should be greater than or equal to 0, got -2$",
        ),
        ({"max_seconds": -1.0}, "^max_seconds: should be greater than 0, got -1.0"),
        ({"min_samples_split": 1}, "^min_samples_split: should be greater than or equal to 2 or"),
        ({"effort": 0}, "^effort: should be greater than 0, got 0"),
        ({"first": "no such"}, "first: no feature 'no such'"),
        ({"random_state": -1}, "^random_state: should be greater than or equal to 0"),
        (
            {"cost_matrix": [[0, 1]]},
            r"^cost_matrix: should have a row and a column per class, \(\d, \d\), got",
        ),
        ({"cost_matrix": [[0, -2], [1, 0]]}, r"^cost_matrix: should be numbers from 0 to 1e\+12, got -2"),
        ({"monotonic_cst": [2, 0]}, "^monotonic_cst: should be -1, 0 or 1"),
        ({"max_leaf_nodes": "few"}, "^max_leaf_nodes: should be a valid integer, got 'few'"),
        ({"max_leaf_nodes": 2.5}, "^max_leaf_nodes: should be a valid integer, got 2.5"),
        ({"pruning": "some"}, "^pruning: should be 'confidence', 'reduced-error' or 'none', got 'some'"),
        ({"n_jobs": "all"}, "^n_jobs: should be a valid integer, got 'all'"),
    ],
)
def test_wrong_settings_are_refused(settings, complaint):
    frame, labels = mixed()
    with pytest.raises(ValueError, match=complaint):
        (J48Classifier if "pruning" in settings else SmallTreeClassifier)(**settings).fit(frame, labels)


WRONG = {
    GATreeClassifier: {
        "population_size": [-1, "x"], "n_generations": [-1, 1.5, "x"], "mutation_rate": [2, "x"],
        "x_factor": ["much", -1], "x_start": [0, "x"], "x_steps": [-1, 0.5], "paid": ["x"],
        "size_measure": ["x", 8], "selection": ["x"], "tournament_size": [0, "x"],
        "generation_gap": [2, "x"], "replacement": ["x"], "crossover_rate": [-1], "copies": ["x"],
        "root_swaps": ["x"], "root_share": [2], "prune_share": [2, "x"], "shift_share": [-1],
        "grow_share": [2], "leaf_class": ["x", 1], "min_samples_leaf": [-1, "x", 0.5], "max_nodes": [1, "x"],
        "max_depth": [0, "x"], "numeric_tests": ["x", 1], "evaluator": ["x", 1], "n_jobs": ["x", 1.5],
        "random_state": ["x", -1], "payoff": ["x", 1], "callback": ["x"], "patience": [0, "x"],
        "max_seconds": [-1, "x"], "verbose": ["x", -1, None],
    },
    SmallTreeClassifier: {
        "size": [0, "big"], "size_rule": ["2se", -1], "first": [99, "x", -1], "max_leaf_nodes": [0, "x"],
        "max_depth": [0, "x"], "min_samples_leaf": [0, "x", 1.5], "min_samples_split": [1, "x", 1.5],
        "class_weight": ["balancd", 3, {"yes": -1}, {"maybe": 1}], "effort": [0, "x", None],
        "max_seconds": [-1, "x"], "n_jobs": ["x", 1.5], "random_state": ["x", -1],
        "verbose": ["x", -1, None], "cost_matrix": [[[0, 1]], "x", 1],
        "monotonic_cst": [[2, 0], [1], "x", {"x": 1}], "initial_trees": [["x"], 3],
        "scoring": ["f1", 1, None], "shrinkage": [-1, "x", None],
    },
    SmallTreeRegressor: {
        "size": [0, "nodes"], "size_rule": ["2se"], "first": [99, "x"], "max_leaf_nodes": [0, "x"],
        "max_depth": [0, "x"], "min_samples_leaf": [0, "x"], "min_samples_split": [1, "x"],
        "shrinkage": [-1, "x", None], "effort": [0, "x"], "max_seconds": [0], "n_jobs": ["x"],
        "random_state": ["x", -1], "verbose": ["x"],
    },
    J48Classifier: {
        "pruning": ["x", 1], "binary_splits": ["x", None], "min_samples_branch": [0, "x", None],
        "confidence": [2, 0, "x"], "subtree_raising": ["x"], "prune_folds": [1, "x"], "laplace": ["x"],
        "random_state": ["x", None],
    },
}  # fmt: skip


def test_the_table_of_wrong_values_has_every_parameter():
    for kind, wrong in WRONG.items():
        assert set(wrong) == set(kind().get_params())


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [(kind, name, value) for kind, wrong in WRONG.items() for name in wrong for value in wrong[name]],
)
def test_a_wrong_value_is_refused_before_any_search(kind, name, value, monkeypatch):
    def started(*_args, **_more):
        raise AssertionError("a search was started")

    monkeypatch.setattr(small_tree, "fit_front", started)
    monkeypatch.setattr(gatree_classifier, "Evolution", started)
    monkeypatch.setattr(j48_classifier, "fit", started)
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    labels = y if kind is SmallTreeRegressor else np.array(["no", "yes"])[y]
    with pytest.raises((ValueError, TypeError), match=name):
        kind(**{name: value}).fit(X, labels)


@pytest.mark.parametrize(
    "rows",
    [
        [[1, "a"], [2, "b"]] * 10,
        np.array([["1", "a"], ["2", "b"]] * 10),
        np.array([[1, "a"], [2, "b"]] * 10, dtype=object),
    ],
    ids=["lists", "array of text", "array of objects"],
)
def test_text_is_taken_from_arrays_and_lists(rows):
    tree = SmallTreeClassifier(effort=0.1, random_state=0).fit(rows, ["yes", "no"] * 10)
    assert tree.predict(rows).tolist() == ["yes", "no"] * 10
    with pytest.raises(ValueError, match="inhomogeneous"):
        tree.fit([[1, "a"], [2]] * 10, ["yes", "no"] * 10)


def test_more_copies_than_there_is_room_for_are_refused_with_what_would_work():
    frame, labels = mixed()
    weights = np.full(len(labels), 1e7)
    with pytest.raises(ValueError, match="more than 50000000; integer weights are numbers of copies, so"):
        SmallTreeClassifier(effort=0.1).fit(frame, labels, weights)
    assert (
        SmallTreeClassifier(effort=0.1).fit(frame, labels, weights / weights.sum()).score(frame, labels) > 0.5
    )


@pytest.mark.parametrize("as_y", [pd.Series.to_numpy, pd.Series.to_frame, pd.Series.copy])
def test_the_name_of_y_is_the_classs(as_y):
    frame, labels = mixed()
    y = as_y(pd.Series(labels, name="outcome"))
    name = "class" if isinstance(y, np.ndarray) else "outcome"
    settings = {"effort": 0.02, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's, of a column as y
        classifier = SmallTreeClassifier(**settings).fit(frame, y)
        numbers = SmallTreeRegressor(effort=0.02).fit(frame, pd.Series(range(len(labels)), name=name))
        j48 = J48Classifier().fit(frame, y)
    for tree in (classifier.tree_, numbers.tree_):
        assert tree.class_attribute.name == name
        assert f"THEN {name} = " in tree.to_rules()
    assert j48.tree_.to_decision_tree().class_attribute.name == name
    again = SmallTreeClassifier(**settings).fit(frame, np.asarray(labels))
    assert classifier.predict(frame).tolist() == again.predict(frame).tolist()


def test_a_column_with_the_name_of_y_keeps_it():
    frame, labels = mixed()
    first = frame.columns[0]
    tree = SmallTreeClassifier(effort=0.1, random_state=0).fit(frame, pd.Series(labels, name=first))
    assert tree.tree_.class_attribute.name == f"{first}_"


def test_numbers_with_names_take_the_short_way_to_the_same_predictions(monkeypatch):
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = SmallTreeClassifier(effort=0.1, random_state=0).fit(X, y)
    long = fitted.predict_proba(X.astype(object))
    monkeypatch.setattr(fitted, "_dataset", None)  # the long way
    assert np.array_equal(fitted.predict_proba(X), long)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(fitted.predict_proba(X.to_numpy()), long)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(X[X.columns[::-1]])


N = 60
COLUMNS = {
    "text": ["red", "green", None, "blue"] * (N // 4),
    "level": ["low", "high", "mid", "low"] * (N // 4),
    "day": [date(2024, 1 + at % 12, 1) for at in range(N)],
    "truth": [True, False, None] * (N // 3),
    "number": [float(at) for at in range(N)],
}
CLASSES = ["yes" if day.month > 6 else "no" for day in COLUMNS["day"]]


def polars_frame():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    levels = polars.Enum(["low", "mid", "high"])
    return polars.DataFrame(COLUMNS, schema_overrides={"text": polars.Categorical, "level": levels})


def pyarrow_table():
    pyarrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    table = pyarrow.table(COLUMNS)
    return table.set_column(1, "level", table["level"].dictionary_encode())


@pytest.mark.parametrize("make", [polars_frame, pyarrow_table])
def test_a_frame_is_learnt_from_and_predicted(make):
    frame = make()
    tree = SmallTreeClassifier(effort=0.1, size=2).fit(frame, CLASSES)
    assert list(tree.feature_names_in_) == list(COLUMNS)
    assert tree.predict(frame).tolist() == CLASSES
    assert tree.predict(pd.DataFrame(COLUMNS)).tolist() == CLASSES


@pytest.mark.parametrize("make", [polars_frame, pyarrow_table])
def test_columns_have_their_types(make):
    frame = make()
    dataset = Dataset.from_frame(frame, "number")
    kinds = [(each.kind, each.date_format) for each in dataset.attributes]
    assert kinds == [("nominal", None), ("nominal", None), ("numeric", "yyyy-MM-dd"), ("nominal", None)]
    order = ("low", "mid", "high") if make is polars_frame else ("low", "high", "mid")
    assert dataset.attributes[1].values == order
    assert dataset.attributes[3].values == ("False", "True")
    assert dataset.columns[0].tolist()[:4] == [0, 1, -1, 2]


def test_text_is_read_at_prediction_as_it_was_learnt():
    frame = pd.DataFrame({"price": [f"${at},500.00" for at in range(1, 41)]})
    classes = np.where(np.arange(40) < 20, "cheap", "dear")
    tree = SmallTreeClassifier(effort=0.1, size=2).fit(frame, classes)
    assert tree.predict(pd.DataFrame({"price": ["$2", "$39,000"]})).tolist() == ["cheap", "dear"]


@pytest.mark.parametrize("method", ["fit", "predict"])
def test_a_dask_collection_is_refused_with_what_to_do_instead(method):
    array = pytest.importorskip("dask.array", reason="the extra dask is not installed")
    X = np.arange(40.0).reshape(20, 2)
    model, y = J48Classifier().fit(X, [0, 1] * 10), [0, 1] * 10
    given = (array.from_array(X), y)[: 2 if method == "fit" else 1]
    with pytest.raises(
        ValueError, match=r"^X is a Dask collection, which is not in memory; pass X\.compute\(\)"
    ):
        getattr(model, method)(*given)
