"""A tree as SQL: one CASE expression, so that a database predicts where the data lie.

NULL is a missing value: a comparison with it is never true, as in the tree. Columns are called like the
attributes; dates are compared as milliseconds since 1970. Booleans may be a type of the database, numbers or
text: they are compared as text, for what a number or a boolean equals is another matter in every database.

Text is compared by the column's collation. The tree tells upper from lower case and counts trailing spaces,
as most databases do by default; MySQL and SQL Server do not, and SQL for them begins with a remark.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

from gatree.base.errors import ConfigError, DataError, did_you_mean, visible
from gatree.trees.export.decision_list import dates_of, decision_list, strictest, texts_of
from gatree.trees.named_tree import NamedTree


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
        tests = [_test(model, node, quote) for node in strictest(model, passed)]
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


def _test(model: NamedTree, node: int, quote: _Dialect) -> str:
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
