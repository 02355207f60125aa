"""Dates: what Java's SimpleDateFormat makes of them in UTC, stored as facts."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatree.data.dates import DateFormat, date_text

GOLDEN = (
    Path(__file__).parents[1] / "weka" / "golden" / "dates.json"
)  # written by tests/weka/make_dates_golden.py
JULIAN = -12_212_553_600_000  # before 1583
LAST = 253_402_300_800_000  # from the year 10000 on
TODAY = datetime(2026, 11, 18, tzinfo=UTC)  # eighty years after the day that the golden file was made for


def parsed_or_error(pattern, text):
    try:
        return DateFormat.compile(pattern, TODAY).parse(text)
    except ValueError as error:
        return str(error)


def test_dates_are_those_of_java():
    """Or are refused: rare letters, names of most zones, and dates before 1583 or after 9999."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    n_refused = 0
    for pattern, text, milliseconds in golden:
        found = parsed_or_error(pattern, text)
        if isinstance(found, str):
            is_rare = set(pattern) & set("DKkz") or pattern.startswith("EEE") or milliseconds is None
            assert is_rare or not JULIAN <= milliseconds < LAST, (pattern, text, found)
            n_refused += milliseconds is not None
        else:
            assert found == milliseconds, (pattern, text)
    assert len(golden) - n_refused > 160
    assert DateFormat.compile("yyyy").parse(" \t2001") == 978307200000


def test_a_two_digit_year_is_within_twenty_years_from_now():
    now = datetime.now(UTC)
    for years in (-79, -1, 0, 1, 19):
        day = now.replace(year=now.year + years, month=6, day=15)
        midnight = datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000
        assert DateFormat.compile("yy-MM-dd").parse(f"{day:%y-%m-%d}") == midnight


BACKTRACKING = [  # a reader that tries every way would take longer than the universe has
    ("'0'".join("d" * 40), "0" * 1000 + "x"),
    ("d" * 40 + "-", "1" * 1000),
    (" ".join("EEEE" for _ in range(30)), "Sat " * 500),
    ("M'1'" * 40, "1" * 5000),
]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        *BACKTRACKING,
        *(("HH:mm z", f"12:00 {zone}") for zone in ("MSK", "BST", "+2460", "+9900", "GMT+")),
        ("yyyy-MM-dd", "2001-13-01"),
        ("yyyy-MM-dd", "2001-02"),
        ("yyyy-MM-dd", "2001-02-03 12:00"),
        ("SSS", "1000"),
        ("yyyy", "0"),
        ("yyyy", "9" * 5000),
        ("yyyy", "\u00a02001"),
        ("yyyy", "\n2001"),
        ("'x'yyyy", " x2001"),
        ("yyyy-MM-dd", "1582-12-31"),
        ("HH:mmX", "10:00-0530"),
        ("HH:mmXXX", "10:00-0530"),
    ],
)
def test_no_dates(pattern, text):
    with pytest.raises(ValueError, match="is no date"):
        DateFormat.compile(pattern).parse(text)


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ("yy/M/d H:m:s.S", "01/4/3 15:5:7.9"),
        ("yyyyy-MM-dd HH:mm:ss.SSS", "02001-04-03 15:05:07.009"),
        ("EEEE, d MMMM y 'at' hh a, E MMM", "Tuesday, 3 April 2001 at 03 PM, Tue Apr"),
        ("h H z Z X", "3 15 UTC +0000 Z"),
    ],
)
def test_how_a_date_is_written(pattern, written):
    """With the rest of the date, so that it can be read back."""
    full = pattern + " | yyyy-MM-dd HH:mm:ss.SSS"
    text = DateFormat.compile(full).format(986310307009)
    assert text == written + " | 2001-04-03 15:05:07.009"


@given(st.integers(-12_000_000_000_000, 250_000_000_000_000))
def test_every_millisecond_reads_back(milliseconds):
    dates = DateFormat.compile("EEE d MMM yyyy h:mm:ss.SSS a")
    assert dates.parse(dates.format(milliseconds)) == milliseconds


def test_a_midpoint_is_written_as_the_date_that_parts_the_same_dates():
    assert date_text("yyyy-MM-dd", 978393600000.0) == "2001-01-02"
    assert date_text("yyyy-MM-dd", 978436800000.0) == "2001-01-02"
    assert date_text("yyyy-MM-dd HH:mm", 978436830000.0) == "2001-01-02 12:00"
    assert date_text("yyyy-MM-dd", -0.5) == "1969-12-31"


def test_what_a_format_cannot_hold_is_written_in_full():
    assert date_text("yyyy-MM-dd X", 978436800000.0) == "2001-01-02T12:00:00.000"
    assert date_text("yyyy", 978436800000.0) == "2001-01-02T12:00:00.000"
    assert date_text("yyyy", 0.5) == "0.5"
