"""Seconds as people say them."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """Write seconds as people say them.

    >>> duration(0.4), duration(75), duration(3 * 3600)
    ('1 s', '75 s', '180 min')
    """
    return f"{max(1, round(seconds))} s" if seconds < 100 else f"{seconds / 60:.0f} min"
