"""CSV files and frames: which columns become what, and what is refused."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from arff_text import parse_arff
from hypothesis import given
from hypothesis import strategies as st
from strategies import datasets

from gatree.base.errors import DataError
from gatree.data.arff import format_arff
from gatree.data.attribute import Attribute
from gatree.data.csv_file import _is_rectangular, read_csv
from gatree.data.dataset import Dataset
from gatree.data.load import read

CSV = """\
name, size, seen, note, class
red, 1, true, None, yes
"green, dark", 2.5, false, x, no
red, ?, true, , yes
,3,true,x,
"""


@pytest.fixture
def write(tmp_path):
    def write(text: str | bytes, name: str = "file.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize("blank", ["\n", "\n\n"])
def test_a_csv_file(write, blank):
    dataset = read_csv(write(CSV.replace("\n", blank)))
    assert dataset.name == "file"
    assert dataset.attributes == (
        Attribute("name", "nominal", values=("red", "green, dark")),
        Attribute("size", "numeric"),
        Attribute("seen", "nominal", values=("true", "false")),
        Attribute("note", "nominal", values=("None", "x")),
    )
    assert dataset.class_attribute == Attribute("class", "nominal", values=("yes", "no"))
    assert [column.tolist() for column in dataset.columns[::2]] == [[0, 1, 0, -1], [0, 1, 0, 0]]
    np.testing.assert_array_equal(dataset.columns[1], [1, 2.5, math.nan, 3])
    assert dataset.columns[3].tolist() == [0, 1, -1, 1]
    assert dataset.classes.tolist() == [0, 1, 0, -1]


@given(st.lists(st.text("ab,é", max_size=4), min_size=1, max_size=6), st.integers(1, 3))
def test_lines_are_cut_at_separators_if_all_have_as_many(lines, n_columns):
    counts = {line.count(",") for line in lines}
    assert _is_rectangular("\n".join([*lines, ""]), ",", n_columns) == (counts == {n_columns - 1})


@pytest.mark.parametrize("last", ["y", '"y"'])
def test_a_separator_and_words_for_missing(write, last):
    dataset = read_csv(write(f"a b c\n1  x\n-999 3 {last}\n"), separator=" ", missing_words=["", "-999"])
    np.testing.assert_array_equal(dataset.columns, [[1, math.nan], [math.nan, 3]])


def test_a_file_that_says_tab_is_read_with_tabs(write):
    assert read(write("a, b\n1, z\n", "one.TSV")).attributes[0].values == ("1, z",)


@pytest.mark.parametrize("separator", [";", "\t", "|"])
@pytest.mark.parametrize("names", ["size{}kind", '"size, in m"{}"kind; or so"'])
def test_the_separator_is_seen_in_the_header(write, separator, names):
    text = f"{names}\n1.5{{}}x\n2{{}}y, z\n".replace("{}", separator)
    dataset = read_csv(write(text))
    np.testing.assert_array_equal(dataset.columns[0], [1.5, 2])
    assert dataset.class_values == ("x", "y, z")
    assert dataset == read_csv(write(text), separator=separator)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("a;b,c\n1;2,x\n", ("a;b", "c"), id="a comma as before"),
        pytest.param('a;b,"c\nd"\n1;2,x\n', ("a;b", "c\nd"), id="a line end in a name"),
        pytest.param("a|b;c\n1|2;x\n", ("a|b", "c"), id="a semicolon before a bar"),
        pytest.param("a, C;k\n36,6;ok\n39,1;ill\n", ("a, C", "k"), id="commas only in numbers"),
        pytest.param("a, b;c;k\nX, Y;2;x\nX, Z;1;y\n", ("a, b", "c", "k"), id="more columns"),
        pytest.param('a;"b, kg";k\n1;2;x\n', ("a", "b, kg", "k"), id="a name that is quoted later"),
        pytest.param("a\tb;c\tk\n1\t2\tx\n", ("a", "b;c", "k"), id="the rows tell"),
        pytest.param("a;k\n1;x\n1;2;x;y\n3;y\n", None, id="one row is wrong"),
        pytest.param('a,"b;c"d,k\n1,2,x\n', None, id="a header that is wrong"),
        pytest.param("a|b,k\n1,x\n", ("a|b", "k"), id="a bar in a name"),
    ],
)
def test_what_separates_the_header_and_the_rows(write, text, names):
    path = write(text)
    if names is None:
        with pytest.raises(DataError, match=r", line (3: 2 columns, but this row has 4|1: ',' expected)"):
            read_csv(path)
    else:
        dataset = read_csv(path)
        assert (*(each.name for each in dataset.attributes), dataset.class_attribute.name) == names


@pytest.mark.parametrize("line", ["sep={}", '"sep={}"', "SEP={}"])
@pytest.mark.parametrize("separator", [",", ";", "\t", ":"])
def test_a_line_above_the_header_says_what_separates(write, line, separator):
    rows = "a|b{}c\n1|2{}x\n3{}y\n".replace("{}", separator)
    dataset = read_csv(write(f"{line.format(separator)}\n{rows}"))
    assert dataset == read_csv(write(rows), separator=separator)
    assert dataset.attributes[0].name == "a|b"


def test_decimal_commas_are_for_semicolons(write):
    text = "a;b;c\n1,5;1,2,3;10,0\n-2;N/A;2,5\n;0,1;10\n"
    dataset = read_csv(write(text))
    np.testing.assert_array_equal(dataset.columns[0], [1.5, -2, math.nan])
    assert dataset.attributes[1].values == ("1,2,3", "N/A", "0,1")
    assert (dataset.class_values, dataset.classes.tolist()) == (("2.5", "10"), [1, 0, 1])
    np.testing.assert_array_equal(read_csv(write(text.replace(";", "\t"))).columns[0], [1.5, -2, math.nan])


def test_the_target_is_nominal_whatever_it_is(write):
    dataset = read_csv(write("k,a\n10,x\n9,y\n10,x\n,x\n"), target="k")
    assert dataset.class_attribute == Attribute("k", "nominal", values=("9", "10"))
    assert (dataset.classes.tolist(), dataset.answer_position) == ([1, 0, 1, -1], 0)
    for classes, values in (([0.5, 2.0], ("0.5", "2")), ([True, True], ("False", "True"))):
        assert Dataset.from_frame(pd.DataFrame({"a": [1, 2], "b": classes})).class_values == values


def test_the_kinds_of_a_frame():
    frame = pd.DataFrame(
        {
            "integer": pd.array([1, None, 3], dtype="Int64"),
            "small": np.array([1, 2, 3], dtype=np.int8),
            "category": pd.Categorical(["b", None, "a"], categories=["a", "b", "c"]),
            "text": ["z", None, "a"],
            "mixed": [1, "1", 2.5],
            "truth": pd.array([True, None, False], dtype="boolean"),
            "when": pd.to_datetime(["1970-01-02", None, "2001-01-01 00:00:00.5"], format="ISO8601"),
            7: [1.5, math.inf, math.nan],
            "class": ["x", "y", "x"],
        }
    )
    dataset = Dataset.from_frame(frame, "class")
    found = [
        (each.kind, each.values, column.tolist())
        for each, column in zip(dataset.attributes, dataset.columns, strict=True)
    ]
    assert found[2:6] == [
        ("nominal", ("a", "b", "c"), [1, -1, 0]),
        ("nominal", ("z", "a"), [0, -1, 1]),
        ("numeric", (), [1, 1, 2.5]),
        ("nominal", ("False", "True"), [1, -1, 0]),
    ]
    assert {kind for kind, *_ in (*found[:2], *found[6:])} == {"numeric"}
    np.testing.assert_array_equal(dataset.columns[0], [1, math.nan, 3])
    np.testing.assert_array_equal(dataset.columns[6], [86_400_000, math.nan, 978_307_200_500])
    assert dataset.attributes[7].name == "7"
    assert parse_arff(format_arff(dataset)) == dataset


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty"),
        ("a,b\n", ": a header but no rows"),
        ("a,b\n1,2\n\n1,2,3\n", ", line 4: 2 columns, but this row has 3"),
        ("a,b\n1\n", ", line 2: 2 columns, but this row has 1"),
        ("a,colr\n1,2\n", ": no column 'color'; did you mean 'colr'? (there are: a, colr)"),
        (
            'a,color\n1,"2\n3,4\n5,6\n',
            ", line 2: a quote that is opened in this row is not closed by line 4 (unexpected end of data)",
        ),
        (
            'sep=;\na;color\n1;2\n3;"4\n',
            ", line 4: a quote that is opened in this row is not closed by line 4 (unexpected end of data)",
        ),
        ('a,color\n1,"x"y\n2,z\n', ", line 2: ',' expected after '\"'"),
        ("sep=;\na;color\n1;x\n1;2;y\n", ", line 4: 2 columns, but this row has 3"),
        ("sep=;\n", ": is empty; its first line should name the columns"),
        (
            "color:a\n1:2\n",
            ": no column 'color'; did you mean 'color:a'? (there are: color:a)",
        ),
        (
            "color\n1\n",
            (
                ": only one column ('color'); commas, semicolons, tabs or bars part columns (if it is "
                "another character: gatree.read_csv(path, separator=...) in Python); at least two are needed"
            ),
        ),
    ],
)
def test_broken_files(write, text, message):
    path = write(text)
    with pytest.raises(DataError) as caught:
        read_csv(path, target="color")
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize("letters", ["", "x" * 200], ids=["to the end", "beyond the limit of a cell"])
def test_the_row_of_a_quote_that_is_never_closed_is_named(write, letters):
    rows = [f"{number},y{letters}\n" for number in range(1000)]
    rows[300] = '300,"y\n'
    message = r", line 302: a quote that is opened in this row is not closed by line \d+ \("
    with pytest.raises(DataError, match=message):
        read_csv(write("a,color\n" + "".join(rows)))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pd.to_timedelta([1], unit="s"), "is of type Duration"),
        ([1j], "is of type Unknown; use numbers, dates or text"),
        (pd.Categorical([1], categories=[1, "1"]), "has categories that look the same"),
    ],
)
def test_columns_that_cannot_be_used(column, message):
    with pytest.raises(DataError, match=f"^people: column 'a' {message}"):
        Dataset.from_frame(pd.DataFrame({"a": column, "b": ["x"]}), name="people")
    with pytest.raises(DataError, match=r"^data: no columns; .*at least two"):
        Dataset.from_frame(pd.DataFrame())


@pytest.mark.parametrize("separator", ["::", "", '"', "\n", 5, b";"])
def test_what_cannot_separate_values(write, separator):
    message = f"the separator must be one character, and no quote or line end, got {separator!r}"
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        read_csv(write(CSV), separator=separator)


# ----------------------------------------------------------------------------------------- block by block


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("gatree.data.csv_file._LETTERS_AT_A_TIME", 4)


@pytest.mark.usefixtures("small_blocks")
def test_a_row_of_another_length_is_named_wherever_it_is(write):
    path = write('a,k\n1,x\n\n2,"y\nz"\n3,x\n4\n')
    with pytest.raises(DataError, match="line 7: 2 columns, but this row has 1"):
        read_csv(path)


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (["1", "1.", ".5", "+5", "-5e-3", "1E+5", "00012"], [1, 1, 0.5, 5, -0.005, 1e5, 12]),
        (["inf", "-Infinity", "+INF", "1e400"], [math.inf, -math.inf, math.inf, math.inf]),
        (["1 ", " 2", "\t3\t"], [1, 2, 3]),
        (["1", "", "NA", "nan"], [1, math.nan, math.nan, math.nan]),
        (
            ["9007199254740993", "123456789012345678901234567890"],
            [9007199254740992, 123456789012345678901234567890],
        ),
    ],
)
def test_what_is_a_number(write, words, numbers):
    dataset = read_csv(write("a,k\n" + "".join(f"{word},x\n" for word in words)))
    np.testing.assert_array_equal(dataset.columns[0], np.array(numbers, dtype=np.float64))


@pytest.mark.parametrize("word", ["1e", "e5", "--1", "1_000", "0x10", "1 2", "१", "True", "1d5"])
def test_what_is_no_number(write, word):
    dataset = read_csv(write(f"a,k\n1,x\n{word},x\n"))
    assert dataset.attributes[0].values == ("1", word)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("limit", "message"),
    [("reading.MOST_CELLS", "6 cells; the limit is 5"), ("dataset.MOST_CLASSES", "20 classes")],
)
def test_too_large_files_are_refused(write, monkeypatch, limit, message):
    monkeypatch.setattr(f"gatree.data.{limit}", 5)
    rows = 3 if limit == "reading.MOST_CELLS" else 20
    with pytest.raises(DataError, match=message):
        read_csv(write("a,k\n" + "".join(f"{n},c{n}\n" for n in range(rows))))


@given(datasets(min_instances=1, allow_missing_class=True))
def test_a_frame_reads_back_as_the_data_set(dataset: Dataset):
    again = Dataset.from_frame(dataset.to_frame(), dataset.class_attribute.name, dataset.name)
    assert again == dataset


@given(datasets(min_instances=1, kinds=("date",), allow_missing_class=True))
def test_dates_are_dates(dataset: Dataset):
    frame = dataset.to_frame()
    again = Dataset.from_frame(frame, dataset.class_attribute.name)
    for attribute, column in zip(dataset.attributes, dataset.columns, strict=True):
        assert pd.api.types.is_datetime64_any_dtype(frame[attribute.name])
        found = again.columns[again.attribute_index(attribute.name)]
        assert ((found == column) | (pd.isna(found) & pd.isna(column))).all()


def test_dates_in_a_time_zone_are_moments():
    days = pd.Series(pd.to_datetime(["2024-01-01 00:00", "2024-01-02 00:00", None], format="%Y-%m-%d %H:%M"))
    frame = pd.DataFrame({"day": days.dt.tz_localize("Europe/Berlin"), "y": ["p", "q", "p"]})
    (column,) = Dataset.from_frame(frame).columns
    assert column[0] == pd.Timestamp("2023-12-31 23:00").timestamp() * 1000
    assert pd.isna(column[2])


def test_a_null_among_the_categories_is_a_missing_value():
    pyarrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    categories = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([2, 1, 0]), pyarrow.array(["u", None, "v"])
    )
    dataset = Dataset.from_frame(pyarrow.table({"c": categories, "y": ["p", "q", "p"]}))
    assert dataset.attributes[0].values == ("v", "u")
    assert dataset.columns[0].tolist() == [0, -1, 1]
