"""Damaged and hostile files and frames: one line that names the file, before the memory is taken."""

import io
import zipfile
from datetime import timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from gatree.base.errors import DataError
from gatree.base.machine import available_memory
from gatree.data.arff import read_arff, write_arff
from gatree.data.catalog import load_dataset
from gatree.data.costs import read_costs
from gatree.data.dataset import Dataset
from gatree.data.load import read

SHEET = "xl/worksheets/sheet1.xml"
END = b"</sheetData>"


@pytest.fixture
def workbook(tmp_path):
    """Write a small workbook, one part of it changed, and return its path."""
    openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    book = openpyxl.Workbook()
    for cells in (["a", "b"], [1, "x"], [2, "y"]):
        book.active.append(cells)
    file = io.BytesIO()
    book.save(file)

    def write(part=SHEET, change=lambda content: content):
        with (
            zipfile.ZipFile(file) as old,
            zipfile.ZipFile(tmp_path / "t.xlsx", "w", zipfile.ZIP_DEFLATED) as new,
        ):
            for name in old.namelist():
                content = old.read(name)
                new.writestr(name, change(content) if name == part else content)
        return tmp_path / "t.xlsx"

    return write


def refused(path):
    with pytest.raises(DataError) as refusal:
        read(path)
    message = str(refusal.value)
    assert message.startswith(str(path))
    assert len(message) < 600
    assert "\n" not in message
    return message.removeprefix(str(path))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda xml: xml.replace(END, b"<row>"), "cannot be read as Excel (ParseError: mismatched tag"),
        (lambda xml: xml.replace(b"<v>1<", b"<v>x<"), "cannot be read as Excel (ValueError"),
        (lambda xml: xml.replace(b'r="A2"', b'r="ZZZZZ2"'), "cannot be read as Excel ("),
        (lambda xml: xml.replace(b't="n"', b't="s"'), "cannot be read as Excel (IndexError"),
        (lambda xml: b'<!DOCTYPE x [<!ENTITY a "b">]>' + xml, "a document type, which Excel never writes"),
        (
            lambda xml: xml.replace(b"<v>1<", b"<v>" + b"1" * 300_000 + b"<"),
            "bytes in one text; the limit is",
        ),
        (lambda xml: xml.replace(END, b"<row/>" * 1_100_000 + END), "rows; the limit is 1,048,576"),
    ],
    ids=["no end", "no number", "no column", "no such text", "entities", "a long text", "too many rows"],
)
def test_a_damaged_sheet_is_refused_with_one_line(workbook, change, message):
    assert message in refused(workbook(SHEET, change))


def test_a_book_without_sheets_or_that_is_no_book_is_refused(workbook, tmp_path):
    empty = workbook("xl/workbook.xml", lambda xml: xml[: xml.index(b"<sheets>")] + b"<sheets/></workbook>")
    assert "Excel" in refused(empty)
    (tmp_path / "no.xlsx").write_bytes(b"PK\x03\x04 and no more")
    assert "cannot be read as Excel (BadZipFile: " in refused(tmp_path / "no.xlsx")
    packed = (tmp_path / "t.xlsx").read_bytes()
    (tmp_path / "cut.xlsx").write_bytes(packed[: len(packed) // 2] + packed[-len(packed) // 3 :])
    assert "cannot be read as Excel" in refused(tmp_path / "cut.xlsx")


def test_cells_beyond_the_limit_are_refused_without_being_read(workbook, monkeypatch):
    monkeypatch.setattr("gatree.data.excel_file.MOST_SHEET_CELLS", 5)
    assert ": 6 cells; the limit is 5" in refused(workbook())
    monkeypatch.setattr("gatree.base.limits.FREE_UNPACKED_BYTES", 2**21)
    bomb = workbook(SHEET, lambda xml: xml.replace(b"<sheetData>", b" " * 2**23 + b"<sheetData>"))
    assert "bytes of zip unpack to more than 2,097,152 bytes" in refused(bomb)


def test_a_wrong_size_in_a_sheet_hides_no_row(workbook):
    path = workbook(SHEET, lambda xml: xml.replace(b'ref="A1:B3"', b'ref="A1:A2"'))
    table = read(path)
    assert (table.names, table.n_rows) == (["a", "b"], 2)


# --------------------------------------------------------------------------------------------- Parquet


@pytest.fixture
def parquet(tmp_path):
    """Write columns of pyarrow as Parquet, and return the path."""
    pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    from pyarrow import parquet

    def write(columns, names, notes=None):
        table = pa.Table.from_arrays([pa.array(column) for column in columns], names=names)
        parquet.write_table(table.replace_schema_metadata(notes), tmp_path / "t.parquet")
        return tmp_path / "t.parquet"

    return write


@pytest.mark.parametrize("notes", [b"{not json", b"\xff", b"[1]", b"null", b'{"index_columns": 5}', b"{}"])
def test_odd_notes_of_pandas_are_ignored(parquet, notes):
    table = read(parquet([[1.0, 2.0], ["x", "y"]], ["a", "b"], {b"pandas": notes}))
    assert table.names == ["a", "b"]


def test_parquet_columns_of_one_name_get_different_names(parquet):
    table = read(parquet([[1.0, 2.0], [3.0, 4.0], ["x", "y"]], ["a", "a", "c"]))
    assert table.names == ["a", "a_2", "c"]
    assert [column.tolist() for column in table.columns[:2]] == [[1, 2], [3, 4]]
    assert table.notes == ("a_2: another column that is called a",)


@pytest.mark.parametrize("cells", [[[1], [2]], [{"a": 1}, None], [b"x", b"\xff"], [timedelta(1), None]])
def test_parquet_columns_of_other_types_are_named(parquet, cells):
    assert ": column 'odd' is of type" in refused(parquet([cells, ["x", "y"]], ["odd", "c"]))


def test_integers_that_no_float_has_exactly_are_the_nearest(parquet):
    table = read(parquet([[2**62 + 1, None], [Decimal("0.1"), Decimal("2.5")], ["x", "y"]], ["n", "d", "c"]))
    np.testing.assert_array_equal(table.columns[0], [2.0**62, np.nan])
    assert table.columns[1].tolist() == [0.1, 2.5]


def test_parquet_of_too_many_cells_is_refused_without_being_read(parquet, monkeypatch):
    path = parquet([np.zeros(1000), ["x", "y"] * 500], ["a", "c"])
    monkeypatch.setattr("gatree.data.frames.MOST_CELLS", 1999)
    monkeypatch.setattr("gatree.data.frames.cells_of", None)
    assert refused(path) == ": 2,000 cells; the limit is 1,999"


def test_a_long_text_that_parquet_repeats_is_held_once(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    long = pa.DictionaryArray.from_arrays(np.zeros(5000, np.int32), ["x" * 10_000_000])  # 50 GB of texts
    table = pa.table({"a": long, "c": ["x", "y"] * 2500})
    pa.parquet.write_table(table, tmp_path / "t.parquet", store_schema=False)
    assert [len(value) for value in read(tmp_path / "t.parquet").attributes[0].values] == [10_000_000]


# ----------------------------------------------------------------------------------------------- frames


def test_blanks_in_texts_of_frames_are_kept():
    frame = pd.DataFrame(
        {"a": [" a", "a", "a ", " NA "], "n": [" 1", "2 ", "", "3"], "y": ["p", " p", "p", "p"]}
    )
    polars = pytest.importorskip("polars", reason="polars is not installed")
    for given in (frame, polars.from_pandas(frame)):
        dataset = Dataset.from_frame(given)
        assert dataset.attributes[0].values == (" a", "a", "a ")
        assert dataset.columns[0].tolist() == [0, 1, 2, -1]
        np.testing.assert_array_equal(dataset.columns[1], [1, 2, np.nan, 3])
        assert dataset.class_values == ("p", " p")


def test_whatever_a_cell_of_a_frame_raises_names_the_column():
    class Odd:
        def __str__(self):
            raise RuntimeError("no text")

    with pytest.raises(DataError, match=r"^data: column 'a' cannot be read \(RuntimeError: no text\)$"):
        Dataset.from_frame(pd.DataFrame({"a": [Odd(), 1], "y": ["p", "q"]}))


# -------------------------------------------------------------------------------------- ARFF, and costs


def test_the_cells_of_a_sparse_file_are_counted_before_its_rows_are_read(tmp_path, monkeypatch):
    head = "@relation r\n" + "".join(f"@attribute a{i} numeric\n" for i in range(200)) + "@data\n"
    (tmp_path / "s.arff").write_text(head + "{1 5}\n\n% no row\n" * 40)
    assert read(tmp_path / "s.arff").n_rows == 40
    monkeypatch.setattr("gatree.data.arff.MOST_CELLS", 7999)
    monkeypatch.setattr("gatree.data.arff.read_blocks", None)
    assert refused(tmp_path / "s.arff") == ": 8,000 cells; the limit is 7,999"


def test_messages_about_long_names_and_many_values_are_short(tmp_path):
    values = ",".join(f"{'v' * 1000}{at}" for at in range(200))
    text = f"@relation r\n@attribute a {{{values}}}\n@attribute {'n' * 200_000} {{x}}\n@data\n"
    (tmp_path / "d.arff").write_text(text + "w,x\n")
    assert "is not a value of 'a' (vvvvvv" in refused(tmp_path / "d.arff")
    (tmp_path / "d.arff").write_text(text + f"{'v' * 1000}1,x\n")
    with pytest.raises(DataError) as refusal:
        read_arff(tmp_path / "d.arff", class_name="n" * 199_999)
    assert len(str(refusal.value)) < 500


HEAD = ",democrat,republican\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",democrat,republican,democrat\n", "'democrat' is there twice"),
        (HEAD + "democrat,0,1\ndemocrat,0,1\n", "'democrat' is there twice"),
        (
            HEAD + f"democrat,0,{'9' * 200_000}\nrepublican,1,0\n",
            "cannot be read as costs (Error: field larger",
        ),
        (HEAD + "democrat,0,1e308\nrepublican,1,0\n", "should be a number from 0 to 1e+12, got '1e308'"),
        (HEAD + "democrat,0,nan\nrepublican,1,0\n", "should be a number from 0 to 1e+12, got 'nan'"),
        (HEAD + "democrat,0,1\nrepublican,1,0,3\n", "a row and a column per class are needed"),
        ("\n\n", "the file is empty"),
    ],
)
def test_costs_that_are_refused(text, message, tmp_path):
    (tmp_path / "costs.csv").write_text(text)
    with pytest.raises(DataError) as refusal:
        read_costs(tmp_path / "costs.csv", load_dataset("vote"))
    assert message in str(refusal.value)
    assert str(refusal.value).startswith(str(tmp_path / "costs.csv"))


# -------------------------------------------------------------------------------- more than the memory


@pytest.mark.parametrize("ending", ["csv", "arff", "parquet"])
def test_data_beyond_the_memory_are_refused_before_they_are_read(tmp_path, monkeypatch, ending):
    path, frame = tmp_path / f"t.{ending}", pd.DataFrame({"x": np.arange(5000.0), "y": ["p", "q"] * 2500})
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False) if ending == "csv" else write_arff(Dataset.from_frame(frame), path)
    monkeypatch.setattr("gatree.data.reading.BYTES_PER_CELL", 10**6)
    monkeypatch.setattr("gatree.base.machine.available_memory", lambda: 3 * 10**9)
    monkeypatch.setattr("gatree.data.reading.n_cells_of", None)
    assert refused(path).startswith(
        ": the data need about 10.0 GB of memory, and 3.0 GB are available; use a"
    )


def test_the_available_memory_is_known():
    assert 2**26 < available_memory() < 2**50
