"""The words of an ARFF line, as WEKA's tokenizer cuts them, and the header: the declared attributes.

A comma, a blank, a tab and any other control character separate words, and any number of them in
a row count as one. ``'`` and ``\"`` quote, with backslash escapes; ``{`` and ``}`` are words of
their own; ``%`` outside quotes starts a comment. A word keeps its quotes here, because a bare ``?``
is a missing value and a quoted one is not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from gatree.base.errors import DataError, shown
from gatree.data.attribute import Attribute
from gatree.data.dates import ISO_FORMAT, DateFormat

# Possessive, so that a long quote that is never closed costs linear time.
QUOTED = r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\""""
_WORD = re.compile(
    rf"""
      {QUOTED}
    | [{{}}]
    | [^\x00-\x20,%'"{{}}]+
    | ['"].*                        # a quote that is never closed
    | %.*                           # a comment
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSED = re.compile(QUOTED, re.DOTALL)
# Only printable ASCII and ASCII blanks, and nothing that quotes: str.split cuts it as WEKA does.
_PLAIN = re.compile(r"""[\t\x0b\x0c\x20\x21\x23\x24\x26\x28-\x7a\x7c\x7e]*""")

_ESCAPE = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?|.)", re.DOTALL)
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}

_NEEDS_QUOTES = re.compile(r"""[\x00-\x20,%'"{}\\]""")
_TO_ESCAPE = re.compile(r"""[\x00-\x1f'"\\]""")
_ESCAPE_OF = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "'": r"\'", '"': r"\"", "\\": r"\\"}


class ArffLine(NamedTuple):
    """A line of a file, and errors that name it."""

    path: str
    number: int
    text: str

    def words(self) -> list[str]:
        """Return the words, quotes kept and the comment left out."""
        if _PLAIN.fullmatch(self.text):
            return self.text.replace(",", " ").split()
        words: list[str] = _WORD.findall(self.text)
        if words and words[-1].startswith("%"):
            words.pop()
        if words and words[-1][0] in "'\"" and not _CLOSED.fullmatch(words[-1]):
            raise self.error(f"the quote in {shown(words[-1])} is never closed")
        return words

    def error(self, message: str) -> DataError:
        return DataError(f"{self.path}, line {self.number}: {message}")


def unquote(word: str) -> str:
    """Return the text that a word stands for."""
    if word[0] not in "'\"":
        return word
    return _ESCAPE.sub(_unescape, word[1:-1]) if "\\" in word else word[1:-1]


def _unescape(match: re.Match[str]) -> str:
    code: str = match[1]
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _ESCAPED.get(code, code)


def quote(text: str) -> str:
    """Return the word that stands for a text: quoted only where it must be."""
    if text in ("", "?") or _NEEDS_QUOTES.search(text):
        return (
            "'" + _TO_ESCAPE.sub(lambda match: _ESCAPE_OF.get(match[0], f"\\{ord(match[0]):03o}"), text) + "'"
        )
    return text


_NUMERIC = ("numeric", "real", "integer")
_TYPES = "numeric, real, integer, date, string, or {value, value, ...}"


class Declared(NamedTuple):
    """An attribute of a file."""

    line: ArffLine
    name: str
    attribute: Attribute | None  # none for free text, which can be dropped, but not tested


class Header(NamedTuple):
    """The declarations of a file."""

    relation: str
    declared: dict[str, Declared]  # by name
    data_line: int


def read_header(path: str, lines: Iterable[ArffLine]) -> Header:
    """Read up to the line of ``@data``."""
    relation: str | None = None
    declared: dict[str, Declared] = {}
    for line in lines:
        words = line.words()
        if not words:
            continue
        keyword = unquote(words[0]).lower()
        if relation is None:
            relation = _relation(line, keyword, words)
        elif keyword == "@attribute":
            name, attribute = _attribute(line, words)
            if name in declared:
                raise line.error(f"a second attribute is called {shown(name)}")
            declared[name] = Declared(line, name, attribute)
        elif keyword == "@data":
            if not declared:
                raise line.error("@data before any @attribute")
            return Header(relation, declared, line.number)
        else:
            raise line.error(f"@attribute or @data expected, got {shown(words[0])}")
    raise DataError(f"{path}: no @data line" if relation is not None else f"{path}: no @relation line")


def _relation(line: ArffLine, keyword: str, words: list[str]) -> str:
    if keyword != "@relation":
        hint = "" if keyword.startswith("@") else "; a CSV file's name ends in .csv"
        raise line.error(f"an ARFF file starts with @relation, got {shown(words[0])}{hint}")
    if len(words) < 2:
        raise line.error("@relation needs a name")
    _expect_end(line, words[2:])
    return unquote(words[1])


def _attribute(line: ArffLine, words: list[str]) -> tuple[str, Attribute | None]:
    if len(words) < 3 or words[1] in "{}":
        raise line.error(f"@attribute needs a name and a type ({_TYPES})")
    name, kind = unquote(words[1]), unquote(words[2]).lower()
    if words[2] == "{":
        return name, Attribute(name, "nominal", values=_nominal_values(line, name, words[3:]))
    if kind in _NUMERIC:  # what follows, such as a range [0,9], is ignored, as WEKA does
        return name, Attribute(name, "numeric")
    if kind == "date":
        return name, Attribute(name, "numeric", date_format=_date_format(line, words[3:]))
    if kind == "string":  # what follows is ignored, as WEKA does
        return name, None
    if kind == "relational":
        raise line.error(f"attribute {shown(name)} is relational: multi-instance data are not supported")
    raise line.error(f"attribute {shown(name)} has the type {shown(words[2])}, not {_TYPES}")


def _nominal_values(line: ArffLine, name: str, words: list[str]) -> tuple[str, ...]:
    if "}" not in words:
        raise line.error(f"the values of {shown(name)} lack a closing }} on the same line")
    end = words.index("}")
    if "{" in words[:end]:
        raise line.error(f"a {{ among the values of {shown(name)}; quote the value that has it")
    _expect_end(line, words[end + 1 :])
    values = [unquote(word) for word in words[:end]]
    repeated = next((value for value, count in Counter(values).items() if count > 1), None)
    if repeated is not None:
        raise line.error(f"attribute {shown(name)} has the value {shown(repeated)} twice")
    return tuple(values)


def _date_format(line: ArffLine, words: list[str]) -> str:
    if words and words[0] in "{}":
        raise line.error(f"a date format expected, got {words[0]}")
    pattern = unquote(words[0]) if words else ISO_FORMAT  # what follows is ignored, as WEKA does
    try:
        DateFormat.compile(pattern)
    except ValueError as error:
        raise line.error(str(error)) from None
    return pattern


def _expect_end(line: ArffLine, words: list[str]) -> None:
    if words:
        raise line.error(f"the line should end before {shown(words[0])}; quote a name that has blanks")
