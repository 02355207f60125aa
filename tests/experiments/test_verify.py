"""`gatree verify`: the same journal, one changed outcome, and what explains it."""

import gzip

import pytest
from laboratory import gatree_here
from records import a_record, read, seconds

from bench.archive import archive
from gatree.base.errors import ResultError
from gatree.experiments.journal import read_journal, verify
from gatree.experiments.journal_writer import JournalWriter
from gatree.experiments.places import find_journal


def journal(folder, *records):
    with JournalWriter(folder) as writer:
        for record in records:
            writer.append(read(record))
    return folder


def two_cells(**changes):
    return a_record("a", dataset="zoo"), a_record("b", dataset="vote", **changes)


def verified(capsys, here, there):
    return gatree_here(capsys, "verify", "--results", here, "--against", there)


def test_equal_outcomes_end_with_0(tmp_path, capsys):
    timing = {"old": seconds(3.0, 4.0), "new": seconds(1.0)}
    here = journal(tmp_path / "here", *two_cells(timing=timing), a_record("c", dataset="glass"))
    there = journal(tmp_path / "there", *two_cells(), a_record("d", dataset="lymph"))
    code, output, errors = verified(capsys, here, there)
    assert code == 0, errors
    assert output == (
        "2 of 2 outcomes equal the reference; old/new time ratio per cell: median 2.00 here, 2.00 there; "
        "not run here: 1 cell of the reference; not in the reference: 1 cell\n"
    )


def test_times_that_include_compiling_are_warned_of(tmp_path, capsys):
    compiled = {"old": seconds(3.0), "new": {**seconds(1.0), "compiled": 2}}
    here = journal(tmp_path / "here", *two_cells(timing=compiled))
    there = journal(tmp_path / "there", *two_cells())
    code, _, errors = verified(capsys, here, there)
    assert code == 0
    assert (
        errors == f"warning: {here}: the times of 1 cell include compiling kernels (s vote m=0.5 x=1e4 100)\n"
    )
    assert verified(capsys, there, here)[2] == errors
    assert verified(capsys, there, there)[2] == ""


def test_one_changed_outcome_ends_with_3_and_is_named(tmp_path, capsys):
    here = journal(tmp_path / "here", *two_cells(outcome={"n_correct": 91}))
    code, output, _ = verified(capsys, here, journal(tmp_path / "there", *two_cells()))
    assert code == 3
    first, verdict = output.splitlines()
    assert first == "different: s vote m=0.5 x=1e4 100: n_correct 91 (reference 90)"
    assert verdict.startswith("1 of 2 outcomes equal the reference")


def test_settings_seeds_data_and_failures_explain_a_difference():
    other = {"settings": {"generation_gap": 0.6}, "seed": 2, "data": {"name": "zoo", "checksum": "d"}}
    explained = {
        "n_nodes 5 (reference 3), with other settings: generation_gap 0.5 (reference 0.6), the data, "
        "seed 1 (reference 2)": (a_record(outcome={"n_nodes": 5}), {**a_record(), **other}),
        "failed: MemoryError: too large": (a_record(status="failed"), a_record()),
    }
    for what, (mine, theirs) in explained.items():
        [difference] = verify([read(mine)], [read(theirs)]).differences
        assert difference.what == what
    other = a_record(outcome={"kept_bytes": {"bitset": 5}}, timing={"bitset": seconds(0.1)})
    other["machine"] = {**other["machine"], "numpy": "3"}
    found = verify([read(a_record())], [read(other)])  # what evaluators keep is no outcome
    assert (found.n_equal, found.differences) == (1, ())
    assert found.machines == ("numpy: 2 here, 3 in the reference",)


def test_other_experiments_cannot_be_compared(tmp_path, capsys):
    here, there = (journal(tmp_path / name, a_record("a", study=name)) for name in ("here", "there"))
    code, _, errors = verified(capsys, here, there)
    assert code == 4
    assert "nothing to compare" in errors
    assert "have no cell in common" in errors


def test_an_archive_is_read_like_a_journal_and_is_the_same_each_time(tmp_path):
    folder = journal(tmp_path / "run", *two_cells())
    first = archive(folder, tmp_path / "a").read_bytes()
    journal(tmp_path / "again", *reversed(two_cells()))
    assert archive(tmp_path / "again", tmp_path / "b").read_bytes() == first
    kept = read_journal(find_journal(tmp_path / "a"))
    assert sorted(kept, key=str) == sorted(read_journal(find_journal(folder)), key=str)


@pytest.mark.parametrize(
    "content", [b"no archive", gzip.compress(b"{}" * 1000, mtime=0)[:-20]], ids=["other", "cut"]
)
def test_a_damaged_archive_is_explained(tmp_path, content):
    (tmp_path / "cells.jsonl.gz").write_bytes(content)
    with pytest.raises(ResultError, match="cannot be read"):
        read_journal(find_journal(tmp_path))
