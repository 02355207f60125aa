"""Write files atomically, and find the files that are included with gatree.

The included files are the data sets, the default configurations and the reference results. In a checkout
they are at the top level, in an installed wheel inside the package. Only this module knows the difference.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import time
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "_shipped"
_TRIES = 20 if os.name == "nt" else 1
_SECONDS_BETWEEN_TRIES = 0.05


def shipped_folder(name: str) -> Path:
    """Return the folder ``datasets``, ``configs`` or ``results`` of this installation."""
    installed = _INSTALLED / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file atomically: a full disk leaves the previous file as it was.

    A path that is not a regular file, such as a pipe, is written to directly.
    """
    raw = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    place = Path(os.path.realpath(path))
    if place.exists() and not (place.is_file() and os.access(place.parent, os.W_OK)):
        place.write_bytes(raw)
        return
    draft = place.with_name(f".gatree-{os.getpid()}.part")
    try:
        draft.write_bytes(raw)
        if place.exists():
            shutil.copymode(place, draft)
        put_in_place(draft, place)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from error


def put_in_place(draft: Path, place: Path) -> None:
    """Replace a file by its draft; on Windows that waits for a reader who has the file open."""
    for tries_left in reversed(range(_TRIES)):
        try:
            draft.replace(place)
        except PermissionError:
            if not tries_left:
                raise
            time.sleep(_SECONDS_BETWEEN_TRIES)
        else:
            return


def save_figure(figure: Any, path: Path, **options: Any) -> None:
    """Save a matplotlib figure atomically, in the format of the path's suffix."""
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:] or "png", **options)
    write_whole(path, picture.getvalue())
