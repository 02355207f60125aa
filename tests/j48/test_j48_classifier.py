import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from j48_cases import ALL_SETTINGS, generated

from gatree.base.errors import ConfigError, DataError
from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.j48 import J48Settings, cross_validate, evaluate, fit


def small_dataset(rows, class_values=("p", "q")):
    """Return a nominal attribute, a numeric one, and a class, from rows like "x 1 p"; ? is missing."""
    cells = [row.split() for row in rows]
    codes = {"?": -1, "x": 0, "y": 1, "p": 0, "q": 1}
    return Dataset(
        name="small",
        attributes=(Attribute("a", "nominal", ("x", "y")), Attribute("n", "numeric")),
        columns=(
            np.array([codes[a] for a, _, _ in cells], dtype=np.int32),
            np.array([np.nan if n == "?" else float(n) for _, n, _ in cells]),
        ),
        answer=Classes(
            Attribute("c", "nominal", class_values), np.array([codes[c] for _, _, c in cells], dtype=np.int32)
        ),
        answer_position=2,
    )


# What WEKA 3.6.14 does: the tree, correct on the training data, and correct and unclassified in two folds.
@pytest.mark.no_jit
@pytest.mark.parametrize(
    ("rows", "tree", "train_correct", "cv_correct", "cv_unclassified"),
    [
        (["x 1 ?", "y 2 ?", "x 3 ?"], ": p (0.0)", 0, 0, 0),
        (["x 1 p", "y 2 p"] * 4, ": p (8.0)", 8, 8, 0),
        (["x 1 p", "y 2 q"], ": p (2.0/1.0)", 1, 0, 0),
        (["x 1 p", "y 2 ?", "x 2 ?", "y 1 ?"], ": p (1.0)", 1, 0, 1),
        (["? ? p", "? ? q", "? ? q", "? ? q", "? ? p"], ": q (5.0/2.0)", 3, 2, 0),
    ],
    ids=["no class known", "one class occurs", "two instances", "a fold without a class", "nothing known"],
)
def test_edge_cases_equal_weka(rows, tree, train_correct, cv_correct, cv_unclassified):
    dataset = small_dataset(rows)
    built, crossed = fit(dataset), cross_validate(dataset, n_folds=2)
    assert built.to_text() == tree
    assert evaluate(built, dataset).n_correct == train_correct
    assert (crossed.n_correct, crossed.n_unclassified) == (cv_correct, cv_unclassified)


@pytest.mark.parametrize(
    ("learn", "message"),
    [
        (lambda: cross_validate(small_dataset([])), "cannot make 5 folds of 0 instances"),
        (lambda: fit(small_dataset(["x 1 p"] * 4, ("p",))), "two values or more, but 'c' has 1"),
        (lambda: fit(small_dataset(["x inf p", "y 2 q"])), "infinite values of 'n'"),
        (
            lambda: fit(small_dataset(["x 1 p", "y 2 q", "x 2 ?"]), J48Settings(pruning="reduced-error")),
            "reduced-error pruning: cannot make 3 folds of 2 instances",
        ),
        (
            lambda: fit(small_dataset(["x 1 p", "y 2 q"])).predict(generated(3)),
            "not those that the tree was built from",
        ),
    ],
)
def test_unsuitable_data_are_rejected(learn, message):
    with pytest.raises(DataError, match=message):
        learn()


@pytest.mark.parametrize(
    "wrong",
    [
        {"confidence": 0.0},
        {"confidence": 1.0},
        {"confidence": 1e-9},
        {"min_instances": 0},
        {"prune_folds": 1},
        {"pruning": "some"},
    ],
)
def test_invalid_settings_are_rejected(wrong):
    (name,) = wrong
    with pytest.raises(ConfigError, match=name):
        J48Settings(**wrong)


@given(st.integers(10_000, 20_000), st.sampled_from(ALL_SETTINGS))
def test_a_tree_accounts_for_all_its_instances(number, chosen):
    dataset = generated(number)
    if chosen.pruning == "reduced-error" and np.count_nonzero(dataset.classes >= 0) < chosen.prune_folds:
        return
    before = [column.copy() for column in dataset.columns]
    tree = fit(dataset, chosen)
    for column, old in zip(dataset.columns, before, strict=True):
        np.testing.assert_array_equal(column, old)
    assert tree.size <= fit(dataset, replace(chosen, pruning="none")).size or chosen.pruning != "confidence"
    nodes = tree.nodes
    leaves = nodes.attribute < 0
    assert np.allclose(nodes.branch_counts[leaves, -1].sum(), nodes.counts[0, -1])
    assert sum(map(len, nodes.children)) == tree.size - 1
    distribution = tree.distribution(dataset)
    unknown = distribution.sum(axis=1) == 0
    assert np.allclose(distribution.sum(axis=1)[~unknown], 1.0)
    predicted = tree.predict(dataset)
    assert np.array_equal(predicted == -1, unknown)


def test_trees_deeper_than_the_recursion_limit():
    n_values = 2 * sys.getrecursionlimit() + 100
    codes = np.repeat(np.arange(n_values), 2)
    frame = pd.DataFrame({"a": [f"v{code}" for code in codes], "c": np.where(codes % 2, "q", "p")})
    dataset = Dataset.from_frame(frame)
    tree = fit(dataset, J48Settings(min_instances=1, subtree_raising=False))
    depth = max(line.count("|   ") for line in tree.to_text().splitlines())
    assert depth > sys.getrecursionlimit()
    assert evaluate(tree, dataset).n_correct == 2 * n_values
    unknown = dataset.take(np.array([0]))
    unknown.columns[0][0] = -1
    assert tree.distribution(unknown)[0] == pytest.approx([0.5, 0.5])
