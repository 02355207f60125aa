"""The journal on disk: what is a record, what is kept, what is dropped, what is refused."""

import gzip
import json
import logging
import os
import random
import shutil
import subprocess
import sys
import threading

import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st
from laboratory import full_disk, gatree_here, write_config
from records import MACHINE, a_record, fields_of, line_of, mutated, read

import gatree.experiments.journal_writer
from gatree.base.errors import ResultError
from gatree.base.limits import MOST_JOURNAL_BYTES
from gatree.experiments.estimate import measured, status_of
from gatree.experiments.frame import Results
from gatree.experiments.journal import read_journal, read_plan, read_records
from gatree.experiments.journal_writer import JournalWriter, running_process
from gatree.experiments.places import ARCHIVE, find_journal, reference_folder
from gatree.experiments.record_line import SCHEMA, BadRecordError, parse_record


def write(folder, *records):
    with JournalWriter(folder) as journal:
        for record in records:
            journal.append(read(record))
    return folder / "cells.jsonl"


def keys(path):
    return [record.key for record in read_records(path)]


def test_what_is_appended_is_read_back(tmp_path):
    path = write(tmp_path / "new" / "folder", a_record("a"), a_record("b", "failed"))
    write(path.parent, a_record("c"))
    assert keys(path) == ["a", "b", "c"]
    assert measured(read_records(path)) == {"a": 3.0, "b": None, "c": 3.0}
    assert all(json.loads(line)["schema"] == SCHEMA for line in path.read_text().splitlines())


def test_the_newest_record_of_a_cell_counts_and_done_wins(tmp_path):
    path = write(
        tmp_path,
        a_record("a", dataset="vote"),
        {**a_record("b", dataset="vote"), "machine": {**MACHINE, "utc": "1970"}},  # the clock was set back
        a_record("c", "failed", dataset="vote"),
        a_record("d", "failed", dataset="zoo"),
        a_record("e", "failed", dataset="zoo"),
    )
    assert [record.key for record in read_journal(path)] == ["b", "e"]


def test_cells_that_left_the_plan_are_not_read(tmp_path):
    path = write(tmp_path, a_record("a", dataset="vote"), a_record("b", dataset="zoo"))
    with JournalWriter(tmp_path) as journal:
        journal.write_plan({"s": {"b": 1.0, "c": 2.0}})
    assert [record.key for record in read_journal(path)] == ["b"]
    assert read_plan(tmp_path) == {"s": {"b": 1.0, "c": 2.0}}


@pytest.mark.parametrize("cut", [1, 30])
def test_a_cut_off_last_line_is_dropped_and_never_glued_to(tmp_path, cut, caplog):
    path = write(tmp_path, a_record("a"), a_record("b"))
    whole = path.read_bytes()
    path.write_bytes(whole[: -cut - 1])
    assert keys(path) == ["a"]
    assert "line 2 is cut off; it was set aside" in caplog.text
    write(tmp_path, a_record("c"))
    assert keys(path) == ["a", "c"]
    path.write_bytes(whole[:-1])  # only the newline is missing
    write(tmp_path, a_record("c"))
    assert keys(path) == ["a", "b", "c"]


LINES = st.lists(
    st.one_of(st.binary(max_size=200), st.integers(0, 3000).map(lambda n: b"x" * n)), max_size=60
)
ENDINGS = st.one_of(
    st.integers(0, 300), st.integers(0, 2**20), st.sampled_from([2**16 - 1, 2**16, 2**16 + 1])
)


@settings(max_examples=100)
@given(lines=LINES, ending=ENDINGS, cut=st.floats(0, 1))
def test_a_cut_line_of_any_length_costs_that_line_only(tmp_path_factory, lines, ending, cut):
    folder = tmp_path_factory.mktemp("cut")
    content = b"".join(line.replace(b"\n", b" ") + b"\n" for line in lines) + b'{"' + b"y" * ending
    content = content[: round(cut * len(content))] if ending < 1000 else content
    (folder / "cells.jsonl").write_bytes(content)
    with JournalWriter(folder):
        pass
    assert (folder / "cells.jsonl").read_bytes() == content[: content.rfind(b"\n") + 1]


def test_a_last_line_longer_than_any_record_is_dropped_and_read_once(tmp_path, monkeypatch):
    limit = 2**18
    for module in (gatree.experiments.journal, gatree.experiments.journal_writer):
        monkeypatch.setattr(module, "MOST_RECORD_BYTES", limit)
    path = write(tmp_path, a_record("a"))
    kept = path.read_bytes()
    path.write_bytes(kept + b"x" * 2 * limit)
    n_read = 0
    block = JournalWriter._block

    def counted(writer, end):
        nonlocal n_read
        found = block(writer, end)
        n_read += len(found)
        return found

    monkeypatch.setattr(JournalWriter, "_block", counted)
    assert keys(path) == ["a"]
    write(tmp_path)
    assert path.read_bytes() == kept
    assert n_read in range(2 * limit + 1, 2 * limit + len(kept) + 1)


def test_a_whole_last_line_is_kept_even_if_this_version_cannot_read_it(tmp_path):
    path = write(tmp_path, a_record("a"))
    with path.open("ab") as journal:
        journal.write(json.dumps({"schema": SCHEMA + 1, "key": "b"}).encode())
    kept = path.read_bytes()
    write(tmp_path)
    assert path.read_bytes() == kept + b"\n"


@pytest.mark.parametrize("what", ["a folder", "a pipe", "a device", "too large"])
@pytest.mark.parametrize("name", ["cells.jsonl", "cells.jsonl.gz", "plan.json"])
def test_what_is_no_plain_file_or_too_large_is_refused_before_it_is_opened(tmp_path, capsys, what, name):
    config = write_config(tmp_path)
    folder = tmp_path / "tiny"
    folder.mkdir()
    if name == "plan.json":
        write(folder, a_record("a"))
    match what:
        case "a folder":
            (folder / name).mkdir()
        case "a pipe":
            os.mkfifo(folder / name)
        case "a device":
            (folder / name).symlink_to("/dev/full")
        case _:
            with (folder / name).open("wb") as file:
                file.truncate(MOST_JOURNAL_BYTES + 1)
    expected = "68,719,476,737 bytes" if what == "too large" else "should be a plain file, got"
    commands = [["status"], ["results"], ["table", "4"]]
    if name == "cells.jsonl":
        commands.append(["run", "--config", config])
    for command in commands:
        place = folder if command[0] != "run" else tmp_path
        code, _, errors = gatree_here(capsys, *command, "--results", place)
        assert code == 1
        assert errors.count("\n") == 1
        assert expected in errors


@pytest.mark.parametrize(
    "garbage", [b"{half", b"\xff\xfe\x00", b"[]", b'{"schema": 1}', b"null", b"[" * 100_000]
)
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


def changed(record, path, value):
    """A copy of a record with something else at a path such as outcome.ledger."""
    copy = json.loads(json.dumps(record))
    *above, last = path.split(".")
    place = copy
    for step in above:
        place = place[step]
    place[last] = value
    return copy


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("timing", None, "timing: Expected `object`, got `null`"),
        ("settings", 5, "settings: Expected `object`"),
        ("seed", -1, "seed: Expected `int` >= 0"),
        ("outcome", {}, "outcome: Object missing required field"),
        ("timing", {}, "timing: Expected `object` of length >= 1"),
        ("timing", {"old": {"wall": []}}, "timing[...].wall: Expected `array` of length >= 1"),
        ("timing", {"older": {"wall": [1.0]}}, "Invalid enum value 'older' - at `key` in `$.timing`"),
        ("outcome.n_instances", 0, "outcome.n_instances: Expected `int` >= 1"),
        ("outcome.ledger", {"instances_total": 5}, "outcome.ledger: Object missing required field"),
        ("outcome.best.value", [1], "outcome.best: has lists of different lengths"),
        ("outcome.payoff", float("nan"), "is not a record (JSON is malformed: invalid character"),
        ("outcome.n_correct", 10**400, "outcome.n_correct"),
        ("cell.study", ["s"], "cell.study: Expected `str`, got `array`"),
        ("cell.kind", "saving", "is not a record"),
        ("cell.x_factor", "<b>", "cell.x_factor: Expected `str` matching regex"),
        ("machine", {"utc": 5}, "machine.utc: Expected `str`, got `int`"),
        ("key", 7, "key: Expected `str`, got `int`"),
        ("schema", SCHEMA + 1, f"was written by a newer gatree (this one knows schema {SCHEMA})"),
    ],
)
def test_a_bad_record_is_named_and_set_aside_and_its_cell_runs_again(tmp_path, path, value, message, caplog):
    journal = write(tmp_path, a_record("a"), a_record("b"))
    first, second = journal.read_bytes().splitlines(keepends=True)
    bad = json.dumps(changed(json.loads(second), path, value)).encode()
    journal.write_bytes(first + bad + b"\n")
    assert measured(read_records(journal)).keys() == {"a"}
    assert f"{journal}: line 2 " in caplog.text
    assert message in caplog.text
    write(tmp_path, a_record("b"))
    assert measured(read_records(journal)).keys() == {"a", "b"}


def test_of_many_bad_lines_the_first_are_named(tmp_path, caplog):
    journal = write(tmp_path, a_record("a"))
    journal.write_bytes(b"junk\n" * 1000 + journal.read_bytes())
    assert keys(journal) == ["a"]
    assert "line 5 is not a record" in caplog.text
    assert "line 6" not in caplog.text
    assert "995 more lines are no records and were set aside" in caplog.text


@pytest.mark.parametrize(
    "plan",
    ["{}", "[", '{"studies": 3}', '{"studies": {"s": ["a"]}}', '{"studies": {"s": {"a": null}}}', "\0"],
)
def test_a_bad_plan_is_named_and_set_aside(tmp_path, plan, caplog):
    journal = write(tmp_path, a_record("a"))
    (tmp_path / "plan.json").write_text(plan)
    assert [record.key for record in read_journal(journal)] == ["a"]
    assert f"{tmp_path / 'plan.json'}: is not a plan" in caplog.text
    assert [(study.study, study.n_done) for study in status_of(journal)] == [("s", 1)]


HOLDS_THE_LOCK = """
import sys
from pathlib import Path
from gatree.experiments.journal_writer import JournalWriter
with JournalWriter(Path(sys.argv[1])):
    print("writing", flush=True)
    sys.stdin.read()
"""


def test_one_writer_at_a_time_and_a_killed_one_frees_the_lock(tmp_path, capsys):
    assert running_process(tmp_path) is None
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS_THE_LOCK, str(tmp_path / "tiny")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as writer:  # fmt: skip
        assert writer.stdout.readline() == "writing\n"
        code, _, errors = gatree_here(
            capsys, "run", "--config", write_config(tmp_path), "--results", tmp_path
        )
        assert code == 1
        assert f"another run is writing here (process {writer.pid})" in errors
        assert f"running now: process {writer.pid}" in gatree_here(capsys, "status", "--results", tmp_path)[1]
        writer.kill()
    assert (tmp_path / "tiny" / "run.pid").read_text() == str(writer.pid)
    assert running_process(tmp_path / "tiny") is None
    asking = FileLock(tmp_path / "tiny" / "run.lock", thread_local=False)
    asking.acquire()  # as one who asks who is writing, for a moment
    threading.Timer(0.2, asking.release).start()
    write(tmp_path / "tiny", a_record("a"))


@pytest.mark.parametrize("is_moved", [True, False], ids=["moved", "removed"])
@pytest.mark.parametrize("records", [["a"], ["a", "b"]], ids=["at the end", "in the middle"])
def test_a_journal_that_was_lost_is_an_error(tmp_path, is_moved, records):
    folder = tmp_path / "results"

    def run():
        with JournalWriter(folder) as journal:
            for key in records:
                journal.append(read(a_record(key)))
                if key == "a":
                    folder.rename(tmp_path / "elsewhere") if is_moved else shutil.rmtree(folder)
                if key == "a" and is_moved:
                    folder.mkdir()
                    (folder / "cells.jsonl").write_text("")

    with pytest.raises(ResultError, match="was removed or moved while the experiment ran"):
        run()


def test_a_full_disk_leaves_whole_lines_only(tmp_path):
    with full_disk(9000), JournalWriter(tmp_path) as journal:
        for number in range(100):
            try:
                journal.append(read(a_record(str(number))))
            except ResultError as error:
                message = str(error)
                break
    assert "File too large" in message
    assert "what was done is kept" in message
    path = tmp_path / "cells.jsonl"
    assert path.read_bytes().endswith(b"\n")
    assert keys(path) == [str(done) for done in range(number)]
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


@pytest.fixture(scope="module")
def lines():
    """Some lines of the reference, and one whose grid varies more than the paper's, and has weights."""
    with gzip.open(reference_folder() / ARCHIVE) as file:
        some = [line for number, line in enumerate(file) if number % 1000 == 0]
    weights = {"class_weight": {"a": 1, "b": 2}}
    varied = a_record("v", leaf_class="majority", repeat=1, outcome={"total_weight": 120}, **weights)
    return [*some, line_of({**varied, "settings": weights})]


def test_whole_lines_are_read(lines):
    """What counts as a tree's size has its name of today, and early records were paid by Eq. 1."""
    for line in lines:
        written = json.loads(line)
        if "size" in written["settings"]:
            written["settings"]["size_measure"] = written["settings"].pop("size")
        if "mutation_rate" in written["settings"]:
            written["settings"].setdefault("payoff", "eq-1")
        assert fields_of(parse_record(line)) == written


def refused_or_in_the_frame(line):
    """What is a record can be in the frame; what is none says why."""
    try:
        record = parse_record(line)
    except BadRecordError:
        return
    found = Results.of([record])
    assert found.frame["key"].nunique() + len(found.failed) == 1


@pytest.mark.parametrize("seed", range(2))
def test_other_values_and_other_bytes_somewhere_in_a_line(lines, seed):
    chance = random.Random(seed)
    for line in lines:
        refused_or_in_the_frame(mutated(line, chance).encode() + b"\n")
        changed = bytearray(line)
        for _ in range(chance.choice([1, 1, 1, 3])):
            changed[chance.randrange(len(changed))] = chance.choice([*b'0",:.-e{}[]\\ \n\x00', 0xFF, 0xC3])
        refused_or_in_the_frame(bytes(changed[: chance.choice([len(changed)] * 3 + [len(changed) // 2])]))


def test_a_mutation_rate_is_between_0_and_1():
    assert read(a_record(mutation_rate=1)).cell.mutation_rate == 1
    for rate in (-0.001, 1.001):
        with pytest.raises(BadRecordError, match="mutation_rate"):
            read(a_record(mutation_rate=rate))


@pytest.mark.parametrize("lists", ["best", "history"])
def test_lists_of_different_lengths_are_refused(lists):
    history = {"accuracy": [0.5, 0.6], "test_accuracy": [0.5, 0.6], "size": [3, 5]}
    best = {"attribute": [0, -1, -1], "value": [0, 1, 0]}
    fold = {"n_train": 80, "n_test": 20, "train_correct": 70, "test_correct": 15, "history": history}
    record = a_record(kind="cross-validation", fold=0, outcome={**fold, "best": best})
    assert fields_of(read(record))["outcome"]["history"] == history
    next(iter(record["outcome"][lists].values())).append(1)
    with pytest.raises(BadRecordError, match=f"outcome.{lists}: has lists of different lengths"):
        read(record)
