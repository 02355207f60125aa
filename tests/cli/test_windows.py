"""Commands without what Windows lacks: file locks of POSIX, users, `fork`, `/proc`, most signals, UTF-8."""

from __future__ import annotations

import ntpath
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gatree.base import files
from gatree.experiments import sources
from gatree.experiments.journal import JOURNAL

WITHOUT_POSIX = Path(__file__).parent / "without_posix"
EXPERIMENT = """
name: own
seed: 1
preset: paper
datasets: zoo
studies:
  - {name: savings, kind: savings, repeats: 2, grid: {mutation_rate: 0.5, size: 20}}
"""


@pytest.fixture
def gatree(tmp_path):
    """Return a function that runs `gatree` as on Windows with a terminal of code page 1252."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(WITHOUT_POSIX),
        "PYTHONIOENCODING": "cp1252",
        "USERNAME": "somebody",  # what Windows calls the user
    }

    def run(*arguments: str) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "gatree", *arguments],
            cwd=tmp_path, env=environment, capture_output=True, timeout=300, check=False,
        )  # fmt: skip
        said = done.stderr.decode("cp1252")
        assert done.returncode == 0, said
        return done.stdout.decode("cp1252"), said

    return run


def test_the_posix_parts_are_gone(tmp_path):
    tried = (
        "import os, signal; from pathlib import Path; "
        "print(hasattr(os, 'fork'), hasattr(signal, 'SIGKILL'))\n"
        "try: Path('/proc/cpuinfo').read_text()\nexcept OSError: print('no /proc')\n"
        "try: import fcntl\nexcept ImportError: print('no fcntl')"
    )
    environment = {**os.environ, "PYTHONPATH": str(WITHOUT_POSIX)}
    printed = subprocess.run(
        [sys.executable, "-c", tried], env=environment, capture_output=True, text=True, check=True
    )
    assert printed.stdout.splitlines() == ["False False", "no /proc", "no fcntl"]


def test_evolve_and_explore(gatree, tmp_path):
    rows = "".join(
        f"{number}.5,{'ja' if number > 20 else 'naïve ✓'}\n" for number in (*range(40), *range(40))
    )
    (tmp_path / "con.csv").write_text("größe,antwort\n" + rows, encoding="utf-8")
    text, _ = gatree("evolve", "con.csv", "--leaves", "2", "--folds", "0", "--save", "tree.json")
    assert "größe <= 21:" in text
    assert "na\xefve \\u2713" in text  # a terminal without the character shows its code
    predicted, _ = gatree("predict", "tree.json", "con.csv")
    assert "ja" in predicted
    gatree("explore", "con.csv", "--preset", "fast", "--folds", "2", "--no-compare")
    assert "naïve ✓" in (tmp_path / "con-trees.html").read_text(encoding="utf-8")


def test_run_and_resume(gatree, tmp_path):
    (tmp_path / "own.yaml").write_text(EXPERIMENT)
    command = ("run", "--config", "own.yaml", "--results", "results", "--jobs", "2")
    gatree(*command)
    journal = tmp_path / "results" / "own" / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:50])  # as a killed run leaves it
    _, said = gatree(*command)
    assert "cut off" in said
    assert len(journal.read_bytes().splitlines()) == len(lines)


def test_a_file_that_somebody_reads_is_replaced_a_moment_later(tmp_path, monkeypatch):
    refusals, moved = iter([True, True, False]), Path.replace

    def replace(draft, place):
        if next(refusals):
            raise PermissionError(13, "The process cannot access the file", str(place))
        moved(draft, place)

    monkeypatch.setattr(files, "_TRIES", 20)
    monkeypatch.setattr(Path, "replace", replace)
    files.write_whole(tmp_path / "page.html", "whole")
    assert (tmp_path / "page.html").read_text() == "whole"


def test_data_on_another_drive_is_noted_by_its_whole_path(tmp_path, monkeypatch):
    (tmp_path / "data.csv").write_text("a,b\n1,x\n2,y\n")
    source = sources.DataSource(data=str(tmp_path / "data.csv"))
    monkeypatch.setattr(os.path, "relpath", lambda *_: ntpath.relpath("D:\\data.csv", "C:\\results"))
    noted = sources.recorded_source(source, tmp_path / "results")
    assert noted["data"] == (tmp_path / "data.csv").as_posix()
