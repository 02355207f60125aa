from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest
from example_trees import animal_tree, animals

from gatree import GATreeClassifier, J48Classifier, export_text, plot_tree
from gatree.base.errors import DataError
from gatree.data.attribute import Attribute


def test_the_way_of_a_row_in_words():
    tree = animal_tree()
    assert tree.explain({"legs": 4, "skin": "fur"}) == (
        "legs is 4, above 3\nskin is fur\nso kind is mammal, as for 2 of the 2 training instances here\n"
    )
    assert replace(tree, counts=None).explain({"legs": 2.0, "skin": None}) == (
        "legs is 2.0, at most 3\nskin is missing, so not feathers\nso kind is fish\n"
    )


@pytest.mark.parametrize("hole", [{}, {"legs": None}, {"legs": np.nan}, {"legs": pd.NA}, {"legs": pd.NaT}])
def test_what_is_missing_is_said_so(hole):
    assert animal_tree().explain(hole).startswith("legs is missing, so not at most 3\n")


def test_rows_of_frames_come_to_the_class_that_the_tree_gives():
    dataset, tree = animals(), animal_tree()
    labels = [tree.class_values[index] for index in tree.predict(dataset)]
    for (_, row), label in zip(dataset.to_frame().iterrows(), labels, strict=True):
        assert f"so kind is {label}, " in tree.explain(row)


def test_text_where_a_number_is_needed_is_refused():
    with pytest.raises(DataError, match="compares 'legs' with numbers, but the row has 'four'"):
        animal_tree().explain({"legs": "four"})


def date_tree():
    """Up to 1970-01-02 a mammal, later a bird."""
    tree = animal_tree((0, 1, 0, 1))
    day = Attribute("born", "numeric", date_format="yyyy-MM-dd")
    thresholds = (np.array([86_400_000.0]), *tree.coding.thresholds[1:])
    return replace(
        tree,
        attributes=(day, *tree.attributes[1:]),
        coding=replace(tree.coding, thresholds=thresholds),
        counts=None,
    )


def test_dates_are_shown_as_dates():
    tree = date_tree()
    assert tree.to_text() == "born <= 1970-01-02: mammal\nborn > 1970-01-02: bird\n"
    words = tree.explain({"born": pd.Timestamp("1970-01-01")})
    assert words == "born is 1970-01-01 00:00:00, at most 1970-01-02\nso kind is mammal\n"


@pytest.fixture(params=["EST5", "JST-9"])
def elsewhere(request, monkeypatch):
    """The clock of New York, and of Tokyo."""
    with monkeypatch.context() as context:
        context.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("born", "kind"),
    [
        (datetime(1970, 1, 2), "mammal"),
        (datetime(1970, 1, 2, 0, 1), "bird"),
        (pd.Timestamp("1970-01-02"), "mammal"),
        (datetime(1970, 1, 2, tzinfo=timezone(timedelta(hours=-5))), "bird"),
        (datetime(1970, 1, 2, 5, tzinfo=timezone(timedelta(hours=5))), "mammal"),
    ],
)
@pytest.mark.usefixtures("elsewhere")
def test_dates_without_a_zone_are_in_utc_wherever_the_clock_is(born, kind):
    assert date_tree().explain({"born": born}).endswith(f"so kind is {kind}\n")


def test_short_reprs_and_long_strings():
    tree = animal_tree()
    assert repr(tree) == "<DecisionTree of 'kind': 7 nodes, 4 leaves, depth 2>"
    assert str(tree) == tree.to_text()
    assert repr(tree.tree) == "<Tree of 7 nodes>"


@pytest.mark.parametrize(
    "make", [J48Classifier, lambda: GATreeClassifier(population_size=40, n_generations=20, random_state=0)]
)
def test_both_classifiers_print_and_draw(make):
    frame = animals().to_frame()
    X, y = pd.concat([frame.drop(columns="kind")] * 4), pd.concat([frame["kind"]] * 4)
    fitted = make().fit(X, y)
    assert export_text(fitted).startswith("|--- ")
    assert len(plot_tree(fitted).texts) > 3
