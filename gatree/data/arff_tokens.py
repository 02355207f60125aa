"""The words of an ARFF line, as WEKA's tokenizer cuts them.

A comma, a blank, a tab and any other control character separate words, and any number of them in
a row count as one. ``'`` and ``"`` quote, with backslash escapes; ``{`` and ``}`` are words of
their own; ``%`` outside quotes starts a comment. A word keeps its quotes here, because a bare ``?``
is a missing value and a quoted one is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gatree.base.errors import DataError, shown

# Possessive, so that a long quote that is never closed costs linear time.
_QUOTED = r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\""""
_WORD = re.compile(
    rf"""
      {_QUOTED}
    | [{{}}]
    | [^\x00-\x20,%'"{{}}]+
    | ['"].*                        # a quote that is never closed
    | %.*                           # a comment
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSED = re.compile(_QUOTED, re.DOTALL)
# Only printable ASCII and ASCII blanks, and nothing that quotes: str.split cuts it as WEKA does.
_PLAIN = re.compile(r"""[\t\x0b\x0c\x20\x21\x23\x24\x26\x28-\x7a\x7c\x7e]*""")

_ESCAPE = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?|.)", re.DOTALL)
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}

_NEEDS_QUOTES = re.compile(r"""[\x00-\x20,%'"{}\\]""")
_TO_ESCAPE = re.compile(r"""[\x00-\x1f'"\\]""")
_ESCAPE_OF = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "'": r"\'", '"': r"\"", "\\": r"\\"}


@dataclass(frozen=True)
class ArffLines:
    """Lines of a file, those behind some, and errors that say which one is meant (lines count from zero)."""

    path: str
    lines: list[str]
    n_before: int = 0

    def words(self, index: int) -> list[str]:
        """Return the words of a line, quotes kept and the comment left out."""
        line = self.lines[index]
        if _PLAIN.fullmatch(line):
            return line.replace(",", " ").split()
        words: list[str] = _WORD.findall(line)
        if words and words[-1].startswith("%"):
            words.pop()
        if words and words[-1][0] in "'\"" and not _CLOSED.fullmatch(words[-1]):
            raise self.error(index, f"the quote in {shown(words[-1])} is never closed")
        return words

    def error(self, index: int, message: str) -> DataError:
        return DataError(f"{self.path}, line {self.n_before + index + 1}: {message}")


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
