"""A tree as Python source: one function without imports, for programs that shall not need gatree."""

from __future__ import annotations

import builtins
import keyword
import math

from gatree.base.errors import ConfigError
from gatree.trees.export.decision_list import dates_of, decision_list, strictest
from gatree.trees.named_tree import NamedTree

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
        # a whole number is called without a decimal point; a boolean may have is_integer, too
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
        tests = [_test(model, node) for node in strictest(model, passed)]
        if tests:
            lines += [f"    if {' and '.join(tests)}:", f"        return {model.label(leaf)!r}"]
        else:
            lines.append(f"    return {model.label(leaf)!r}")
    dates = ", ".join(map(ascii, dates_of(model)))
    remark = f"# Dates are milliseconds since 1970 in UTC: {dates}\n" if dates else ""
    return remark + _HEAD.format(function=function) + "\n".join(lines) + "\n"


def _test(model: NamedTree, node: int) -> str:
    attribute = model.attribute(node)
    if attribute.is_nominal:
        spellings = map(repr, attribute.spellings(model.category(node)))
        return f"equals({attribute.name!r}, {', '.join(spellings)})"
    return f"at_most({attribute.name!r}, {_number(model.threshold(node))})"


def _number(threshold: float) -> str:
    """Return a number as Python reads it; the name ``inf`` would have to be imported."""
    return repr(threshold) if math.isfinite(threshold) else f"float({str(threshold)!r})"
