"""A tree as rules that each stand alone: IF ... AND ... THEN class.

Unlike the lines of a tree, a rule says all that must hold, and each attribute at most twice. A missing value,
and a category that the tree does not know, fulfils `>` and `!=` and neither `<=` nor `=`. Leaves
that nothing can reach have no rule.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gatree.data.attribute import Attribute
from gatree.data.dates import date_text
from gatree.trees.named_tree import NamedTree, Passed, decided
from gatree.trees.render import number


@dataclass(frozen=True)
class Condition:
    """What must hold for one attribute."""

    attribute: str
    relation: Literal["<=", ">", "=", "!="]
    value: float | str

    def __str__(self) -> str:
        value = _word(self.value) if isinstance(self.value, str) else number(self.value)
        return f"{_word(self.attribute)} {self.relation} {value}"


@dataclass(frozen=True)
class Rule:
    """The conditions of one leaf, its class, and the training instances there by class, if known."""

    conditions: tuple[Condition, ...]
    class_name: str
    label: str
    counts: tuple[int, ...] | None
    n_right: int | None

    def __str__(self) -> str:
        conditions = " AND ".join(map(str, self.conditions)) or "TRUE"
        rule = f"IF {conditions} THEN {_word(self.class_name)} = {_word(self.label)}"
        return rule if self.counts is None else f"{rule}  ({self.n_right} of {sum(self.counts)})"


def rules(model: NamedTree) -> list[Rule]:
    """Return a rule for every leaf that can be reached, from left to right."""
    return list(_rules(model))


def to_rules(model: NamedTree) -> str:
    """Return a tree as rules, one per line, with the right and all training instances of each."""
    return "".join(f"{rule}\n" for rule in rules(model))


def _rules(model: NamedTree) -> Iterator[Rule]:
    tree = model.tree

    def step(known: dict[int, Passed], node: int, passed: bool) -> dict[int, Passed] | None:
        answer = decided(tree, node, known, model.coding.is_numeric)
        if answer is not None:
            return known if answer == passed else None
        index = int(tree.attribute[node])
        return known | {index: known.get(index, Passed()).after(int(tree.value[node]), passed)}

    nothing: dict[int, Passed] = {}
    for node, known in tree.walk(nothing, step):
        if tree.is_leaf(node):
            yield _rule(model, node, known)


def _rule(model: NamedTree, leaf: int, known: dict[int, Passed]) -> Rule:
    conditions = tuple(
        condition for index, facts in known.items() for condition in _conditions(model, index, facts)
    )
    counts = None if model.counts is None else tuple(model.counts[leaf].tolist())
    n_right = None if counts is None else counts[int(model.tree.value[leaf])]
    return Rule(conditions, model.class_attribute.name, model.label(leaf), counts, n_right)


def _conditions(model: NamedTree, index: int, known: Passed) -> Iterator[Condition]:
    """Yield what the tests on the way to a leaf say of one attribute."""
    attribute = model.attributes[index]
    if not attribute.is_nominal:
        limits = model.coding.thresholds[index]
        if known.failed:
            yield Condition(attribute.name, ">", _limit(attribute, float(limits[max(known.failed)])))
        if known.at_most is not None:
            yield Condition(attribute.name, "<=", _limit(attribute, float(limits[known.at_most])))
    elif known.at_most is not None:
        yield Condition(attribute.name, "=", attribute.values[known.at_most])
    else:
        for value in known.failed:
            yield Condition(attribute.name, "!=", attribute.values[value])


def _limit(attribute: Attribute, threshold: float) -> float | str:
    """Return a threshold: a text if it is a date."""
    return threshold if attribute.date_format is None else date_text(attribute.date_format, threshold)


def _word(text: str) -> str:
    """Return a name as it is if it is one plain word, else quoted."""
    return text if re.fullmatch(r"[\w.-]+", text) else json.dumps(text, ensure_ascii=False)
