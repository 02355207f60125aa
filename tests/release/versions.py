"""The version, and whether changelog and citation know it."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import gatree

ROOT = Path(__file__).parents[2]


def version() -> str:
    """Return the version that is built."""
    return gatree.__version__


def sections(text: str) -> list[tuple[str, str | None]]:
    """Return the changelog's sections from the top: version, and date where there is one."""
    return re.findall(r"^## \[([^\]]+)\](?: - (\S+))?", text, flags=re.MULTILINE)


def changelog_problem() -> str | None:
    """Return what keeps this version from being published, or None."""
    dates = dict(sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))
    if version() not in dates or "Unreleased" in dates:
        return "CHANGELOG.md: what is [Unreleased] belongs into a section of its version, with a date"
    try:
        date.fromisoformat(str(dates[version()]))
    except ValueError:
        return f"CHANGELOG.md: the section [{version()}] has no date such as 2026-11-30"
    return None
