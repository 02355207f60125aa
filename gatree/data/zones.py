"""Time zones as dates name them: an offset from UTC, or one of Java's English names.

Only names whose offset has been the same since 1971 are here, and those as Java reads them (IST is Israel's).
Others, such as MSK or BST, have meant several offsets; they are refused.
"""

from __future__ import annotations

import re

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
