"""The journal on disk: what is kept, what is dropped, what is refused."""

import json
import logging
import os
import subprocess
import sys

import pytest

from gatree.errors import ResultError
from gatree.experiments.journal import (
    JournalWriter,
    done_keys,
    find_journal,
    read_journal,
    read_plan,
    read_records,
)


def a_record(key, status="done", **cell):
    return {"key": key, "cell": {"study": "s", "kind": "savings", **cell}, "status": status}


def write(folder, *records):
    with JournalWriter(folder) as journal:
        for record in records:
            journal.append(record)
    return folder / "cells.jsonl"


def keys(path):
    return [record["key"] for record in read_records(path)]


def test_what_is_appended_is_read_back(tmp_path):
    path = write(tmp_path / "new" / "folder", a_record("a"), a_record("b", "failed"))
    write(path.parent, a_record("c"))
    assert keys(path) == ["a", "b", "c"]
    assert done_keys(read_records(path)) == {"a", "c"}
    assert all(json.loads(line)["schema"] == 1 for line in path.read_text().splitlines())


def test_the_newest_record_of_a_cell_counts_and_done_wins(tmp_path):
    path = write(
        tmp_path,
        a_record("a", dataset="vote"),
        a_record("b", dataset="vote"),
        a_record("c", "failed", dataset="vote"),
        a_record("d", "failed", dataset="zoo"),
        a_record("e", "failed", dataset="zoo"),
    )
    assert [record["key"] for record in read_journal(path)] == ["b", "e"]


def test_cells_that_left_the_plan_are_not_read(tmp_path):
    path = write(tmp_path, a_record("a", dataset="vote"), a_record("b", dataset="zoo"))
    with JournalWriter(tmp_path) as journal:
        journal.write_plan({"s": {"b": 1.0, "c": 2.0}})
    assert [record["key"] for record in read_journal(path)] == ["b"]
    assert read_plan(tmp_path) == {"s": {"b": 1.0, "c": 2.0}}


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_cut_off_last_line_is_dropped_and_never_glued_to(tmp_path, cut, caplog):
    path = write(tmp_path, a_record("a"), a_record("b"))
    whole = path.read_bytes()
    path.write_bytes(whole[: -cut - 1])
    assert keys(path) == ["a"]
    assert "line (2) is cut off" in caplog.text
    write(tmp_path, a_record("c"))
    assert keys(path) == ["a", "c"]


def test_a_last_line_without_its_newline_is_kept(tmp_path):
    path = write(tmp_path, a_record("a"), a_record("b"))
    path.write_bytes(path.read_bytes()[:-1])
    write(tmp_path, a_record("c"))
    assert keys(path) == ["a", "b", "c"]


@pytest.mark.parametrize("garbage", [b"{half", b"\xff\xfe\x00", b"[]", b'{"schema": 1}', b"null"])
def test_a_corrupt_line_is_reported_with_its_number_and_nothing_else_is_lost(tmp_path, garbage, caplog):
    path = write(tmp_path, a_record("a"), a_record("b"))
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + garbage + b"\n" + second)
    with caplog.at_level(logging.WARNING):
        assert keys(path) == ["a", "b"]
    assert "line 2 is not a record" in caplog.text
    write(tmp_path, a_record("c"))
    assert keys(path) == ["a", "b", "c"]
    assert garbage in path.read_bytes(), "what cannot be read is not thrown away either"


def test_a_newer_schema_is_refused(tmp_path):
    path = write(tmp_path, a_record("a"))
    path.write_text(path.read_text().replace('"schema":1', '"schema":2'))
    with pytest.raises(ResultError, match=r"line 1 was written by a newer gatree \(schema 2"):
        read_journal(path)


def test_one_writer_at_a_time(tmp_path):
    with (
        JournalWriter(tmp_path),
        pytest.raises(ResultError, match=rf"another run .* \(process {os.getpid()}\)"),
        JournalWriter(tmp_path),
    ):
        pass
    write(tmp_path, a_record("a"))


FULL_DISK = """
import resource, sys
from pathlib import Path
from gatree.errors import ResultError
from gatree.experiments.journal import JournalWriter
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
with JournalWriter(Path(sys.argv[1])) as journal:
    try:
        for number in range(100):
            journal.append({"key": str(number), "cell": {}, "status": "done"})
    except ResultError as error:
        print(number, error)
"""


def test_a_full_disk_leaves_whole_lines_only(tmp_path):
    result = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True, check=True
    )
    failed_at, _, message = result.stdout.partition(" ")
    assert "File too large" in message
    assert "what was done is kept" in message
    path = tmp_path / "cells.jsonl"
    assert path.read_bytes().endswith(b"\n")
    assert keys(path) == [str(number) for number in range(int(failed_at))]

    write(tmp_path, a_record("more"))
    assert keys(path)[-1] == "more"


@pytest.mark.parametrize("in_the_way", ["file", "file/deeper"])
def test_an_impossible_folder_is_explained(tmp_path, in_the_way):
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultError, match="cannot write results here"):
        write(tmp_path / in_the_way, a_record("a"))


def test_find_journal(tmp_path, caplog):
    with pytest.raises(ResultError, match="no such folder; run an experiment first"):
        find_journal(tmp_path / "results")
    with pytest.raises(ResultError, match="no results here"):
        find_journal(tmp_path)
    quick = write(tmp_path / "quick", a_record("a"))
    assert find_journal(tmp_path) == find_journal(tmp_path / "quick") == quick
    assert caplog.text == ""
    newer = write(tmp_path / "newer", a_record("a"))
    os.utime(quick, (1, 1))
    assert find_journal(tmp_path) == newer
    assert "holds 2 experiments, using" in caplog.text
    paper = write(tmp_path / "paper", a_record("a"))
    os.utime(paper, (0, 0))
    assert find_journal(tmp_path) == paper
