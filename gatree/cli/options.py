"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

results_option = click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    metavar="DIR",
    help="An experiment's folder, or a folder of such folders.",
)
