"""Chains of many thousand tests leave in every form of text, in time and memory by their length."""

import json
import tracemalloc
from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from example_trees import animal_tree

from gatree.data.attribute import Attribute
from gatree.data.coding import Coding
from gatree.trees.export.code import to_markdown, to_pandas, to_python, to_rules, to_sql
from gatree.trees.genome import LEAF, Tree
from gatree.trees.json_form import to_json
from gatree.trees.model import DecisionTree
from gatree.trees.render import to_dot, to_text

FORMS = (to_rules, to_sql, to_python, to_pandas, to_markdown, to_text, to_dot, to_json)


def chain(depth: int, passing: bool) -> DecisionTree:
    """A tree whose tests each narrow the last one: along the branches that pass, or along those that fail."""
    thresholds = np.arange(depth, dtype=np.float64)
    tests = np.arange(depth)[::-1] if passing else np.arange(depth)
    if passing:
        attribute, value = [0] * depth + [LEAF] * (depth + 1), [*tests, *np.arange(depth + 1) % 3]
    else:
        attribute = [0, LEAF] * depth + [LEAF]
        value = [*np.stack([tests, np.arange(depth) % 3], axis=1).ravel(), 1]
    attributes = (Attribute("x", "numeric"), *animal_tree().attributes[1:])
    return replace(
        animal_tree(0),
        tree=Tree.from_preorder(attribute, [*map(int, value)]),
        attributes=attributes,
        coding=Coding.of(attributes, [thresholds, np.empty(0), np.empty(0)]),
        counts=None,
    )


def seconds_of(form, tree: DecisionTree) -> float:
    started = process_time()
    form(tree)
    return process_time() - started


def cost_of(form, tree: DecisionTree) -> tuple[float, int]:
    """Return the seconds that a form takes, the best of three, and then the peak of its memory in bytes."""
    seconds = min(seconds_of(form, tree) for _ in range(3))
    tracemalloc.start()
    try:
        form(tree)
        return seconds, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("passing", [True, False], ids=["left", "right"])
def test_a_chain_takes_time_and_memory_by_its_length(form, passing: bool):
    """Eight times the depth: 8 times the cost if it is linear, 64 times if it is a square."""
    seconds, n_bytes = cost_of(form, chain(500, passing))
    more_seconds, more_bytes = cost_of(form, chain(4_000, passing))
    assert more_bytes < 16 * n_bytes
    assert more_seconds < 24 * max(seconds, 0.01)


def test_rules_of_a_chain_are_those_of_its_leaves():
    rules = chain(20_000, passing=False).to_rules().splitlines()
    assert len(rules) == 20_001
    assert rules[0] == "IF x <= 0 THEN kind = mammal"
    assert rules[12_345] == "IF x > 12344 AND x <= 12345 THEN kind = mammal"
    assert rules[-1] == "IF (x > 19999 OR x is missing) THEN kind = bird"


def test_deep_lines_of_text_have_their_level_instead_of_more_bars():
    lines = chain(300, passing=False).to_text().splitlines()
    assert lines[-1] == "|   " * 200 + "[level 299] x > 299: bird"
    assert lines[400] == "|   " * 200 + "x <= 200: fish"


def test_json_of_a_chain_reads_back():
    tree = chain(5_000, passing=True)
    back = DecisionTree.from_json(tree.to_json())
    assert (back.depth, back.n_leaves) == (5_000, 5_001)
    assert json.loads(back.to_json()) == json.loads(tree.to_json())
