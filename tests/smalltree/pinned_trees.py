"""The table of default small trees: what the search finds on included and generated data.

`small_trees.json` holds a row per data set and settings: the chosen size, and digests of the chosen tree and
of the best trees of all sizes. A search that finds other trees fails `test_small_tree_digests.py`. If that is
meant, run ``python tests/smalltree/pinned_trees.py NAME ...`` with the names of the rows to write again
(``all`` for every row). A row without digests is new; it is filled in by any run.
"""

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.concepts import random_tree_concept
from gatree.data.catalog import load_dataset
from gatree.data.dataset import Dataset
from gatree.data.generate import generated
from gatree.data.goal import Goal, SampleWeights
from gatree.smalltree.fit import fit_front
from gatree.smalltree.prepare import Demands
from gatree.smalltree.settings import RegressionSettings, SearchSettings
from gatree.trees.genome import LEAF
from gatree.trees.model import DecisionTree

TABLE = Path(__file__).with_name("small_trees.json")

Row = dict[str, Any]


def table() -> list[Row]:
    return list(json.loads(TABLE.read_text(encoding="utf-8")))


def data_of(name: str) -> tuple[Dataset, np.ndarray | None]:
    """Return the data of a row and, if they are numbers, what to predict.

    ``vote``: an included data set. ``chessboard-5``: generated. ``concept N``: N instances of a random tree
    with noise. ``numbers N``: N instances whose answer is a number; ``numbers of crime``: its first attribute
    is the answer.
    """
    kind, _, rest = name.partition(" ")
    if kind == "concept":
        return random_tree_concept(int(rest), 6, n_classes=3, noise=0.1, seed=7), None
    if kind == "numbers" and rest.startswith("of "):
        dataset = load_dataset(rest.removeprefix("of "))
        at = next(i for i, each in enumerate(dataset.attributes) if not each.is_nominal)
        return _without(dataset, at), np.asarray(dataset.columns[at], dtype=np.float64)
    if kind == "numbers":
        dataset = random_tree_concept(int(rest), 6, n_classes=5, seed=8)
        noise = np.random.default_rng(9).normal(size=dataset.n_instances)
        return dataset, np.round(10.0 * dataset.classes + dataset.columns[-1] / 8 + 3 * noise, 2)
    return generated(name) or load_dataset(name), None


def _without(dataset: Dataset, at: int) -> Dataset:
    kept = [i for i in range(dataset.n_attributes) if i != at]
    return Dataset(
        dataset.name,
        tuple(dataset.attributes[i] for i in kept),
        tuple(dataset.columns[i] for i in kept),
        dataset.answer,
        len(kept),
    )


def run(row: Row, n_jobs: int = 1) -> Row:
    """Search the trees of a row and return its results."""
    dataset, target = data_of(row["data"])
    dataset = dataset if target is None else dataset.with_numbers(target)
    given = dict(row["settings"])
    goal, demands = Goal.of(dataset), None
    if "sample_weight" in given:  # 0, 1, 2, ... in turn
        counts = np.arange(dataset.n_instances) % given.pop("sample_weight")
        goal = replace(goal, sample_weights=SampleWeights(counts.astype(np.int64)))
    if "class_weight" in given:
        goal = replace(goal, class_weights=np.array(given.pop("class_weight"), dtype=np.int64))
    if "gain" in given:
        goal = replace(goal, gains=np.array(given.pop("gain"), dtype=np.int64))
    if "directions" in given:
        demands = Demands(directions=np.array(given.pop("directions"), dtype=np.int8))
    settings = (SearchSettings if target is None else RegressionSettings)(**given, n_jobs=n_jobs)
    fit = fit_front(dataset, settings, goal, demands=demands)
    return {
        "leaves": fit.n_leaves,
        "tree": _digest(fit.tree),
        "evolved": _digest(*map(fit.fronts["evolved"].tree, fit.fronts["evolved"].leaves.tolist())),
        "greedy": _digest(*map(fit.fronts["greedy"].tree, fit.fronts["greedy"].leaves.tolist())),
    }


def _digest(*trees: DecisionTree) -> str:
    return hashlib.sha256("\n".join(map(_nodes, trees)).encode()).hexdigest()[:16]


def _nodes(tree: DecisionTree) -> str:
    """Return the nodes of a tree in preorder: attribute and threshold or value, or what a leaf predicts."""
    nodes, predicted = [], tree.class_attribute
    for node, (tested, value) in enumerate(zip(tree.tree.attribute, tree.tree.value, strict=True)):
        if tested == LEAF:
            label = predicted.values[value]
            nodes.append(label if predicted.is_nominal else f"{float(label):.9g}")
        elif (attribute := tree.attributes[tested]).is_nominal:
            nodes.append(f"{attribute.name}={attribute.values[value]}")
        else:
            nodes.append(f"{attribute.name}<={tree.threshold(node):.12g}")
    return ";".join(nodes)


def renew(names: list[str]) -> str:
    """Write rows that have no digests or are named; return what changed."""
    rows, changed = table(), []
    for row in rows:
        if "gives" not in row or row["name"] in names or names == ["all"]:
            gives = run(row)
            if gives != row.get("gives"):
                changed.append(row["name"])
            row["gives"] = gives
    TABLE.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")
    return f"{len(changed)} of {len(rows)} rows written: {', '.join(changed)}"


if __name__ == "__main__":
    sys.exit(print(renew(sys.argv[1:])))
