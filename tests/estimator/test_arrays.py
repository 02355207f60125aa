"""Arrays of numbers are classified without codes, and reach the same leaves."""

import numpy as np
import pytest

from gatree import SmallTreeClassifier


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).round(1)  # many values are equal
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) * np.nan_to_num(X[:, 1], nan=1.0) > 0
    return SmallTreeClassifier(size=12, effort=0.05).fit(X, y), X


@pytest.mark.parametrize(
    "form", [np.ascontiguousarray, np.asfortranarray, lambda X: np.repeat(X, 2, axis=0)[::2]]
)
def test_every_layout_reaches_the_leaves_of_the_codes(fitted, form):
    classifier, X = fitted
    tree = classifier.tree_
    thresholds = [tree.threshold(node) for node in range(tree.n_nodes) if not tree.tree.is_leaf(node)]
    X = np.concatenate(
        [X, np.array(thresholds)[:, np.newaxis].repeat(4, axis=1)]
    )  # a threshold passes its test
    expected = tree.apply(classifier._dataset(X)).tolist()
    assert len(set(expected)) == classifier.get_n_leaves() > 4
    assert classifier.apply(form(X)).tolist() == expected


def test_large_numbers_are_no_infinity(fitted):
    classifier, _ = fitted
    assert len(classifier.predict(np.full((4, 4), 1e308))) == 4
    with pytest.raises(ValueError, match="infinity"):
        classifier.predict(np.full((4, 4), np.inf))
