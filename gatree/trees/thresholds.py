"""Short thresholds: the number with the fewest digits between two neighbouring values.

A threshold may lie anywhere between the largest value that passes and the smallest that fails. The middle of
the gap separates unseen values best, but often takes many digits to write, such as 42.349999999999994. So the
threshold is the decimal with the fewest significant digits in the middle half of the gap, the nearest to
the middle among several. A date is the start of the longest unit: a year, a month, a day, an hour, ...

Both values stay on their sides as 32-bit floats, too, wherever they differ there: scikit-learn and ONNX
compare those.
"""

from __future__ import annotations

from dataclasses import replace
from math import floor, isinf, log10

import numpy as np

from gatree.data.coding import Coding, NumericTests
from gatree.data.dataset import Dataset
from gatree.kernels.decorators import lean

_MOST_DIGITS = 15  # more digits may take two steps of rounding
_LARGEST_POWER = 22  # larger powers of ten are no floats
_DAY = 86_400_000.0  # milliseconds
_LATEST_DATE = 1e15
_TINY = 4e-7
_LARGEST_FLOAT32 = 3.4e38


@lean
def between(below: float, above: float, is_date: bool) -> float:
    """Return the threshold with the fewest digits in the middle half of the gap between two values.

    `below` passes ``x <= threshold``, and `above` does not.
    """
    low, high = _as_float32(below), _as_float32(above)
    low, high = (max(below, low), min(above, high)) if low < high else (below, above)
    if isinf(above):  # nothing fails the test, except missing values
        if low == below:
            return below
        above = high = low + _TINY * abs(low)
    middle, quarter = below / 2 + above / 2, above / 4 - below / 4
    first, last = max(low, middle - quarter), min(high, middle + quarter)
    if is_date and abs(middle) < _LATEST_DATE:
        is_whole_day = below % _DAY == 0.0 and above % _DAY == 0.0
        for unit in range(7):
            if is_whole_day and unit == 3:
                return below  # consecutive days
            date = _nearest_start(middle, unit)
            if first <= date <= last and date < high:
                return date
    elif first <= 0.0 <= last and high > 0.0:
        return 0.0
    elif middle != 0.0:
        for n_digits in range(1, _MOST_DIGITS + 1):
            decimal = _rounded(middle, n_digits)
            if first <= decimal <= last and decimal < high:
                return decimal
    return middle if low <= middle < high else low


@lean
def _as_float32(x: float) -> float:
    return x if abs(x) > _LARGEST_FLOAT32 else float(np.float32(x))


@lean
def _rounded(x: float, n_digits: int) -> float:
    """Return the float that is nearest to a number rounded to some significant digits."""
    power = floor(log10(abs(x))) + 1 - n_digits
    if abs(power) > _LARGEST_POWER:
        return x
    scale = 10.0 ** abs(power)
    return float(np.rint(x / scale) * scale if power > 0 else np.rint(x * scale) / scale)


@lean
def _nearest_start(milliseconds: float, unit: int) -> float:
    """Return the start of the nearest year, month, day, hour, minute, second or millisecond."""
    if unit >= 2:
        length = (_DAY, 3_600_000.0, 60_000.0, 1_000.0, 1.0)[unit - 2]
        return float(np.rint(milliseconds / length) * length)
    step = 12 if unit == 0 else 1
    month = _month_of(floor(milliseconds / _DAY))
    start = _day_of(month - month % step) * _DAY
    end = _day_of(month - month % step + step) * _DAY
    return start if milliseconds - start <= end - milliseconds else end


@lean
def _day_of(month: int) -> int:
    """Return the first day of a month as days since 1970; months count from January of the year 0.

    Years begin in March here, so that the leap day is the last of a year.
    """
    year, month = (month - 2) // 12, (month - 2) % 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 - 719_468


@lean
def _month_of(day: int) -> int:
    """Return the month of a day; see `_day_of`."""
    month = int((day + 719_468) // 30.436875) + 2
    while _day_of(month) > day:
        month -= 1
    while _day_of(month + 1) <= day:
        month += 1
    return month


def shortened(coding: Coding, dataset: Dataset, numeric_tests: NumericTests) -> Coding:
    """Return a coding whose thresholds separate the values of a data set as before, with the fewest digits.

    Integers as thresholds are kept as they are.
    """
    if numeric_tests == "integer":
        return coding
    thresholds = list(coding.thresholds)
    for index, candidates in enumerate(thresholds):
        if len(candidates):
            column, is_date = dataset.columns[index], dataset.attributes[index].date_format is not None
            values = np.unique(column[np.isfinite(column)].astype(np.float64))
            place = np.searchsorted(values, candidates, side="right")
            pairs = zip(values[place - 1].tolist(), values[place].tolist(), strict=True)
            thresholds[index] = np.array([between(below, above, is_date) for below, above in pairs])
    return replace(coding, thresholds=tuple(thresholds))
