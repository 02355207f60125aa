"""The rows of an ARFF file, dense or sparse, to one column per attribute.

Rows that WEKA refuses can be read in a lenient way: commas alone separate values, nothing between two commas
is a missing value, and the entries of a sparse row are in any order.

Rows are cut into words and decoded column by column, some hundred rows at a time: fast enough without a
second path for simple files, and light on memory. When a block has a bad cell, its cells are looked at one by
one to find the first and name its line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from gatree.base.errors import DataError, did_you_mean, listed_names, shown
from gatree.data.arff_header import QUOTED, ArffLine, Declared, unquote
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.dates import DateFormat
from gatree.data.source import Block, Typed

_ROWS_AT_A_TIME = 512
_MOST_KEPT = 100_000
_OMITTED = "{"  # stands for a value that a sparse row leaves out; a bare brace is never a value
_JAVA_BLANKS = "".join(map(chr, range(0x21)))  # what Java trims off a number
_INDEX = re.compile(r"[+-]?\d{1,9}")  # of a sparse value, as Java's Integer reads it

# Words of these characters are numbers to Java exactly if they are to float() ...
_PLAIN_NUMBERS = re.compile(r"[0-9eE.+\- ]*")
# ... and these are all others: no 1_000, no inf, but a suffix. (Possessive repeats keep a word of a million
# digits linear.)
_DECIMAL = re.compile(
    r"([+-]?(?:NaN|Infinity|(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?))[fFdD]?"
)
_LENIENT_CELL = rf"""\s*+({QUOTED}|[^,'"]*+)\s*+,"""
_LENIENT_ROW = re.compile(rf"(?:{_LENIENT_CELL})*+")

Row = tuple[ArffLine, list[str]]


def read_blocks(
    lines: Iterator[ArffLine], declared: Sequence[Declared], refused: dict[str, None] | None = None
) -> Iterator[Block]:
    """Yield the cells of every attribute that is no string, some rows at a time, at least one block.

    The first line is that of ``@data``. With ``refused``, refused rows are read in a lenient way where that
    is possible, and noted there.
    """
    decoders = {at: _Decoder(each.attribute) for at, each in enumerate(declared) if each.attribute}
    for block in _blocks(_rows(lines, declared, refused)):
        words = list(zip(*(row for _, row in block), strict=True)) or [()] * len(declared)
        try:
            yield [Typed(each.attribute, each.column(words[at])) for at, each in decoders.items()]
        except ValueError:
            raise _first_error(block, decoders) from None


def _blocks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    block: list[Row] = []
    try:
        for row in rows:
            block.append(row)
            if len(block) == _ROWS_AT_A_TIME:
                yield block
                block = []
    except DataError:
        yield block  # an error in an earlier row comes first
        raise
    yield block


# ------------------------------------------------------------------------------------------------ rows


def _rows(
    lines: Iterator[ArffLine], declared: Sequence[Declared], refused: dict[str, None] | None
) -> Iterator[Row]:
    """Yield the words of each row, one per attribute."""
    for at, line in enumerate(lines):
        try:
            words = line.words()[at == 0 :]  # a first row may follow @data on its line
            row = _checked_row(line, words, declared) if words else []
        except DataError as refusal:
            if refused is None or not (row := _lenient_row(line, declared)):
                raise
            refused[str(refusal)] = None
        if row:
            yield line, row


def _checked_row(line: ArffLine, words: list[str], declared: Sequence[Declared]) -> list[str]:
    if "{" in line.text or "}" in line.text:
        words = _braces_undone(line, words, declared)
    expected, got = len(declared), len(words)
    if got > expected:
        extra = f"the first too many is {shown(words[expected])}"
        raise line.error(f"{got} values for {expected} attributes; {extra}")
    if got < expected:
        left = f"none is left for {shown(declared[got].name)} (a missing value is written ?)"
        raise line.error(f"{got} of {expected} values; {left}")
    return words


def _braces_undone(line: ArffLine, words: list[str], declared: Sequence[Declared]) -> list[str]:
    """Write a sparse row out, and take the weight off a row."""
    if words[0] == "{":
        if "}" not in words:
            raise line.error("the sparse row lacks a closing }")
        end = words.index("}")
        row, rest = _sparse_row(line, words[1:end], declared), words[end + 1 :]
    else:
        end = words.index("{") if "{" in words else len(words)
        row, rest = words[:end], words[end:]
    if len(rest) == 3 and rest[0] == "{" and rest[2] == "}":
        _check_weight(line, rest[1])
        rest = []
    if rest or "}" in row:
        raise line.error(f"unexpected {shown((rest or ['}'])[0])}; quote a value that has a brace")
    return row


def _sparse_row(line: ArffLine, words: list[str], declared: Sequence[Declared]) -> list[str]:
    row = [_OMITTED] * len(declared)
    last = -1
    for position in range(0, len(words), 2):
        at = unquote(words[position])
        if not _INDEX.fullmatch(at) or not 0 <= int(at) < len(declared):
            raise line.error(f"{shown(at)} is not the index of an attribute (0 to {len(declared) - 1})")
        if int(at) <= last:
            raise line.error(f"the indices of a sparse row must rise, but {at} follows {last}")
        if position + 1 == len(words) or words[position + 1] == "{":
            raise line.error(f"no value after the index {at} of the sparse row")
        last = int(at)
        row[last] = _sparse_value(words[position + 1], declared[last].attribute)
    return row


def _sparse_value(word: str, attribute: Attribute | None) -> str:
    """Return the word of a value; a number that is zero counts as left out, so that -0 becomes 0."""
    if word[0] in "-'\"" and attribute and not attribute.is_nominal:
        try:
            return _OMITTED if _number(word) == 0 else word
        except ValueError:
            pass  # a date, or an error that is reported when the column is read
    return word


def _check_weight(line: ArffLine, word: str) -> None:
    try:
        weight = _number(word)
    except ValueError as error:
        raise line.error(f"the instance weight {error}") from None
    if weight != 1:
        raise line.error(f"the instance weight {shown(word)}; only weight 1 is supported")


def _lenient_row(line: ArffLine, declared: Sequence[Declared]) -> list[str]:
    """Return the words of a row that was refused, or none if it cannot be read in any way."""
    text = line.text.strip()
    is_sparse = text.startswith("{") and text.endswith("}")
    text = f"{text[1:-1] if is_sparse else text},"
    if not _LENIENT_ROW.fullmatch(text):
        return []
    cells = [cell.rstrip() for cell in re.findall(_LENIENT_CELL, text)]
    if not is_sparse:
        return [cell or "?" for cell in cells] if len(cells) == len(declared) else []
    entries = ([*cell.split(maxsplit=1), "?"][:2] for cell in cells)
    try:
        ordered = sorted(entries, key=lambda entry: int(entry[0]))
        return _sparse_row(line, [word for entry in ordered for word in entry], declared)
    except (DataError, ValueError):
        return []


# ----------------------------------------------------------------------------------------------- cells


class _Decoder(dict[str, float]):
    """What the words of an attribute stand for: codes, numbers or milliseconds."""

    def __init__(self, attribute: Attribute) -> None:
        super().__init__({"?": MISSING if attribute.is_nominal else math.nan})
        if attribute.values or not attribute.is_nominal:
            self[_OMITTED] = 0
        self.attribute = attribute
        self._codes = {value: code for code, value in enumerate(attribute.values)}
        self._dates = DateFormat.compile(attribute.date_format) if attribute.date_format else None

    def column(self, words: Sequence[str]) -> Column:
        """Return the cells; a ValueError if a word stands for none."""
        if self.attribute.is_nominal:
            return np.fromiter(map(self.__getitem__, words), np.int32, count=len(words))
        is_plain = self._dates is None and _PLAIN_NUMBERS.fullmatch(" ".join(words)) is not None
        return np.array(list(map(float if is_plain else self.__getitem__, words)), np.float64)

    def __missing__(self, word: str) -> float:
        if self.attribute.is_nominal:
            value: float = self._code(word)
        elif self._dates is not None:
            value = self._dates.parse(unquote(word))
        else:
            value = _number(word, f", as {shown(self.attribute.name)} needs")
        if len(self) < _MOST_KEPT:
            self[word] = value
        return value

    def _code(self, word: str) -> int:
        name, values = shown(self.attribute.name), self.attribute.values
        if word == _OMITTED:
            raise ValueError(f"{name} has no first value, which the sparse row leaves out")
        value = unquote(word)
        if value not in self._codes:
            near = did_you_mean(value, values)
            raise ValueError(f"{shown(value)} is not a value of {name} ({listed_names(values)}){near}")
        return self._codes[value]


def _number(word: str, why: str = "") -> float:
    """Return the number that Java reads."""
    if match := _DECIMAL.fullmatch(unquote(word).strip(_JAVA_BLANKS)):
        return float(match[1])
    raise ValueError(f"{shown(unquote(word))} is not a number{why}")


def _first_error(block: list[Row], decoders: dict[int, _Decoder]) -> DataError:
    for line, row in block:
        for position, decoder in decoders.items():
            try:
                decoder[row[position]]
            except ValueError as error:
                return line.error(str(error))
    raise AssertionError("a block failed, but none of its cells did")
