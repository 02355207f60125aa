"""Columns of text that are dates beyond doubt: all their values have one form that can be read in one way."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gatree.data.dates import DateFormat

_DAY = r"\d{4}-\d\d-\d\d"
_TIMES = (
    ("", ""),
    (r"\d\d:\d\d", "HH:mm"),
    (r"\d\d:\d\d:\d\d", "HH:mm:ss"),
    (r"\d\d:\d\d:\d\d\.\d{3}", "HH:mm:ss.SSS"),
)


def _forms() -> dict[re.Pattern[str], str]:
    """Return the forms that are recognised, as patterns of `gatree.data.dates`."""
    forms = {
        _DAY: "yyyy-MM-dd",
        r"\d{4}/\d\d/\d\d": "yyyy/MM/dd",
        r"\d\d [A-Z][a-z]{2} \d{4}": "dd MMM yyyy",
        r"\d\d-[A-Z][a-z]{2}-\d{4}": "dd-MMM-yyyy",
    }
    for expression, time in _TIMES[1:]:
        forms[f"{_DAY}T{expression}"] = f"yyyy-MM-dd'T'{time}"
        forms[f"{_DAY} {expression}"] = f"yyyy-MM-dd {time}"
        forms[rf"\d{{4}}/\d\d/\d\d {expression}"] = f"yyyy/MM/dd {time}"
        forms[rf"{_DAY}T{expression}(?:Z|[+-]\d\d:\d\d)"] = f"yyyy-MM-dd'T'{time}XXX"
    return {re.compile(expression, re.ASCII): pattern for expression, pattern in forms.items()}


_FORMS = _forms()


def dates_of(values: Sequence[str]) -> tuple[str, NDArray[np.float64]] | None:
    """Return the pattern of texts and their milliseconds since 1970, or None if one is no date."""
    if not values:
        return None
    expression, pattern = next(
        ((form, pattern) for form, pattern in _FORMS.items() if form.fullmatch(values[0])), (None, "")
    )
    if expression is None or not all(map(expression.fullmatch, values)):
        return None
    parse = DateFormat.compile(pattern).parse
    try:
        return pattern, np.array([parse(value) for value in values])
    except ValueError:
        return None
