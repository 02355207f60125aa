"""How tests are written in each language: rules, SQL, Python, queries of pandas, Markdown.

A language has, for every attribute, the text before and after the value of a test, once for each outcome. So
a test is written by putting its value between two texts, and a caller that has texts and values can write
any tree: the page of `gatree explore` does it in JavaScript, and writes what `gatree export` writes.

Numbers have the shortest text that gives back the same float, as JavaScript writes it, and dates are ISO
dates. A missing value passes no test, so the text of a failed test names it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

import numpy as np

from gatree.base.errors import visible
from gatree.data.attribute import Attribute
from gatree.trees.numbers import number

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_TIME_LETTERS = re.compile("[HhKkmsSa]")

Outcome = Literal["passed", "failed", "above"]
"""A test is passed, or failed by another value or a missing one, or failed by a larger number."""


class Frames(NamedTuple):
    """The texts before and after a test's value, for every outcome.

    ``other`` is a failed test of an attribute with two values, written with the value that is left.
    """

    passed: tuple[str, str]
    failed: tuple[str, str]
    above: tuple[str, str]
    other: tuple[str, str] | None = None

    @classmethod
    def of(cls, same: str, other: str, end: str = "", opening: str = "", missing: str = "") -> Frames:
        """Return the texts of a language that names missing values where a test has failed."""
        instead = (opening + same, end + missing) if missing else None
        return cls((same, end), (opening + other, end + missing), (other, end), instead)


@dataclass(frozen=True)
class Language:
    """How tests of an attribute are written."""

    word: Callable[[str], str]  # writes a name or a class
    frames: Callable[[Attribute], Frames]
    category: Callable[[Attribute, str], str]  # writes a value of a nominal attribute
    remark: str = ""  # how a comment begins, if the language has comments


class Test(NamedTuple):
    """A test of an attribute: for a value, or for a number that is at most a threshold."""

    attribute: Attribute
    value: float | str

    def text(self, language: Language, outcome: Outcome = "passed") -> str:
        """Return what holds if the test has an outcome."""
        frames, values = language.frames(self.attribute), self.attribute.values
        before, after = getattr(frames, outcome)
        if isinstance(self.value, str):
            held = self.value
            if outcome == "failed" and len(values) == 2 and frames.other is not None:
                (before, after), held = frames.other, values[1 - values.index(held)]
            value = language.category(self.attribute, held)
        elif self.attribute.date_format is None:
            value = number(self.value)
        else:
            value = iso_date(self.attribute.date_format, self.value)
        return f"{before}{value}{after}"


def is_whole_days(date_format: str) -> bool:
    """Tell whether dates of a format have no time of the day."""
    return not _TIME_LETTERS.search(re.sub("'[^']*'", "", date_format))


def iso_date(date_format: str, milliseconds: float) -> str:
    """Return a date, or a date and a time in UTC, as ISO 8601 has it."""
    try:
        moment = _EPOCH + timedelta(milliseconds=float(np.floor(milliseconds)))
    except OverflowError:
        moment = datetime.max.replace(tzinfo=UTC) if milliseconds > 0 else datetime.min.replace(tzinfo=UTC)
    if is_whole_days(date_format):
        return moment.date().isoformat()
    unit = "milliseconds" if moment.microsecond else "seconds"
    return moment.replace(tzinfo=None).isoformat(" ", unit)


def expected(attribute: Attribute) -> str | None:
    """Return the form that a column must have, if it is not plain numbers or text."""
    if attribute.date_format is not None:
        days = is_whole_days(attribute.date_format)
        return "a date such as 2020-01-31" if days else "a date and time in UTC such as 2020-01-31 15:00:00"
    reading = attribute.reading
    if reading is None:
        return None
    parts = []
    if reading.left_out or reading.decimal != "." or reading.thousands:
        left_out = " or ".join(map(visible, reading.left_out))
        parts.append(f"a plain number such as 1234.5{f', without {left_out}' if left_out else ''}")
    if reading.missing:
        parts.append(f"missing where the file has {' or '.join(map(visible, reading.missing))}")
    return ", ".join(parts) or None


def remarks(language: Language, attributes: Iterable[Attribute]) -> str:
    """Return comments on the forms that columns must have."""
    forms = [(attribute.name, expected(attribute)) for attribute in attributes]
    return "".join(f"{language.remark} {visible(name)}: {form}\n" for name, form in forms if form)


# --------------------------------------------------------------------------------------------- the languages


def _plain_word(text: str) -> str:
    """Return a name as it is if it is one plain word, else quoted."""
    return text if re.fullmatch(r"[\w.-]+", text) else json.dumps(text, ensure_ascii=False)


def _rule_frames(attribute: Attribute) -> Frames:
    name = _plain_word(attribute.name)
    same, other = ("=", "!=") if attribute.is_nominal else ("<=", ">")
    return Frames.of(f"{name} {same} ", f"{name} {other} ", "", "(", f" OR {name} is missing)")


RULES = Language(_plain_word, _rule_frames, lambda _, value: _plain_word(value))


def _doubled(left: str, right: str) -> Callable[[str], str]:
    return lambda word: left + word.replace(right, right * 2) + right


def _escaped(word: str) -> str:
    """Return a text for databases that read a backslash as an escape."""
    return _doubled("'", "'")(word.replace("\\", "\\\\"))


_NAME, _TEXT = _doubled('"', '"'), _doubled("'", "'")


@dataclass(frozen=True)
class Dialect(Language):
    """A dialect of SQL: how names and texts are quoted, and the type that makes a text of anything."""

    name: Callable[[str], str] = _NAME
    compares_text_exactly: bool = True  # in columns without a collation of their own

    @classmethod
    def of(
        cls,
        name: Callable[[str], str] = _NAME,
        word: Callable[[str], str] = _TEXT,
        text_type: str = "VARCHAR(20)",
        exact: bool = True,
    ) -> Dialect:
        """Return a dialect.

        Booleans may be a type of the database, numbers or text: they are compared as text, for what a number
        or a boolean equals is another matter in every database.
        """

        def frames(attribute: Attribute) -> Frames:
            column, mark = name(attribute.name), "" if attribute.date_format is None else "'"
            subject = column
            passed, failed, end = " = ", " <> ", ""
            if attribute.is_boolean:
                subject = f"LOWER(CAST({column} AS {text_type}))"
                passed, failed, end = " IN (", " NOT IN (", ")"
            elif not attribute.is_nominal:
                passed, failed, end = f" <= {mark}", f" > {mark}", mark
            framed = Frames.of(subject + passed, subject + failed, end, "(", f" OR {column} IS NULL)")
            return framed._replace(other=None)  # a database may have further values

        def category(attribute: Attribute, value: str) -> str:
            if not attribute.is_boolean:
                return word(value)
            text, digit = attribute.spellings(value)
            return ", ".join(map(word, (text.lower(), digit, f"{digit}.0")))

        return cls(word, frames, category, "--", name, exact)


SQL = Dialect.of()

DIALECTS = {
    "ansi": SQL,
    "sqlite": SQL,
    "postgres": SQL,
    "duckdb": SQL,
    "mysql": Dialect.of(_doubled("`", "`"), _escaped, "CHAR", exact=False),
    "mssql": Dialect.of(_doubled("[", "]"), exact=False),
}


def _python_frames(attribute: Attribute) -> Frames:
    name = repr(attribute.name)
    if attribute.is_nominal:
        passed = (f"equals({name}, ", ")")
    elif attribute.date_format is None:
        passed = (f"at_most({name}, ", ")")
    else:
        passed = (f"not_after({name}, '", "')")
    failed = f"not {passed[0]}", passed[1]
    return Frames(passed, failed, failed)


PYTHON = Language(
    repr,
    _python_frames,
    lambda attribute, value: ", ".join(map(repr, attribute.spellings(value))),
    remark="#",
)


def _pandas_frames(attribute: Attribute) -> Frames:
    name, mark = f"`{attribute.name}`", "" if attribute.date_format is None else "'"
    relation, end = (" in [", "]") if attribute.is_nominal else (f" <= {mark}", mark)
    failed = f"not ({name}{relation}", f"{end})"
    return Frames((f"{name}{relation}", end), failed, failed)


PANDAS = Language(
    repr,
    _pandas_frames,
    lambda attribute, value: PYTHON.category(attribute, value) + f", {value}" * attribute.is_boolean,
    remark="#",
)


def _marked_down(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&-])", r"\\\1", visible(text))


def _markdown_frames(attribute: Attribute) -> Frames:
    name = f"**{_marked_down(attribute.name)}**"
    same, other = ("is", "is not") if attribute.is_nominal else ("≤", ">")
    return Frames.of(f"{name} {same} ", f"{name} {other} ", missing=" (or missing)")


MARKDOWN = Language(_marked_down, _markdown_frames, lambda _, value: _marked_down(value))

LANGUAGES = {"rules": RULES, "sql": SQL, "python": PYTHON, "pandas": PANDAS, "markdown": MARKDOWN}


WRITTEN = ("rules", "sql", "python")
"""The languages that a page writes."""


def as_texts(attribute: Attribute) -> dict[str, object]:
    """Return what a page needs to write tests of an attribute: frames, values and a remark by language."""
    texts: dict[str, object] = {}
    for name in WRITTEN:
        language = LANGUAGES[name]
        written = language.frames(attribute)._asdict()
        if attribute.is_nominal:
            written["values"] = [language.category(attribute, value) for value in attribute.values]
        if language.remark and (comment := remarks(language, [attribute])):
            written["remark"] = comment
        texts[name] = written
    return texts
