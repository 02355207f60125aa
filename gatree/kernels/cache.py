"""Where compiled kernels are kept between processes, and a cache that mends itself.

numba unpickles what it finds in its cache, so the folder has to be the user's own: in the shared folder
for temporary files nobody else may have made it or be able to write there. A damaged file, which numba
would stumble over each time, is taken for one that is missing, so that the kernel is compiled again and
the file replaced; a disk that is full costs the compilation, not the work.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import shutil
import stat
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

_log = logging.getLogger(__name__)

_STALE_AFTER_SECONDS = 30 * 24 * 3600
_ROOM_NEEDED = bytes(4096)


def cache_folder(name: str) -> Path | None:
    """Return a folder of this name in the user's cache, or in one for temporary files, or none.

    ``GATREE_CACHE_DIR`` chooses the place; whoever sets it knows who can write there.
    """
    for parent, checked in _candidates():
        if _made(parent) and (not checked or _is_own(parent)) and _writable(parent / name):
            (parent / name).touch()
            _drop_unused(parent, keep=parent / name)
            return parent / name
    return None


def _candidates() -> Iterator[tuple[Path, bool]]:
    """Yield the folders to try, and whether they have to be the user's own."""
    if chosen := os.environ.get("GATREE_CACHE_DIR"):
        yield Path(chosen).expanduser(), False
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        with contextlib.suppress(RuntimeError):  # there may be no home
            yield Path(base).expanduser() / "gatree", True
    with contextlib.suppress(FileNotFoundError):  # Python finds no room for temporary files
        yield Path(tempfile.gettempdir()) / f"gatree-{os.getuid()}", True


def _made(folder: Path) -> bool:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
    except OSError:
        return False
    return True


def _is_own(folder: Path) -> bool:
    """Tell whether a folder is no link, belongs to this user, and nobody else can write in it."""
    about = folder.lstat()
    others = stat.S_IWGRP | stat.S_IWOTH
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & others


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            return file.write(_ROOM_NEEDED) == len(_ROOM_NEEDED)
    except OSError:
        return False


def _drop_unused(parent: Path, keep: Path) -> None:
    """Remove compiled code of sources that nobody has used for a month."""
    oldest = time.time() - _STALE_AFTER_SECONDS
    for folder in parent.glob("kernels-*"):
        with contextlib.suppress(OSError):  # another process may be faster
            if folder != keep and folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """numba's cache of one kernel. What it cannot read is compiled again, what it cannot write not kept."""

    _told = False

    def __init__(self, kernel: Any) -> None:
        super().__init__(kernel)
        locator = self._impl.locator
        self._cache_file = _CheckedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=locator.get_source_stamp(),
        )

    @property
    def has_code(self) -> bool:
        """Tell whether the kernel was compiled before, for whatever types."""
        return Path(self._cache_file._index_path).exists()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file may raise anything
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if not KernelCache._told:
                KernelCache._told = True
                _log.warning(
                    "%s: compiled code cannot be kept here (%s), so it is compiled again next time; "
                    "make room, or choose another folder with GATREE_CACHE_DIR",
                    self._cache_path,
                    error.strerror,
                )


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """numba's files, with a check sum, and with the signature that the code was compiled for.

    Two processes that compile at the same time may give their files the same name.
    """

    def save(self, key: Any, data: Any) -> None:
        code = self._dump(data)
        super().save(key, (key, zlib.crc32(code), code))

    def load(self, key: Any) -> Any:
        try:
            compiled_for, check_sum, code = super().load(key)
            if compiled_for == key and check_sum == zlib.crc32(code):
                return pickle.loads(code)
        except Exception:  # nothing there, or damaged, which may raise anything
            return None
        return None

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:
            return {}
