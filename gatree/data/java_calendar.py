"""Java's calendar and time zones as integers, for dates as ARFF files write them.

The calendar is Julian up to 4 October 1582 and Gregorian from the day after, the 15th. A day is a count from
1970-01-01. Years start with March inside, so that the leap day is the last of a year.

A time zone is an offset from UTC, or one of Java's English names. Only names whose offset has been the same
since 1971 are here, and those as Java reads them (IST is Israel's). Others, such as MSK or BST, have meant
several offsets; they are refused.
"""

from __future__ import annotations

import re

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
