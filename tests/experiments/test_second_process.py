"""A second process that does a part of the work: the result is that of one."""

import csv
import io
import json
import os

import pytest
from records import a_record, seconds

from gatree.experiments import journal as journals
from gatree.experiments.background import BackgroundCall
from gatree.experiments.journal import read_records
from gatree.experiments.record import parse_record
from gatree.experiments.record_decoder import read_numbers
from gatree.experiments.rows import COLUMNS, CsvWriter, csv_text, read_rows


def elsewhere(owner):
    return os.getpid() != owner


def ends_elsewhere(owner):
    if os.getpid() != owner:
        os._exit(3)
    return "made here"


def refuse(what):
    raise ValueError(f"no {what}")


def test_a_call_is_made_in_another_process():
    with BackgroundCall(elsewhere, os.getpid()) as call:
        assert call.result() is True


def test_a_call_whose_process_dies_is_made_here():
    with BackgroundCall(ends_elsewhere, os.getpid()) as call:
        assert call.result() == "made here"


def test_an_error_is_met_here():
    with pytest.raises(ValueError, match="no luck"), BackgroundCall(refuse, "luck") as call:
        call.result()


def test_nobody_waits_for_a_call_that_is_not_asked_for(tmp_path):
    with BackgroundCall(os.system, "sleep 60") as call:
        pass
    assert not call._process.is_alive()


@pytest.fixture
def damaged(tmp_path):
    """A journal with cells that ran twice, failed and were done, blank lines, bad ones, and one cut off."""
    lines = []
    for number in range(60):
        record = a_record(f"k{number % 40}", replicate=number % 40, timing={"old": seconds(1.0 + number)})
        if number % 7 == 3:
            record = a_record(f"k{number % 40}", "failed", replicate=number % 40)
        lines.append(json.dumps({"schema": 2, **record}, separators=(",", ":")))
        lines += {5: [""], 20: ["junk"], 33: ['{"kind":"savings"}', ""], 50: ["{", "[]"]}.get(number, [])
    path = tmp_path / "cells.jsonl"
    path.write_text("\n".join(lines)[:-30])
    return path


@pytest.mark.parametrize("parse", [parse_record, read_numbers])
def test_a_journal_read_in_two_is_the_same(damaged, parse, monkeypatch, caplog):
    alone = list(read_records(damaged, parse))
    warnings = caplog.messages.copy()
    caplog.clear()
    monkeypatch.setattr(journals, "_LARGE", 0)
    assert list(read_records(damaged, parse, in_two=True)) == alone
    assert caplog.messages == warnings
    assert [text.partition("line ")[2][:2] for text in warnings] == ["23", "37", "56", "57", "66"]


@pytest.mark.parametrize("plan", [True, False])
def test_csv_made_in_two_is_that_of_the_rows(damaged, plan, monkeypatch):
    if plan:
        order = {f"k{number}": 1.0 for number in reversed(range(35))}
        (damaged.parent / "plan.json").write_text(json.dumps({"studies": {"s": order}}))
    rows = read_rows(damaged)
    assert len(rows) == (33 if plan else 37)  # three cells have only failed
    monkeypatch.setattr(journals, "_LARGE", 0)
    found = list(csv.DictReader(io.StringIO(csv_text(damaged.parent, list(COLUMNS)))))
    written = [{name: "" if row[name] is None else str(row[name]) for name in COLUMNS} for row in rows]
    assert found == written
    assert [row["seconds"] for row in rows if row["key"] in ("k2", "k5")] == (
        [6.0, 43.0] if plan else [43.0, 6.0]
    )


@pytest.mark.parametrize(
    "names",
    [
        ["key"],
        ["fold"],
        ["generation_gap"],
        ["x_factor", "key"],
        ["dataset", "generation_gap"],
        ["key", "x_factor", "leaf_class"],
    ],
)
def test_columns_of_any_kind_are_written_as_the_csv_module_does(names):
    rows = [dict.fromkeys(COLUMNS), {**dict.fromkeys(COLUMNS, 'a "b", c'), "generation_gap": 0.5}]
    expected = io.StringIO()
    writer = csv.DictWriter(expected, names, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    text = CsvWriter(names)
    assert text.text(text.lines(rows)) == expected.getvalue()
