"""The paper's own numbers: Tables 3-12, all 2,784 of them, as data.

``published.csv`` was typed off the tables of Kalles & Papagelis, "Lossless fitness inheritance in genetic
algorithms for decision trees" (the preprint arXiv:cs/0611166 of March 2009), digit for digit, misprints
included; see `gatree.paper.errata`.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from gatree.paper.layout import Numbers, Spot


@cache
def published() -> Numbers:
    """Return every number of Tables 3-12 by the place where it stands."""
    text = files("gatree.paper").joinpath("published.csv").read_text(encoding="utf-8")
    rows = csv.reader(text.splitlines()[1:])
    return {Spot(int(table), *place): float(value) for table, *place, value in rows}
