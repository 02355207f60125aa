"""Commands without what Windows lacks: file locks of POSIX, users, `fork`, `/proc`, most signals, UTF-8."""

from __future__ import annotations

import ntpath
import os
import subprocess
import sys
from pathlib import Path

from gatree.base import files
from gatree.experiments import sources
from gatree.experiments.places import JOURNAL

WITHOUT_POSIX, ROOT = Path(__file__).parent / "without_posix", Path(__file__).parents[2]
EXPERIMENT = """
name: own
seed: 1
preset: paper
datasets: zoo
studies:
  - {name: savings, kind: savings, repeats: 2, grid: {mutation_rate: 0.5, size: 20}}
"""


PROGRAM = """
import os, signal, sys
from pathlib import Path
from gatree.cli.main import main

def gatree(command):
    sys.argv[1:] = command.split()
    try:
        main()
    except SystemExit as end:
        assert not end.code, command

assert not hasattr(os, "fork") and not hasattr(signal, "SIGKILL")
for tried in ("Path('/proc/cpuinfo').read_text()", "import fcntl"):
    try:
        exec(tried)
    except (ImportError, OSError) as error:
        print(type(error).__name__, flush=True)
gatree("tree con.csv --effort 0.1 --leaves 2 --folds 0 --save tree.json")
gatree("predict tree.json con.csv")
gatree("explore con.csv --effort 0.1 --folds 2 --no-compare")
run = "run --config own.yaml --results results --jobs 1"
gatree(run)
journal = Path("results/own/cells.jsonl")
whole = journal.read_bytes()
journal.write_bytes(whole + whole[:50])  # as a killed run leaves it
gatree(run)
"""


def test_evolve_explore_run_and_resume(tmp_path):
    """As on Windows with a terminal of code page 1252."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(WITHOUT_POSIX), str(ROOT)]),
        "PYTHONIOENCODING": "cp1252",
        "USERNAME": "somebody",  # what Windows calls the user
    }
    rows = "".join(
        f"{number}.5,{'ja' if number > 20 else 'naïve ✓'}\n" for number in (*range(40), *range(40))
    )
    (tmp_path / "con.csv").write_text("größe,antwort\n" + rows, encoding="utf-8")
    (tmp_path / "own.yaml").write_text(EXPERIMENT)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path, env=environment, capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    text, said = done.stdout.decode("cp1252"), done.stderr.decode("cp1252")
    assert done.returncode == 0, said
    assert text.startswith("FileNotFoundError\nModuleNotFoundError\n")
    assert "größe <= 21:" in text
    assert "na\xefve \\u2713" in text  # a terminal without the character shows its code
    assert "row,predicted,actual" in text
    assert "naïve ✓" in (tmp_path / "con-trees.html").read_text(encoding="utf-8")
    assert "cut off" in said
    assert len((tmp_path / "results" / "own" / JOURNAL).read_bytes().splitlines()) == 1


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
