"""Java's calendar as whole numbers: Julian up to 4 October 1582, Gregorian from the day after, the 15th.

A day is a count from 1970-01-01. Years start with March inside, so that the leap day is the last of a year.
"""

from __future__ import annotations

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
