"""Build sdist and wheel into dist/ and look at them as a reader of a package index would; `make release`.

Every check prints a line. The last one fails as long as the changelog has no section for the version: then
the files are sound, but not to be published.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from versions import ROOT, changelog_problem, version

DIST = ROOT / "dist"
MOST_MEGABYTES = 8
IN_WHEEL = (
    "gatree/__init__.py",
    "gatree/py.typed",
    "gatree/paper/published.csv",
    "gatree/_shipped/configs/paper.yaml",
    "gatree/_shipped/datasets/zoo.arff",
    "gatree/_shipped/results/reference/cells.jsonl.gz",
)
IN_SDIST = ("LICENSE", "CITATION.cff", "CHANGELOG.md", "Makefile", "requirements/lock.txt", "docs/install.md")
NOT_IN_ONE = (".venv", "__pycache__", "results/paper", "results/bench", ".git/", ".ci/")


def main() -> None:
    """Build and check."""
    shutil.rmtree(DIST, ignore_errors=True)
    _run("build", "--no-isolation", "--outdir", DIST, ROOT)
    wheel, sdist = DIST / f"gatree_lab-{version()}-py3-none-any.whl", DIST / f"gatree_lab-{version()}.tar.gz"
    _run("twine", "check", "--strict", wheel, sdist)
    information = f"gatree_lab-{version()}.dist-info"
    _check_names(wheel, zipfile.ZipFile(wheel).namelist(), (*IN_WHEEL, f"{information}/licenses/LICENSE"))
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    _check_names(sdist, names, (*IN_SDIST, *IN_WHEEL[:3], "datasets/zoo.arff", "tests/conftest.py"))
    for file in (wheel, sdist):
        megabytes = file.stat().st_size / 1e6
        _say(f"{file.name} has {megabytes:.1f} MB, at most {MOST_MEGABYTES}", megabytes <= MOST_MEGABYTES)
    problem = changelog_problem()
    _say(problem or f"CHANGELOG.md has a section for {version()}", problem is None)


def _run(*words: str | Path) -> None:
    if subprocess.run([sys.executable, "-m", *map(str, words)], check=False).returncode:
        sys.exit(1)


def _check_names(file: Path, names: list[str], wanted: tuple[str, ...]) -> None:
    missing = [name for name in wanted if name not in names]
    stray = [name for name in names if any(part in name for part in NOT_IN_ONE)]
    _say(f"{file.name} has {len(names)} files, missing: {missing}, stray: {stray}", not missing and not stray)


def _say(what: str, holds: bool) -> None:
    print(f"{'ok' if holds else 'NOT OK':8}{what}", flush=True)
    if not holds:
        sys.exit(1)


if __name__ == "__main__":
    main()
