"""A tree as code: an SQL expression, a Python function, or queries of pandas for the rows of every leaf.

SQL and Python are lists of rules to be read in order: the first that fits gives the class. Leaves are taken
from left to right, and a leaf's rule only asks for the tests that are passed on the way to it. The rules
before cover whatever passes a test that this leaf's instances fail, so no rule has to say what must not hold;
that saves both targets the question what "not" means for a missing value.

In SQL, NULL is a missing value: a comparison with it is never true, as in the tree. Columns are called like
the attributes, and dates are compared as ISO dates, which databases take for dates and for text.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterator

from gatree.base.errors import ConfigError, DataError, did_you_mean, visible
from gatree.data.attribute import Attribute
from gatree.trees.export.rules import ways
from gatree.trees.genome import LEAF
from gatree.trees.languages import (
    DIALECTS,
    PANDAS,
    PYTHON,
    Dialect,
    Language,
    conditions,
    label_text,
    remarks,
)
from gatree.trees.named_tree import NamedTree


def _decision_list(model: NamedTree, language: Language) -> Iterator[tuple[list[str], str]]:
    """Yield the tests of every leaf that must be passed, and its label; the last leaf asks for nothing."""
    for leaf, steps in ways(model):
        passed = [step for step in steps if step[1]]
        tests = [test.text(language) for test, _ in conditions(model, passed)]
        yield tests, label_text(model, leaf, language)


def tested(model: NamedTree) -> list[Attribute]:
    """Return the attributes that a tree tests, in the order of its nodes."""
    indices = dict.fromkeys(model.tree.attribute.tolist())
    return [model.attributes[index] for index in indices if index != LEAF]


def to_sql(model: NamedTree, dialect: str = "ansi", table: str | None = None) -> str:
    """Return a tree as SQL.

    Parameters
    ----------
    model : NamedTree
    dialect : {"ansi", "sqlite", "postgres", "duckdb", "mysql", "mssql"}
        How names and texts are quoted.
    table : str, optional
        Write a whole SELECT from this table, with the class as its last column, instead of an expression.
    """
    if dialect not in DIALECTS:
        near = did_you_mean(dialect, DIALECTS)
        raise ConfigError(f"dialect: should be one of {', '.join(DIALECTS)}, got {dialect!r}{near}")
    language = DIALECTS[dialect]
    rules = list(_decision_list(model, language))
    if len(rules) == 1:
        lines = [f"  WHEN 1 = 1 THEN {rules[0][1]}"]  # CASE needs a WHEN
    else:
        lines = [
            f"  WHEN {' AND '.join(tests)} THEN {label}" if tests else f"  ELSE {label}"
            for tests, label in rules
        ]
    case = "\n".join(["CASE", *lines, "END"])
    remark = remarks(language, tested(model)) + _on_collation(model, language)
    if table is None:
        written = f"{remark}{case}\n"
    else:
        predicted = language.name(model.class_attribute.name or "class")
        written = f"{remark}SELECT *, {case} AS {predicted}\nFROM {language.name(table)}\n"
    if "\0" in written:
        raise DataError("a name or a value has a NUL character, which SQL cannot have")
    return written


def _on_collation(model: NamedTree, dialect: Dialect) -> str:
    texts = [each.name for each in tested(model) if each.is_nominal and not each.is_boolean]
    if dialect.compares_text_exactly or not texts:
        return ""
    listed = ", ".join(dialect.name(visible(name)) for name in texts)
    return f"-- case and trailing spaces count, so these need an exact collation: {listed}\n"


_HEAD = '''\
def {function}(row):
    """Return the {what} of a row, a mapping from names to values.

    A missing value is None, NaN or not there; it passes no test.
    """

    def at_most(name, threshold):
        value = row.get(name)
        return value is not None and value <= threshold

    def not_after(name, last):
        # texts of dates, dates, times and pandas' timestamps; ISO dates are in order as texts, too
        value = str(row.get(name)).replace("T", " ").rstrip("Z").partition("+")[0]
        return value[:1].isdigit() and (value[:10] if len(last) == 10 else value) <= last

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


def to_python(model: NamedTree, function: str = "predict") -> str:
    """Return the source of a function that gives a row, a mapping from names to values, its class.

    Parameters
    ----------
    model : NamedTree
    function : str
        What to call the function: any name that is not Python's own.
    """
    if not function.isidentifier() or keyword.iskeyword(function) or hasattr(builtins, function):
        raise ConfigError(f"function: should be a name that is not Python's own, got {function!r}")
    lines = []
    for tests, label in _decision_list(model, PYTHON):
        if tests:
            lines += [f"    if {' and '.join(tests)}:", f"        return {label}"]
        else:
            lines.append(f"    return {label}")
    head = python_head(model.is_regression, function)
    return remarks(PYTHON, tested(model)) + head + "\n".join(lines) + "\n"


def to_pandas(model: NamedTree) -> str:
    """Return a dictionary in Python: for every leaf a text for ``DataFrame.query``, and what it predicts."""
    if any("`" in attribute.name for attribute in tested(model)):
        raise DataError("a name has a backtick, which pandas' queries cannot have")
    lines = []
    for leaf, steps in ways(model):
        tests = [test.text(PANDAS, outcome) for test, outcome in conditions(model, steps)]
        query = " and ".join(tests) or "index == index"
        lines.append(f"    {query!r}: {label_text(model, leaf, PANDAS)},\n")
    return f"{remarks(PANDAS, tested(model))}queries = {{\n{''.join(lines)}}}\n"
