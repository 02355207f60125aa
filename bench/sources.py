"""The commit that is measured: a figure says which code it is of, so that code has to be committed."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = ("results", "README.md", "docs/performance.md")
"""What measuring writes: changes there do not change what is measured."""


def changed_sources() -> list[str]:
    """Return the tracked files that differ from the commit, without those that measuring writes."""
    return _git("diff", "--name-only", "HEAD", "--", ".", *(f":!{path}" for path in WRITTEN)).splitlines()


def measured_commit() -> str | None:
    """Return the commit that is checked out, with "-dirty" if the sources differ; None without git."""
    if not (ROOT / ".git").exists():
        return None
    return _git("rev-parse", "--short=8", "HEAD").strip() + ("-dirty" if changed_sources() else "")


def is_in_history(commit: str) -> bool:
    """Return whether the repository has a commit."""
    command = ["git", "-C", str(ROOT), "cat-file", "-e", f"{commit}^{{commit}}"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True).stdout
