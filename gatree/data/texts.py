"""What the texts of a column are: numbers, dates or categories, as people write them.

`Clues` collects, text by text, what a column can still be. What it holds depends on the set of the texts
only, never on how they are cut into blocks or files, and it is small. `decide` then says for all columns of a
table at once how each is read (`gatree.data.attribute.Reading`), and `Decoder` reads texts that way.

What plain software calls a number stays that number. A comma or a point groups thousands only where every
value agrees and something shows it: a currency sign, both marks, two groups in one value, or a mark that
separates the values of the file, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, shown
from gatree.data import date_texts, number_texts
from gatree.data.attribute import Kind, Reading
from gatree.data.number_texts import PLAIN_NUMBER

MISSING_WORDS = ("", "?", "NA", "NaN", "nan", "null")
"""The words that mean a missing value in any column of text."""

_ALSO_MISSING = frozenset(
    """
    n/a n.a. n.a na #n/a #na - -- --- – — . .. ... null (null) #null! none (none) nil nan nat <na> missing
    (missing) (blank) #value! #div/0! #ref! #name? #num! 0000-00-00 n/v k.a.
    total totals sum subtotal summe gesamt insgesamt
    """.split()  # noqa: SIM905
) | {"not available", "not applicable", "no data", "grand total"}
"""Those that do in a column that is otherwise numbers or dates, in lower case; also names of a last row."""

_MANY_NUMBERS = 10  # fewer may be names of groups: 0, 1, 2, more


@dataclass
class _NumberClues:
    """What the numbers of a column show of their marks."""

    possible: dict[str, bool] = field(default_factory=lambda: {".": True, ",": True})  # by decimal mark
    marks: dict[str, set[str]] = field(default_factory=lambda: {".": set(), ",": set()})  # of thousands
    left_out: dict[str, None] = field(default_factory=dict)
    n: int = 0

    @property
    def has_money(self) -> bool:
        return any(each not in ("%", number_texts.PARENTHESES) for each in self.left_out)

    def add(self, number: number_texts.NumberText) -> bool:
        """Take a number; tell whether it is one in any form."""
        matches = {decimal: form.fullmatch(number.digits) for decimal, form in number_texts.GROUPED.items()}
        if not any(matches.values()):
            return False
        for decimal, match in matches.items():
            self.possible[decimal] = self.possible[decimal] and match is not None
            if match is not None and match["mark"]:
                self.marks[decimal].add(match["mark"])
        self.left_out |= dict.fromkeys(number.left_out)
        self.n += 1
        return True

    def merge(self, other: _NumberClues) -> None:
        for decimal in self.possible:
            self.possible[decimal] = self.possible[decimal] and other.possible[decimal]
            self.marks[decimal] |= other.marks[decimal]
        self.left_out |= other.left_out
        self.n += other.n

    def forms(self) -> list[str]:
        """Return the decimal marks that every number allows, with at most one mark of thousands."""
        return [mark for mark, possible in self.possible.items() if possible and len(self.marks[mark]) <= 1]

    def decimal(self, separator: str) -> str | None:
        """Return the decimal mark, or None if it is open what a mark means."""
        forms = self.forms()
        if len(forms) < 2:
            return forms[0] if forms else None
        groups_comma, groups_point = "," in self.marks["."], "." in self.marks[","]
        if groups_comma and groups_point:
            return None
        if groups_comma:  # commas with three digits behind each, and no other mark
            return "." if self.has_money or separator == "," else "," if separator == ";" else None
        return "," if groups_point and self.has_money else "."


@dataclass
class _DateClues:
    """What the dates of a column show of their order."""

    possible: list[bool] = field(default_factory=lambda: [True, True])  # the month first, the day first
    is_open: bool = False
    patterns: dict[str, None] = field(default_factory=dict)
    level: int = 0
    between: str = " "
    has_zone: bool = False
    n: int = 0

    def add(self, date: date_texts.DateText) -> None:
        for day_first in (False, True):
            self.possible[day_first] = self.possible[day_first] and date.days[day_first] is not None
        self._note(date.is_open, {date.date_pattern: None}, date.time_level, date.between, date.has_zone)
        self.n += 1

    def merge(self, other: _DateClues) -> None:
        self.possible = [mine and theirs for mine, theirs in zip(self.possible, other.possible, strict=True)]
        self._note(other.is_open, other.patterns, other.level, other.between, other.has_zone)
        self.n += other.n

    def _note(self, is_open: bool, patterns: dict[str, None], level: int, between: str, zone: bool) -> None:
        self.is_open = self.is_open or is_open
        self.patterns |= patterns
        self.level = max(self.level, level)
        self.between = max(self.between, between)  # 'T' is above a blank
        self.has_zone = self.has_zone or zone

    @property
    def order(self) -> bool | None:
        """Whether the day comes first, if the texts show it."""
        return self.possible[1] if self.is_open and self.possible[0] != self.possible[1] else None

    def pattern(self, day_first: bool) -> str:
        written = sorted(self.patterns, key=lambda pattern: ("D" not in pattern, len(pattern), pattern))
        return date_texts.pattern_of(written[0], self.level, self.between, self.has_zone, day_first)


@dataclass
class Clues:
    """What the texts of a column can be, as far as they were seen."""

    numbers: _NumberClues = field(default_factory=_NumberClues)
    dates: _DateClues = field(default_factory=_DateClues)
    missing: dict[str, None] = field(default_factory=dict)
    no_numbers: dict[str, None] = field(default_factory=dict)  # two at most: they say enough
    no_date: bool = False
    is_plain: bool = True  # numbers as all software writes them, and nothing else

    @property
    def are_categories(self) -> bool:
        """Whether nothing that follows can make numbers or dates of the column."""
        return len(self.no_numbers) > 1 and self.no_date

    def add(self, texts: Iterable[str]) -> None:
        """Take texts without blanks around them; those that mean a missing value anywhere are left out."""
        for text in texts:
            if self.are_categories:
                return
            self._add(text)

    def _add(self, text: str) -> None:
        is_plain = PLAIN_NUMBER.fullmatch(text) is not None
        self.is_plain = self.is_plain and is_plain
        if not is_plain and text.lower() in _ALSO_MISSING:
            self.missing[text] = None
            return
        if len(self.no_numbers) < 2:
            number = number_texts.parse(text)
            if number is None or not self.numbers.add(number):
                if is_plain:  # infinite, or of many digits
                    self.numbers.n += 1
                    self.numbers.possible[","] = self.numbers.possible[","] and "." not in text
                else:
                    self.no_numbers[text] = None
        if not self.no_date:
            date = date_texts.parse(text)
            self.no_date = date is None
            if date is not None:
                self.dates.add(date)

    def merge(self, other: Clues) -> None:
        """Take what another part of the same column shows."""
        self.numbers.merge(other.numbers)
        self.dates.merge(other.dates)
        self.missing |= other.missing
        self.no_numbers |= dict(list(other.no_numbers.items())[:2])
        self.no_date = self.no_date or other.no_date
        self.is_plain = self.is_plain and other.is_plain

    @property
    def are_numbers(self) -> bool:
        return self.numbers.n > 0 and not self.no_numbers and bool(self.numbers.forms())

    @property
    def are_dates(self) -> bool:
        return self.dates.n > 0 and not self.no_date and any(self.dates.possible)


class Verdict(NamedTuple):
    """How a column is read, and what its reader should know of it."""

    reading: Reading
    note: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether any software reads it so: numbers as they stand, or categories that are nothing else."""
        return self.reading == Reading("number") or self.reading.kind == "category"


def decide(
    columns: Mapping[str, Clues],
    *,
    separator: str = "",
    kinds: Mapping[str, Kind] | None = None,
    day_first: bool | None = None,
    like: Mapping[str, Reading] | None = None,
) -> dict[str, Verdict]:
    """Return how the columns of a table are read.

    Parameters
    ----------
    columns : mapping
        What the texts of each show.
    separator : str
        What separates the values of the file, if anything does.
    kinds : mapping, optional
        What some columns are, whatever they look like.
    day_first : bool, optional
        Whether the day comes first in dates that do not show it.
    like : mapping, optional
        How columns were read in an earlier file; their decimal marks and their order of dates are kept.
    """
    kinds, like = kinds or {}, like or {}
    orders = {
        name: clues.dates.order
        for name, clues in columns.items()
        if clues.are_dates and not clues.are_numbers and clues.dates.order is not None
    }
    shown_by = next(iter(orders), None) if len(set(orders.values())) == 1 else None
    context = _Context(separator, day_first, shown_by, orders.get(shown_by or ""))
    return {
        name: _verdict(name, clues, kinds.get(name), like.get(name), context)
        for name, clues in columns.items()
    }


class _Context(NamedTuple):
    """What the rest of the table says."""

    separator: str
    day_first: bool | None
    shown_by: str | None
    shown_order: bool | None


def _verdict(name: str, clues: Clues, kind: Kind | None, like: Reading | None, context: _Context) -> Verdict:
    if kind is None and like is not None and like.kind == "category":
        kind = "category"
    if kind == "category":
        return Verdict(Reading("category"))
    if kind == "date" and (clues.dates.n == 0 or not any(clues.dates.possible)):
        raise DataError(f"column {shown(name)} holds no dates that can be read")
    if kind == "number" and clues.numbers.n == 0:
        raise DataError(f"column {shown(name)} holds no numbers")
    if kind == "number" or (kind is None and clues.are_numbers):
        return _as_numbers(name, clues, kind is not None, like, context)
    if kind == "date" or clues.are_dates:
        return _as_dates(name, clues, like, context)
    return Verdict(Reading("category"), _stray(name, clues))


def _as_numbers(name: str, clues: Clues, forced: bool, like: Reading | None, context: _Context) -> Verdict:
    numbers = clues.numbers
    decimal = numbers.decimal(context.separator)
    if like is not None and like.decimal in numbers.forms():
        decimal = like.decimal
    if decimal is None and forced:
        decimal = (numbers.forms() or ["."])[0]
    if decimal is None:
        note = f"{name}: categories (',' may group thousands or be the decimal mark; --as {name}=number)"
        return Verdict(Reading("category"), note)
    thousands = "".join(sorted(numbers.marks[decimal])[:1])
    reading = Reading(
        "number", decimal, thousands, tuple(numbers.left_out), (*clues.missing, *clues.no_numbers)
    )
    return Verdict(reading, note_of(name, reading, _open_comma(numbers, decimal, context)))


def _open_comma(numbers: _NumberClues, decimal: str, context: _Context) -> str:
    is_open = decimal == "," and len(numbers.forms()) == 2 and bool(numbers.marks["."])
    return "every one with three digits behind it" if is_open and context.separator == ";" else ""


def _as_dates(name: str, clues: Clues, like: Reading | None, context: _Context) -> Verdict:
    dates, why = clues.dates, ""
    order = dates.order
    if order is None and dates.is_open:
        order, why = _open_order(dates, like, context)
    pattern = dates.pattern(bool(order))
    reading = Reading("date", pattern=pattern, missing=(*clues.missing,))
    return Verdict(reading, note_of(name, reading, why))


def _open_order(dates: _DateClues, like: Reading | None, context: _Context) -> tuple[bool, str]:
    """Return whether the day comes first where no text of the column shows it, and why."""
    if context.day_first is not None:
        return context.day_first, ""
    if like is not None and like.pattern is not None:
        return date_texts.is_day_first(like.pattern), ""
    if context.shown_order is not None:
        return context.shown_order, f"as {context.shown_by} shows"
    if all("." in pattern for pattern in dates.patterns):
        return True, "no day is above 12; dates with points have the day first"
    return False, "no day is above 12, so this is a guess; --day-first reads the day first"


def _stray(name: str, clues: Clues) -> str | None:
    """Return a note on the one text that makes categories of many numbers."""
    if len(clues.no_numbers) != 1 or clues.numbers.n <= _MANY_NUMBERS:
        return None
    text = next(iter(clues.no_numbers))
    return (
        f"{name}: categories, because of {shown(text)}, its only value that is no number; "
        f"--as {name}=number makes it a missing value"
    )


def note_of(name: str, reading: Reading, why: str = "") -> str | None:
    """Return how a column was read, in one line, or None if it was read as any software does."""
    parts = []
    left_out = [
        each for each in (*reading.left_out, reading.thousands) if each not in ("", number_texts.PARENTHESES)
    ]
    if left_out:
        parts.append(f"{_listed(left_out)} left out")
    if number_texts.PARENTHESES in reading.left_out:
        parts.append("parentheses are a minus")
    if reading.kind == "number" and reading.decimal == ",":
        parts.append("',' is the decimal mark" + (f", {why}" if why else ""))
    if reading.kind == "date":
        parts.append(f"{reading.pattern}" + (f", {why}" if why else ""))
    if reading.missing:
        parts.append(f"{_listed(reading.missing)} {'is' if len(reading.missing) == 1 else 'are'} missing")
    if not parts:
        return None
    return f"{name}: {reading.kind}s ({'; '.join(parts)})"


def _listed(texts: Sequence[str]) -> str:
    quoted = [shown(text) for text in texts[:6]] + (["..."] if len(texts) > 6 else [])
    return " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


class Decoder(dict[str, float]):
    """Numbers by text, as a reading says; a text that is none is a missing value."""

    def __init__(self, reading: Reading, missing_words: frozenset[str] = frozenset(MISSING_WORDS)) -> None:
        super().__init__()
        self._reading, self._missing_words = reading, missing_words

    def __missing__(self, text: str) -> float:
        value = _value(text.strip(), self._reading, self._missing_words)
        if len(self) < _MOST_KEPT:
            self[text] = value
        return value

    def of(self, values: Sequence[str], codes: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return cells as numbers, given the different ones and which of them each is."""
        return np.array([*map(self.__getitem__, values), math.nan])[codes]


_MOST_KEPT = 1_000_000


def _value(text: str, reading: Reading, missing_words: frozenset[str]) -> float:
    if text in missing_words or text in reading.missing or text.lower() in _ALSO_MISSING:
        return math.nan
    try:
        if reading.kind == "date":
            date = date_texts.parse(text)
            return math.nan if date is None else date.moment(_day_first(reading.pattern or ""))
        if reading.decimal == "." and PLAIN_NUMBER.fullmatch(text):
            return float(text)
        number = number_texts.parse(text)
        return math.nan if number is None else number.value(reading.decimal, reading.thousands)
    except ValueError:
        return math.nan


_day_first = cache(date_texts.is_day_first)
