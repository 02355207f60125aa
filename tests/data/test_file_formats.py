"""Files of all formats: which is which, what is text, and what is refused."""

import gzip
import io
import os
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from strategies import datasets

from gatree.base.errors import DataError
from gatree.data.arff import write_arff
from gatree.data.dataset import table_of
from gatree.data.files import _KEPT, name_of_file, read_text
from gatree.data.load import files_of, format_of, load_data, read
from gatree.data.source import ReadOptions


@pytest.mark.parametrize(
    ("path", "name", "short"),
    [
        ("a/b.arff", "arff", "b"),
        ("B.ARFF.GZ", "arff", "B"),
        ("b.tsv.gz", "csv", "b"),
        ("b.c.parquet", "parquet", "b.c"),
        ("b.txt", None, "b"),
        ("vote", None, "vote"),
    ],
)
def test_the_ending_tells_the_format(path, name, short):
    found = format_of(path)
    assert found == name
    assert name_of_file(path) == short


@pytest.mark.parametrize("ending", [".arff.gz", ".parquet", ".tsv.gz"])
@given(dataset=datasets(min_instances=1, kinds=("nominal", "numeric")))
def test_what_is_written_reads_back(ending, dataset, tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / f"data{ending}"
    if format_of(ending) == "csv":
        dataset.to_frame().to_csv(path, index=False, sep="\t" if ".tsv" in ending else ",")
    elif ending == ".parquet":
        dataset.to_frame().to_parquet(path, index=False)
    else:
        write_arff(dataset, path)
    again = read(path, ReadOptions(header=True)).dataset(dataset.class_attribute.name)
    assert again.n_instances == dataset.n_instances
    if format_of(ending) != "csv":  # CSV does not say what is nominal, nor which values there are
        assert again == dataset


HEAD = "@relation r\n@attribute a numeric\n@attribute s string\n@attribute b {red,green}\n@data\n"


def test_rows_that_weka_refuses_are_read_with_a_warning(tmp_path):
    (tmp_path / "empty_cells.arff").write_text(HEAD + "1,'x',red\n,'y',green\n")
    data = load_data(tmp_path / "empty_cells.arff", drop_strings=True)
    assert np.array_equal(data.columns[0], [1, np.nan], equal_nan=True)
    assert data.classes.tolist() == [0, 1]
    (note,) = data.notes
    assert "line 7: 2 of 3 values; none is left for 'b'" in note
    assert note.endswith("nothing between two of them as a missing one")


@pytest.mark.parametrize("rows", ["1,'x',blue\n", "1,'x',red,7\n", ",'x',blue\n", "{9 1}\n"])
def test_rows_that_cannot_be_read_in_any_way_are_refused(rows, tmp_path):
    (tmp_path / "bad.arff").write_text(HEAD + rows)
    with pytest.raises(DataError, match=r"bad\.arff, line 6: "):
        load_data(tmp_path / "bad.arff", drop_strings=True)


def test_a_lenient_row_has_numbers_as_numbers_and_sparse_entries_in_any_order(tmp_path):
    head = "@relation r\n@attribute a {x,y}\n@attribute n integer\n@attribute k integer\n@data\n"
    (tmp_path / "d.arff").write_text(head + "x,,1\ny,2.7,1e400\n{2 5, 1 2.4}\n")
    table = read(tmp_path / "d.arff")
    assert table.columns[2].tolist() == [1, float("inf"), 5]
    numbers = table.dataset(regression=None).columns[1]
    assert np.array_equal(numbers, [np.nan, 2.7, 2.4], equal_nan=True)
    (tmp_path / "e.arff").write_text("@relation r\n@attribute a {x,y,}\n@attribute b {q}\n@data\n,q\nx,q\n")
    assert read(tmp_path / "e.arff").unlabelled().columns[0].tolist() == [-1, 0]


def test_a_pattern_names_files_but_no_folders(tmp_path):
    for name in ("b.csv", "a.csv", "[ab].csv"):
        (tmp_path / name).write_text("x,y\n1,2\n")
    (tmp_path / "c.csv").mkdir()
    assert [Path(path).name for path in files_of(str(tmp_path / "?.csv"))] == ["a.csv", "b.csv"]
    assert [Path(path).name for path in files_of(str(tmp_path / "[ab].csv"))] == ["[ab].csv"]
    assert files_of("x" * 5000) == ["x" * 5000]
    with pytest.raises(DataError, match=r"\*\.arff: no file has such a name"):
        files_of(str(tmp_path / "*.arff"))
    with pytest.raises(DataError, match=r"c\.csv: a folder without Parquet files; a pattern such as "):
        files_of(str(tmp_path / "c.csv"))


STRINGS = "@relation r\n@attribute a {p,q}\n@attribute n real\n@attribute s string\n@attribute b {x}\n"
ARFF = STRINGS + "@data\nq,1,hello,x\n"


@pytest.mark.parametrize(("text", "name"), [(ARFF, "r"), ("k,a\nyes,1\nno,2\n", "stdin")])
def test_data_from_stdin_are_called_as_they_say_or_stdin(monkeypatch, text, name):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert load_data("-", drop_strings=True).name == name


def test_another_class_of_a_known_data_set(tmp_path):
    vote = load_data("vote")
    swapped = load_data("vote", class_name="crime")
    assert swapped.class_attribute.name == "crime"
    assert swapped.n_attributes == vote.n_attributes
    assert table_of(swapped).dataset("Class") == vote
    write_arff(vote, tmp_path / "no_suffix")
    assert load_data(tmp_path / "no_suffix") == vote
    with pytest.raises(
        DataError, match=r"no attribute 'crimes'; did you mean 'crime'\? \(there are: handicapped"
    ):
        load_data("vote", class_name="crimes")
    with pytest.raises(DataError, match="the class must be nominal, but 'legs' is numeric"):
        load_data("zoo", class_name="legs")


def test_nothing_of_that_name():
    with pytest.raises(DataError) as caught:
        load_data("vot")
    assert str(caught.value) == (
        "no data set and no file is called 'vot'; did you mean 'vote'? "
        "(`gatree datasets list` shows the data sets; files end in .arff, .arff.gz, "
        ".csv, .csv.gz, .tsv, .tsv.gz, .parquet, .xlsx or .xlsm)"
    )


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("gatree.data.files._BLOCK", 3)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("aé中😀b\n".encode(), "aé中😀b\n"),
        (b"\xef\xbb\xbfab\r\ncd\re", "ab\ncd\ne"),
        (b"a\xe9 \x80 \x81", "aé € \x81"),
        ("ééé".encode() + b"\xe9", "Ã©Ã©Ã©é"),
        ("abé".encode()[:-1], "abÃ"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_an_encoding_is_that_of_the_whole_file(tmp_path, raw, text, packed):
    (tmp_path / "file").write_bytes(gzip.compress(raw) if packed else raw)
    assert read_text(tmp_path / "file") == text


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b" \n\t\n   \n", ": the file is empty"),
        (b"abc\nde\n\nf\0", ", line 4: a NUL byte, so this is no text file"),
        (gzip.compress(b"abcdefgh" * 99, mtime=0)[:-9], ": damaged gzip file"),
        (gzip.compress(b"abc", mtime=0) + b"tail", ": damaged gzip file"),
        (b"\x1f\x8b" + b"rubbish" * 9, ": damaged gzip file"),
        (gzip.compress(b"", mtime=0), ": the file is empty"),
        ("abc".encode("utf-16")[:-1], ": damaged UTF-16 (truncated data)"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path, raw, message):
    (tmp_path / "file").write_bytes(raw)
    with pytest.raises(DataError) as refusal:
        read_text(tmp_path / "file")
    assert str(refusal.value).startswith(f"{tmp_path / 'file'}{message}")


def test_a_bomb_is_refused_before_it_has_gone_off(tmp_path, monkeypatch):
    monkeypatch.setattr("gatree.base.limits.FREE_UNPACKED_BYTES", 2**21)
    monkeypatch.setattr("gatree.data.files.MOST_FILE_BYTES", 2**24)
    (tmp_path / "bomb.arff.gz").write_bytes(gzip.compress(b"@relation r\n" + b"% \n" * 2**22))
    with pytest.raises(
        DataError, match=r"unpack to more than 2,097,152 bytes and more than 100 times as many"
    ):
        read_text(tmp_path / "bomb.arff.gz")
    (tmp_path / "small.arff.gz").write_bytes(gzip.compress(b"% \n" * 2**18))
    assert len(read_text(tmp_path / "small.arff.gz")) == 3 * 2**18


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("MOST_FILE_BYTES", ": 12 bytes; the limit is 10"),
        ("MOST_LINE_CHARACTERS", ", line 2: 13 characters; "),
    ],
)
def test_files_and_lines_beyond_their_limits(tmp_path, monkeypatch, limit, message):
    monkeypatch.setattr(f"gatree.data.files.{limit}", 10)
    (tmp_path / "file").write_bytes(b"a\n" + b"x" * 13)
    with pytest.raises(DataError) as refusal:
        read_text(tmp_path / "file")
    assert str(refusal.value).startswith(f"{tmp_path / 'file'}{message}")


@pytest.mark.parametrize("in_memory", [64 * 2**20, 1], ids=["in memory", "on disk"])
def test_a_pipe_is_read_too(tmp_path, monkeypatch, in_memory):
    monkeypatch.setattr("gatree.data.files._KEPT_IN_MEMORY", in_memory)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"a\xe9\n",))
    writer.start()
    assert read_text(tmp_path / "pipe") == "aé\n"
    writer.join()
    _KEPT.clear()  # which closes what was kept: an open file is a warning


def test_a_named_pipe_is_read_again_whenever_it_is_opened(tmp_path):
    """And only once for a table, though its reader looks at it several times."""
    pipe = tmp_path / "table.csv"
    os.mkfifo(pipe)
    for value in ("red", "blue"):
        writer = threading.Thread(target=pipe.write_text, args=(f"x,y\n{value},a\n{value},b\n",))
        writer.start()
        assert read(pipe).attributes[0].values == (value,)
        writer.join()
