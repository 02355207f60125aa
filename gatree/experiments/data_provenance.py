"""Where the data of an experiment are, recorded in its plan, so that its trees can be shown with names.

Files are recorded relative to the folder of results. Whoever reads data by such an entry has to compare their
checksum: files change.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gatree.data.catalog import dataset_names
from gatree.experiments.journal import PLAN
from gatree.experiments.sources import DataSource


def recorded_source(source: DataSource, folder: Path) -> dict[str, Any]:
    """Return what a plan says about one data set."""
    note = source.model_dump(by_alias=True, exclude_defaults=True)
    if source.data not in dataset_names():
        note["data"] = os.path.relpath(source.data, folder)
    return {**note, "name": source.name}


def recorded_sources(folder: Path) -> dict[str, DataSource]:
    """Return the data sets that a plan notes and that are still there, by name."""
    try:
        noted = json.loads((folder / PLAN).read_bytes())["data"]
        described = list(map(dict, noted))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}  # there is no plan, or one that does not say
    found = {}
    for note in described:
        try:
            source = DataSource.model_validate(note, context={"folder": folder})
        except ValidationError:
            continue
        found[source.name] = source
    return found
