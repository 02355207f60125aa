"""The folder in which compiled kernels are kept between processes.

numba unpickles what it finds in its cache, so the folder has to be the user's own: in the shared folder
for temporary files another user must neither have made it nor be able to write there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

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
