"""Where the files that come with gatree are: the data sets, the default configs, and the reference results.

In a checkout they lie at the top level; in an installed wheel inside the package. Nothing else
may know which of the two it is.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "_shipped"


def shipped_folder(name: str) -> Path:
    """Return the folder ``datasets``, ``configs`` or ``results`` that came with this installation."""
    installed = _INSTALLED / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
