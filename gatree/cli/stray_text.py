"""A note on columns of a CSV file that would be numbers, were it not for a single word."""

from __future__ import annotations

from collections.abc import Sequence

import click

from gatree.data.attribute import Attribute
from gatree.data.csv_file import MISSING_WORDS, only_text
from gatree.data.formats import format_of
from gatree.errors import shown


def note_stray_text(source: str, attributes: Sequence[Attribute]) -> None:
    """Name the columns that are nominal because of one value; other files say themselves what is nominal."""
    if format_of(source) != "csv":
        return
    words = ", ".join(filter(None, MISSING_WORDS))
    for attribute in attributes:
        text = only_text(attribute.values)
        if text is not None:
            click.echo(
                f"note: column {shown(attribute.name)} is nominal because of {shown(text)}, its only value "
                f"that is no number; a missing value is an empty cell or {words}",
                err=True,
            )
