"""Streams that are closed, full or of another encoding: the work is done, and no traceback is shown."""

from __future__ import annotations

import json
import os
import resource
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gatree import DecisionTree

GATREE = f"{shlex.quote(sys.executable)} -m gatree"
EVOLVE = f"{GATREE} evolve zoo -q --population 10 --generations 3"
SAMPLE = Path(__file__).parents[1] / "report" / "sample"
COMPILED = {"NUMBA_DISABLE_JIT": "0"}  # figures and pages let the engine count, which takes long without


def shell(command: str, folder: Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a pipeline; its exit code is that of `gatree`, the first command."""
    script = f"{command}\nexit ${{PIPESTATUS[0]}}"
    quick = {
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONWARNINGS": "ignore",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    environment = {**os.environ, **quick, **options.pop("env", {})}
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
        **options,
    )


def some_results(folder: str | Path) -> None:
    """Results of a few cells: what is drawn of them takes a third of the time."""
    shutil.copytree(SAMPLE, folder)
    journal = Path(folder) / "cells.jsonl"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:4]))


@pytest.mark.parametrize(
    ("stream", "code", "said"),
    [
        ("| true", 0, ""),
        ("<&- >&- 2>&-", 0, ""),
        ("> /dev/full", 1, "error: No space left on device\n"),
        *(pytest.param(closed, 0, "", marks=pytest.mark.long) for closed in (">&-", "2>&-", ">&- 2>&-")),
    ],
)
def test_a_closed_or_full_stream_ends_printing_not_the_work(tmp_path, stream, code, said):
    done = shell(f"{EVOLVE} --save s.json {stream}", tmp_path)
    assert (done.returncode, done.stderr) == (code, said)
    DecisionTree.from_json((tmp_path / "s.json").read_text())  # and nothing but the tree went there


def test_a_closed_stream_does_not_turn_a_failure_into_success(tmp_path):
    failing = f"{GATREE} datasets info gone.arff"
    both = f"({failing}; exit $?) 2>&1 | true; echo ${{PIPESTATUS[0]}}; {failing} <&- >&- 2>&-; echo $?"
    assert shell(both, tmp_path).stdout == "1\n1\n"


ODD = "@relation odd\n@attribute 'größe—Ω' {'ä—','𝄞'}\n@attribute class {'ja—','nein—'}\n@data\n" + (
    "'ä—','ja—'\n'𝄞','nein—'\n" * 20
)


@pytest.mark.skipif(not sys.prefix.isascii(), reason="without UTF-8 Python does not start in this folder")
@pytest.mark.parametrize("encoding", [pytest.param("latin-1", marks=pytest.mark.long), "ascii"])
def test_what_an_encoding_lacks_is_written_as_an_escape(tmp_path, encoding):
    (tmp_path / "odd.arff").write_text(ODD, encoding="utf-8")
    environment = {"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0"}
    evolve = EVOLVE.replace("zoo", "odd.arff")
    done = shell(f"{evolve} --json --save odd.json", tmp_path, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    saved = json.loads((tmp_path / "odd.json").read_text(encoding="utf-8"))
    assert json.loads(done.stdout)["tree"] == {key: saved[key] for key in saved if key != "evolution"}
    done = shell(f"{GATREE} predict odd.json odd.arff", tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    dash = "—" if encoding == "ascii" else r"\u2014"  # click takes ASCII for a mistake and writes UTF-8
    first, _, rest = done.stderr.partition("\n")
    assert first == "40 of 40 correct (1.0000)"
    assert rest.endswith(f"\n  a  b   <- classified as\n 20  0 | a = ja{dash}\n  0 20 | b = nein{dash}\n")
    assert "Traceback" not in rest


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such file names")
@pytest.mark.parametrize(
    "command",
    [
        "status",
        *(pytest.param(each, marks=pytest.mark.long) for each in ("report", "table all", "figure savings")),
    ],
)
def test_a_path_that_is_not_utf_8(tmp_path, command):
    results = os.fsdecode(os.fsencode(tmp_path) + b"/r\xff\xe4")
    some_results(results)
    done = shell(f"{GATREE} {command} --results $'r\\xff\\xe4'", tmp_path, env=COMPILED)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


@pytest.mark.parametrize(
    "command", ["table all", *(pytest.param(one, marks=pytest.mark.long) for one in ("report", "figure all"))]
)
def test_a_full_disk_leaves_no_empty_file_and_older_ones_as_they_were(tmp_path, command):
    some_results(tmp_path / "r")
    (tmp_path / "r" / "report.html").write_text("older")
    before = {path.name for path in (tmp_path / "r").rglob("*")}
    done = shell(
        f"{GATREE} {command} --results r",
        tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        env={"PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(tmp_path), **COMPILED},
    )
    assert done.returncode == 1
    assert "\nerror: " in f"\n{done.stderr}", done.stderr
    assert "File too large" in done.stderr
    assert {path.name for path in (tmp_path / "r").rglob("*") if path.is_file()} <= before
    assert (tmp_path / "r" / "report.html").read_text() == "older"
