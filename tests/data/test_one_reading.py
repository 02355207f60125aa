"""What a column is never depends on the way it is read: format, size of blocks, whole or in pieces."""

from __future__ import annotations

import csv
import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatree.data import csv_file
from gatree.data.dataset import Dataset, Table
from gatree.data.load import read
from gatree.data.pieces import encode, stretches, survey

NUMBERS = ["1", "-2.5", "3e2", "", "1234.5", ".5"]
MONEY = ["$1,234.50", "-$3", "($4)", "$1,000,000", "N/A", "-"]
EURO = ["1.234,50 €", "3,5 €", "-12,00 €", "1.000.000 €"]
SHARES = ["62.0%", "5 %", "-3%", "n/a"]
DAYS = ["2024-02-29", "2023-12-31", "", "None"]
DAY_FIRST = ["31/12/2024", "01/02/2024", "7/8/2023"]
NAMED = ["3 Mar 2024", "12 October 2017", "NULL"]
STAMPS = ["2024-03-03T10:00:00Z", "2024-03-03T10:00:00.250Z", "2023-01-01T00:00:00+02:00"]
WORDS = ["red", "green", "None", "-", "1"]
LATE = ["red", "$5", "31.12.2024", "", "-", "1,5", "(3)"]


@st.composite
def tables(draw) -> list[list[str]]:
    """Some columns of texts, with a class; the last row of a column may be of another kind."""
    n_rows = draw(st.integers(2, 12))
    columns = []
    for _ in range(draw(st.integers(1, 4))):
        pool = draw(st.sampled_from([NUMBERS, MONEY, EURO, SHARES, DAYS, DAY_FIRST, NAMED, STAMPS, WORDS]))
        column = draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows))
        if draw(st.booleans()):
            column[-1] = draw(st.sampled_from(LATE))
        columns.append(column)
    return [*columns, (["yes", "no"] * n_rows)[:n_rows]]


def described(table: Table) -> list[tuple[object, ...]]:
    return [
        (each.name, each.kind, each.values, each.date_format, each.reading, column.tolist())
        for each, column in zip(table.attributes, table.columns, strict=True)
    ]


def same(one: list[tuple[object, ...]], other: list[tuple[object, ...]]) -> None:
    assert [part[:-1] for part in one] == [part[:-1] for part in other]
    for (*_, left), (*_, right) in zip(one, other, strict=True):
        np.testing.assert_array_equal(left, right)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(columns=tables(), n_letters_at_a_time=st.integers(1, 150))
def test_formats_and_blocks_agree(columns, n_letters_at_a_time, tmp_path, monkeypatch):
    names = [f"c{at}" for at in range(len(columns))]
    with (tmp_path / "t.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *zip(*columns, strict=True)])
    whole = read(tmp_path / "t.csv")
    expected = described(whole)

    (tmp_path / "t.csv.gz").write_bytes(gzip.compress((tmp_path / "t.csv").read_bytes()))
    (tmp_path / "u.csv").write_bytes((tmp_path / "t.csv").read_text(encoding="utf-8").encode("utf-16"))
    monkeypatch.setattr(csv_file, "_LETTERS_AT_A_TIME", n_letters_at_a_time)
    for file in ("t.csv", "t.csv.gz", "u.csv"):
        same(described(read(tmp_path / file)), expected)

    frame = pd.DataFrame(dict(zip(names, columns, strict=True)))
    made = Dataset.from_frame(frame)
    assert [(each.name, each.kind, each.values) for each in made.attributes] == [
        part[:3] for part in expected[:-1]
    ]
    for left, part in zip(made.columns, expected, strict=False):
        np.testing.assert_array_equal(left, part[-1])

    data = survey([str(tmp_path / "t.csv")])
    surveyed = data.plan.schema.attributes
    assert [(*vars(each).values(),) for each in surveyed] == [
        (*vars(each).values(),) for each in whole.attributes[:-1]
    ]
    [(codes, _)] = [encode(data.plan, part) for part in stretches(data.pieces, 1)]
    assert codes.shape[1] == whole.n_rows


def test_parquet_and_excel_agree_with_csv(tmp_path):
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    columns = {"money": MONEY, "days": [*DAYS, "2020-01-01", "2020-01-02"], "words": [*WORDS, "blue"]}
    columns["class"] = ["x", "y"] * 3
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    book = openpyxl.Workbook()
    for row in [list(columns), *zip(*columns.values(), strict=True)]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    expected = described(read(tmp_path / "t.csv"))
    same(described(read(tmp_path / "t.parquet")), expected)
    same(described(read(tmp_path / "t.xlsx")), expected)
    for file in ("t.csv", "t.parquet", "t.xlsx"):
        kinds = [each.kind for each in survey([str(tmp_path / file)]).plan.schema.attributes]
        assert kinds == ["numeric", "numeric", "nominal"]


def test_a_date_is_a_date_in_pieces_even_if_there_are_too_many_to_count(tmp_path, monkeypatch):
    monkeypatch.setattr("gatree.data.columns.MOST_COUNTED", 5)
    days = pd.date_range("2020-01-01", periods=400).strftime("%d/%m/%Y")
    pd.DataFrame({"when": days, "y": ["a", "b"] * 200}).to_csv(tmp_path / "t.csv", index=False)
    data = survey([str(tmp_path / "t.csv")])
    assert data.plan.schema.attributes[0].date_format == "dd/MM/yyyy"
    assert data.notes == ("when: dates (dd/MM/yyyy)",)
    [(codes, _)] = [encode(data.plan, part) for part in stretches(data.pieces, 1)]
    assert len(np.unique(codes[0])) > 200
