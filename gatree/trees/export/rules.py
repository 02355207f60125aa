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
from gatree.trees.named_tree import NamedTree
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
    def step(known: dict[int, _Known], node: int, passed: bool) -> dict[int, _Known] | None:
        index = int(model.tree.attribute[node])
        after = known.get(index, _Known()).narrowed(model, node, passed)
        return None if after is None else known | {index: after}

    nothing: dict[int, _Known] = {}
    for node, known in model.tree.walk(nothing, step):
        if model.tree.is_leaf(node):
            yield _rule(model, node, known)


def _rule(model: NamedTree, leaf: int, known: dict[int, _Known]) -> Rule:
    conditions = tuple(
        condition for index, facts in known.items() for condition in facts.conditions(model.attributes[index])
    )
    counts = None if model.counts is None else tuple(model.counts[leaf].tolist())
    n_right = None if counts is None else counts[int(model.tree.value[leaf])]
    return Rule(conditions, model.class_attribute.name, model.label(leaf), counts, n_right)


@dataclass(frozen=True)
class _Known:
    """What the tests on the way say about one attribute."""

    at_most: float | None = None
    above: float | None = None
    category: str | None = None
    excluded: tuple[str, ...] = ()

    def narrowed(self, model: NamedTree, node: int, passed: bool) -> _Known | None:
        """Return what is known after one more test, or None if nothing can be left."""
        if model.attribute(node).is_nominal:
            return self._nominal(model.category(node), passed)
        return self._numeric(model.threshold(node), passed)

    def _nominal(self, category: str, passed: bool) -> _Known | None:
        if self.category is not None:
            return self if (self.category == category) == passed else None
        if passed:
            return None if category in self.excluded else _Known(category=category)
        return _Known(excluded=tuple(dict.fromkeys((*self.excluded, category))))

    def _numeric(self, threshold: float, passed: bool) -> _Known | None:
        at_most, above = self.at_most, self.above
        if passed:
            at_most = threshold if at_most is None else min(at_most, threshold)
        else:
            above = threshold if above is None else max(above, threshold)
        if at_most is not None and above is not None and above >= at_most:
            return None
        return _Known(at_most=at_most, above=above)

    def conditions(self, attribute: Attribute) -> Iterator[Condition]:
        name = attribute.name
        if self.above is not None:
            yield Condition(name, ">", _limit(attribute, self.above))
        if self.at_most is not None:
            yield Condition(name, "<=", _limit(attribute, self.at_most))
        if self.category is not None:
            yield Condition(name, "=", self.category)
        for category in self.excluded:
            yield Condition(name, "!=", category)


def _limit(attribute: Attribute, threshold: float) -> float | str:
    """Return a threshold: a text if it is a date."""
    return threshold if attribute.date_format is None else date_text(attribute.date_format, threshold)


def _word(text: str) -> str:
    """Return a name as it is if it is one plain word, else quoted."""
    return text if re.fullmatch(r"[\w.-]+", text) else json.dumps(text, ensure_ascii=False)
