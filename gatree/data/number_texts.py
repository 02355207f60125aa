"""Numbers as people write them: currencies, marks of thousands, per cent, parentheses for a minus.

`parse` takes a text apart without knowing what else is in its column; which mark is that of the decimals is
left open, which `gatree.data.texts` decides from the whole column.
"""

from __future__ import annotations

import re
from typing import NamedTuple

PLAIN_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?|inf(?:inity)?)", re.IGNORECASE
)
_CODES = (
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW MXN MYR "
    "NGN NOK NZD PHP PLN RMB RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR"
)
_CURRENCY = rf"(?:[A-Za-z]{{0,3}}[$€£¥₹₽₩₺₴₪฿₫₱₦₡₲₵₸₼₾]|¢|kr\.?|zł|kč|rs\.?|fr\.|{'|'.join(_CODES.split())})"
_AFFIX = rf"(?:{_CURRENCY}|%)"
_LETTER = r"[^\W\d_]"
_UNIT = rf"(?<=[0-9])(?:\s+{_LETTER}[\w/²³]{{0,9}}|{_LETTER}{{2,6}}[²³]?|\s*°\w?)"  # 4kg, 4 m², 4 km/h, 4 °C
_NUMBER = re.compile(
    rf"""
    (?P<open>\(\s*)? (?P<sign>[-+−–]\s*)? (?P<before>{_AFFIX})? \s* (?P<sign2>[-+−]\s*)? (?P<open2>\(\s*)?
    (?P<digits>[0-9][0-9.,'’\s]*|[.,][0-9]+) (?P<exponent>e[-+]?[0-9]+)?
    (?P<close2>\))? (?:\s* (?P<after>{_AFFIX})|(?P<unit>{_UNIT}))? (?P<sign3>-)? (?P<close>\s*\))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FORMS = {  # the forms of numbers, by their decimal mark
    decimal: re.compile(
        rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?P<mark>[{other}' ])"
        r"(?:(?:[0-9]{3}(?P=mark))*|(?<=,)(?:[0-9]{2},)+)[0-9]{3})"  # those of two are India's: 97,61,346
        rf"(?:[{decimal}][0-9]*)?|[{decimal}][0-9]+"
    )
    for decimal, other in ((".", ","), (",", "."))
}
_ONE_MARK = str.maketrans({"’": "'", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\t": " "})
PARENTHESES = "()"
"""The affix that means a minus."""

_LONGEST_NUMBER = 60


class NumberShape(NamedTuple):
    """What a number shows of how its column is written."""

    marks: tuple[str | None, ...]  # of thousands, if a point is the decimal mark, and if a comma is
    affixes: tuple[str, ...] = ()  # what is left out around it
    unit: str = ""  # which is left out, too, if it is that of all


class NumberText(NamedTuple):
    """A number, taken apart."""

    digits: str  # and the marks between them
    exponent: str
    is_negative: bool
    affixes: tuple[str, ...]
    unit: str

    def value(self, decimal: str, thousands: str) -> float:
        """Return the number; a ValueError if it has not this form."""
        if not _FORMS[decimal].fullmatch(self.digits):
            raise ValueError(self.digits)
        digits = self.digits.replace(thousands, "") if thousands else self.digits
        number = float(digits.replace(decimal, ".") + self.exponent)
        return -number if self.is_negative else number


def parse(text: str) -> NumberText | None:
    """Take a number apart, or return None if the text is none."""
    match = _NUMBER.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
    if match is None or (match["before"] and match["after"]):
        return None
    signs = [sign.strip() for sign in match.group("sign", "sign2", "sign3") if sign]
    n_open, n_close = (
        sum(map(bool, match.group(*names))) for names in (("open", "open2"), ("close", "close2"))
    )
    if n_open != n_close or len(signs) + n_open > 1:
        return None
    is_negative = n_open > 0 or (bool(signs) and signs[0] != "+")
    affixes = (*filter(None, match.group("before", "after")), *([PARENTHESES] if n_open else []))
    digits = match["digits"].strip().translate(_ONE_MARK)
    return NumberText(digits, match["exponent"] or "", is_negative, affixes, (match["unit"] or "").strip())


def shape_of(text: str) -> NumberShape | None:
    """Return what a number shows of its column, or None if the text is no number in any form."""
    number = parse(text)
    if number is not None:
        matches = [form.fullmatch(number.digits) for form in _FORMS.values()]
        if any(matches):
            marks = tuple(match and (match["mark"] or "") for match in matches)
            return NumberShape(marks, number.affixes, number.unit)
    is_plain = PLAIN_NUMBER.fullmatch(text) is not None  # infinite, or of many digits
    return NumberShape(("", None if "." in text else "")) if is_plain else None
