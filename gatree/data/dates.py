"""Dates in the patterns of Java's SimpleDateFormat, which ARFF files use.

A date is a number of milliseconds since 1970, and always UTC (WEKA takes the machine's time zone, so that its
numbers change from machine to machine; what it writes is the same). The calendar is that of `datetime`.

A pattern becomes a regular expression in which every field is atomic, so that a text is read from left to
right in a single pass, as Java does it. A two-digit year lies in the hundred years that end 20 years from
today, and fields that contradict each other are no date. Text after a date is an error, where Java ignores
it, and so is a date before 1583, when Java's calendar is another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from gatree.base.errors import shown
from gatree.base.limits import MOST_DATE_PATTERN_CHARACTERS

ISO_FORMAT = "yyyy-MM-dd'T'HH:mm:ss"
"""The format of a date attribute that names none."""

FULL_FORMAT = "yyyy-MM-dd'T'HH:mm:ss.SSS"
DAY_FORMAT = "yyyy-MM-dd"
DAY_MS = 86_400_000

_EPOCH = datetime(1970, 1, 1)
_FIRST_YEAR = 1583  # that is Gregorian all through
_MILLISECOND = timedelta(milliseconds=1)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NAMES = {"M": _MONTHS, "E": _DAYS, "a": ("AM", "PM")}
_VALUES: dict[str, Callable[[datetime], int]] = {  # of the fields that can be read
    "y": lambda moment: moment.year,
    "M": lambda moment: moment.month,
    "d": lambda moment: moment.day,
    "E": lambda moment: moment.weekday(),
    "a": lambda moment: moment.hour // 12,
    "H": lambda moment: moment.hour,
    "h": lambda moment: moment.hour % 12 or 12,
    "m": lambda moment: moment.minute,
    "s": lambda moment: moment.second,
    "S": lambda moment: moment.microsecond // 1000,
}
_ZONES = {"z": "UTC", "Z": "+0000", "X": "Z"}  # and what is written for them
_KNOWN = (*_VALUES, *_ZONES)
_UNITS = {"S": 1, "s": 1_000, "m": 60_000, "H": 3_600_000}
_PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+|(?P<never_closed>')")

_HOURS = {
    "z": 0, "utc": 0, "gmt": 0, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "est": -5, "edt": -4, "cst": -6,
    "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "jst": 9,
}  # fmt: skip
ZONE_NAMES = "|".join(sorted(_HOURS, key=len, reverse=True))
_OFFSETS = {1: r"[+-]\d\d", 2: r"[+-]\d{4}", 3: r"[+-]\d\d:\d\d"}  # by the number of X
_GENERAL_ZONE = rf"(?:utc|gmt)?[+-]\d\d?(?::?\d\d)?(?!\d)|(?:{ZONE_NAMES})(?![a-z])"


class _Field(NamedTuple):
    letter: str
    width: int

    @property
    def is_number(self) -> bool:
        return self.letter in "ydHhmsS" or (self.letter == "M" and self.width <= 2)

    def expression(self, touches: bool) -> str:
        """Return the regular expression of the field; blanks before it are skipped.

        A number that touches the next one has the width of the pattern, blanks before it included.
        """
        if touches:
            forms = (rf"[ \t]{{{blanks}}}\d{{1,{self.width - blanks}}}" for blanks in range(self.width))
            return rf"(?=.{{{self.width}}})((?>{'|'.join(forms)}))"
        if self.is_number:
            return r"((?>[ \t]*\d{1,18}))"
        if self.letter in _ZONES:
            zone = f"z|{_OFFSETS.get(self.width, '$.')}" if self.letter == "X" else _GENERAL_ZONE
            return rf"[ \t]*+((?>(?i:{zone})))"
        names = (form for name in _NAMES[self.letter] for form in (name, name[:3]))
        return rf"[ \t]*+((?>(?i:{'|'.join(names)})))"

    def value(self, text: str) -> int:
        if self.letter in _ZONES:
            return offset_of(text)
        if self.is_number:
            return int(text)
        start = text[:3].lower()
        names = [name[:3].lower() for name in _NAMES[self.letter]]
        return names.index(start) + (self.letter == "M")

    def written(self, moment: datetime) -> str:
        if self.letter in _ZONES:
            return _ZONES[self.letter]
        number = _VALUES[self.letter](moment)
        if not self.is_number:
            name = _NAMES[self.letter][number - (self.letter == "M")]
            return name if self.width >= 4 else name[:3]
        return f"{number % 100:02d}" if self.letter == "y" and self.width == 2 else f"{number:0{self.width}d}"


@dataclass(frozen=True)
class DateFormat:
    """A compiled pattern: turns text into milliseconds and back."""

    pattern: str
    pieces: tuple[str | _Field, ...]
    _expression: re.Pattern[str]
    _century: datetime  # the first moment that a two-digit year can mean

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
        pieces = _pieces(pattern)
        expressions = [
            re.escape(piece)
            if isinstance(piece, str)
            else piece.expression(piece.is_number and isinstance(after, _Field) and after.is_number)
            for piece, after in zip(pieces, (*pieces[1:], ""), strict=True)
        ]
        today = (today or datetime.now(UTC)).replace(tzinfo=None)
        day = 28 if (today.month, today.day) == (2, 29) else today.day
        century = today.replace(year=today.year - 80, day=day)
        return DateFormat(pattern, pieces, re.compile("".join(expressions) + r"\s*", re.DOTALL), century)

    @property
    def fields(self) -> list[_Field]:
        return [piece for piece in self.pieces if isinstance(piece, _Field)]

    def parse(self, text: str) -> float:
        """Return milliseconds since 1970 UTC; a ValueError if the text is no such date."""
        match = self._expression.fullmatch(text)
        if match is None:
            raise ValueError(f"{shown(text)} is no date of the form {shown(self.pattern)}")
        found, two_digits = dict[str, int](), False
        try:
            for field, part in zip(self.fields, match.groups(), strict=True):
                found[field.letter] = field.value(part)
                if field.letter == "y":  # the last one counts
                    two_digits = field.width <= 2 and len(part.strip()) == 2
            return self._milliseconds(found, two_digits)
        except (ValueError, OverflowError):
            raise ValueError(f"{shown(text)} is no date of the calendar") from None

    def _milliseconds(self, found: dict[str, int], two_digits: bool) -> float:
        hour = found.get("H", found.get("h", 0) % 12 + 12 * found.get("a", 0))
        if two_digits:
            first = self._century.year
            found["y"] = first + (found["y"] - first) % 100
        rest = (found.get("M", 1), found.get("d", 1), hour, found.get("m", 0), found.get("s", 0))
        moment = datetime(found.get("y", 1970), *rest, found.get("S", 0) * 1000)
        if two_digits and moment < self._century:
            found["y"] += 100
            moment = moment.replace(year=found["y"])
        if moment.year < _FIRST_YEAR:
            raise ValueError("another calendar")
        if any(of(moment) != found.get(letter, of(moment)) for letter, of in _VALUES.items()):
            raise ValueError("fields that contradict each other")
        offset = next((found[letter] for letter in _ZONES if letter in found), 0)
        return float((moment - _EPOCH) // _MILLISECOND - offset * 60_000)

    def format(self, milliseconds: float) -> str:
        """Return the text of a date; a ValueError if the format cannot hold it."""
        try:
            moment = _EPOCH + timedelta(milliseconds=int(milliseconds))
            text = "".join(
                piece if isinstance(piece, str) else piece.written(moment) for piece in self.pieces
            )
            if self.parse(text) == milliseconds:
                return text
        except (ValueError, OverflowError):
            pass
        raise ValueError(f"{milliseconds!r} milliseconds cannot be written as {shown(self.pattern)}")


def _pieces(pattern: str) -> tuple[str | _Field, ...]:
    """Cut a pattern into literal text and fields."""
    pieces: list[str | _Field] = []
    for match in _PIECE.finditer(pattern):
        if match["never_closed"]:
            raise ValueError(f"the date format {shown(pattern)} has a quote that is never closed")
        if match[2] is None:
            pieces.append(match[0] if match[1] is None else match[1].replace("''", "'") or "'")
        elif match[2] in _KNOWN:
            pieces.append(_Field(match[2], len(match[0])))
        else:
            known = ", ".join(_KNOWN)
            raise ValueError(f"the date format {shown(pattern)} has {match[2]!r}; known are {known}")
    return tuple(pieces)


def date_text(pattern: str, milliseconds: float) -> str:
    """Return the text of a date in its format, or in full if that has no place for it.

    Midpoints between dates have hours that a format of days cannot hold: the day stands for them, which parts
    the same dates. Those of other time zones need them.
    """
    for format_, moment in (
        (pattern, milliseconds),
        (pattern, _start(pattern, milliseconds)),
        (FULL_FORMAT, milliseconds),
    ):
        try:
            return DateFormat.compile(format_).format(moment)
        except ValueError:
            continue
    return repr(milliseconds)


def _start(pattern: str, milliseconds: float) -> float:
    """Return where the day, minute or second of a moment begins, whichever a pattern ends with."""
    letters = {field.letter for field in DateFormat.compile(pattern).fields}
    if letters & _ZONES.keys() or "d" not in letters:
        return milliseconds
    unit = next((size for letter, size in _UNITS.items() if letter in letters), DAY_MS)
    return milliseconds if unit < DAY_MS and "H" not in letters else milliseconds // unit * unit


def offset_of(zone: str | None) -> int:
    """Return the minutes east of UTC."""
    match = re.search(r"([+-])(\d\d?):?(\d\d)?$", zone or "z")
    if match is None:
        return round(60 * _HOURS[(zone or "z").lower()])
    hours, minutes = int(match[2]), int(match[3] or 0)
    if hours > 23 or minutes > 59:
        raise ValueError("no offset from UTC")
    return (-1 if match[1] == "-" else 1) * (60 * hours + minutes)
