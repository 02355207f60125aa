"""What people write in a column, and what is made of it."""

import math
from datetime import UTC, date, datetime

import pytest

from gatree.base.errors import DataError
from gatree.data.load import read
from gatree.data.source import ReadOptions
from gatree.data.texts import ColumnReading, Decoder, TextEvidence, infer_readings


def verdict(*texts: str, separator: str = ",", **options: object) -> ColumnReading:
    evidence = TextEvidence()
    evidence.add(texts)
    return infer_readings({"x": evidence}, ReadOptions(**options), separator)["x"]  # type: ignore[arg-type]


def numbers(*texts: str, **options: object) -> list[float]:
    found = verdict(*texts, **options).reading
    assert found.kind == "number", found
    return [Decoder(found)[text] for text in texts]


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (("$4,733", "$5"), [4733, 5]),
        (("4733 EUR", "12 EUR"), [4733, 12]),
        (("USD 1,234.50", "usd 3"), [1234.5, 3]),
        (("£1,000", "£20"), [1000, 20]),
        (("CHF 1'234.50", "CHF 5"), [1234.5, 5]),
        (("1 234,50 kr", "2 kr"), [1234.5, 2]),
        (("1\u202f234,5", "2"), [1234.5, 2]),
        (("1\u00a0234", "2"), [1234, 2]),
        (("¥1,000", "¥20"), [1000, 20]),
        (("€1.234", "€2"), [1234, 2]),
        (("1.234,56 €", "-3,5 €"), [1234.56, -3.5]),
        (("-$5", "$-6", "($7)", "$(8)", "+$9"), [-5, -6, -7, -8, 9]),
        (("(1,613.00)", "(168)", "5"), [-1613, -168, 5]),
        (("1.234,50-", "2,5"), [-1234.5, 2.5]),
        (("62.0%", "5 %"), [62, 5]),
        (("29,3 %", "5 %"), [29.3, 5]),
        (("1,234,567", "1"), [1234567, 1]),
        (("1.234.567", "1"), [1234567, 1]),
        (("12,5", "3,75"), [12.5, 3.75]),
        (("1,234.5", "1"), [1234.5, 1]),
        (("4,733", "12.5"), [4733, 12.5]),
        (("12 kg", "3.5kg", "4"), [12, 3.5, 4]),
        (("49,5 m²", "120 m²"), [49.5, 120]),
        (("65 579,41 zł", "12,00 zł"), [65579.41, 12]),
        (("₹97,61,346.00", "₹1,536.50"), [9761346, 1536.5]),
        (("US$8268.99", "US$5"), [8268.99, 5]),
        (("1,200.00-", "(5.50)"), [-1200, -5.5]),
        (("−3", "+4"), [-3, 4]),
    ],
)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_numbers(texts, wanted, separator):
    assert numbers(*texts, separator=separator) == wanted


def test_a_comma_with_three_digits_behind_it():
    assert numbers("4,733", "5,123", separator=",") == [4733, 5123]
    assert numbers("4,733", "5,123", separator=";") == [4.733, 5.123]
    open_ = verdict("4,733", "5,123", separator="\t")
    assert open_.reading.kind == "category"
    assert "--as x=number" in str(open_.note)
    assert numbers("4,733", separator="\t", kinds={"x": "number"}) == [4733]


@pytest.mark.parametrize("texts", [("1.234", "5.678"), ("1e5", "inf"), ("-1", "+2"), ("0.5", ".5")])
def test_what_is_a_number_keeps_its_value_without_a_note(texts):
    assert numbers(*texts, separator=";") == [float(text) for text in texts]
    assert verdict(*texts).note is None


@pytest.mark.parametrize(
    "word", ["N/A", "n/a", "-", "–", ".", "NULL", "None", "#N/A", "na", "n.a.", "#DIV/0!", "<NA>"]
)
def test_words_for_missing_values_among_numbers_and_dates(word):
    assert math.isnan(numbers("1", word)[1])
    assert verdict("2024-01-01", word).reading.kind == "date"
    assert verdict("red", word).reading.kind == "category"
    assert verdict(word).reading.kind == "category"


@pytest.mark.parametrize(
    ("texts", "pattern"),
    [
        (("31/12/2024",), "dd/MM/yyyy"),
        (("12/31/2024",), "MM/dd/yyyy"),
        (("31.12.2024", "1.2.2024"), "d.M.yyyy"),
        (("31-12-24",), "dd-MM-yyyy"),
        (("3/14/24",), "M/d/yyyy"),
        (("3 Mar 2024", "12 October 2024"), "dd MMM yyyy"),
        (("03-Mar-2024",), "dd-MMM-yyyy"),
        (("March 3, 2024", "Apr 5 2023"), "MMM d, yyyy"),
        (("2024/03/03",), "yyyy/MM/dd"),
        (("2024-03-03T10:00:00Z",), "yyyy-MM-dd'T'HH:mm:ssXXX"),
        (("2024-03-03 10:00:00+02:00",), "yyyy-MM-dd HH:mm:ssXXX"),
        (("12/31/2024 1:05 PM",), "MM/dd/yyyy HH:mm"),
        (("Mon, 3 Mar 2025",), "dd MMM yyyy"),
        (("3. März 2024",), "dd MMM yyyy"),
        (("10:30", "9:15 pm"), "HH:mm"),
    ],
)
def test_dates(texts, pattern):
    found = verdict(*texts)
    assert found.reading.pattern == pattern
    assert not any(math.isnan(Decoder(found.reading)[text]) for text in texts)


@pytest.mark.parametrize(
    ("texts", "forms"),
    [
        (("2024-01-31", "13/02/2024"), "dd/MM/yyyy and yyyy-MM-dd"),
        (("13/2/2024", "11/12/2024", "1/1/2024 10:00"), "d/M/yyyy HH:mm"),
        (("2024-01-31", "2024-01-31T10:00Z", "3 Mar 2024"), "dd MMM yyyy and yyyy-MM-dd'T'HH:mmXXX"),
    ],
)
def test_all_forms_of_dates_are_named(texts, forms):
    assert verdict(*texts).note == verdict(*reversed(texts)).note == f"x: dates ({forms})"


def test_an_open_order_is_that_of_another_column_of_an_option_or_of_the_month():
    evidence = {"open": TextEvidence(), "shown": TextEvidence()}
    evidence["open"].add(["02/03/2024"])
    assert infer_readings({"open": evidence["open"]})["open"].reading.pattern == "MM/dd/yyyy"
    assert "--day-first" in str(infer_readings({"open": evidence["open"]})["open"].note)
    assert (
        infer_readings({"open": evidence["open"]}, ReadOptions(day_first=True))["open"].reading.pattern
        == "dd/MM/yyyy"
    )
    evidence["shown"].add(["31/03/2024"])
    both = infer_readings(evidence)
    assert both["open"].reading.pattern == "dd/MM/yyyy"
    assert both["open"].note == "open: dates (dd/MM/yyyy, as shown shows)"


@pytest.mark.parametrize(
    "texts",
    [
        ("30/02/2024",),
        ("31/12/2024", "12/31/2024"),
        ("12,34", "1,234,567"),
        ("R5", "R6"),
        ("1.2.3",),
        ("$",),
        ("5 kg", "4 lb"),
        ("12 Main", "13 Oak", "14 Elm"),
        ("$5 EUR",),
        ("--5",),
        ("2024-13-01",),
        ("25:10",),
        ("١٩٧٠-01-02",),
    ],
)
def test_all_else_is_text(texts):
    assert verdict(*texts).reading.kind == "category"


def test_what_is_asked_for_and_cannot_be():
    assert math.isnan(numbers("1", "unknown", kinds={"x": "number"})[1])
    assert verdict("1", "2", kinds={"x": "category"}).reading.kind == "category"
    assert verdict("20240303", kinds={"x": "date"}).reading.pattern == "yyyyMMdd"
    with pytest.raises(DataError, match="column 'x' holds no numbers"):
        verdict("red", kinds={"x": "number"})
    with pytest.raises(DataError, match="column 'x' holds dates, no numbers"):
        verdict("2024-03-03", kinds={"x": "number"})
    with pytest.raises(DataError, match="column 'x' holds no dates"):
        verdict("red", kinds={"x": "date"})


def table_of(tmp_path, text: str):
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    return read(path)


def of(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> float:
    return datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp() * 1000


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
        (["31/12/1969 11:59 pm", "01/02/1970"], [-60_000, of(1970, 2, 1)]),
        (["31/12/68", "1/2/69"], [of(2068, 12, 31), of(1969, 2, 1)]),
    ],
)
def test_dates_of_a_table(tmp_path, cells, moments):
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


def test_a_long_name_is_truncated_in_the_note_on_its_column(tmp_path):
    name = "paid " * 60
    table = table_of(tmp_path, f"{name},y\n" + "$1,y\n$2,n\n" * 20)
    assert table.notes == (f"{name[:60]}...: numbers ('$' left out)",)


def test_a_row_of_sums_makes_no_categories(tmp_path):
    table = table_of(tmp_path, "id,amount,kind\n1,5,yes\n2,6,no\nTotal,11,\n")
    assert table.attributes[0].kind == "numeric"
    assert table.notes == ("id: numbers ('Total' is missing)",)
    assert table.columns[2].tolist() == [0, 1, -1]


def test_names_that_come_twice_or_not_at_all_are_numbered(tmp_path):
    table = table_of(tmp_path, "a,a,a_2,kind\n1,2,3,yes\n4,5,6,no\n")
    assert table.names == ["a", "a_2", "a_2_2", "kind"]
    assert table.notes[0] == "a_2: another column that is called a"
    table = table_of(tmp_path, "column3,a,,kind\n1,2,3,yes\n2,3,4,no\n")
    assert table.names == ["column3", "a", "column3_2", "kind"]


def test_a_column_without_a_name_and_values_is_left_out(tmp_path):
    """Separators behind all columns, as spreadsheets leave them, make none."""
    table = table_of(tmp_path, ",a,,kind,,\n,1,,yes,,\n,4,,no,,\n")
    assert table.names == ["a", "kind"]
    assert table.notes == (
        "column1: left out, for it has no name and no value",
        "column3: left out, for it has no name and no value",
    )
    assert table_of(tmp_path, "a,kind,,\n1,yes,,\n4,no,,\n").notes == ()


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
    assert table.columns[0].tolist() == [of(2024, 1, 1), of(2024, 1, 2)]
    assert table.columns[1].tolist() == [50, 25]
