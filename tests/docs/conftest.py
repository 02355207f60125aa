"""A fresh clone of the project to run the commands of the documents in."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def fresh_clone(tmp_path, monkeypatch):
    """The root of a clone of all files as they are now, as the current folder: it has no run of your own."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout  # fmt: skip
    clone = tmp_path / "clone"
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():  # not removed since the last commit
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name)
    monkeypatch.chdir(clone)
    monkeypatch.setattr("gatree.base.files._PACKAGE", clone / "gatree")
    return clone
