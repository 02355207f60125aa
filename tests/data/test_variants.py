"""Tables as people write them in other countries, programs and moods: read as a person would expect."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from gatree.data.load import read

DAY = 86_400_000


def table_of(tmp_path, text: str, encoding: str = "utf-8"):
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode(encoding))
    return read(path)


def of(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> float:
    return datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp() * 1000


@pytest.mark.parametrize(
    ("separator", "cells", "numbers"),
    [
        (";", ["CHF 12'345.50", "CHF 1'000.00"], [12345.5, 1000]),
        (";", ["12\u202f345,95 €", "1\u202f000,00 €"], [12345.95, 1000]),
        (",", ["12\u00a0345 kr", "999 kr"], [12345, 999]),
        (";", ["65 579,41 zł", "12,00 zł"], [65579.41, 12]),
        (",", ['"₹97,61,346.00"', '"₹1,536.50"'], [9761346, 1536.5]),
        (",", ['"1,200.00-"', "(5.50)"], [-1200, -5.5]),
        (";", ["49,5 %", "7 %"], [49.5, 7]),
        ("\t", ["US$8268.99", "US$5"], [8268.99, 5]),
        (",", ["−3", "+4"], [-3, 4]),
    ],
)
def test_numbers(tmp_path, separator, cells, numbers):
    table = table_of(tmp_path, f"a{separator}b\n" + "".join(f"{cell}{separator}x\n" for cell in cells))
    assert table.columns[0].tolist() == numbers


@pytest.mark.parametrize(
    ("cells", "moments"),
    [
        (["28.02.22", "01.03.22"], [of(2022, 2, 28), of(2022, 3, 1)]),
        (["1-Sep-23", "26-Feb-19"], [of(2023, 9, 1), of(2019, 2, 26)]),
        (["17 décembre 2019", "3 août 2020"], [of(2019, 12, 17), of(2020, 8, 3)]),
        (["Apr-22", "Mar-24"], [of(2022, 4, 1), of(2024, 3, 1)]),
        (["March 2024", "April 2023"], [of(2024, 3, 1), of(2023, 4, 1)]),
        (
            ["2024-03-28T10:41:00+02:00", "2024-03-28 10:41 CET"],
            [of(2024, 3, 28, 8, 41), of(2024, 3, 28, 9, 41)],
        ),
        (["2024-03-04 1:58 PM", "2024-03-04 1:58 AM"], [of(2024, 3, 4, 13, 58), of(2024, 3, 4, 1, 58)]),
    ],
)
def test_dates(tmp_path, cells, moments):
    table = table_of(tmp_path, "a;b\n" + "".join(f"{cell};x\n" for cell in cells))
    assert table.attributes[0].date_format is not None
    assert table.columns[0].tolist() == moments


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "above", ["", "Sales report\n\n", "Sales report;;\nmade by hand;;\n", "Sales report;;;;\nby;hand;;;\n"]
)
@pytest.mark.parametrize("below", ["", "\n\n\n", ";;;;\n;;;;\n"])
def test_what_is_around_a_table(tmp_path, ending, above, below):
    text = f"{above}region;amount;w;h;kind\nN;12;1;2;yes\nS;7;3;4;no\n{below}"
    table = table_of(tmp_path, text.replace("\n", ending))
    assert table.names == ["region", "amount", "w", "h", "kind"]
    assert table.columns[1].tolist()[:2] == [12, 7]
    assert table.attributes[4].values == ("yes", "no")
    assert any("above the header left out: 'Sales report" in note for note in table.notes) == bool(above)


def test_a_row_of_sums_makes_no_categories(tmp_path):
    table = table_of(tmp_path, "id,amount,kind\n1,5,yes\n2,6,no\nTotal,11,\n")
    assert table.attributes[0].kind == "numeric"
    assert table.notes == ("id: numbers ('Total' is missing)",)
    assert table.columns[2].tolist() == [0, 1, -1]


def test_a_name_that_comes_twice(tmp_path):
    table = table_of(tmp_path, "a,a,a_2,kind\n1,2,3,yes\n4,5,6,no\n")
    assert table.names == ["a", "a_2", "a_2_2", "kind"]
    assert table.notes[0] == "a_2: another column that is called a"


def test_a_column_without_a_name_is_numbered_next_to_one_of_its_name(tmp_path):
    table = table_of(tmp_path, "column3,a,,kind\n1,2,3,yes\n2,3,4,no\n")
    assert table.names == ["column3", "a", "column3_2", "kind"]


def test_truth_values_are_no_numbers(tmp_path):
    table = table_of(tmp_path, "a,b,kind\n" + "1,True,yes\n2,,no\n3,False,yes\n")
    assert table.attributes[1].values == ("True", "False")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8-sig", "utf-16"])
def test_letters(tmp_path, encoding):
    table = table_of(tmp_path, "Straße;Größe\nKöln;3,7\nMünchen;5,4\n", encoding)
    assert table.names == ["Straße", "Größe"]
    assert table.attributes[0].values == ("Köln", "München")
    assert table.columns[1].tolist() == [3.7, 5.4]


def test_excel_with_a_title_and_empty_rows_above(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    book = openpyxl.Workbook()
    for row in [[], ["Report"], [], [None, "when", "share", "kind"]]:
        book.active.append(row)
    for day, share, kind in ((1, 0.5, "yes"), (2, 0.25, "no")):
        book.active.append([None, date(2024, 1, day), share, kind])
        book.active.cell(book.active.max_row, 3).number_format = "0.0%"
    book.save(tmp_path / "table.xlsx")
    table = read(tmp_path / "table.xlsx")
    assert table.names == ["when", "share", "kind"]
    assert table.columns[0].tolist() == [of(2024, 1, 1), of(2024, 1, 1) + DAY]
    assert table.columns[1].tolist() == [50, 25]
