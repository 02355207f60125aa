"""A step of a warm-up that notes where it is done; processes import it without the tests."""

from __future__ import annotations

import os
from pathlib import Path


def note(folder: Path, name: str) -> None:
    with (folder / str(os.getpid())).open("a") as file:
        file.write(f"{name}\n")
