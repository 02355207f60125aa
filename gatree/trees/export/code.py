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
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gatree.base.errors import ConfigError, DataError, did_you_mean, shown, visible
from gatree.data.attribute import MISSING_WORDS, Attribute
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
from gatree.trees.nodes import check_node
from gatree.trees.numbers import number
from gatree.trees.render import leaf_support
from gatree.trees.simplify import Path, undecided


class _Rule(NamedTuple):
    """What must hold at a leaf, what it predicts, and its training instances, if they are known."""

    tests: list[str]
    label: str
    about: str


def _rules(
    model: DecisionTree, language: Language, in_order: bool = False, blanks: int = 1
) -> Iterator[_Rule]:
    """Yield the rule of every leaf that can be reached; if they are read in order, with passed tests only."""
    for _, leaf, path in undecided(model.tree, model.coding.is_numeric):
        if not model.tree.is_leaf(leaf):
            continue
        tests = [test.text(language, outcome) for test, outcome in _conditions(model, path, in_order)]
        label = number(model.prediction(leaf)) if model.is_regression else language.word(model.label(leaf))
        support = leaf_support(model, leaf)
        yield _Rule(tests, label, "" if support is None else f"{' ' * blanks}({support.text})")


def _conditions(model: DecisionTree, path: Path, in_order: bool) -> Iterator[tuple[Test, Outcome]]:
    """Yield what must hold at the end of a path, without what follows from the rest."""
    for index in path.passed if in_order else path.known:
        attribute, passed = model.attributes[index], path.passed.get(index)
        failed = [] if in_order else path.failed.get(index, [])
        if not attribute.is_nominal:
            thresholds = model.coding.thresholds[index]
            if failed:
                outcome: Outcome = "failed" if passed is None else "above"
                yield Test(attribute, float(thresholds[failed[-1]])), outcome
            if passed is not None:
                yield Test(attribute, float(thresholds[passed])), "passed"
        elif passed is not None:
            yield Test(attribute, attribute.values[passed]), "passed"
        else:
            yield from ((Test(attribute, attribute.values[value]), "failed") for value in failed)


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


def _free_column(model: DecisionTree) -> str:
    """Return a name for the predictions that no column of the data has, in any case of its letters."""
    name = f"predicted_{model.class_attribute.name or 'class'}"
    taken = {attribute.name.casefold() for attribute in model.attributes}
    while name.casefold() in taken:
        name += "_"
    return name


def to_sql(model: DecisionTree, dialect: str = "ansi", table: str | None = None) -> str:
    """Return a tree as SQL.

    Parameters
    ----------
    model : DecisionTree
    dialect : {"ansi", "sqlite", "postgres", "duckdb", "mysql", "mssql"}
        How names and texts are quoted.
    table : str, optional
        Write a whole SELECT from this table instead of an expression. Its last column, the prediction, is
        named like the class behind ``predicted_``.
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
        predicted = language.name(_free_column(model))
        written = f"{remark}SELECT *, {case} AS {predicted}\nFROM {language.name(table)}\n"
    if "\0" in written:
        raise DataError("a name or a value has a NUL character, which SQL cannot have")
    return written


_HEAD = '''\
def {function}(row):
    """Return the {what} of a row, a mapping from names to values, such as csv.DictReader reads.

    A missing value is None, NaN, not there, or a text such as "" or "NA"; it passes no test.
    """
'''

_AT_MOST = f"""\
    def at_most(name, threshold):
        value = row.get(name)
        if isinstance(value, str):
            value = None if value.strip() in {MISSING_WORDS!r} else float(value)
        return value is not None and value <= threshold

"""

_NOT_AFTER = """\
    from datetime import UTC, datetime

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

"""

_EQUALS = """\
    def equals(name, *spellings):
        value = row.get(name)
        return value is not None and text(value) in spellings

    def text(value):
        # an integer is written without a decimal point; a boolean may have is_integer, too
        if hasattr(value, "is_integer") and value.is_integer() and not isinstance(value, bool):
            return str(int(value))
        return str(value)

"""

PYTHON_HELPERS = {"date": _NOT_AFTER, "number": _AT_MOST, "category": _EQUALS}
"""How the function compares values, by the kind of the attributes that it tests."""


def python_head(is_regression: bool, function: str = "predict") -> str:
    """Return the beginning of the function."""
    return _HEAD.format(function=function, what="number" if is_regression else "class")


def to_python(model: DecisionTree, function: str = "predict") -> str:
    """Return the source of a function that gives a row, a mapping from names to values, its class.

    It needs Python's own library only, and imports nothing unless the tree tests dates.

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
    kinds = {attribute.meaning for attribute in tested(model)}
    helpers = "".join(code for kind, code in PYTHON_HELPERS.items() if kind in kinds)
    head = remarks(PYTHON, tested(model)) + python_head(model.is_regression, function)
    return f"{head}{helpers}{''.join(lines)}    return {last.label}\n"


_NOT_IN_QUERIES = re.compile("[`\x00-\x1f\x7f\x85\u2028\u2029]")
_NO_ROWS, _ALL_ROWS = (
    "index in []",
    "index not in []",
)  # also where a column is called index, or a label is missing


def _check_names(attributes: Iterable[Attribute]) -> None:
    """Raise a DataError if pandas' queries cannot name an attribute."""
    for attribute in attributes:
        if found := _NOT_IN_QUERIES.search(attribute.name):
            raise DataError(
                f"pandas' queries take no name with the character {found[0]!r}, got {shown(attribute.name)}; "
                "rename the column, or export to python"
            )


def query(model: DecisionTree, node: int) -> str:
    """Return the condition of a node, a text for ``DataFrame.query``; `to_frame` has the nodes' numbers."""
    check_node(model, node)
    tree, path = model.tree, Path(model.coding.is_numeric)
    at = 0
    while at != node:
        test, passed = (int(tree.attribute[at]), int(tree.value[at])), node < tree.right(at)
        answer = path.answer(*test)
        if answer is None:
            path.step(*test, passed)
        elif answer != passed:
            return _NO_ROWS
        at = tree.left(at) if passed else tree.right(at)
    _check_names(model.attributes[index] for index in path.known)
    tests = [test.text(PANDAS, outcome) for test, outcome in _conditions(model, path, in_order=False)]
    return " and ".join(tests) or _ALL_ROWS


def to_pandas(model: DecisionTree) -> str:
    """Return a dictionary in Python: for every leaf a text for ``DataFrame.query``, and what it predicts."""
    _check_names(tested(model))
    lines = [
        f"    {(' and '.join(rule.tests) or _ALL_ROWS)!r}: {rule.label},\n" for rule in _rules(model, PANDAS)
    ]
    return f"{remarks(PANDAS, tested(model))}queries = {{\n{''.join(lines)}}}\n"
