"""A warning for numeric attributes that are never tested."""

from __future__ import annotations

from collections.abc import Sequence

import click

from gatree.data.attribute import Attribute
from gatree.data.coding import Coding, NumericTests


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
