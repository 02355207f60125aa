"""Write the journal: the process that holds the folder's lock appends lines to it.

A line is written before its cell counts as done. So a run may be killed at any moment: finished cells are
kept, and the next run resumes. Lines are synced to the disk now and then: after a power failure the cells of
the last moments run again. Syncing every line would take longer than many cells.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from gatree.base.errors import ResultError
from gatree.experiments.journal import JOURNAL, PLAN, Plan
from gatree.experiments.record import SCHEMA, BadRecordError, Record, parse_record
from gatree.experiments.sources import DataSource, recorded_source

LOCK = "run.lock"
_BLOCK = 2**16
_SECONDS_BETWEEN_SYNCS = 0.5

_log = logging.getLogger(__name__)


class JournalWriter:
    """The only writer of the journal in a folder; use it as a context manager."""

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
        self._last_sync = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._demand_its_file()
            with _explained(self._folder):
                self._sync()
        finally:
            os.close(self._journal)
            os.ftruncate(self._lock, 0)
            os.close(self._lock)  # which gives the lock back

    def _take_lock(self) -> None:
        """Take one lock that excludes other writers, and one that shows to readers that a run is writing."""
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
        with suppress(OSError):  # some file systems have no such locks
            os.lockf(self._lock, os.F_TLOCK, 0)

    def _mend(self) -> int:
        """Cut an incomplete last line off the journal, and return its size."""
        size = os.fstat(self._journal).st_size
        last = self._last_line(size)
        if not last:
            return size
        try:
            parse_record(last)
        except BadRecordError:
            _log.warning("%s: the last line is cut off and was dropped; its cell will run again", self.path)
            os.ftruncate(self._journal, size - len(last))
            return size - len(last)
        os.write(self._journal, b"\n")  # only the line's end was missing
        return size + 1

    def _last_line(self, size: int) -> bytes:
        """Return what follows the last end of a line."""
        last, start = b"", size
        while start > 0 and b"\n" not in last:
            start = max(0, start - _BLOCK)
            last = os.pread(self._journal, min(_BLOCK, size - start), start) + last
        return last[last.rfind(b"\n") + 1 :]

    def append(self, record: Record) -> None:
        """Append a record; when this returns, the record survives the end of this process."""
        line = json.dumps({"schema": SCHEMA, **record}, separators=(",", ":")).encode() + b"\n"
        with _explained(self._folder):
            try:
                _write_all(self._journal, line)
            except OSError:
                os.ftruncate(self._journal, self._size)  # half a line helps nobody
                raise
            self._size += len(line)
            if time.monotonic() - self._last_sync > _SECONDS_BETWEEN_SYNCS:
                self._sync()
        self._demand_its_file()

    def _sync(self) -> None:
        """Sync what was written to the disk."""
        os.fsync(self._journal)
        self._last_sync = time.monotonic()

    def _demand_its_file(self) -> None:
        """Raise an error if the file was removed or moved, since further records would be lost."""
        try:
            there = os.path.samestat(self.path.stat(), os.fstat(self._journal))
        except OSError:
            there = False
        if not there:
            raise ResultError(
                f"{self.path}: was removed or moved while the experiment ran, so its results are not there; "
                "run again, or move it back and run again"
            )

    def write_plan(self, studies: Plan, sources: Iterable[DataSource] = ()) -> None:
        """Write the plan of the experiment and the locations of its data, for readers of the results."""
        draft = self._folder / f"{PLAN}.new"
        data = [recorded_source(source, self._folder) for source in sources]
        content = json.dumps({"schema": SCHEMA, "data": data, "studies": studies}, separators=(",", ":"))
        with _explained(self._folder):
            with draft.open("w", encoding="utf-8") as file:
                file.write(content + "\n")
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._folder / PLAN)


def running_process(folder: Path) -> str | None:
    """Return the id of the process that is writing in a folder, if any.

    It only queries the lock and never takes it, so that it cannot keep a writer out.
    """
    try:
        lock = os.open(folder / LOCK, os.O_RDONLY)
    except OSError:
        return None
    try:
        os.lockf(lock, os.F_TEST, 0)
    except OSError:
        return _holder(lock)
    finally:
        os.close(lock)
    return None


def _holder(lock: int) -> str:
    return os.pread(lock, 20, 0).decode(errors="replace") or "unknown"


def _write_all(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn an OSError into an error about the folder of results."""
    try:
        yield
    except OSError as error:
        raise ResultError(
            f"{folder}: cannot write results here ({error.strerror}); what was done is kept. "
            "Make room or choose another folder with --results, then run again"
        ) from error
