"""The wheel, and empty environments to install it into."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

PROJECT = Path(__file__).parents[2]
LOCK = PROJECT / "requirements" / "lock.txt"


def run(*command: str | Path, cwd: Path | None = None) -> None:
    """Run a command and end with its code if it fails."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def build_wheel(folder: Path) -> Path:
    """Build the project's wheel into a folder."""
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, PROJECT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def empty_environment(folder: Path) -> Path:
    """Return the interpreter of a new virtual environment."""
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def install(python: Path, wheel: Path, extra: str = "") -> None:
    """Install the wheel, with an extra or without."""
    what = f"{wheel}[{extra}]" if extra else wheel
    run(python, "-m", "pip", "install", "--quiet", "--no-compile", "--constraint", LOCK, what)
