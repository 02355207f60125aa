"""What WEKA 3.6.14 makes of legal ARFF files, stored as facts, and round trips of what we write."""

import math
from pathlib import Path

import numpy as np
import pytest
from arff_text import parse_arff
from hypothesis import given
from hypothesis import strategies as st
from strategies import ODD_TEXT, datasets

from gatree.base.errors import DataError
from gatree.data.arff import format_arff, read_arff, read_with_liac, write_arff
from gatree.data.arff_header import ArffLine
from gatree.data.catalog import catalog, load_dataset

HEAD = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n"
ALL_KINDS = ("nominal", "numeric", "date")
ANY_NUMBER = st.floats(allow_nan=False)


def rows(text: str) -> list[str]:
    """Return the data lines of a file as they are written back, which is as WEKA writes them."""
    return format_arff(parse_arff(text)).split("@data\n")[1].splitlines()


# ------------------------------------------------------------------------------------- what WEKA writes back

NASTY = Path(__file__).parent / "nasty"


@pytest.mark.parametrize("path", sorted(NASTY.glob("*.arff")), ids=lambda path: path.stem)
def test_a_file_is_written_back_as_weka_writes_it(path):
    """The .weka files are what WEKA 3.6.14 writes after reading the .arff files."""
    assert format_arff(read_arff(path)) == path.with_suffix(".weka").read_text(encoding="utf-8")


def test_numbers_are_those_of_java():
    words = ["1f", "8", "NaN", "Infinity", "-Infinity", "+1.", ".5e-3d", "'2'", '" 3 "', "1e999", "-0"]
    dataset = parse_arff(HEAD + "".join(f"{word},x\n" for word in words))
    expected = [1, 8, math.nan, math.inf, -math.inf, 1, 0.0005, 2, 3, math.inf, -0.0]
    np.testing.assert_array_equal(dataset.columns[0], expected)


def test_a_number_is_trimmed_as_java_trims_it():
    """Characters up to U+0020, and no blank beyond them: the outcomes are WEKA's."""
    words = [r"'\0011'", r"'1\0'", r"'1\040'", r"'\t\n1 '"]
    dataset = parse_arff(HEAD + "".join(f"{word},x\n" for word in words))
    assert dataset.columns[0].tolist() == [1] * 4
    for word in ["1\u3000", "'1\u00a0'", "'\u20281'", "\x851", r"'1\177'", "0x1p3"]:
        with pytest.raises(DataError, match=r"line \d: .* is not a number, as 'a' needs"):
            parse_arff(HEAD + f"{word},x\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            HEAD + "1,x,\n,1,x\n1,,x\n \t1 \t, x\n1 y\n1\ty\n",
            ["1,x"] * 4 + ["1,y"] * 2,
            id="commas and blanks in any number",
        ),
        pytest.param(
            "% c\n@relation r % c\n@attribute a numeric % c\n\n@attribute b {x,y}%c\n@data % c\n"
            "1,x%c\n  % c\n1 y % {\n" + "% c\n" * 1000,
            ["1,x", "1,y"],
            id="comments anywhere",
        ),
        pytest.param(HEAD.rstrip() + " 7,y\n1,x", ["7,y", "1,x"], id="a row on the line of @data"),
        pytest.param(
            "'@relation' r\n@attribute a \"REAL\"\n@attribute b {x}\n'@DATA'\n1,x\n", ["1,x"], id="quotes"
        ),
        pytest.param(
            "@relation r\n@attribute a {'?',b}\n@attribute c {x}\n@data\n'?',x\n\"?\",x\n?,x\nb,x\n",
            ["'?',x", "'?',x", "?,x", "b,x"],
            id="a quoted question mark is a value",
        ),
        pytest.param(HEAD + "1,x,{1}\n2,y {1.0}\n{0 3},{1}\n", ["1,x", "2,y", "3,x"], id="weights of one"),
        pytest.param(
            HEAD + "{+0 5,+1 y}\n{-0 5, 1 y}\n{'0' 5, \"1\" y}\n{00 5, 0001 y}\n",
            ["5,y"] * 4,
            id="an index is any integer of Java",
        ),
        pytest.param(
            HEAD + "{0 -0}\n{0 -0.0}\n{0 '-0'}\n{0 -0e5}\n{0 0}\n-0,x\n",
            ["0,x"] * 5 + ["-0,x"],
            id="a zero of a sparse row has no sign",
        ),
    ],
)
def test_rows_are_read_as_weka_reads_them(text, expected):
    assert rows(text) == expected


def test_sparse_rows():
    text = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute d date\n"
    text += "@attribute c {p,'q r'}\n@data\n"
    text += "{}\n{0 5, 3 'q r'}\n{1 y}\n{0 ?,1 ?}\n{ 0 5 3 \"q r\" }\n3,y,?,p\n{2 2001-01-01T00:00:00,3 ?}\n"
    zero = "1970-01-01T00:00:00"
    assert rows(text) == [
        f"0,x,{zero},p",
        f"5,x,{zero},'q r'",
        f"0,y,{zero},p",
        f"?,?,{zero},p",
        f"5,x,{zero},'q r'",
        "3,y,?,p",
        "0,x,2001-01-01T00:00:00,?",
    ]


def test_strings_are_dropped_on_request():
    text = "@relation r\n@attribute s string\n@attribute b {x,y}\n@attribute t STRING\n@data\n"
    dataset = parse_arff(text + "'a, b',x,\"%\"\n{1 y}\n?,x,?\n", drop_strings=True)
    assert (dataset.n_attributes, dataset.answer_position) == (0, 0)
    assert dataset.classes.tolist() == [0, 1, 0]


# ------------------------------------------------------------------------------------------------ round trips


@given(datasets(text=ODD_TEXT, kinds=ALL_KINDS, numbers=ANY_NUMBER, allow_missing_class=True))
def test_what_is_written_reads_equal(dataset):
    back = parse_arff(format_arff(dataset), class_name=dataset.class_attribute.name)
    assert back.checksum == dataset.checksum
    assert back.name == dataset.name


@pytest.mark.parametrize("name", ["file.arff", "file.arff.gz"])
def test_files_read_back_equal_and_are_the_same_every_time(tmp_path, name):
    dataset = read_arff(NASTY / "dates.arff")
    write_arff(dataset, tmp_path / name, comment="two\n\nlines")
    first = (tmp_path / name).read_bytes()
    assert read_arff(tmp_path / name) == dataset
    write_arff(dataset, str(tmp_path / name), comment="two\n\nlines")
    assert (tmp_path / name).read_bytes() == first


@given(st.text("ab01.?+-$&@[]|~\\ ,\t\x0b\x0c", max_size=30))
def test_plain_lines_are_cut_as_all_others(line):
    assert ArffLine("f", 1, line).words() == ArffLine("f", 1, line + "%").words()


@pytest.mark.parametrize("odd", ["1,x", "'2',\"y\"", "?,?", "{0 3, 1 y}", "2f,x"])
def test_one_odd_row_changes_no_other(odd):
    """Blocks of rows are decoded together, by the quickest way that fits them all."""
    lines = [f"{number},{'xy'[number % 2]}" for number in range(600)]
    plain, alone = parse_arff(HEAD + "\n".join(lines)), parse_arff(HEAD + odd)
    assert plain.columns[0].tolist() == list(range(600))
    lines[300] = odd
    together = parse_arff(HEAD + "\n".join(lines))
    for found, others, one in ((together.columns[0], plain.columns[0], alone.columns[0]),
                               (together.classes, plain.classes, alone.classes)):  # fmt: skip
        np.testing.assert_array_equal(found, [*others[:300], *one, *others[301:]])


def test_text_after_a_type_is_ignored():
    text = (
        "@relation r\n@attribute s string foo {x}\n@attribute d date yyyy-MM-dd HH:mm:ss\n@attribute b {x}\n"
    )
    dataset = parse_arff(text + "@data\nhello,2001-01-02,x\n", drop_strings=True)
    assert dataset.columns[0].tolist() == [978393600000.0]


def test_a_date_of_another_zone_can_be_described():
    text = "@relation r\n@attribute d date 'yyyy-MM-dd z'\n@attribute b {x}\n@data\n'2001-01-02 PST',x\n"
    dataset = parse_arff(text)
    assert dataset.columns[0].tolist() == [978422400000.0]
    assert dataset.describe()["attributes"][0]["range"] == ["2001-01-02T08:00:00.000"] * 2


# ---------------------------------------------------------------------------- a second reading, by liac-arff


@pytest.mark.parametrize("entry", catalog(), ids=lambda entry: entry.name)
def test_both_readers_read_the_shipped_files_alike(entry):
    assert read_with_liac(entry.file) == load_dataset(entry.name)


def test_what_liac_arff_cannot_read_is_named(tmp_path):
    broken = tmp_path / "broken.arff"
    broken.write_text("@relation r\n@attribute a {x\n@data\nx\n")
    with pytest.raises(DataError, match="liac-arff cannot read it"):
        read_with_liac(broken)
