"""Notes on stderr about data: columns that are nominal by mistake, attributes that are never tested."""

from __future__ import annotations

from collections.abc import Sequence

import click

from gatree.base.errors import shown
from gatree.data.attribute import Attribute
from gatree.data.coding import Coding, NumericTests
from gatree.data.csv_file import MISSING_WORDS, only_decimal_commas, only_text
from gatree.data.formats import format_of


def note_stray_text(source: str, attributes: Sequence[Attribute]) -> None:
    """Name the columns that are nominal by mistake, it seems; other files say themselves what is nominal."""
    format_ = format_of(source)
    if format_ is None or not format_.infers_kinds:
        return
    for attribute in attributes:
        if (why := _why_nominal(attribute.values)) is not None:
            click.echo(f"note: column {shown(attribute.name)} is nominal{why}", err=True)


def _why_nominal(values: Sequence[str]) -> str | None:
    if only_decimal_commas(values):
        return ": a comma is a decimal point only where semicolons separate the values"
    text = only_text(values)
    if text is None:
        return None
    words = ", ".join(filter(None, MISSING_WORDS))
    return (
        f" because of {shown(text)}, its only value that is no number; a missing value is an empty cell or "
        f"{words}"
    )


def warn_of_untested(attributes: Sequence[Attribute], coding: Coding, numeric_tests: NumericTests) -> None:
    """Name the numeric attributes that have no integer between their values, where integers are tested."""
    tests = zip(attributes, coding.n_tests, strict=True)
    untested = [attribute.name for attribute, n in tests if n == 0 and not attribute.is_nominal]
    if untested and numeric_tests == "integer":
        click.echo(
            f"warning: {', '.join(untested)}: no integer lies between the values, so they are never "
            "tested; --numeric-tests auto finds thresholds",
            err=True,
        )
