"""The rows of an ARFF file, dense or sparse, to one column per attribute.

Rows that WEKA refuses can be read in a lenient way: commas alone separate values, nothing between two commas
is a missing value, and the entries of a sparse row are in any order.

Rows are cut into words and decoded column by column, some hundred rows at a time: fast enough
without a second path for simple files, and light on memory. When a block has a bad cell, its cells
are looked at one by one to find the first and name its line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gatree.base.errors import DataError, did_you_mean, shown
from gatree.data.arff_header import QUOTED, ArffLines, Declared, Header, unquote
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.dates import DateFormat

_ROWS_AT_A_TIME = 256  # the words of a block stay in the processor's cache
_OMITTED = "{"  # stands for a value that a sparse row leaves out; a bare brace is never a value
_SPECIAL_NUMBERS = {"?": math.nan, _OMITTED: 0.0}
_JAVA_BLANKS = "".join(map(chr, range(0x21)))  # what Java trims off a number
_INDEX = re.compile(r"[+-]?\d{1,9}")  # of a sparse value, as Java's Integer reads it

# Words of these characters are numbers to Java exactly if they are to float() ...
_PLAIN_NUMBERS = re.compile(r"[0-9eE.+\- ]*")
# ... and these are all others: no 1_000, no inf, but a suffix. (Possessive repeats keep a word of a million
# digits linear.)
_DECIMAL = re.compile(
    r"([+-]?(?:NaN|Infinity|(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?))[fFdD]?"
)


def read_columns(
    source: ArffLines, header: Header, refused: dict[str, None] | None = None
) -> list[tuple[Attribute, Column]]:
    """Return every attribute that is no string, and its column.

    The first line is that of ``@data``. With ``refused``, refused rows are read in a lenient way where that
    is possible, and noted there.
    """
    decoders = {
        position: _decoder(attribute)
        for position, attribute in enumerate(header.attributes)
        if isinstance(attribute, Attribute)
    }
    room = len(source.lines)  # a row per line at most
    columns = {position: _empty(decoder.attribute, room) for position, decoder in decoders.items()}
    n_rows = 0
    for line_indices, rows in _blocks(source, header, refused):
        words = list(zip(*rows, strict=True))
        block = slice(n_rows, n_rows + len(rows))
        try:
            for position, decoder in decoders.items():
                columns[position][block] = decoder.column(words[position])
        except ValueError:
            raise _first_error(source, line_indices, rows, decoders) from None
        n_rows += len(rows)
    return [(decoder.attribute, columns[position][:n_rows]) for position, decoder in decoders.items()]


def _empty(attribute: Attribute, n_rows: int) -> Column:
    return np.empty(n_rows, np.int32) if attribute.is_nominal else np.empty(n_rows, np.float64)


# ------------------------------------------------------------------------------------------------ rows


def _blocks(
    source: ArffLines, header: Header, refused: dict[str, None] | None
) -> Iterator[tuple[list[int], list[list[str]]]]:
    """Yield some rows at a time: the index of each one's line, and each one's words."""
    line_indices: list[int] = []
    rows: list[list[str]] = []
    for index in range(len(source.lines)):
        try:
            row = _row(source, index, header)
        except DataError as refusal:
            lenient = None if refused is None else _lenient_row(source.lines[index], header.attributes)
            if lenient is None or refused is None:
                if rows:  # an error in an earlier row comes first
                    yield line_indices, rows
                raise
            row = lenient
            refused[str(refusal)] = None
        if not row:
            continue
        line_indices.append(index)
        rows.append(row)
        if len(rows) == _ROWS_AT_A_TIME:
            yield line_indices, rows
            line_indices, rows = [], []
    if rows:
        yield line_indices, rows


def _row(source: ArffLines, index: int, header: Header) -> list[str]:
    """Return the words of a row, one per attribute, or none at all for an empty line."""
    words = source.words(index)
    if index == 0:
        words = words[1:]  # a first row may follow @data on its line
    line = source.lines[index]
    if words and ("{" in line or "}" in line):
        words = _braces_undone(source, index, words, header.attributes)
    if words and len(words) != len(header.attributes):
        raise source.error(index, _wrong_length(words, header.attributes))
    return words


_LENIENT_CELL = re.compile(rf"""\s*({QUOTED}|[^,'"]*?)\s*(?:,|$)""")


def _lenient_row(line: str, attributes: Sequence[Declared]) -> list[str] | None:
    """Return the words of a row that was refused, or None if it cannot be read in any way."""
    text = line.strip()
    if text.startswith("{") and text.endswith("}"):
        return _lenient_sparse_row(text[1:-1], attributes)
    cells = _lenient_cells(text)
    if cells is None or len(cells) != len(attributes):
        return None
    return [cell or "?" for cell in cells]


def _lenient_cells(text: str) -> list[str] | None:
    cells, position = list[str](), 0
    while position <= len(text):
        match = _LENIENT_CELL.match(text, position)
        if match is None:
            return None
        cells.append(match[1])
        position = match.end() if match[0].endswith(",") else len(text) + 1
    return cells


def _lenient_sparse_row(text: str, attributes: Sequence[Declared]) -> list[str] | None:
    row = [_OMITTED] * len(attributes)
    for cell in _lenient_cells(text) or [""]:
        at, _, word = cell.partition(" ")
        if not _INDEX.fullmatch(at) or not 0 <= int(at) < len(attributes) or row[int(at)] != _OMITTED:
            return None
        row[int(at)] = word.strip() or "?"
    return row


def _wrong_length(words: list[str], attributes: Sequence[Declared]) -> str:
    expected, got = len(attributes), len(words)
    if got > expected:
        return f"{got} values for {expected} attributes; the first too many is {shown(words[expected])}"
    return (
        f"{got} of {expected} values; none is left for {shown(attributes[got].name)} "
        "(a missing value is written ?)"
    )


def _braces_undone(
    source: ArffLines, index: int, words: list[str], attributes: Sequence[Declared]
) -> list[str]:
    """Write a sparse row out, and take the weight off a row."""
    if words[0] == "{":
        if "}" not in words:
            raise source.error(index, "the sparse row lacks a closing }")
        end = words.index("}")
        row, rest = _sparse_row(source, index, words[1:end], attributes), words[end + 1 :]
    else:
        end = words.index("{") if "{" in words else len(words)
        row, rest = words[:end], words[end:]
    if len(rest) == 3 and rest[0] == "{" and rest[2] == "}":
        _check_weight(source, index, rest[1])
        rest = []
    if rest or "}" in row:
        raise source.error(index, f"unexpected {shown((rest or ['}'])[0])}; quote a value that has a brace")
    return row


def _sparse_row(source: ArffLines, index: int, words: list[str], attributes: Sequence[Declared]) -> list[str]:
    row = [_OMITTED] * len(attributes)
    last = -1
    for position in range(0, len(words), 2):
        at = unquote(words[position])
        if not _INDEX.fullmatch(at) or not 0 <= int(at) < len(attributes):
            raise source.error(
                index, f"{shown(at)} is not the index of an attribute (0 to {len(attributes) - 1})"
            )
        if int(at) <= last:
            raise source.error(index, f"the indices of a sparse row must rise, but {at} follows {last}")
        if position + 1 == len(words) or words[position + 1] == "{":
            raise source.error(index, f"no value after the index {at} of the sparse row")
        last = int(at)
        row[last] = _sparse_value(words[position + 1], attributes[last])
    return row


def _sparse_value(word: str, attribute: Declared) -> str:
    """Return the word of a value; a number that is zero counts as left out, so that -0 becomes 0."""
    if word[0] in "-'\"" and isinstance(attribute, Attribute) and attribute.kind == "numeric":
        try:
            return _OMITTED if _number(word) == 0 else word
        except ValueError:
            pass  # a date, or an error that is reported when the column is read
    return word


def _check_weight(source: ArffLines, index: int, word: str) -> None:
    try:
        weight = _number(word)
    except ValueError as error:
        raise source.error(index, f"the instance weight {error}") from None
    if weight != 1:
        raise source.error(index, f"the instance weight {shown(word)}; only weight 1 is supported")


# ----------------------------------------------------------------------------------------------- cells


class _NominalDecoder(dict[str, int]):
    """Codes by word: a word is looked up among the values when it is first met."""

    def __init__(self, attribute: Attribute) -> None:
        super().__init__({"?": MISSING, _OMITTED: 0} if attribute.values else {"?": MISSING})
        self.attribute = attribute
        self._codes = {value: code for code, value in enumerate(attribute.values)}

    def __missing__(self, word: str) -> int:
        if word == _OMITTED:
            raise ValueError(
                f"{shown(self.attribute.name)} has no first value, which the sparse row leaves out"
            )
        value = unquote(word)
        if value not in self._codes:
            values = self.attribute.values
            listed = ", ".join(values[:10]) + (", ..." if len(values) > 10 else "")
            near = did_you_mean(value, values) if len(value) <= 40 else ""
            raise ValueError(
                f"{shown(value)} is not a value of {shown(self.attribute.name)} ({listed}){near}"
            )
        self[word] = self._codes[value]
        return self[word]

    def column(self, words: Sequence[str]) -> Column:
        return np.fromiter(map(self.__getitem__, words), np.int32, count=len(words))


class _NumericDecoder:
    """Numbers, by float() where it agrees with Java."""

    def __init__(self, attribute: Attribute) -> None:
        self.attribute = attribute

    def column(self, words: Sequence[str]) -> Column:
        try:
            if _PLAIN_NUMBERS.fullmatch(" ".join(words)):
                return np.array(list(map(float, words)), np.float64)
            return np.array([_number(word) for word in words], np.float64)
        except ValueError:
            raise ValueError(
                f"{shown(unquote(words[0]))} is not a number, as {shown(self.attribute.name)} needs"
            ) from None


class _DateDecoder:
    """Milliseconds, by the attribute's date format."""

    def __init__(self, attribute: Attribute, pattern: str) -> None:
        self.attribute = attribute
        self._format = DateFormat.compile(pattern)

    def column(self, words: Sequence[str]) -> Column:
        special = _SPECIAL_NUMBERS
        parse = self._format.parse
        return np.array(
            [special[word] if word in special else parse(unquote(word)) for word in words], np.float64
        )


_Decoder = _NominalDecoder | _NumericDecoder | _DateDecoder


def _decoder(attribute: Attribute) -> _Decoder:
    if attribute.is_nominal:
        return _NominalDecoder(attribute)
    if attribute.date_format is not None:
        return _DateDecoder(attribute, attribute.date_format)
    return _NumericDecoder(attribute)


def _number(word: str) -> float:
    """Return the number that Java reads."""
    if word in _SPECIAL_NUMBERS:
        return _SPECIAL_NUMBERS[word]
    text = unquote(word).strip(_JAVA_BLANKS)
    if match := _DECIMAL.fullmatch(text):
        return float(match[1])
    raise ValueError(f"{shown(text)} is not a number")


def _first_error(
    source: ArffLines, line_indices: list[int], rows: list[list[str]], decoders: Mapping[int, _Decoder]
) -> DataError:
    for index, row in zip(line_indices, rows, strict=True):
        for position, decoder in decoders.items():
            try:
                decoder.column([row[position]])
            except ValueError as error:
                return source.error(index, str(error))
    raise AssertionError("a block failed, but none of its cells did")
