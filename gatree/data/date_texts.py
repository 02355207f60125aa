"""Dates as people write them: day, month and year in several orders, month names, times, zones.

`parse` takes a text apart without knowing what else is in its column; only whether the day or the month comes
first in ``03/04/2024`` is left open, which `gatree.data.texts` decides from the whole table.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date
from typing import NamedTuple

from gatree.data.dates import DAY_MS, ZONE_NAMES, offset_of

_MONTH_NAMES = {
    name: month
    for month, names in enumerate(
        (
            "jan january januar jän jänner janvier janv enero ene gennaio",
            "feb february februar février févr febrero febbraio",
            "mar march mär märz mrz mars marzo",
            "apr april avril avr abril abr aprile",
            "may mai mayo maggio",
            "jun june juni juin junio giugno",
            "jul july juli juillet juil julio luglio",
            "aug august août agosto ago",
            "sep sept september septembre septiembre settembre",
            "oct october okt oktober octobre octubre ottobre",
            "nov november novembre noviembre",
            "dec december dez dezember décembre déc diciembre dic dicembre",
        ),
        start=1,
    )
    for name in names.split()
}
_NAME = "[a-zà-ÿ]{3,10}"
_DATE = re.compile(
    rf"""
    (?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[,.]?\ +)?
    (?:
        (?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?:(?P=mark)(?P<day>\d{{1,2}}))?
      | (?P<first>\d{{1,2}})(?P<mark2>[-/.])(?P<second>\d{{1,2}})(?P=mark2)(?P<year2>\d{{4}}|\d\d)
      | (?P<day3>\d{{1,2}})(?:st|nd|rd|th)?(?:\.?[ ]|[-/.])(?P<name3>{_NAME})\.?(?:,?[ ]|[-/.])
        (?P<year3>\d{{4}}|\d\d)
      | (?P<name4>{_NAME})\.?[ -](?P<day4>\d{{1,2}})(?:st|nd|rd|th)?(?:,?[ ]|-)(?P<year4>\d{{4}})
      | (?P<year5>\d{{4}})(?P<month5>\d\d)(?P<day5>\d\d)
      | (?P<name6>{_NAME})\.?(?:[ ](?P<year6>\d{{4}})|-(?P<year7>\d{{4}}|\d\d))
      | (?P<year8>\d{{4}})[- ](?P<name8>{_NAME})\.?[- ](?P<day8>\d{{1,2}})
    )?
    (?:
        (?P<between>T|,?\ +|$|^)
        (?:
            (?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?::(?P<second_>\d\d)(?:[.,](?P<fraction>\d{{1,9}}))?)?
            (?:\ ?(?P<half>[ap])\.?m\.?)?
            (?:\ ?(?P<zone>{ZONE_NAMES}|(?:utc|gmt)?[+-]\d\d(?::?\d\d)?))?
        )?
    )
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_LONGEST = 60
_EPOCH = date(1970, 1, 1).toordinal()


class DateShape(NamedTuple):
    """What a date shows of how its column is written."""

    orders: tuple[bool, bool]  # whether it is a date if the month comes first, and if the day does
    is_open: bool  # which of both comes first
    pattern: str  # with D and M where that is open
    time_level: int  # 0 without a time, then minutes, seconds, fractions of them
    between: str
    has_zone: bool


class DateText(NamedTuple):
    """A date, taken apart."""

    days: tuple[int | None, int | None]  # since 1970, if the month comes first, and if the day does
    milliseconds: int  # of the day, and those that a zone adds
    shape: DateShape

    def moment(self, day_first: bool) -> float:
        """Return milliseconds since 1970 UTC; a ValueError if there is no such date."""
        day = self.days[day_first]
        if day is None:
            raise ValueError("no date of the calendar")
        return float(day * DAY_MS + self.milliseconds)


def parse(text: str) -> DateText | None:
    """Take a date apart, or return None if the text is none."""
    if len(text) > _LONGEST or (not text[-1:].isalnum() and not text.endswith(".")):
        return None
    match = _DATE.fullmatch(text)
    if match is None or not any(character.isdigit() for character in text):
        return None
    try:
        clock, level = _clock(match)
        days, is_open, pattern = _days(match)
    except ValueError:
        return None
    if not pattern and not level:
        return None
    between = "'T'" if match["between"] in ("T", "t") else " "
    orders = (days[0] is not None, days[1] is not None)
    shape = DateShape(orders, is_open, pattern, level, between, match["zone"] is not None)
    return DateText(days, clock, shape)


def _days(match: re.Match[str]) -> tuple[tuple[int | None, int | None], bool, str]:
    """Return the day, if the month comes first and if the day does, and the pattern."""
    found = match.groupdict()
    if found["first"]:
        first, second, year = int(found["first"]), int(found["second"]), _year(found["year2"])
        days = tuple(_day(year, *order) for order in ((first, second), (second, first)))
        if days == (None, None):
            raise ValueError("no date of the calendar")
        wide = len(found["first"]) == len(found["second"]) == 2
        mark = found["mark2"]
        return (days[0], days[1]), True, f"DD{mark}MM{mark}yyyy" if wide else f"D{mark}M{mark}yyyy"
    numbers = {name.rstrip("345678"): text for name, text in found.items() if text}
    if "name" in numbers:
        month = _MONTH_NAMES.get(numbers["name"].lower(), 0)
        mark = "-" if "-" in match[0] else " "
        forms = {"day3": f"dd{mark}MMM{mark}yyyy", "day4": "MMM d, yyyy", "day8": "yyyy-MMM-dd"}
        pattern = next((form for group, form in forms.items() if found[group]), "MMM yyyy")
    elif "year" in numbers:
        month, mark = int(numbers["month"]), found["mark"] or ""
        pattern = f"yyyy{mark}MM{mark}dd" if "day" in numbers else f"yyyy{mark}MM"
    else:
        return (0, 0), False, ""
    day = _day(_year(numbers["year"]), month, int(numbers.get("day", 1)))
    if day is None:
        raise ValueError("no date of the calendar")
    return (day, day), False, pattern


def _day(year: int, month: int, day: int) -> int | None:
    try:
        return date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        return None


def _year(text: str) -> int:
    """Return a year; two digits are from 1969 to 2068, as the C library reads them."""
    if len(text) == 4:
        return int(text)
    return int(text) + (1900 if int(text) >= 69 else 2000)


def _clock(match: re.Match[str]) -> tuple[int, int]:
    """Return the milliseconds of the time, and its level."""
    if match["hour"] is None:
        return 0, 0
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second_"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("no hour")
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError("no time")
    fraction = int((match["fraction"] or "").ljust(3, "0")[:3])
    level = 3 if match["fraction"] else 2 if match["second_"] else 1
    return (hour * 60 + minute - offset_of(match["zone"])) * 60_000 + second * 1000 + fraction, level


_TIMES = ("", "HH:mm", "HH:mm:ss", "HH:mm:ss.SSS")


def pattern_of(shapes: Collection[DateShape], day_first: bool) -> str:
    """Return the pattern of a column with dates of these shapes: the shortest, with the finest time."""
    patterns = {shape.pattern for shape in shapes}
    date = min(patterns, key=lambda pattern: ("D" not in pattern, len(pattern), pattern))
    if "D" in date:
        day, month, year = re.split(r"[^\w]", date)
        mark = date[len(day)]
        ordered = (day.lower(), month) if day_first else (month, day.lower())
        date = mark.join((*ordered, year))
    level = max(shape.time_level for shape in shapes)
    has_zone = level > 0 and any(shape.has_zone for shape in shapes)
    between = max(shape.between for shape in shapes)  # 'T' is above a blank
    return between.join(filter(None, (date, _TIMES[level] + "XXX" * has_zone)))


def forms_of(shapes: Collection[DateShape], day_first: bool) -> list[str]:
    """Return a pattern for each form that dates of these shapes have.

    Dates with fewer digits or a shorter time have no form of their own.
    """
    by_form: dict[str, list[DateShape]] = {}
    for shape in shapes:
        by_form.setdefault(shape.pattern.replace("DD", "D").replace("MM", "M"), []).append(shape)
    return sorted(pattern_of(some, day_first) for some in by_form.values())


def is_day_first(pattern: str) -> bool:
    """Return whether a pattern has the day before the month."""
    return "d" in pattern and pattern.index("d") < pattern.index("M") if "M" in pattern else False
