"""A tree as texts: rules, a list in Markdown, an SQL expression, a Python function, queries of pandas.

All of them go through the leaves from left to right (`_rules`). A rule, an entry of the list and a query
stand alone: each says all that must hold, an attribute at most twice, and where missing values go. Leaves
that nothing can reach have none.

SQL and Python are lists to be read in order: the first rule that fits gives the class. So a rule only asks
for the tests that are passed on the way to its leaf. The rules before cover whatever passes a test that this
leaf's instances fail, so no rule has to say what must not hold; that saves both targets the question what
"not" means for a missing value.

In SQL, NULL is a missing value: a comparison with it is never true, as in the tree. Columns are called like
the attributes, and dates are compared as ISO dates, which databases take for dates and for text.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

from gatree.base.errors import ConfigError, DataError, did_you_mean, visible
from gatree.data.attribute import Attribute
from gatree.trees.genome import LEAF
from gatree.trees.languages import (
    DIALECTS,
    MARKDOWN,
    PANDAS,
    PYTHON,
    RULES,
    Language,
    Outcome,
    Test,
    remarks,
)
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import number
from gatree.trees.simplify import undecided


class _Rule(NamedTuple):
    """What must hold at a leaf, what it predicts, and its training instances, if they are known."""

    tests: list[str]
    label: str
    about: str


def _rules(
    model: DecisionTree, language: Language, in_order: bool = False, blanks: int = 1
) -> Iterator[_Rule]:
    """Yield the rule of every leaf that can be reached; if they are read in order, with passed tests only."""
    n_rows, is_number = model.n_rows, model.is_regression
    for _, leaf, steps in undecided(model.tree, model.coding.is_numeric):
        if not model.tree.is_leaf(leaf):
            continue
        asked = [step for step in steps if step[1]] if in_order else steps
        tests = [test.text(language, outcome) for test, outcome in _conditions(model, asked)]
        label = number(model.prediction(leaf)) if is_number else language.word(model.label(leaf))
        about = ""
        if model.counts is not None and not is_number:
            about = f"({model.counts[leaf, model.tree.value[leaf]]} of {model.counts[leaf].sum()})"
        elif n_rows is not None:
            about = f"({n_rows[leaf]} {'row' if n_rows[leaf] == 1 else 'rows'})"
        yield _Rule(tests, label, about and " " * blanks + about)


def _conditions(model: DecisionTree, steps: Iterable[tuple[int, bool]]) -> Iterator[tuple[Test, Outcome]]:
    """Yield what must hold at the end of a way down a tree, without what follows from the rest."""
    by_attribute: dict[int, list[tuple[Test, bool]]] = {}
    for node, passed in steps:
        attribute = model.attribute(node)
        test = Test(attribute, model.category(node) if attribute.is_nominal else model.threshold(node))
        by_attribute.setdefault(int(model.tree.attribute[node]), []).append((test, passed))
    for own in by_attribute.values():
        passing = [test for test, passed in own if passed]
        failing = list(dict.fromkeys(test for test, passed in own if not passed))
        if not own[0][0].attribute.is_nominal:
            if failing:
                yield max(failing, key=attrgetter("value")), "above" if passing else "failed"
            if passing:
                yield min(passing, key=attrgetter("value")), "passed"
        elif passing:
            yield passing[0], "passed"
        else:
            yield from ((test, "failed") for test in failing)


def to_rules(model: DecisionTree) -> str:
    """Return a tree as rules that each stand alone, one per line: IF ... AND ... THEN class."""
    name = RULES.word(model.class_attribute.name)
    return "".join(
        f"IF {' AND '.join(rule.tests) or 'TRUE'} THEN {name} = {rule.label}{rule.about}\n"
        for rule in _rules(model, RULES, blanks=2)
    )


def to_markdown(model: DecisionTree) -> str:
    """Return a tree as a list in Markdown, an entry per leaf."""
    name = MARKDOWN.word(model.class_attribute.name)
    return "".join(
        f"- {' and '.join(rule.tests) or 'always'}: {name} is **{rule.label}**{rule.about}\n"
        for rule in _rules(model, MARKDOWN)
    )


def tested(model: DecisionTree) -> list[Attribute]:
    """Return the attributes that a tree tests, in the order of its nodes."""
    indices = dict.fromkeys(model.tree.attribute.tolist())
    return [model.attributes[index] for index in indices if index != LEAF]


def to_sql(model: DecisionTree, dialect: str = "ansi", table: str | None = None) -> str:
    """Return a tree as SQL.

    Parameters
    ----------
    model : DecisionTree
    dialect : {"ansi", "sqlite", "postgres", "duckdb", "mysql", "mssql"}
        How names and texts are quoted.
    table : str, optional
        Write a whole SELECT from this table, with the class as its last column, instead of an expression.
    """
    if dialect not in DIALECTS:
        near = did_you_mean(dialect, DIALECTS)
        raise ConfigError(f"dialect: should be one of {', '.join(DIALECTS)}, got {dialect!r}{near}")
    language = DIALECTS[dialect]
    rules = list(_rules(model, language, in_order=True))
    lines = [f"  WHEN {' AND '.join(rule.tests)} THEN {rule.label}" for rule in rules[:-1]]
    # CASE needs a WHEN. The last leaf, in which no test is passed, asks for nothing.
    lines.append(f"  ELSE {rules[-1].label}" if lines else f"  WHEN 1 = 1 THEN {rules[-1].label}")
    case = "\n".join(["CASE", *lines, "END"])
    remark = remarks(language, tested(model))
    texts = [each.name for each in tested(model) if each.is_nominal and not each.is_boolean]
    if texts and not language.compares_text_exactly:
        listed = ", ".join(language.name(visible(name)) for name in texts)
        remark += f"-- case and trailing spaces count, so these need an exact collation: {listed}\n"
    if table is None:
        written = f"{remark}{case}\n"
    else:
        predicted = language.name(model.class_attribute.name or "class")
        written = f"{remark}SELECT *, {case} AS {predicted}\nFROM {language.name(table)}\n"
    if "\0" in written:
        raise DataError("a name or a value has a NUL character, which SQL cannot have")
    return written


_HEAD = '''\
def {function}(row):
    """Return the {what} of a row, a mapping from names to values.

    A missing value is None, NaN or not there; it passes no test.
    """
    from datetime import UTC, datetime

    def at_most(name, threshold):
        value = row.get(name)
        return value is not None and value <= threshold

    def not_after(name, last):
        # dates, times, pandas' timestamps and ISO texts of them; what has no offset is in UTC
        value = str(row.get(name))
        if not value[:1].isdigit():
            return False
        moment = datetime.fromisoformat(value + "-01" if len(value) == 7 else value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        end = last + " 23:59:59.999999" if len(last) == 10 else last
        return moment <= datetime.fromisoformat(end + "Z")

    def equals(name, *spellings):
        value = row.get(name)
        return value is not None and text(value) in spellings

    def text(value):
        # an integer is written without a decimal point; a boolean may have is_integer, too
        if hasattr(value, "is_integer") and value.is_integer() and not isinstance(value, bool):
            return str(int(value))
        return str(value)

'''


def python_head(is_regression: bool, function: str = "predict") -> str:
    """Return the beginning of the function: how it compares values."""
    return _HEAD.format(function=function, what="number" if is_regression else "class")


def to_python(model: DecisionTree, function: str = "predict") -> str:
    """Return the source of a function that gives a row, a mapping from names to values, its class.

    Parameters
    ----------
    model : DecisionTree
    function : str
        What to call the function: any name that is not Python's own.
    """
    if not function.isidentifier() or keyword.iskeyword(function) or hasattr(builtins, function):
        raise ConfigError(f"function: should be a name that is not Python's own, got {function!r}")
    *rules, last = _rules(model, PYTHON, in_order=True)
    lines = [f"    if {' and '.join(rule.tests)}:\n        return {rule.label}\n" for rule in rules]
    head = remarks(PYTHON, tested(model)) + python_head(model.is_regression, function)
    return f"{head}{''.join(lines)}    return {last.label}\n"


def to_pandas(model: DecisionTree) -> str:
    """Return a dictionary in Python: for every leaf a text for ``DataFrame.query``, and what it predicts."""
    if any("`" in attribute.name for attribute in tested(model)):
        raise DataError("a name has a backtick, which pandas' queries cannot have")
    lines = [
        f"    {(' and '.join(rule.tests) or 'index == index')!r}: {rule.label},\n"
        for rule in _rules(model, PANDAS)
    ]
    return f"{remarks(PANDAS, tested(model))}queries = {{\n{''.join(lines)}}}\n"
