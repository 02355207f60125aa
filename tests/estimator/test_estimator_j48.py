"""J48Classifier gives what `gatree j48` gives."""

from __future__ import annotations

import pytest

from gatree import J48Classifier, load_dataset
from gatree.j48 import J48Settings, evaluate, fit


@pytest.mark.parametrize("name", ["vote", "credit-a", "zoo"])
@pytest.mark.parametrize("pruning", ["confidence", "reduced-error", "none"])
def test_the_same_tree_as_j48(name, pruning):
    data, (frame, classes) = load_dataset(name), load_dataset(name, as_frame=True)
    labels = classes.astype(str).to_numpy()
    fitted = J48Classifier(pruning=pruning).fit(frame, labels)
    tree = fit(data, J48Settings(pruning=pruning))
    assert fitted.get_n_leaves() == tree.n_leaves
    if fitted.classes_.tolist() == list(data.class_values):  # ties are broken by the order of the classes
        assert fitted.tree_.to_text() == tree.to_text()
        assert fitted.score(frame, labels) == evaluate(tree, data).accuracy
