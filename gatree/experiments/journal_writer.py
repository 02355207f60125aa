"""Write the journal: the process that holds the folder's lock appends lines to it.

A line is written before its cell counts as done. So a run may be killed at any moment: finished cells are
kept, and the next run resumes. Lines are synced to the disk now and then: after a power failure the cells of
the last moments run again. Syncing every line would take longer than many cells.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from gatree.base.errors import ResultError
from gatree.base.files import write_whole
from gatree.base.limits import MOST_RECORD_BYTES
from gatree.experiments.journal import PLAN, Costs, check_journal
from gatree.experiments.places import JOURNAL
from gatree.experiments.record import Record
from gatree.experiments.record_line import SCHEMA, is_whole, line_of
from gatree.experiments.sources import DataSource, recorded_source

LOCK = "run.lock"
HOLDER = "run.pid"
_BLOCK = 2**16
_SECONDS_BETWEEN_SYNCS = 0.5
_SECONDS_FOR_THE_LOCK = 1.0  # a reader may hold it for a moment, to see whether there is a writer

_log = logging.getLogger(__name__)


class JournalWriter:
    """The only writer of the journal in a folder; use it as a context manager."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / JOURNAL
        self._folder = folder

    def __enter__(self) -> Self:
        with _explained(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            check_journal(self.path)
            self._lock = self._taken_lock()
            try:
                (self._folder / HOLDER).write_text(str(os.getpid()), encoding="utf-8")
                self._journal = self.path.open("ab+", buffering=0)
                self._size = self._repair()
            except BaseException:
                self._lock.release()
                raise
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
            self._journal.close()
            (self._folder / HOLDER).unlink(missing_ok=True)
            self._lock.release()

    def _taken_lock(self) -> FileLock:
        """Take the lock that excludes other writers; the system frees it when this process ends."""
        lock = _lock_of(self._folder)
        try:
            lock.acquire(timeout=_SECONDS_FOR_THE_LOCK)
        except Timeout:
            holder = _holder(self._folder)
            raise ResultError(
                f"{self._folder}: another run is writing here (process {holder}); wait until it ends, "
                f"stop it (kill {holder}), or use another folder with --results"
            ) from None
        return lock

    def _repair(self) -> int:
        """Cut an incomplete last line off the journal, and return its size."""
        size = self._journal.seek(0, os.SEEK_END)
        last, n_bytes = self._last_line(size)
        if not n_bytes:
            return size
        if is_whole(last):
            self._write(b"\n")  # only the line's end was missing
            return size + 1
        _log.warning("%s: the last line is cut off and was dropped; its cell will run again", self.path)
        self._journal.truncate(size - n_bytes)
        return size - n_bytes

    def _last_line(self, size: int) -> tuple[bytes, int]:
        """Return what follows the last end of a line, and its length; no byte is read twice.

        What is too long for a record is only measured.
        """
        parts: list[bytes] = []
        n_bytes, end_of_line = 0, -1
        while end_of_line < 0 and n_bytes < size:
            block = self._block(size - n_bytes)
            end_of_line = block.rfind(b"\n")
            part = block[end_of_line + 1 :]
            n_bytes += len(part)
            if n_bytes <= MOST_RECORD_BYTES:
                parts.append(part)
            else:
                parts.clear()
        return b"".join(reversed(parts)), n_bytes

    def _block(self, end: int) -> bytes:
        """Return the block of the journal that ends at a position."""
        start = max(0, end - _BLOCK)
        self._journal.seek(start)
        block = b""
        while len(block) < end - start:
            more = self._journal.read(end - start - len(block))
            if not more:
                raise ResultError(f"{self.path}: became shorter while it was read; run again")
            block += more
        return block

    def append(self, record: Record) -> None:
        """Append a record; when this returns, the record survives the end of this process."""
        line = line_of(record)
        with _explained(self._folder):
            try:
                self._write(line)
            except OSError:
                self._journal.truncate(self._size)  # half a line is useless
                raise
            self._size += len(line)
            if time.monotonic() - self._last_sync > _SECONDS_BETWEEN_SYNCS:
                self._sync()
        self._demand_its_file()

    def _write(self, content: bytes) -> None:
        while content:
            content = content[self._journal.write(content) :]

    def _sync(self) -> None:
        """Sync what was written to the disk."""
        os.fsync(self._journal.fileno())
        self._last_sync = time.monotonic()

    def _demand_its_file(self) -> None:
        """Raise an error if the file was removed or moved, since further records would be lost."""
        try:
            there = os.path.samestat(self.path.stat(), os.fstat(self._journal.fileno()))
        except OSError:
            there = False
        if not there:
            raise ResultError(
                f"{self.path}: was removed or moved while the experiment ran, so its results are not there; "
                "run again, or move it back and run again"
            )

    def write_plan(self, studies: Costs, sources: Iterable[DataSource] = ()) -> None:
        """Write the plan of the experiment and the locations of its data, for readers of the results."""
        data = [recorded_source(source, self._folder) for source in sources]
        content = json.dumps({"schema": SCHEMA, "data": data, "studies": studies}, separators=(",", ":"))
        with _explained(self._folder):
            write_whole(self._folder / PLAN, content + "\n")


def running_process(folder: Path) -> str | None:
    """Return the id of the process that is writing in a folder, if any.

    Whether it still runs is asked of the lock, since a killed process leaves its number behind.
    """
    if not (folder / HOLDER).exists():
        return None
    try:
        with _lock_of(folder).acquire(timeout=0):
            return None
    except Timeout:
        return _holder(folder)
    except OSError:  # a folder that only others may write
        return None


def _lock_of(folder: Path) -> FileLock:
    return FileLock(folder / LOCK, thread_local=False)


def _holder(folder: Path) -> str:
    try:
        return (folder / HOLDER).read_text(encoding="utf-8")[:20] or "unknown"
    except (OSError, UnicodeDecodeError):
        return "unknown"


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
