"""Create the page of a fitted classifier for a notebook: its trees of all sizes, with data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gatree.estimator.inputs import as_dataset, as_frame, as_value_error, class_name
from gatree.explore.explore import explore, explored_tree
from gatree.explore.page import NotebookPage, page
from gatree.front.fit import FrontFit


def explored_page(classifier: Any, X: Any, y: Any) -> NotebookPage:
    """Return the page of a fitted `GATreeClassifier`.

    It shows only ``tree_`` if there are no fronts, or if the page's cross-validation could not repeat the
    fit: with class weights, costs or monotonic constraints.
    """
    frame, name = as_frame(classifier, X, reset=False), class_name(y, classifier.tree_.class_attribute.name)
    place = {label: index for index, label in enumerate(classifier.classes_.tolist())}
    classes = np.array([place.get(label, -1) for label in np.asarray(y).tolist()], dtype=np.int32)
    with as_value_error():
        dataset = as_dataset(frame, classes, [str(label) for label in classifier.classes_], name)
        dataset = replace(dataset, name="data")
        own = (classifier.class_weight, classifier.cost_matrix, classifier.monotonic_cst)
        if hasattr(classifier, "fronts_") and all(option is None for option in own):
            fit = FrontFit(classifier.tree_, classifier.fronts_)
            return NotebookPage(page(explore(dataset, classifier.settings_, fit=fit)))
        return NotebookPage(page(explored_tree(classifier.tree_, dataset)))
