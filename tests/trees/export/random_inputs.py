"""Random trees over attributes with awkward names, and random inputs with missing and unknown values."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.coding import code
from gatree.data.dataset import Dataset
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree

N_INPUTS = 3_000
MIXED = (
    Attribute("petal width", "numeric"),
    Attribute("it's \"ö`x]", "nominal", ("AND", "it's", 'say "no"', "back\\slash", "THEN", "None", "7")),
    Attribute("n", "numeric"),
    Attribute("%s", "nominal", ("yes", "no")),
    Attribute("far", "numeric"),
)
NUMERIC = tuple(attribute for attribute in MIXED if not attribute.is_nominal)
CLASS = Attribute("the class", "nominal", ("a", "it's b", "c\\"))
_SCALES = {"petal width": 1.0, "n": 1e-9, "far": 1e12}


@dataclass(frozen=True)
class Sampled:
    """A tree, inputs, and the class that the tree gives to each of them."""

    tree: DecisionTree
    inputs: Dataset
    classes: list[str]

    def frame(self) -> pd.DataFrame:
        """Return the inputs as scikit-learn and others take them: text, and None or NaN where missing."""
        cells: dict[str, Any] = {}
        for attribute, column in zip(self.inputs.attributes, self.inputs.columns, strict=True):
            if attribute.is_nominal:
                named = [attribute.values[index] if index >= 0 else None for index in column]
                cells[attribute.name] = pd.Series(named, dtype=object)
            else:
                cells[attribute.name] = column
        return pd.DataFrame(cells)

    def rows(self) -> list[dict[str, Any]]:
        """Return the inputs as mappings with native values and None where missing."""
        frame = self.frame().astype(object)
        return frame.where(frame.notna(), None).to_dict("records")


def sampled(seed: int, attributes: tuple[Attribute, ...] = MIXED, single_precision: bool = False) -> Sampled:
    """Return a random tree of up to 41 nodes, with training counts, and 3,000 inputs."""
    rng = np.random.default_rng(seed)
    training = _dataset(rng, attributes, 60, (), single_precision)
    coding = code(training, "observed")
    tree = DecisionTree.of(Tree.nested(_shape(rng, coding.n_tests, 0)), coding, training)
    thresholds = tuple(tree.coding.thresholds)
    inputs = _dataset(rng, attributes, N_INPUTS, thresholds, single_precision)
    return Sampled(tree, inputs, [CLASS.values[index] for index in tree.predict(inputs)])


def _shape(rng: np.random.Generator, n_tests: np.ndarray, level: int) -> Any:
    if level == 6 or (level > 1 and rng.random() < 0.3):
        return int(rng.integers(len(CLASS.values)))
    attribute = int(rng.integers(len(n_tests)))
    below = [_shape(rng, n_tests, level + 1) for _ in range(2)]
    return (attribute, int(rng.integers(n_tests[attribute])), *below)


def _dataset(
    rng: np.random.Generator,
    attributes: tuple[Attribute, ...],
    n: int,
    thresholds: tuple[np.ndarray, ...],
    single_precision: bool,
) -> Dataset:
    columns = []
    for index, attribute in enumerate(attributes):
        if attribute.is_nominal:
            columns.append(rng.integers(-1, len(attribute.values), n).astype(np.int32))
            continue
        numbers = rng.normal(size=n) * _SCALES[attribute.name]
        if thresholds and len(thresholds[index]):  # at a threshold, and next to it
            near = rng.choice(thresholds[index], n)
            near = rng.choice([near, np.nextafter(near, np.inf), np.nextafter(near, -np.inf)], axis=0)
            numbers = np.where(rng.random(n) < 0.2, near, numbers)
        if single_precision:
            numbers = numbers.astype(np.float32).astype(np.float64)
        columns.append(np.where(rng.random(n) < 0.2, np.nan, numbers))
    classes = rng.integers(0, len(CLASS.values), n).astype(np.int32)
    return Dataset("random", attributes, tuple(columns), Classes(CLASS, classes), len(attributes))
