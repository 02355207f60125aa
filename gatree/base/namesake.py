"""The other project that is called gatree: its distribution installs a package of the same name.

Ours is the distribution ``gatree-lab``. If both are installed in one environment, their files are mixed in
one folder, and the order of installation decides which ``gatree/__init__.py`` remains. So this module
imports nothing of ours. If the other project is absent, the check only lists the folders of ``sys.path``.
"""

from __future__ import annotations

import os
import sys


def clash() -> str | None:
    """Return an instruction if the other project is installed too, else None."""
    for folder in filter(_has_metadata, sys.path):
        if version := _version(folder):
            return (
                f"the distribution gatree {version} in {folder or '.'} is another project, whose package has "
                "the name and the folder of this one: run `pip uninstall gatree` and install gatree-lab again"
            )
    return None


def _has_metadata(folder: str) -> bool:
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208 (pathlib takes ten milliseconds)
    except OSError:  # sys.path may contain a path that is not a folder
        return False
    return any(name.startswith("gatree-") and name.endswith(".dist-info") for name in names)


def _version(folder: str) -> str | None:
    """Return the version of a distribution called gatree that has files in a package called gatree."""
    from importlib.metadata import distributions  # imported here: it takes forty milliseconds

    for found in distributions(name="gatree", path=[folder]):
        if any(file.parts[0] == "gatree" for file in found.files or ()):
            return found.version
    return None
