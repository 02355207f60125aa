"""What may be handed in: kinds of columns, missing values, and everything that is wrong."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from gatree import GATreeClassifier, GATreeRegressor, J48Classifier

BOTH = pytest.mark.parametrize(
    "make",
    [lambda: GATreeClassifier(population_size=60, n_generations=40, random_state=0), J48Classifier],
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
def test_frames_with_categories_and_missing_values(make):
    frame, labels = mixed()
    fitted = make().fit(frame, labels)
    assert fitted.score(frame, labels) == 1
    assert "colour = green" in fitted.tree_.to_text()


@BOTH
def test_other_orders_of_categories_mean_the_same(make):
    frame, labels = mixed()
    fitted = make().fit(frame, labels)
    other = frame.assign(colour=pd.Categorical(frame["colour"].astype(str), categories=["x", *COLOURS[::-1]]))
    assert (fitted.predict(other) == labels).all()
    assert (fitted.predict(frame.assign(colour=frame["colour"].astype(object))) == labels).all()


@BOTH
@pytest.mark.parametrize("kind", [int, float, "Int64", "boolean", object, str])
def test_booleans_may_come_as_0_and_1(make, kind):
    frame, _ = mixed()
    frame = frame[["size", "flag"]]
    labels = np.where(frame["flag"], "yes", "no")
    fitted = make().fit(frame, labels)
    assert fitted.score(frame.assign(flag=frame["flag"].astype(int).astype(kind)), labels) == 1
    assert fitted.score(frame.assign(flag=frame["flag"].astype(kind)), labels) == 1


@BOTH
def test_unseen_categories_and_missing_values_are_not_the_tested_one(make):
    frame, labels = mixed()
    fitted = make().fit(frame, labels)
    strange = frame.head(3).assign(colour=["violet", None, "green"])
    predicted = fitted.predict(strange)
    assert predicted[0] == "no"
    assert predicted[2] == "yes"


@BOTH
def test_labels_from_one_on_text_and_booleans(make):
    frame, labels = mixed()
    for y in (np.where(labels == "yes", 2, 1), labels == "yes", labels.astype(object), list(labels)):
        fitted = make().fit(frame, y)
        assert (fitted.predict(frame) == np.asarray(y)).all()
        assert fitted.classes_.dtype == np.asarray(y).dtype


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
    one_class = GATreeClassifier(n_generations=5, population_size=10).fit(signal, ["only"] * 10)
    assert set(one_class.predict(signal)) == {"only"}
    one = GATreeClassifier(n_generations=5, population_size=10).fit([[1.0, 2.0]], [7])
    assert one.predict([[9.0, np.nan]]).tolist() == [7]
    with pytest.raises(ValueError, match="1 class"):
        J48Classifier().fit(signal, ["only"] * 10)


def test_object_arrays_are_read_column_by_column():
    frame, labels = mixed()
    objects = frame[["size", "colour"]].to_numpy(dtype=object)
    fitted = GATreeClassifier(population_size=60, n_generations=20, random_state=0).fit(objects, labels)
    assert fitted.score(objects, labels) == 1
    assert not fitted.tree_.attributes[0].is_nominal


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


@BOTH
@pytest.mark.parametrize("cell", [True, "three"])
def test_objects_that_are_not_all_numbers_are_categories(make, cell):
    column = pd.Series([cell, *map(Decimal, [1, 2] * 20)], dtype=object)
    fitted = make().fit(pd.DataFrame({"x": column}), column.map(str) == "2")
    assert fitted.tree_.attributes[0].values == (str(cell), "1", "2")


@BOTH
@pytest.mark.parametrize(
    "number",
    [Decimal("-Infinity"), Decimal("1e999"), 10**400, np.inf],
    ids=["infinite", "decimal", "whole", "float"],
)
def test_infinite_objects_are_refused(make, number):
    frame, labels = mixed()
    objects = frame.assign(size=frame["size"].astype(object))
    objects.loc[3, "size"] = number
    for refused in (objects, objects[["size"]]):
        with pytest.raises(ValueError, match="contains infinity"):
            make().fit(refused, labels)


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


@BOTH
def test_half_of_a_surrogate_pair_is_no_class(make):
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        make().fit([[1.0], [2.0]] * 9, np.array([HALF, "b"] * 9, dtype=object))


@BOTH
@pytest.mark.parametrize("number", [10**400, -(10**400)])
def test_integers_that_are_no_floats_are_refused(make, number):
    labels, message = [0, 1] * 9, "contains infinity or a value too large"
    for X in ([[number], [1]] * 9, np.array([[number], [1]] * 9, dtype=object)):
        with pytest.raises(ValueError, match=message):
            make().fit(X, labels)
    with pytest.raises(ValueError, match=message):
        make().fit([[1.0], [2.0]] * 9, labels, sample_weight=[number, 1] * 9)
    with pytest.raises(ValueError, match=message):
        GATreeRegressor(n_generations=2).fit([[1.0], [2.0]] * 9, [number, 1] * 9)


@BOTH
def test_a_signaling_nan_is_refused(make):
    cells = np.array([Decimal("sNaN"), Decimal(1)] * 9, dtype=object)
    for X, y in ((cells.reshape(-1, 1), [0, 1] * 9), ([[1.0], [2.0]] * 9, cells)):
        with pytest.raises(ValueError, match="contains a signaling NaN"):
            make().fit(X, y)


@pytest.mark.parametrize("y", [[1e308] * 18, [1.7e308, 1e308] * 9, np.array([None] * 18, dtype=object)])
def test_a_target_without_a_mean_is_refused(y):
    with pytest.raises(ValueError, match="Input y contains NaN, infinity, or values whose sum is too large"):
        GATreeRegressor(n_generations=2).fit([[1.0], [2.0]] * 9, y)


@BOTH
@pytest.mark.parametrize("hole", [np.nan, None, pd.NA])
def test_missing_classes_are_refused(make, hole):
    frame, labels = mixed()
    holes = labels.astype(object)
    holes[4] = hole
    with pytest.raises(ValueError, match="Input y contains NaN"):
        make().fit(frame, holes)


@BOTH
@pytest.mark.parametrize("number", [np.inf, -np.inf])
def test_infinite_numbers_are_refused(make, number):
    frame, labels = mixed()
    frame.loc[3, "size"] = number
    with pytest.raises(ValueError, match="contains infinity"):
        make().fit(frame, labels)
    with pytest.raises(ValueError, match="contains infinity"):
        make().fit(frame[["size"]], labels)


@BOTH
def test_wrong_columns_are_refused(make):
    frame, labels = mixed()
    fitted = make().fit(frame, labels)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(frame.rename(columns={"colour": "color"}))
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(frame[frame.columns[::-1]])
    numbers = make().fit(np.ones((10, 3)), [0, 1] * 5)
    with pytest.raises(ValueError, match=r"X has 2 features, but \w+ is expecting 3 features"):
        numbers.predict(np.ones((10, 2)))


@BOTH
def test_text_where_numbers_were_learnt_is_refused(make):
    signal = pd.DataFrame({"x": np.arange(20.0)})
    fitted = make().fit(signal, signal["x"] > 10)
    with pytest.raises(ValueError, match="with numbers, but the data has 'a'"):
        fitted.predict(pd.DataFrame({"x": ["a", "b"]}))


@BOTH
def test_no_samples_and_lengths_that_differ(make):
    frame, labels = mixed()
    with pytest.raises(ValueError, match="0 sample"):
        make().fit(frame.head(0), labels[:0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        make().fit(frame, labels[:-1])
    with pytest.raises(ValueError, match=r"Expected unique column names|two columns are called 'size'"):
        make().fit(pd.concat([frame, frame[["size"]]], axis="columns"), labels)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"preset": "papre"}, "preset must be one of default, fast, paper, got 'papre'"),
        ({"population_size": 1}, "population_size: should be greater than or equal to 2, got 1"),
        ({"evaluator": "fast"}, "evaluator: should be"),
        ({"x_factor": "much"}, "an x-factor is a number"),
        ({"class_weight": {"maybe": 2}}, "no class 'maybe'"),
        ({"class_weight": "equal"}, "class_weight"),
        (
            {"class_weight": {"maybe": -2}},
            r"^class_weight.maybe: should be greater than or equal to 0, got -2$",
        ),
        ({"patience": 0}, "patience must be above zero"),
        ({"max_seconds": -1.0}, "max_seconds must be above zero"),
        ({"payoff": lambda *_: 1.0, "size": "penalty"}, "one number per tree"),
        ({"min_samples_split": 1}, "min_samples_split must be None, an int of at least 2 or a share"),
        (
            {"min_samples_split": 5, "size": "penalty"},
            "min_samples_split=5 requires a size that is chosen",
        ),
        ({"effort": 0}, "effort must be a number above 0, got 0"),
        ({"first": "no such"}, "first: no feature 'no such'"),
        ({"random_state": -1}, "^random_state: should be greater than or equal to 0"),
        ({"min_samples_leaf": -0.1}, "^min_samples_leaf must be"),
        (
            {"cost_matrix": [[0, 1]]},
            r"^cost_matrix: should have a row and a column per class, \(\d, \d\), got",
        ),
        ({"monotonic_cst": [2, 0]}, "^monotonic_cst: should be -1, 0 or 1"),
        ({"max_leaf_nodes": "few"}, "max_leaf_nodes must be an integer or None, got 'few'"),
        ({"max_leaf_nodes": 2.5}, "max_leaf_nodes must be an integer or None, got 2.5"),
        ({"max_thresholds": "x"}, "max_thresholds must be an int of at least 1 or None, got 'x'"),
        ({"n_jobs": "all"}, "n_jobs must be an integer or None, got 'all'"),
    ],
)
def test_wrong_settings_are_refused(settings, complaint):
    frame, labels = mixed()
    with pytest.raises(ValueError, match=complaint):
        GATreeClassifier(**settings).fit(frame, labels)


def test_wrong_settings_of_j48_are_refused():
    frame, labels = mixed()
    with pytest.raises(ValueError, match="pruning must be"):
        J48Classifier(pruning="some").fit(frame, labels)


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
    tree = GATreeClassifier("fast", random_state=0).fit(rows, ["yes", "no"] * 10)
    assert tree.predict(rows).tolist() == ["yes", "no"] * 10


def test_rows_of_several_lengths_are_refused():
    with pytest.raises(ValueError, match="inhomogeneous"):
        GATreeClassifier("fast").fit([[1, "a"], [2]] * 10, ["yes", "no"] * 10)


def test_a_wrong_cost_is_named():
    frame, labels = mixed()
    n_classes = len(set(labels))
    costs = np.ones((n_classes, n_classes))
    costs[0, 1] = -2
    with pytest.raises(ValueError, match=r"^cost_matrix: should be numbers of zero or more, got -2\.0"):
        GATreeClassifier(cost_matrix=costs).fit(frame, labels)


def test_more_copies_than_there_is_room_for_are_refused_with_what_would_work():
    frame, labels = mixed()
    weights = np.full(len(labels), 1e7)
    with pytest.raises(ValueError, match="more than 50000000; integer weights are numbers of copies, so"):
        GATreeClassifier("fast").fit(frame, labels, weights)
    assert GATreeClassifier("fast").fit(frame, labels, weights / weights.sum()).score(frame, labels) > 0.5


def named_everywhere(tree, name):
    assert tree.class_attribute.name == name
    assert f"THEN {name} = " in tree.to_rules()


@pytest.mark.parametrize("as_y", [pd.Series.to_numpy, pd.Series.to_frame, pd.Series.copy])
def test_the_name_of_y_is_the_classs(as_y):
    frame, labels = mixed()
    y = as_y(pd.Series(labels, name="outcome"))
    name = "class" if isinstance(y, np.ndarray) else "outcome"
    settings = {"preset": "fast", "random_state": 0, "n_generations": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's, of a column as y
        classifier = GATreeClassifier(**settings).fit(frame, y)
        numbers = GATreeRegressor(n_generations=3).fit(frame, pd.Series(range(len(labels)), name=name))
        j48 = J48Classifier().fit(frame, y)
    named_everywhere(classifier.tree_, name)
    named_everywhere(numbers.tree_, name)
    assert j48.tree_.to_decision_tree().class_attribute.name == name
    again = GATreeClassifier(**settings).fit(frame, np.asarray(labels))
    assert classifier.predict(frame).tolist() == again.predict(frame).tolist()


def test_a_column_with_the_name_of_y_keeps_it():
    frame, labels = mixed()
    first = frame.columns[0]
    tree = GATreeClassifier("fast", random_state=0, n_generations=3).fit(frame, pd.Series(labels, name=first))
    assert tree.tree_.class_attribute.name == f"{first}_"


def test_warm_start_minds_the_values_of_y_and_not_its_name():
    frame, labels = mixed()
    y = pd.Series(labels, name="outcome")
    model = GATreeClassifier("fast", random_state=0, n_generations=3, warm_start=True).fit(frame, y)
    model.set_params(n_generations=5).fit(frame, y.to_numpy())
    assert model.n_generations_ == 5
    with pytest.raises(ValueError, match="X or y has changed"):
        model.fit(frame, y[::-1].to_numpy())


def test_numbers_with_names_take_the_short_way_to_the_same_predictions(monkeypatch):
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = GATreeClassifier("fast", random_state=0).fit(X, y)
    long = fitted.predict_proba(X.astype(object))
    monkeypatch.setattr(fitted, "_dataset", None)  # the long way
    assert np.array_equal(fitted.predict_proba(X), long)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(fitted.predict_proba(X.to_numpy()), long)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(X[X.columns[::-1]])
