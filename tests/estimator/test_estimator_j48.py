"""J48Classifier gives what `gatree j48` gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from gatree import J48Classifier, load_dataset
from gatree.j48 import J48Settings, evaluate, fit


def frame_of(data):
    columns = {}
    for attribute, column in zip(data.attributes, data.columns, strict=True):
        values = list(attribute.values)
        columns[attribute.name] = pd.Categorical.from_codes(column, values) if values else column
    return pd.DataFrame(columns), np.array(data.class_values)[data.classes]


@pytest.mark.parametrize("name", ["vote", "credit-a", "zoo"])
@pytest.mark.parametrize("pruning", ["confidence", "reduced-error", "none"])
def test_the_same_tree_as_j48(name, pruning):
    data = load_dataset(name)
    frame, labels = frame_of(data)
    fitted = J48Classifier(pruning=pruning).fit(frame, labels)
    tree = fit(data, J48Settings(pruning=pruning))
    assert fitted.get_n_leaves() == tree.n_leaves
    if fitted.classes_.tolist() == list(data.class_values):  # ties are broken by the order of the classes
        assert fitted.tree_.to_text() == tree.to_text()
        assert fitted.score(frame, labels) == evaluate(tree, data).accuracy
