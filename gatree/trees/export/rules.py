"""A tree as rules that each stand alone: IF ... AND ... THEN class, also as a list in Markdown.

Unlike the lines of a tree, a rule says all that must hold, and each attribute at most twice. A missing value,
and a category that the tree does not know, fails every test; rules say where it goes. Leaves that nothing can
reach have no rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from gatree.trees.languages import MARKDOWN, RULES, Language, conditions, label_text
from gatree.trees.named_tree import NamedTree, Passed, decided

Steps = tuple[tuple[int, bool], ...]
_SoFar = tuple[Steps, dict[int, Passed]]


def ways(model: NamedTree) -> Iterator[tuple[int, Steps]]:
    """Yield every leaf that can be reached, from left to right, and the tests before it with answers."""
    tree = model.tree

    def step(so_far: _SoFar, node: int, passed: bool) -> _SoFar | None:
        steps, known = so_far
        answer = decided(tree, node, known, model.coding.is_numeric)
        if answer is not None:
            return so_far if answer == passed else None
        index = int(tree.attribute[node])
        facts = known.get(index, Passed()).after(int(tree.value[node]), passed)
        return (*steps, (node, passed)), known | {index: facts}

    start: _SoFar = ((), {})
    for node, (steps, _) in tree.walk(start, step):
        if tree.is_leaf(node):
            yield node, steps


def to_rules(model: NamedTree) -> str:
    """Return a tree as rules, one per line, with the right and all training instances of each."""
    name = RULES.word(model.class_attribute.name)
    return "".join(
        f"IF {' AND '.join(texts) or 'TRUE'} THEN {name} = {label}{about}\n"
        for texts, label, about in _written(model, RULES, "  ({})")
    )


def to_markdown(model: NamedTree) -> str:
    """Return a tree as a list in Markdown, an entry per leaf."""
    name = MARKDOWN.word(model.class_attribute.name)
    return "".join(
        f"- {' and '.join(texts) or 'always'}: {name} is **{label}**{about}\n"
        for texts, label, about in _written(model, MARKDOWN, " ({})")
    )


def _written(model: NamedTree, language: Language, frame: str) -> Iterator[tuple[list[str], str, str]]:
    """Yield the conditions of every leaf, what it predicts, and its training instances, if they are known."""
    for leaf, steps in ways(model):
        texts = [test.text(language, outcome) for test, outcome in conditions(model, steps)]
        label = label_text(model, leaf, language)
        n_rows = model.n_rows
        yield texts, label, "" if n_rows is None else frame.format(_counted(model, leaf, int(n_rows[leaf])))


def _counted(model: NamedTree, leaf: int, n: int) -> str:
    if model.counts is None or model.is_regression:
        return f"{n} {'row' if n == 1 else 'rows'}"
    return f"{int(model.counts[leaf, model.tree.value[leaf]])} of {n}"
