"""Write files as a whole, and find the files that come with gatree.

A full disk leaves neither half a page nor an empty one. The shipped files are the data sets, the default
configs, and the reference results.

In a checkout they are at the top level; in an installed wheel, inside the package. Nothing else may know
which of the two it is.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "_shipped"


def shipped_folder(name: str) -> Path:
    """Return the folder ``datasets``, ``configs`` or ``results`` that came with this installation."""
    installed = _INSTALLED / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file beside its place and move it there, so that an older one stays if that fails.

    What is no plain file, such as a pipe, is written to directly.
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
        draft.replace(place)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from error


def save_figure(figure: Any, path: Path, **options: Any) -> None:
    """Save a figure of matplotlib, in the format that the path's ending names, whole or not at all."""
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:] or "png", **options)
    write_whole(path, picture.getvalue())
