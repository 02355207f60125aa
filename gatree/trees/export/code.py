"""A tree as code: an SQL expression, or a Python function.

Both are lists of rules to be read in order: the first that fits gives the class. Leaves are taken from left
to right, and a leaf's rule only asks for the tests that are passed on the way to it. The rules before cover
whatever passes a test that this leaf's instances fail, so no rule has to say what must not hold; that saves
both targets the question what "not" means for a missing value.

In SQL, NULL is a missing value: a comparison with it is never true, as in the tree. Columns are called like
the attributes; dates are compared as milliseconds since 1970. Booleans may be a type of the database, numbers
or text: they are compared as text, for what a number or a boolean equals is another matter in every database.
"""

from __future__ import annotations

import builtins
import keyword
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gatree.base.errors import ConfigError, DataError, did_you_mean, visible
from gatree.data.attribute import Attribute
from gatree.trees.genome import LEAF
from gatree.trees.named_tree import NamedTree


class ListedRule(NamedTuple):
    """Inner nodes whose tests must be passed, from the root down, and the leaf that they lead to."""

    passed: tuple[int, ...]
    leaf: int


def decision_list(model: NamedTree) -> Iterator[ListedRule]:
    """Yield the rules in order; the last one asks for nothing."""

    def step(passed: tuple[int, ...], node: int, passes: bool) -> tuple[int, ...]:
        return (*passed, node) if passes else passed

    nothing: tuple[int, ...] = ()
    for node, passed in model.tree.walk(nothing, step):
        if model.tree.is_leaf(node):
            yield ListedRule(passed, node)


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


@dataclass(frozen=True)
class _Dialect:
    """How names and texts are quoted, and the type that makes a text of anything."""

    name: Callable[[str], str]
    text: Callable[[str], str]
    text_type: str = "VARCHAR(20)"
    compares_text_exactly: bool = True  # in columns without a collation of their own


def _doubled(left: str, right: str) -> Callable[[str], str]:
    return lambda word: left + word.replace(right, right * 2) + right


def _escaped(word: str) -> str:
    """Return a text for databases that read a backslash as an escape."""
    return _doubled("'", "'")(word.replace("\\", "\\\\"))


_STANDARD = _Dialect(_doubled('"', '"'), _doubled("'", "'"))

DIALECTS = {
    "ansi": _STANDARD,
    "sqlite": _STANDARD,
    "postgres": _STANDARD,
    "duckdb": _STANDARD,
    "mysql": _Dialect(_doubled("`", "`"), _escaped, "CHAR", compares_text_exactly=False),
    "mssql": _Dialect(_doubled("[", "]"), _doubled("'", "'"), compares_text_exactly=False),
}


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
    quote = DIALECTS[dialect]
    lines = ["CASE"]
    for passed, leaf in decision_list(model):
        label = quote.text(model.label(leaf))
        tests = [_sql_test(model, node, quote) for node in strictest(model, passed)]
        lines.append(f"  WHEN {' AND '.join(tests)} THEN {label}" if tests else f"  ELSE {label}")
    if len(lines) == 2:
        lines[1] = f"  WHEN 1 = 1 THEN {quote.text(model.label(0))}"  # CASE needs a WHEN
    case = "\n".join([*lines, "END"])
    remark = _remarks(model, quote)
    if table is None:
        written = f"{remark}{case}\n"
    else:
        predicted = quote.name(model.class_attribute.name or "class")
        written = f"{remark}SELECT *, {case} AS {predicted}\nFROM {quote.name(table)}\n"
    if "\0" in written:
        raise DataError("a name or a value has a NUL character, which SQL cannot have")
    return written


def _remarks(model: NamedTree, quote: _Dialect) -> str:
    """Return what the columns have to be for the database to decide as the tree does, as comments."""
    remarks = []
    if dates := dates_of(model):
        remarks.append(f"milliseconds since 1970 in UTC: {_listed(dates, quote)}")
    if not quote.compares_text_exactly and (texts := texts_of(model)):
        remarks.append(
            f"case and trailing spaces count, so these need an exact collation: {_listed(texts, quote)}"
        )
    return "".join(f"-- {remark}\n" for remark in remarks)


def _listed(names: list[str], quote: _Dialect) -> str:
    return ", ".join(quote.name(visible(name)) for name in names)


def _sql_test(model: NamedTree, node: int, quote: _Dialect) -> str:
    attribute = model.attribute(node)
    name = quote.name(attribute.name)
    if attribute.is_boolean:
        word, digit = attribute.spellings(model.category(node))
        spellings = ", ".join(map(quote.text, (word.lower(), digit, f"{digit}.0")))
        return f"LOWER(CAST({name} AS {quote.text_type})) IN ({spellings})"
    if attribute.is_nominal:
        return f"{name} = {quote.text(model.category(node))}"
    return f"{name} {_at_most(model.threshold(node))}"


def _at_most(threshold: float) -> str:
    """Return the comparison with a threshold; no two databases agree on how to write an infinite one."""
    if math.isfinite(threshold):
        return f"<= {threshold!r}"
    return "IS NOT NULL" if threshold > 0 else f"< -{sys.float_info.max!r}"


_HEAD = '''\
def {function}(row):
    """Return the class of a row, a mapping from names to values.

    A missing value is None, NaN or not there; it passes no test.
    """

    def at_most(name, threshold):
        value = row.get(name)
        return value is not None and value <= threshold

    def equals(name, *spellings):
        value = row.get(name)
        return value is not None and text(value) in spellings

    def text(value):
        # an integer is written without a decimal point; a boolean may have is_integer, too
        if hasattr(value, "is_integer") and value.is_integer() and not isinstance(value, bool):
            return str(int(value))
        return str(value)

'''


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
    for passed, leaf in decision_list(model):
        tests = [_python_test(model, node) for node in strictest(model, passed)]
        if tests:
            lines += [f"    if {' and '.join(tests)}:", f"        return {model.label(leaf)!r}"]
        else:
            lines.append(f"    return {model.label(leaf)!r}")
    dates = ", ".join(map(ascii, dates_of(model)))
    remark = f"# Dates are milliseconds since 1970 in UTC: {dates}\n" if dates else ""
    return remark + _HEAD.format(function=function) + "\n".join(lines) + "\n"


def _python_test(model: NamedTree, node: int) -> str:
    attribute = model.attribute(node)
    if attribute.is_nominal:
        spellings = map(repr, attribute.spellings(model.category(node)))
        return f"equals({attribute.name!r}, {', '.join(spellings)})"
    return f"at_most({attribute.name!r}, {_python_number(model.threshold(node))})"


def _python_number(threshold: float) -> str:
    """Return a number as Python reads it; the name ``inf`` would have to be imported."""
    return repr(threshold) if math.isfinite(threshold) else f"float({str(threshold)!r})"
