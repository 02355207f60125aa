"""Dates in the patterns of Java's SimpleDateFormat, which ARFF files use.

A date is a number of milliseconds since 1970, and always UTC (WEKA takes the machine's time zone, so
that its numbers change from machine to machine; what it writes is the same). As in Java, a two-digit
year lies in the hundred years that end 20 years from today, and fields that contradict each other are no
date. Text after a date is an error, where Java ignores it. Names of months and days are English. A text
is read from left to right in a single pass, however odd the pattern.

The calendar is Java's: Julian up to 4 October 1582 and Gregorian from the day after, the 15th. A day is
a count from 1970-01-01. Years start with March inside, so that the leap day is the last of a year.

A time zone is an offset from UTC, or one of Java's English names. Only names whose offset has been the
same since 1971 are here, and those as Java reads them (IST is Israel's). Others, such as MSK or BST,
have meant several offsets; they are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from gatree.base.errors import shown
from gatree.base.limits import MOST_DATE_PATTERN_CHARACTERS

ISO_FORMAT = "yyyy-MM-dd'T'HH:mm:ss"
"""The format of a date attribute that names none."""

_FULL_FORMAT = "yyyy-MM-dd'T'HH:mm:ss.SSS"

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NAMES = {"M": _MONTHS, "E": _DAYS, "a": ("AM", "PM")}
_PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")
_BLANKS = re.compile(r"[ \t]*")
_NUMBER = re.compile(r"\d{1,18}")

_SUPPORTED = "yMdDEaHhKkmsSzZX"
_DIGITS = "dDHhKkmsSyM"  # letters whose field is a number (M only up to MM)
_HIGHEST = {"H": 23, "K": 11, "k": 24, "h": 12, "m": 59, "s": 59, "S": 999}
_LOWEST = {"k": 1, "h": 1}
_DAY_MS = 86_400_000
_UNITS = {"S": 1, "s": 1_000, "m": 60_000, "H": 3_600_000, "k": 3_600_000}


@dataclass(frozen=True)
class _Field:
    letter: str
    width: int
    touches: bool = False  # the number that follows: then it has the width of the pattern

    @property
    def is_number(self) -> bool:
        return self.letter in _DIGITS and not (self.letter == "M" and self.width > 2)


class _Moment(NamedTuple):
    """A point in time: the day's count, its date, and the milliseconds of the day."""

    day_count: int
    year: int
    month: int
    day: int
    milliseconds: int

    @property
    def hour(self) -> int:
        return self.milliseconds // 3_600_000


@dataclass(frozen=True)
class DateFormat:
    """A compiled pattern: turns text into milliseconds and back."""

    pattern: str
    _pieces: tuple[str | _Field, ...]
    _century_start: float  # the first millisecond that a two-digit year can mean

    @staticmethod
    @lru_cache(maxsize=64)
    def compile(pattern: str, today: datetime | None = None) -> DateFormat:
        """Return the format of a pattern; a ValueError says what is wrong with it.

        Two-digit years are those from 80 years before today on.
        """
        if len(pattern) > MOST_DATE_PATTERN_CHARACTERS:
            raise ValueError(
                f"the date format {shown(pattern)} has {len(pattern)} characters; "
                f"the limit is {MOST_DATE_PATTERN_CHARACTERS}"
            )
        today = today or datetime.now(UTC)
        day = 28 if (today.month, today.day) == (2, 29) else today.day
        start = today.replace(year=today.year - 80, day=day)
        return DateFormat(pattern, tuple(_pieces(pattern)), start.timestamp() * 1000)

    def parse(self, text: str) -> float:
        """Return milliseconds since 1970 UTC; a ValueError if the text is no such date."""
        found = self._fields(text)
        if found is None:
            raise ValueError(f"{shown(text)} is no date of the form {shown(self.pattern)}")
        try:
            return float(self._milliseconds(found))
        except ValueError:
            raise ValueError(f"{shown(text)} is no date of the calendar") from None

    def _fields(self, text: str) -> dict[str, int] | None:
        """Return the numbers that the fields have in a text, or None if it has not this form."""
        found: dict[str, int] = {}
        position = 0
        for piece in self._pieces:
            if isinstance(piece, str):
                if not text.startswith(piece, position):
                    return None
                position += len(piece)
                continue
            try:
                number, position = _read(piece, text, _skip_blanks(text, position))
            except ValueError:
                return None
            found["two-digit year" if piece.letter == "y" and number < 0 else piece.letter] = number
        return found if not text[position:].strip() else None

    def _milliseconds(self, found: dict[str, int]) -> int:
        if "two-digit year" not in found:
            return _milliseconds(found)
        two_digits = -found["two-digit year"] - 1
        first_year = date_of(int(self._century_start // _DAY_MS))[0]
        year = first_year + (two_digits - first_year) % 100
        moment = _milliseconds({**found, "y": year})
        if moment < self._century_start:
            return _milliseconds({**found, "y": year + 100})
        return moment

    def format(self, milliseconds: float) -> str:
        """Return the text of a date; a ValueError if the format cannot hold it."""
        try:
            day_count, rest = divmod(int(milliseconds), _DAY_MS)
            moment = _Moment(day_count, *date_of(day_count), rest)
            text = "".join(
                piece if isinstance(piece, str) else _written(piece, moment) for piece in self._pieces
            )
            if self.parse(text) == milliseconds:
                return text
        except (ValueError, OverflowError):
            pass
        raise ValueError(f"{milliseconds!r} milliseconds cannot be written as {shown(self.pattern)}")


def date_text(pattern: str, milliseconds: float) -> str:
    """Return the text of a date in its format, or in full if that has no place for it.

    Midpoints between dates have hours that a format of days cannot hold: the day stands for them, which parts
    the same dates. Those of other time zones need them.
    """
    for format_, moment in (
        (pattern, milliseconds),
        (pattern, _start(pattern, milliseconds)),
        (_FULL_FORMAT, milliseconds),
    ):
        try:
            return DateFormat.compile(format_).format(moment)
        except ValueError:
            continue
    return repr(milliseconds)


def _start(pattern: str, milliseconds: float) -> float:
    """Return where the day, minute or second of a moment begins, whichever a pattern ends with."""
    letters = {field.letter for field in _pieces(pattern) if isinstance(field, _Field)}
    if letters & set("zZX") or not letters & set("dD"):
        return milliseconds
    unit = next((size for letter, size in _UNITS.items() if letter in letters), _DAY_MS)
    if unit < _DAY_MS and not letters & set("Hk"):
        return milliseconds
    return milliseconds // unit * unit


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
                f"the date format {shown(pattern)} has {match[2]!r}; known are {', '.join(_SUPPORTED)}"
            )
    if position != len(pattern):
        raise ValueError(f"the date format {shown(pattern)} has a quote that is never closed")
    for index, (piece, following) in enumerate(pairwise(pieces)):
        if isinstance(piece, _Field) and isinstance(following, _Field) and following.is_number:
            pieces[index] = _Field(piece.letter, piece.width, touches=True)
    return pieces


def _skip_blanks(text: str, position: int) -> int:
    blanks = _BLANKS.match(text, position)
    return position if blanks is None else blanks.end()


def _read(field: _Field, text: str, start: int) -> tuple[int, int]:
    """Return the number of a field at a place in a text, and where it ends; a two-digit year below zero."""
    if field.is_number:
        return _read_number(field, text, start)
    if field.letter in "zZX":
        return read_zone(text, start)
    names = _NAMES[field.letter]
    for index, name in enumerate(names):
        for spelling in (name, name[:3]):
            if text[start : start + len(spelling)].lower() == spelling.lower():
                return index + (field.letter == "M"), start + len(spelling)
    raise ValueError("no name")


def _read_number(field: _Field, text: str, start: int) -> tuple[int, int]:
    end = start + field.width if field.touches else len(text)
    match = _NUMBER.match(text, start, end)
    if match is None or (field.touches and end > len(text)):
        raise ValueError("no number")
    number = int(match[0])
    if field.letter == "y" and field.width <= 2 and len(match[0]) == 2:
        number = -number - 1
    return number, match.end()


def _milliseconds(found: Mapping[str, int]) -> int:
    """Return the point in time that the fields describe, a field that is missing as in 1970-01-01 00:00."""
    for letter, highest in _HIGHEST.items():
        if not _LOWEST.get(letter, 0) <= found.get(letter, highest) <= highest:
            raise ValueError(letter)
    clock = ((_hour(found) * 60 + found.get("m", 0)) * 60 + found.get("s", 0)) * 1000 + found.get("S", 0)
    offset = next((found[letter] for letter in "zZX" if letter in found), 0)
    return _day(found) * _DAY_MS + clock - offset * 60_000


def _day(found: Mapping[str, int]) -> int:
    """Return the day, if the fields that tell it agree: of the year, of the month, of the week."""
    year = found.get("y", 1970)
    day = day_of(year, found.get("M", 1), found.get("d", 1))
    if "D" in found:
        day = day_of(year, 1, 1) + found["D"] - 1
        actual = dict(zip("yMd", date_of(day), strict=True))
        if any(found.get(letter, number) != number for letter, number in actual.items() if letter != "y"):
            raise ValueError("D")
        if actual["y"] != year:
            raise ValueError("D")
    elif "E" in found and "d" not in found:  # the first such day of the month
        day += (found["E"] - weekday_of(day)) % 7
    if found.get("E", weekday_of(day)) != weekday_of(day):
        raise ValueError("E")
    return day


def _hour(found: Mapping[str, int]) -> int:
    """Return the hour of the day, by whichever of the four ways to count it is there."""
    halves = [found[letter] % 12 for letter in "hK" if letter in found]
    if "H" not in found and "k" not in found:
        return (halves[-1] if halves else 0) + 12 * found.get("a", 0)
    hour = found["k"] % 24 if "k" in found else found["H"]
    if found.get("a", hour // 12) != hour // 12 or any(half != hour % 12 for half in halves):
        raise ValueError("a")
    return hour


_NUMBERS: dict[str, Callable[[_Moment], int]] = {
    "y": lambda moment: moment.year,
    "M": lambda moment: moment.month,
    "d": lambda moment: moment.day,
    "D": lambda moment: moment.day_count - day_of(moment.year, 1, 1) + 1,
    "H": lambda moment: moment.hour,
    "k": lambda moment: moment.hour or 24,
    "K": lambda moment: moment.hour % 12,
    "h": lambda moment: moment.hour % 12 or 12,
    "m": lambda moment: moment.milliseconds // 60_000 % 60,
    "s": lambda moment: moment.milliseconds // 1000 % 60,
    "S": lambda moment: moment.milliseconds % 1000,
}


def _written(field: _Field, moment: _Moment) -> str:
    if field.letter == "y" and field.width == 2:
        return f"{moment.year % 100:02d}"
    if field.is_number:
        return f"{_NUMBERS[field.letter](moment):0{field.width}d}"
    if field.letter == "a":
        return "PM" if moment.hour >= 12 else "AM"
    if field.letter in "zZX":
        return {"z": "UTC", "Z": "+0000", "X": "Z"}[field.letter]
    name = _MONTHS[moment.month - 1] if field.letter == "M" else _DAYS[weekday_of(moment.day_count)]
    return name if field.width >= 4 else name[:3]


_FIRST_GREGORIAN = (1582, 10, 15)
_FIRST_GREGORIAN_DAY = -141_427
_GREGORIAN_START, _JULIAN_START = 719_468, 719_470  # days from 1 March of the year 0 to 1970
_LAST_YEAR = 292_278_993  # the last one that Java has in full


def day_of(year: int, month: int, day: int) -> int:
    """Return the count of a date's day; a ValueError if the calendar does not have it."""
    if not (1 <= year <= _LAST_YEAR and 1 <= month <= 12 and 1 <= day <= 31):
        raise ValueError("no date of the calendar")
    count = _count(year, month, day, gregorian=(year, month, day) >= _FIRST_GREGORIAN)
    if date_of(count) != (year, month, day):  # 30 February, or one of the ten days that were left out
        raise ValueError("no date of the calendar")
    return count


def _count(year: int, month: int, day: int, gregorian: bool) -> int:
    year -= month <= 2
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    days = 365 * year + year // 4 + day_of_year
    return days - year // 100 + year // 400 - _GREGORIAN_START if gregorian else days - _JULIAN_START


def date_of(count: int) -> tuple[int, int, int]:
    """Return the year, month and day of a count of days."""
    if count >= _FIRST_GREGORIAN_DAY:
        cycle, rest = divmod(count + _GREGORIAN_START, 146_097)
        year_of_cycle = (rest - rest // 1460 + rest // 36_524 - rest // 146_096) // 365
        year = 400 * cycle + year_of_cycle
        day_of_year = rest - (365 * year_of_cycle + year_of_cycle // 4 - year_of_cycle // 100)
    else:
        days = count + _JULIAN_START
        year = (4 * days + 3) // 1461
        day_of_year = days - 1461 * year // 4
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    return year + (month >= 10), (month + 2) % 12 + 1, day


def weekday_of(count: int) -> int:
    """Return the day of the week, Monday being 0."""
    return (count + 3) % 7


_NUMERIC = re.compile(r"(?:(?:UTC|GMT)?([+-])(\d\d?)(?::?(\d\d))?|Z)(?!\d)", re.IGNORECASE | re.ASCII)

_HOURS = {
    "GMT": 0, "UTC": 0, "CET": 1, "CEST": 2, "MET": 1, "MEST": 2, "EET": 2, "EEST": 3,
    "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
    "AST": -4, "ADT": -3, "NST": -3.5, "NDT": -2.5, "HST": -10, "BRT": -3, "ART": -3,
    "WAT": 1, "CAT": 2, "SAST": 2, "EAT": 3, "IST": 2, "IDT": 3, "PKT": 5, "WIB": 7,
    "HKT": 8, "JST": 9, "KST": 9,    "AWST": 8, "ACST": 9.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
    "Greenwich Mean Time": 0, "Coordinated Universal Time": 0,
    "Central European Standard Time": 1, "Central European Summer Time": 2,
    "Eastern European Standard Time": 2, "Eastern European Summer Time": 3,
    "Eastern Standard Time": -5, "Eastern Daylight Time": -4,
    "Central Standard Time": -6, "Central Daylight Time": -5,
    "Mountain Standard Time": -7, "Mountain Daylight Time": -6,
    "Pacific Standard Time": -8, "Pacific Daylight Time": -7,
    "Atlantic Standard Time": -4, "Atlantic Daylight Time": -3,
    "Japan Standard Time": 9, "Australian Eastern Standard Time": 10, "Australian Eastern Daylight Time": 11,
    "New Zealand Standard Time": 12, "New Zealand Daylight Time": 13,
}  # fmt: skip
_MINUTES = {name.lower(): round(60 * hours) for name, hours in _HOURS.items()}
_NAME = re.compile("|".join(sorted(map(re.escape, _MINUTES), key=len, reverse=True)), re.IGNORECASE)


def read_zone(text: str, start: int) -> tuple[int, int]:
    """Return the minutes east of UTC of the zone at a place in a text, and where it ends."""
    if match := _NUMERIC.match(text, start):
        hours, minutes = int(match[2] or 0), int(match[3] or 0)
        if hours > 23 or minutes > 59:
            raise ValueError("no offset from UTC")
        return (-1 if match[1] == "-" else 1) * (60 * hours + minutes), match.end()
    if match := _NAME.match(text, start):
        return _MINUTES[match[0].lower()], match.end()
    raise ValueError("no time zone")
