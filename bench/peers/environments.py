"""An environment per learner, made when it is first needed, below ``.venv-peers/`` (or ``GATREE_PEERS_DIR``).

A learner that cannot be installed here raises `UnavailableError`; the reason is reported in its row.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.common import ROOT, progress

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = Path(os.environ.get("GATREE_PEERS_DIR", ROOT / ".venv-peers"))

_LINES_OF_A_MESSAGE = 3
_SAYS_NOTHING = ("note:", "hint:", "warning", "[notice]", "[end of output]", "execution halted")


class UnavailableError(Exception):
    """A learner cannot be installed or run here; the text says why."""


def call(command: Sequence[str | Path], timeout: float, environment: dict[str, str] | None = None) -> str:
    """Run a command and return its output; raise `UnavailableError` with the end of its complaint."""
    alone = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    try:
        done = subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env={**alone, **(environment or {})},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(str(error)) from error
    if done.returncode != 0:
        raise UnavailableError(end_of(done.stderr or done.stdout) or f"ended with code {done.returncode}")
    return done.stdout


def end_of(text: str) -> str:
    """Return the last lines of a complaint that say something, in one line, without addresses and folders."""
    lines = [re.sub(r"\w+://\S+|(?<!\w)/\S*/", "…", line.strip()) for line in text.splitlines()]
    telling = [line for line in lines if line and not line.lower().startswith(_SAYS_NOTHING)]
    return "; ".join(telling[-_LINES_OF_A_MESSAGE:])


def _made(name: str, install: bool, make: Callable[[Path], None]) -> Path:
    """Return a learner's folder, made now unless an earlier run has completed it."""
    folder = ENVIRONMENTS / name
    if not (folder / "ready").exists():
        if not install:
            raise UnavailableError("not installed yet, and a quick run installs nothing")
        progress(f"peers: making the environment of {name}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make(folder)
        (folder / "ready").touch()
    return folder


def with_pip(name: str, *requirements: str, script: str, install: bool) -> list[str | Path]:
    """Return the command of a learner that pip installs into a fresh virtual environment."""

    def make(folder: Path) -> None:
        call([sys.executable, "-m", "venv", folder], 300)
        call([folder / "bin/python", "-m", "pip", "install", "--quiet", *requirements], 900)

    return [_made(name, install, make) / "bin/python", HERE / script]


def genetic_tree(install: bool) -> list[str | Path]:
    """Return the command of genetic-tree, which needs Python 3.8: a wheel, or else its patched source."""

    def make(folder: Path) -> None:
        call([_older_python("3.8"), "-m", "venv", folder], 300)
        python = folder / "bin/python"
        pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet"]
        try:
            call([*pip, "--only-binary=:all:", "genetic-tree==0.1.2", "numpy<1.24"], 900)
        except UnavailableError:  # there are wheels for x86-64 only
            call([*pip, "numpy<1.24", "scipy", "aenum", "wheel", "setuptools<66", "pypi-simple"], 900)
            call([python, HERE / "build_genetic_tree.py"], 900)

    return [_made("genetic-tree", install, make) / "bin/python", HERE / "genetic_tree_peer.py"]


def _older_python(version: str) -> Path:
    """Find a Python of an older version, on the path or among pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [*sorted(pyenv.glob(f"{version}*/bin/python")), Path(shutil.which(f"python{version}") or "")]
    for python in candidates:
        if python.is_file():
            return python
    raise UnavailableError(f"needs Python {version}, which is not installed here")


def evtree(install: bool) -> list[str | Path]:
    """Return the command of evtree: R's own installation, or one from CRAN into the learner's folder."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise UnavailableError("needs R, which is not installed here (Debian: r-base-core)")

    def make(folder: Path) -> None:
        install = f'if (!requireNamespace("evtree")) install.packages("evtree", lib = "{folder}")'
        call([rscript, "-e", install], 1800, {"R_LIBS": str(folder)})
        try:
            call([rscript, "-e", "library(evtree)"], 60, {"R_LIBS": str(folder)})
        except UnavailableError as error:
            raise UnavailableError(f"R could not install its package evtree here: {error}") from error

    return ["env", f"R_LIBS={_made('evtree', install, make)}", rscript, HERE / "evtree_peer.R"]
