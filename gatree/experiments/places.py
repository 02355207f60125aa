"""Where results are: your own runs, and the reference that is included.

Your own run is a journal, ``cells.jsonl``, that `gatree run` writes to ``results/NAME``. What is committed or
installed with gatree is an archive, ``cells.jsonl.gz``: never your own, even in the folder of the same name.
"""

from __future__ import annotations

import logging
from pathlib import Path

from gatree.base.errors import ResultError
from gatree.base.files import shipped_folder

JOURNAL = "cells.jsonl"
ARCHIVE = "cells.jsonl.gz"
RUNS = Path("results")
"""The folder of your own runs, where you are."""

PAPER = "paper"
"""The name of the paper's experiment, and of its folder."""

_log = logging.getLogger(__name__)


def own_runs(runs: Path = RUNS) -> list[Path]:
    """Return the folders of your own runs, that of the paper's experiment first."""
    found = [path.parent for path in (runs / JOURNAL, *sorted(runs.glob(f"*/{JOURNAL}"))) if path.exists()]
    return sorted(found, key=lambda folder: folder.name != PAPER)


def reference_folder() -> Path:
    """Return the folder of the paper's experiments as they were run for this version of gatree."""
    return shipped_folder("results") / "reference"


def find_journal(results: Path) -> Path:
    """Return the journal meant by a folder of results.

    That is the folder's own ``cells.jsonl``, or ``cells.jsonl.gz``; else the ``cells.jsonl`` of its only
    subfolder that has one; else, with several, that of ``paper``, or the newest.
    """
    for name in (JOURNAL, ARCHIVE):
        if (results / name).exists():
            return results / name
    if not results.is_dir():
        raise ResultError(f"{results}: no such folder; run an experiment first: gatree run")
    found = own_runs(results)
    if not found:
        raise ResultError(f"{results}: no results here (no {JOURNAL}); run an experiment first: gatree run")
    newest = max(found, key=lambda folder: (folder / JOURNAL).stat().st_mtime)
    chosen = found[0] if found[0].name == PAPER else newest
    if len(found) > 1:
        _log.warning("%s holds %d experiments, using %s", results, len(found), chosen)
    return chosen / JOURNAL
