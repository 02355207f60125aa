"""A tree as Python source: one function without imports, for programs that shall not need gatree."""

from __future__ import annotations

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
        What to call the function.
    """
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
    return f"at_most({attribute.name!r}, {model.threshold(node)!r})"
