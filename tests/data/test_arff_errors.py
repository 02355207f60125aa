"""Broken ARFF files: each is refused with the file, the line and the word at fault."""

import pytest
from arff_text import parse_arff

from gatree.base.errors import DataError
from gatree.data.arff import read_arff, write_arff

HEAD = "@relation r\n@attribute a numeric\n@attribute b {red,green}\n@data\n"
TYPES = "numeric, real, integer, date, string, or {value, value, ...}"


def attribute(declaration: str) -> str:
    return f"@relation r\n@attribute {declaration}\n@attribute k {{x}}\n@data\n"


BROKEN = {
    # the header
    "@attribute a numeric": ", line 1: an ARFF file starts with @relation, got '@attribute'",
    "a b\n1 2": ", line 1: an ARFF file starts with @relation, got 'a'; a CSV file's name ends in .csv",
    "% only a comment": ": no @relation line",
    "@relation": ", line 1: @relation needs a name",
    "@relation a b": ", line 1: the line should end before 'b'; quote a name that has blanks",
    "@relation r\n@attribute a {x}\n": ": no @data line",
    "@relation r\n@data\n": ", line 2: @data before any @attribute",
    "@relation r\n\n1,2\n": ", line 3: @attribute or @data expected, got '1'",
    attribute("a"): f", line 2: @attribute needs a name and a type ({TYPES})",
    attribute("{a,b}"): f", line 2: @attribute needs a name and a type ({TYPES})",
    attribute("a text"): f", line 2: attribute 'a' has the type 'text', not {TYPES}",
    attribute("a relational"): ", line 2: attribute 'a' is relational: multi-instance data are not supported",
    attribute("a string"): (
        ", line 2: attribute 'a' is of type string, which no tree can test; "
        "drop such attributes with drop_strings=True (--drop-strings)"
    ),
    attribute("a date {yyyy}"): ", line 2: a date format expected, got {",
    attribute(f"a date {'y' * 201}"): (
        f", line 2: the date format '{'y' * 40}...' has 201 characters; the limit is 200"
    ),
    attribute("k numeric"): ", line 3: a second attribute is called 'k'",
    attribute("a {x,y,x}"): ", line 2: attribute 'a' has the value 'x' twice",
    attribute("a {x,y"): ", line 2: the values of 'a' lack a closing } on the same line",
    attribute("a {x,{y}"): ", line 2: a { among the values of 'a'; quote the value that has it",
    attribute("a {x} y"): ", line 2: the line should end before 'y'; quote a name that has blanks",
    attribute("'a {x}"): ', line 2: the quote in "\'a {x}" is never closed',
    attribute("a date 'yyyy ww'"): (
        ", line 2: the date format 'yyyy ww' has 'w'; known are y, M, d, E, a, H, h, m, s, S, z, Z, X"
    ),
    attribute('a date "yyyy \'o"'): ', line 2: the date format "yyyy \'o" has a quote that is never closed',
    # the class
    "@relation r\n@attribute a {x}\n@attribute b real\n@data\n": (
        ", line 3: the class must be nominal, but 'b' is numeric; "
        "name another attribute with class_name (--class)"
    ),
    # rows
    HEAD + "1,red\n2\n": ", line 6: 1 of 2 values; none is left for 'b' (a missing value is written ?)",
    HEAD + "1,red,2\n": ", line 5: 3 values for 2 attributes; the first too many is '2'",
    HEAD + "1,red\n\n% c\n2,blue": ", line 8: 'blue' is not a value of 'b' (red, green)",
    HEAD + "1,Red": ", line 5: 'Red' is not a value of 'b' (red, green); did you mean 'red'?",
    HEAD + "one,red": ", line 5: 'one' is not a number, as 'a' needs",
    HEAD + "1_0,red": ", line 5: '1_0' is not a number, as 'a' needs",
    HEAD + "inf,red": ", line 5: 'inf' is not a number, as 'a' needs",
    HEAD + "'?',red": ", line 5: '?' is not a number, as 'a' needs",
    HEAD + "1,'?'": ", line 5: '?' is not a value of 'b' (red, green)",
    HEAD + "1,'red\n2,green": ', line 5: the quote in "\'red" is never closed',
    HEAD + "1,'red\\'\n": ", line 5: the quote in \"'red\\\\'\" is never closed",
    HEAD + "1,red,{2}": ", line 5: the instance weight '2'; only weight 1 is supported",
    HEAD + "1,red,{w}": ", line 5: the instance weight 'w' is not a number",
    HEAD + "1,red,{1} 2": ", line 5: unexpected '{'; quote a value that has a brace",
    HEAD + "1,red}": ", line 5: unexpected '}'; quote a value that has a brace",
    HEAD + "{0 1": ", line 5: the sparse row lacks a closing }",
    HEAD + "{0 1} red": ", line 5: unexpected 'red'; quote a value that has a brace",
    HEAD + "{1 red, 0 1}": ", line 5: the indices of a sparse row must rise, but 0 follows 1",
    HEAD + "{2 1}": ", line 5: '2' is not the index of an attribute (0 to 1)",
    HEAD + "{-1 1}": ", line 5: '-1' is not the index of an attribute (0 to 1)",
    HEAD + "{0 1, 1}": ", line 5: no value after the index 1 of the sparse row",
    HEAD + "{0 1, 1 blue}": ", line 5: 'blue' is not a value of 'b' (red, green)",
    attribute("a {}") + "{0 x}": ", line 5: 'x' is not a value of 'a' ()",
    attribute("a {}") + "{1 x}": ", line 5: 'a' has no first value, which the sparse row leaves out",
    attribute("a date yyyy-MM-dd") + "2001-02-30,x": ", line 5: '2001-02-30' is no date of the calendar",
    attribute("a date yyyy-MM-dd") + "2001-02-03x,x": (
        ", line 5: '2001-02-03x' is no date of the form 'yyyy-MM-dd'"
    ),
    attribute("a {" + ",".join(map(str, range(11))) + "}") + "x,x": (
        ", line 5: 'x' is not a value of 'a' (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)"
    ),
    # of several errors, the first
    HEAD + "1,red\n2,blue\nx,red\n3": ", line 6: 'blue' is not a value of 'b' (red, green)",
    HEAD + "1,red\n" * 1000 + "x,blue\n": ", line 1005: 'x' is not a number, as 'a' needs",
    # a line of 1 MB
    HEAD + "1," + "z" * 1_000_000: f", line 5: '{'z' * 40}...' is not a value of 'b' (red, green)",
    HEAD + "1," * 500_000: ", line 5: 500000 values for 2 attributes; the first too many is '1'",
    HEAD + "1,'" + "z" * 1_000_000: f', line 5: the quote in "\'{"z" * 39}..." is never closed',
    HEAD + "9" * 1_000_000 + "x,red": f", line 5: '{'9' * 40}...' is not a number, as 'a' needs",
}


@pytest.mark.parametrize("text", BROKEN, ids=lambda text: text[-40:])
def test_broken_text(text):
    with pytest.raises(DataError) as caught:
        parse_arff(text, path="data.arff")
    assert str(caught.value) == "data.arff" + BROKEN[text]


@pytest.mark.parametrize(
    ("class_name", "message"),
    [
        ("colour", "data.arff: no attribute 'colour'; did you mean 'color'?"),
        ("note", "data.arff: no attribute 'note' (there are: when, color)"),
        ("when", "data.arff, line 3: the class must be nominal, but 'when' is numeric; "),
    ],
)
def test_a_class_that_cannot_be(class_name, message):
    text = "@relation r\n@attribute note string\n@attribute when date\n@attribute color {x}\n@data\n"
    with pytest.raises(DataError) as caught:
        parse_arff(text, class_name=class_name, drop_strings=True, path="data.arff")
    assert str(caught.value).startswith(message)


def test_nothing_but_strings():
    with pytest.raises(DataError, match=r"^f: only attributes of type string, so nothing to predict$"):
        parse_arff("@relation r\n@attribute s string\n@data\n", drop_strings=True, path="f")


def test_no_such_file_a_folder_and_no_permission(tmp_path, monkeypatch):
    with pytest.raises(DataError, match=r"nowhere\.arff: no such file$"):
        read_arff(tmp_path / "nowhere.arff")
    with pytest.raises(DataError, match=r": a folder, not a file$"):
        read_arff(tmp_path)
    with pytest.raises(DataError, match=r"cannot be written \(Is a directory\)$"):
        write_arff(parse_arff(HEAD), tmp_path)

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "data.arff").write_text(HEAD)
    monkeypatch.setattr("pathlib.Path.open", refuse)  # root may read everything
    with pytest.raises(DataError, match=r"data\.arff: cannot be read \(Permission denied\)$"):
        read_arff(tmp_path / "data.arff")


def test_a_date_that_its_format_cannot_hold():
    dataset = parse_arff(attribute("a date yyyy-MM-dd") + "2001-02-03,x")
    dataset.columns[0][0] += 1
    with pytest.raises(DataError) as caught:
        write_arff(dataset, "unused.arff")
    assert (
        str(caught.value) == "r: attribute 'a': 981158400001.0 milliseconds cannot be written as 'yyyy-MM-dd'"
    )
