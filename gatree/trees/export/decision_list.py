"""A tree as a list of rules to be read in order: the first that fits gives the class.

Leaves are taken from left to right, and a leaf's rule only asks for the tests that are passed on the way
to it. The rules before cover whatever passes a test that this leaf's instances fail, so no rule has to
say what must not hold; that spares every target the question what "not" means for a missing value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gatree.data.attribute import Attribute
from gatree.trees.genome import LEAF
from gatree.trees.named_tree import NamedTree


class ListedRule(NamedTuple):
    """Inner nodes whose tests must be passed, from the root down, and the leaf that they lead to."""

    passed: tuple[int, ...]
    leaf: int


def decision_list(model: NamedTree) -> Iterator[ListedRule]:
    """Yield the rules in order; the last one asks for nothing."""
    pending: list[ListedRule] = [ListedRule((), 0)]
    while pending:
        passed, node = pending.pop()
        if model.tree.is_leaf(node):
            yield ListedRule(passed, node)
        else:
            pending.append(ListedRule(passed, model.tree.right(node)))
            pending.append(ListedRule((*passed, node), model.tree.left(node)))


def strictest(model: NamedTree, passed: tuple[int, ...]) -> list[int]:
    """Return the nodes without those that a later one makes superfluous, such as x <= 5 before x <= 3."""
    needed: dict[tuple[int, int], int] = {}
    for node in passed:
        attribute = int(model.tree.attribute[node])
        numeric = not model.attributes[attribute].is_nominal
        key = (attribute, -1 if numeric else int(model.tree.value[node]))
        known = needed.get(key)
        if known is None or (numeric and model.threshold(node) < model.threshold(known)):
            needed[key] = node
    return list(needed.values())


def dates_of(model: NamedTree) -> list[str]:
    """Return the names of the dates that a tree tests; other programs compare them as milliseconds."""
    return [attribute.name for attribute in _tested(model) if attribute.date_format is not None]


def texts_of(model: NamedTree) -> list[str]:
    """Return the names of the attributes whose text a tree tests."""
    return [
        attribute.name for attribute in _tested(model) if attribute.is_nominal and not attribute.is_boolean
    ]


def _tested(model: NamedTree) -> list[Attribute]:
    tested = dict.fromkeys(model.tree.attribute.tolist())
    return [model.attributes[index] for index in tested if index != LEAF]
