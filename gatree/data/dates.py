"""Dates in the patterns of Java's SimpleDateFormat, which ARFF files use.

A date is a number of milliseconds since 1970, and always UTC (WEKA takes the machine's time zone, so
that its numbers change from machine to machine; what it writes is the same). Two more differences: a
two-digit year follows POSIX (69-99 are 1969-1999) where Java moves its century with the day of
reading, and text after the date is an error. Names of months and days are English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from gatree.errors import shown

ISO_FORMAT = "yyyy-MM-dd'T'HH:mm:ss"
"""The format of a date attribute that names none."""

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")

_DIGITS = "dDHhKkmsSyM"  # letters whose field is a number (M only up to MM)
_OFFSET = r"UTC|GMT|Z|(?:UTC|GMT)?[+-]\d\d?(?::?\d\d)?"
_RANGES = {"h": (1, 12), "K": (0, 11), "k": (1, 24), "S": (0, 999)}  # datetime checks the others
_SUPPORTED = "yMdDEaHhKkmsSzZX"


@dataclass(frozen=True)
class _Field:
    letter: str
    width: int

    @property
    def is_number(self) -> bool:
        return self.letter in _DIGITS and not (self.letter == "M" and self.width > 2)


@dataclass(frozen=True)
class DateFormat:
    """A compiled pattern: turns text into milliseconds and back."""

    pattern: str
    _pieces: tuple[str | _Field, ...]
    _matcher: re.Pattern[str]

    @staticmethod
    @lru_cache(maxsize=64)
    def compile(pattern: str) -> DateFormat:
        """Return the format of a pattern; a ValueError says what is wrong with it."""
        pieces = tuple(_pieces(pattern))
        return DateFormat(pattern, pieces, re.compile(_regex(pieces), re.IGNORECASE))

    def parse(self, text: str) -> float:
        """Return milliseconds since 1970 UTC; a ValueError if the text is no such date."""
        match = self._matcher.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"{shown(text)} is no date of the form {self.pattern!r}")
        fields = [piece for piece in self._pieces if isinstance(piece, _Field)]
        try:
            moment = _moment({field: match[f"f{index}"] for index, field in enumerate(fields)})
        except (ValueError, OverflowError):
            raise ValueError(f"{shown(text)} is no date of the calendar") from None
        return (moment - _EPOCH) / timedelta(milliseconds=1)

    def format(self, milliseconds: float) -> str:
        """Return the text of a date; a ValueError if the format cannot hold it."""
        try:
            moment = _EPOCH + timedelta(milliseconds=milliseconds)
            text = "".join(
                piece if isinstance(piece, str) else _written(piece, moment) for piece in self._pieces
            )
            if self.parse(text) == milliseconds:
                return text
        except (ValueError, OverflowError):
            pass
        raise ValueError(f"{milliseconds!r} milliseconds cannot be written as {self.pattern!r}")


def _pieces(pattern: str) -> list[str | _Field]:
    """Cut a pattern into literal text and fields."""
    pieces: list[str | _Field] = []
    position = 0
    for match in _PIECE.finditer(pattern):
        if match.start() != position:
            break
        position = match.end()
        if match[2] is None:
            literal = match[0] if match[1] is None else match[1].replace("''", "'") or "'"
            pieces.append(literal)
        elif match[2] in _SUPPORTED:
            pieces.append(_Field(match[2], len(match[0])))
        else:
            raise ValueError(
                f"the date format {pattern!r} has {match[2]!r}; known are {', '.join(_SUPPORTED)}"
            )
    if position != len(pattern):
        raise ValueError(f"the date format {pattern!r} has a quote that is never closed")
    return pieces


def _regex(pieces: tuple[str | _Field, ...]) -> str:
    parts: list[str] = []
    n_fields = 0
    for piece, following in zip(pieces, (*pieces[1:], ""), strict=True):
        if isinstance(piece, str):
            parts.append(re.escape(piece))
            continue
        # Numbers that touch have the width of the pattern; others take all the digits there are.
        touches = piece.is_number and isinstance(following, _Field) and following.is_number
        parts.append(rf"[ \t]*(?P<f{n_fields}>{_field_regex(piece, fixed=touches)})")
        n_fields += 1
    return "".join(parts)


def _field_regex(field: _Field, fixed: bool) -> str:
    if field.is_number:
        return rf"[0-9]{{{field.width}}}" if fixed else "[0-9]+"
    if field.letter in "zZX":
        return _OFFSET
    names = {"M": _MONTHS, "E": _DAYS, "a": ["AM", "PM"]}[field.letter]
    return "|".join([*names, *(name[:3] for name in names)])


def _moment(texts: Mapping[_Field, str]) -> datetime:
    """Return the point in time that the fields describe, a field that is missing as in 1970-01-01 00:00."""
    found = {field.letter: _value(field, text) for field, text in texts.items()}
    for letter, (lowest, highest) in _RANGES.items():
        if not lowest <= found.get(letter, lowest) <= highest:
            raise ValueError(letter)
    day = datetime(found.get("y", 1970), found.get("M", 1), found.get("d", 1), tzinfo=UTC)
    if "D" in found:
        first = datetime(day.year, 1, 1, tzinfo=UTC)
        day = first + timedelta(days=found["D"] - 1)
        if day.year != first.year:
            raise ValueError("D")
    clock = day.replace(hour=_hour(found), minute=found.get("m", 0), second=found.get("s", 0))
    offset = next((found[letter] for letter in "zZX" if letter in found), 0)
    return clock + timedelta(milliseconds=found.get("S", 0), minutes=-offset)


def _hour(found: Mapping[str, int]) -> int:
    """Return the hour of the day, by whichever of the four ways to count it is there."""
    if "H" in found or "k" in found:
        return found.get("H", found.get("k", 0) % 24)
    return found.get("h", found.get("K", 0)) % 12 + 12 * found.get("a", 0)


def _value(field: _Field, text: str) -> int:
    if field.letter == "M" and not field.is_number:
        return 1 + [month[:3] for month in _MONTHS].index(text[:3].title())
    if field.letter == "E":
        return 0  # told by the date itself
    if field.letter == "a":
        return int(text.upper() == "PM")
    if field.letter in "zZX":
        return _offset_minutes(text)
    if field.letter == "y" and field.width <= 2 and len(text) == 2:
        return int(text) + (1900 if int(text) >= 69 else 2000)
    return int(text)


def _offset_minutes(text: str) -> int:
    match = re.search(r"([+-])(\d\d?):?(\d\d)?$", text)
    if match is None:
        return 0
    minutes = int(match[2]) * 60 + int(match[3] or 0)
    return -minutes if match[1] == "-" else minutes


_NUMBERS: dict[str, Callable[[datetime], int]] = {
    "y": lambda moment: moment.year,
    "M": lambda moment: moment.month,
    "d": lambda moment: moment.day,
    "D": lambda moment: moment.timetuple().tm_yday,
    "H": lambda moment: moment.hour,
    "k": lambda moment: moment.hour or 24,
    "K": lambda moment: moment.hour % 12,
    "h": lambda moment: moment.hour % 12 or 12,
    "m": lambda moment: moment.minute,
    "s": lambda moment: moment.second,
    "S": lambda moment: moment.microsecond // 1000,
}


def _written(field: _Field, moment: datetime) -> str:
    if field.letter == "y" and field.width == 2:
        return f"{moment.year % 100:02d}"
    if field.is_number:
        return f"{_NUMBERS[field.letter](moment):0{field.width}d}"
    if field.letter == "a":
        return "PM" if moment.hour >= 12 else "AM"
    if field.letter in "zZX":
        return {"z": "UTC", "Z": "+0000", "X": "Z"}[field.letter]
    name = _MONTHS[moment.month - 1] if field.letter == "M" else _DAYS[moment.weekday()]
    return name if field.width >= 4 else name[:3]
