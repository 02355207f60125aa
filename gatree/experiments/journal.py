"""The journal of an experiment: one line of JSON per cell that was run, in ``cells.jsonl``.

Lines are only ever appended, each flushed to the disk before the next cell counts as done, by the one
process that holds the folder's lock. So a run may be killed at any moment: what was done is kept, and
running again goes on from there. The format is described in docs/journal.md.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gatree.errors import ResultError

SCHEMA = 1
JOURNAL = "cells.jsonl"
PLAN = "plan.json"
LOCK = "run.lock"

Record = dict[str, Any]

_log = logging.getLogger(__name__)


def find_journal(results: Path) -> Path:
    """Return the journal meant by a folder of results.

    That is the folder's own ``cells.jsonl``; else the one of its only subfolder that has one; else,
    with several, that of ``paper``, or the newest.
    """
    if (results / JOURNAL).is_file():
        return results / JOURNAL
    if not results.is_dir():
        raise ResultError(f"{results}: no such folder; run an experiment first: gatree run")
    found = sorted(results.glob(f"*/{JOURNAL}"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise ResultError(f"{results}: no results here (no {JOURNAL}); run an experiment first: gatree run")
    chosen = next((path for path in found if path.parent.name == "paper"), found[-1])
    if len(found) > 1:
        _log.warning("%s holds %d experiments, using %s", results, len(found), chosen.parent)
    return chosen


def read_journal(path: Path) -> list[Record]:
    """Return the newest record of every cell; one that is done wins over one that failed.

    Records of cells that the experiment no longer has are left out, if its plan is beside the journal.
    """
    plan = read_plan(path.parent)
    planned = {key for cells in plan.values() for key in cells} if plan is not None else None
    newest: dict[str, Record] = {}
    for record in read_records(path):
        if planned is not None and record["key"] not in planned:
            continue
        cell = json.dumps(record["cell"], sort_keys=True)
        if record["status"] == "done" or newest.get(cell, record)["status"] != "done":
            newest[cell] = record
    return list(newest.values())


def read_records(path: Path) -> Iterator[Record]:
    """Yield every whole record of a journal, warning of lines that are none."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ResultError(f"{path}: cannot be read ({error.strerror})") from error
    lines = content.split(b"\n")
    for number, line in enumerate(lines, start=1):
        record = _parse(line)
        if record is not None:
            _check_schema(record, path, number)
            yield record
        elif line.strip() and number == len(lines):
            _log.warning("%s: the last line (%d) is cut off and was left out", path, number)
        elif line.strip():
            _log.warning("%s: line %d is not a record and was left out", path, number)


def _parse(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    whole = isinstance(record, dict) and {"schema", "key", "cell", "status"} <= record.keys()
    return record if whole else None


def _check_schema(record: Record, path: Path, number: int) -> None:
    if not isinstance(record["schema"], int) or record["schema"] > SCHEMA:
        raise ResultError(
            f"{path}: line {number} was written by a newer gatree (schema {record['schema']}, this one "
            f"knows {SCHEMA}): upgrade gatree, or use another folder with --results"
        )


def read_plan(folder: Path) -> dict[str, dict[str, float]] | None:
    """Return what the experiment consists of: per study the keys of its cells and their cost in seconds."""
    try:
        plan = json.loads((folder / PLAN).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ResultError(f"{folder / PLAN}: cannot be read ({error}); delete it and run again") from error
    return dict(plan["studies"])


class JournalWriter:
    """The one process that may append to the journal in a folder; use it as a context manager."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / JOURNAL
        self._folder = folder

    def __enter__(self) -> Self:
        with _explained(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self._folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                self._take_lock()
                self._journal = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            except BaseException:
                os.close(self._lock)
                raise
            self._size = self._mend()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._journal)
        os.close(self._lock)  # which gives the lock back

    def _take_lock(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(self._lock)
            raise ResultError(
                f"{self._folder}: another run is writing here (process {holder}); wait until it ends, "
                f"stop it (kill {holder}), or use another folder with --results"
            ) from None
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, str(os.getpid()).encode(), 0)

    def _mend(self) -> int:
        """Make the journal end with a whole line, and return its size."""
        content = self.path.read_bytes()
        last = content[content.rfind(b"\n") + 1 :]
        if not last:
            return len(content)
        if _parse(last) is not None:  # only the line's end is missing
            os.write(self._journal, b"\n")
            return len(content) + 1
        _log.warning("%s: the last line is cut off and was dropped; its cell will run again", self.path)
        os.ftruncate(self._journal, len(content) - len(last))
        return len(content) - len(last)

    def append(self, record: Record) -> None:
        """Add a record; when this returns, it is on the disk."""
        line = json.dumps({"schema": SCHEMA, **record}, separators=(",", ":")).encode() + b"\n"
        with _explained(self._folder):
            try:
                _write_all(self._journal, line)
                os.fsync(self._journal)
            except OSError:
                os.ftruncate(self._journal, self._size)  # half a line helps nobody
                raise
        self._size += len(line)

    def write_plan(self, studies: dict[str, dict[str, float]]) -> None:
        """Note what the experiment consists of, for those who read its results."""
        draft = self._folder / f"{PLAN}.new"
        content = json.dumps({"schema": SCHEMA, "studies": studies}, separators=(",", ":"))
        with _explained(self._folder):
            with draft.open("w", encoding="utf-8") as file:
                file.write(content + "\n")
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._folder / PLAN)


def running_process(folder: Path) -> str | None:
    """Return the number of the process that is writing in a folder, if one is."""
    try:
        lock = os.open(folder / LOCK, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(lock)
    else:
        return None
    finally:
        os.close(lock)


def _holder(lock: int) -> str:
    return os.pread(lock, 20, 0).decode() or "unknown"


def _write_all(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn an OSError into a message about the folder of results."""
    try:
        yield
    except OSError as error:
        raise ResultError(
            f"{folder}: cannot write results here ({error.strerror}); what was done is kept. "
            "Make room or choose another folder with --results, then run again"
        ) from error


def done_keys(records: Iterable[Record]) -> set[str]:
    """Return the keys of the cells that need not run again."""
    return {record["key"] for record in records if record["status"] == "done"}
