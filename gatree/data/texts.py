"""What the texts of a column are: numbers, dates or categories, as people write them.

`TextEvidence` collects, text by text, what a column can still be. It depends on the set of the texts only,
never on their order, and it is small. `infer_readings` then says for all columns of a table at once how each
is read (`gatree.data.attribute.Reading`), and `Decoder` reads texts that way.

What plain software calls a number stays that number. A comma or a point groups thousands only where every
value agrees and something shows it: a currency sign, both marks, two groups in one value, or a mark that
separates the values of the file, too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, brief, shown
from gatree.data import date_texts, number_texts
from gatree.data.attribute import MISSING_WORDS, Kind, Reading
from gatree.data.date_texts import DateShape
from gatree.data.number_texts import PARENTHESES, PLAIN_NUMBER, NumberShape
from gatree.data.source import ReadOptions, Texts

_ALSO_MISSING = frozenset(
    """
    n/a n.a. n.a na #n/a #na - -- --- – — . .. ... null (null) #null! none (none) nil nan nat <na> missing
    (missing) (blank) #value! #div/0! #ref! #name? #num! 0000-00-00 n/v k.a.
    total totals sum subtotal summe gesamt insgesamt
    """.split()  # noqa: SIM905
) | {"not available", "not applicable", "no data", "grand total"}
"""Those that do in a column that is otherwise numbers or dates, in lower case; also names of a last row."""

_DECIMALS = (".", ",")
_MANY_NUMBERS = 10  # fewer may be names of groups: 0, 1, 2, more
_MOST_KEPT = 1_000_000  # texts whose numbers a decoder keeps


@dataclass
class TextEvidence:
    """What the texts of a column can be, as far as they were seen: the shapes of its numbers and dates."""

    numbers: Counter[NumberShape] = field(default_factory=Counter)
    dates: dict[DateShape, None] = field(default_factory=dict)
    missing: dict[str, None] = field(default_factory=dict)
    no_numbers: dict[str, None] = field(default_factory=dict)  # two at most: they say enough
    no_date: bool = False

    def add(self, texts: Iterable[str]) -> None:
        """Take texts without blanks around them; those that mean a missing value anywhere are left out."""
        for text in texts:
            if self.are_categories:
                return
            self._add(text)

    def _add(self, text: str) -> None:
        if text.lower() in _ALSO_MISSING:
            self.missing[text] = None
            return
        if len(self.no_numbers) < 2:
            shape = number_texts.shape_of(text)
            if shape is None or (shape.unit and len({*self.units, shape.unit}) > 2):
                self.no_numbers[text] = None
            else:
                self.numbers[shape] += 1
        if not self.no_date:
            date = date_texts.parse(text)
            self.no_date = date is None
            if date is not None:
                self.dates[date.shape] = None

    @property
    def are_categories(self) -> bool:
        """Whether nothing that follows can make numbers or dates of the column."""
        return len(self.no_numbers) > 1 and self.no_date

    @property
    def are_numbers(self) -> bool:
        return bool(self.numbers) and not self.no_numbers and len(self.units) < 2 and bool(self.decimals)

    @property
    def are_dates(self) -> bool:
        return bool(self.dates) and not self.no_date and bool(self.orders)

    @property
    def affixes(self) -> tuple[str, ...]:
        """What stands around numbers."""
        return tuple(dict.fromkeys(affix for shape in self.numbers for affix in shape.affixes))

    @property
    def units(self) -> tuple[str, ...]:
        """What stands behind numbers and is no currency."""
        return tuple(dict.fromkeys(shape.unit for shape in self.numbers if shape.unit))

    def thousands(self, decimal: str) -> list[str]:
        """Return the marks of thousands, given the decimal mark."""
        marks = {shape.marks[_DECIMALS.index(decimal)] for shape in self.numbers}
        return sorted(mark for mark in marks if mark)

    @property
    def decimals(self) -> list[str]:
        """The decimal marks that every number allows, with at most one mark of thousands."""
        return [
            decimal
            for at, decimal in enumerate(_DECIMALS)
            if all(shape.marks[at] is not None for shape in self.numbers) and len(self.thousands(decimal)) < 2
        ]

    def decimal(self, separator: str) -> str | None:
        """Return the decimal mark, or None if it is open what a mark means."""
        decimals = self.decimals
        if len(decimals) < 2:
            return decimals[0] if decimals else None
        has_money = any(affix not in ("%", PARENTHESES) for affix in self.affixes)
        groups_comma, groups_point = "," in self.thousands("."), "." in self.thousands(",")
        if groups_comma and groups_point:
            return None
        if groups_comma:  # commas with three digits behind each, and no other mark
            return "." if has_money or separator == "," else "," if separator == ";" else None
        return "," if groups_point and has_money else "."

    @property
    def orders(self) -> list[bool]:
        """Whether the day may come first in all dates: False, True, both or none."""
        return [first for first in (False, True) if all(shape.orders[first] for shape in self.dates)]

    @property
    def has_open_dates(self) -> bool:
        return any(shape.is_open for shape in self.dates)

    @property
    def order(self) -> bool | None:
        """Whether the day comes first, if the texts show it."""
        return self.orders[0] if self.has_open_dates and len(self.orders) == 1 else None


class ColumnReading(NamedTuple):
    """How a column is read, and what its reader should know of it."""

    reading: Reading
    note: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether any software reads it so: numbers as they stand, or categories that are nothing else."""
        return self.reading == Reading("number") or self.reading.kind == "category"


def infer_readings(
    columns: Mapping[str, TextEvidence], options: ReadOptions | None = None, separator: str = ""
) -> dict[str, ColumnReading]:
    """Return how the columns of a table are read, given what the texts of each show.

    Options say what columns are, whatever they look like, and how they were read in an earlier file: decimal
    marks and the order of dates are kept. The separator of the file tells marks apart.
    """
    options = options or ReadOptions()
    orders = {
        name: evidence.order
        for name, evidence in columns.items()
        if evidence.are_dates and not evidence.are_numbers and evidence.order is not None
    }
    shown_by = next(iter(orders.items())) if len(set(orders.values())) == 1 else None
    context = _Context(separator, options.day_first, shown_by)
    kinds, like = options.known_kinds, {each.name: each.reading for each in options.like}
    return {
        name: _reading_of(name, evidence, kinds.get(name), like.get(name), context)
        for name, evidence in columns.items()
    }


class _Context(NamedTuple):
    """What the rest of the table says."""

    separator: str
    day_first: bool | None
    shown_by: tuple[str, bool] | None  # the first column that shows the order of dates, and the order


def _reading_of(
    name: str, evidence: TextEvidence, kind: Kind | None, like: Reading | None, context: _Context
) -> ColumnReading:
    if kind == "category":
        return ColumnReading(Reading("category"))
    if kind == "date" and not (evidence.dates and evidence.orders):
        raise DataError(f"column {shown(name)} holds no dates that can be read")
    if kind == "number" and not evidence.numbers:
        raise DataError(f"column {shown(name)} holds {'dates, ' if evidence.are_dates else ''}no numbers")
    if kind == "number" or (kind is None and evidence.are_numbers):
        return _as_numbers(name, evidence, kind is not None, like, context)
    if kind == "date" or evidence.are_dates:
        return _as_dates(name, evidence, like, context)
    return ColumnReading(Reading("category"), _stray(name, evidence))


def _as_numbers(
    name: str, evidence: TextEvidence, forced: bool, like: Reading | None, context: _Context
) -> ColumnReading:
    decimal = evidence.decimal(context.separator)
    if like is not None and like.decimal in evidence.decimals:
        decimal = like.decimal
    if decimal is None and forced:
        decimal = (evidence.decimals or ["."])[0]
    if decimal is None:
        note = f"{name}: categories (',' may group thousands or be the decimal mark; --as {name}=number)"
        return ColumnReading(Reading("category"), note)
    thousands = "".join(evidence.thousands(decimal)[:1])
    left_out, missing = (*evidence.affixes, *evidence.units), (*evidence.missing, *evidence.no_numbers)
    reading = Reading("number", decimal, thousands, left_out, missing)
    is_open = decimal == "," and len(evidence.decimals) == 2 and bool(evidence.thousands("."))
    why = "every one with three digits behind it" if is_open and context.separator == ";" else ""
    return ColumnReading(reading, _note(name, reading, why))


def _as_dates(name: str, evidence: TextEvidence, like: Reading | None, context: _Context) -> ColumnReading:
    order, why = evidence.order, ""
    if order is None and evidence.has_open_dates:
        order, why = _open_order(evidence, like, context)
    pattern = date_texts.pattern_of(evidence.dates, bool(order))
    reading = Reading("date", pattern=pattern, missing=(*evidence.missing,))
    return ColumnReading(reading, _note(name, reading, why, date_texts.forms_of(evidence.dates, bool(order))))


def _open_order(evidence: TextEvidence, like: Reading | None, context: _Context) -> tuple[bool, str]:
    """Return whether the day comes first where no text of the column shows it, and why."""
    if context.day_first is not None:
        return context.day_first, ""
    if like is not None and like.pattern is not None:
        return date_texts.is_day_first(like.pattern), ""
    if context.shown_by is not None:
        name, order = context.shown_by
        return order, f"as {brief(name)} shows"
    if all("." in shape.pattern for shape in evidence.dates):
        return True, "no day is above 12; dates with points have the day first"
    return False, "no day is above 12, so this is a guess; --day-first reads the day first"


def _stray(name: str, evidence: TextEvidence) -> str | None:
    """Return a note on the one text that makes categories of many numbers."""
    if len(evidence.no_numbers) != 1 or len(evidence.units) > 1 or evidence.numbers.total() <= _MANY_NUMBERS:
        return None
    text = next(iter(evidence.no_numbers))
    return (
        f"{name}: categories, because of {shown(text)}, its only value that is no number; "
        f"--as {name}=number makes it a missing value"
    )


def _note(name: str, reading: Reading, why: str = "", forms: Sequence[str] = ()) -> str | None:
    """Return how a column was read, in one line, or None if it was read as any software does."""
    parts = []
    left_out = [each for each in (*reading.left_out, reading.thousands) if each not in ("", PARENTHESES)]
    if left_out:
        parts.append(f"{listed(left_out)} left out")
    if PARENTHESES in reading.left_out:
        parts.append("parentheses are a minus")
    if reading.kind == "number" and reading.decimal == ",":
        parts.append("',' is the decimal mark" + (f", {why}" if why else ""))
    if reading.kind == "date":
        parts.append(" and ".join(forms) + (f", {why}" if why else ""))
    if reading.missing:
        parts.append(f"{listed(reading.missing)} {'is' if len(reading.missing) == 1 else 'are'} missing")
    if not parts:
        return None
    return f"{brief(name)}: {reading.kind}s ({'; '.join(parts)})"


def listed(texts: Sequence[str]) -> str:
    """Return texts in quotes, as a message lists them."""
    quoted = [shown(text) for text in texts[:6]] + (["..."] if len(texts) > 6 else [])
    return " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


class Decoder(dict[str, float]):
    """Numbers by text, as a reading says; a text that is none is a missing value."""

    def __init__(self, reading: Reading, missing_words: frozenset[str] = frozenset(MISSING_WORDS)) -> None:
        super().__init__()
        self._reading, self._missing = reading, missing_words.union(reading.missing)
        self._is_day_first = date_texts.is_day_first(reading.pattern or "")

    def __missing__(self, text: str) -> float:
        value = self._value(text.strip())
        if len(self) < _MOST_KEPT:
            self[text] = value
        return value

    def _value(self, text: str) -> float:
        if text in self._missing or text.lower() in _ALSO_MISSING:
            return math.nan
        try:
            if self._reading.kind == "date":
                date = date_texts.parse(text)
                return math.nan if date is None else date.moment(self._is_day_first)
            if self._reading.decimal == "." and PLAIN_NUMBER.fullmatch(text):
                return float(text)
            number = number_texts.parse(text)
            if number is None or (number.unit and number.unit not in self._reading.left_out):
                return math.nan
            return number.value(self._reading.decimal, self._reading.thousands)
        except ValueError:
            return math.nan

    def of(self, cells: Texts) -> NDArray[np.float64]:
        """Return cells as numbers."""
        return cells.mapped(self, math.nan, np.float64)
