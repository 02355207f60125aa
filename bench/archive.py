"""Save the results of a run as the reference: ``python -m bench.archive results/paper results/reference``."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from gatree.experiments.journal import read_journal
from gatree.experiments.places import ARCHIVE, find_journal
from gatree.experiments.record import Record
from gatree.experiments.record_line import line_of


def archive(results: Path, folder: Path) -> Path:
    """Write the journal of some results, gzipped, into a folder, and return where it is.

    Similar cells are written next to each other, which makes the archive small.
    """
    records = sorted(read_journal(find_journal(results)), key=_place)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ARCHIVE
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        for record in records:
            packed.write(line_of(record))
    return path


def _place(record: Record) -> tuple[str, ...]:
    cell = record.cell
    first = [cell.kind, cell.study, cell.dataset]
    return (*first, json.dumps(record.settings, sort_keys=True), *map(str, cell.fields.values()))


if __name__ == "__main__":
    archive(*map(Path, sys.argv[1:]))
