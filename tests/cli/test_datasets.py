"""`gatree datasets`: what it prints, in every format, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from commands import run
from msgspec import structs

from gatree.base.errors import DataError
from gatree.data.catalog import catalog, dataset_names
from gatree.data.load import load_data

PEOPLE = """\
@relation people
@attribute age numeric
@attribute note string
@attribute born date yyyy-MM-dd
@attribute colour {red,green,blue}
@attribute income {low,high}
@attribute nothing real
@attribute height real
@data
30,'a, b',1990-01-02,red,low,?,1.5
?,c,1980-05-06,green,high,?,Infinity
41.5,d,?,red,?,?,1
30,e,2001-01-01,?,low,?,2
"""

PEOPLE_TABLE = """\
people: 4 instances, 5 attributes, 2 classes, 7 missing values

attribute  kind     missing  distinct  values
---------  -------  -------  --------  -------------------------
age        numeric        1         2  30 to 41.5
born       date           1         3  1980-05-06 to 2001-01-01
colour     nominal        1         2  red: 2, green: 1, blue: 0
nothing    numeric        4         0
height     numeric        0         4  1 to inf

class 'income', 1 missing
  low   2   66.7%  ########################################
  high  1   33.3%  ####################
"""


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.arff"
    path.write_text(PEOPLE)
    return str(path)


def gatree_(*arguments: str) -> str:
    return run("datasets", *arguments).stdout


def test_list_as_a_table():
    lines = gatree_("list").splitlines()
    assert lines[0].split()[:5] == ["name", "instances", "nominal", "numeric", "classes"]
    assert [line.split()[0] for line in lines[2:]] == list(dataset_names())
    assert "vote                 435       16        0        2      392     0.614  paper" in lines
    assert max(map(len, lines)) <= 80
    assert lines[-1].endswith("stand-in")


def test_list_as_json_and_csv():
    rows = json.loads(gatree_("list", "--format", "json"))
    assert rows[6] == {
        "name": "vote",
        "instances": 435,
        "nominal": 16,
        "numeric": 0,
        "classes": 2,
        "missing": 392,
        "majority": 0.6138,
        "data": "paper",
    }
    written = list(csv.DictReader(io.StringIO(gatree_("list", "--format", "csv"))))
    assert written == [{name: str(cell) for name, cell in row.items()} for row in rows]


def test_info_as_a_table(people, tmp_path):
    printed = gatree_("info", people, "--class", "income", "--drop-strings")
    assert [line.rstrip() for line in printed.splitlines()] == PEOPLE_TABLE.splitlines()
    assert printed == gatree_("info", people, "--target", "income", "--drop-strings")
    refused = run("datasets", "info", people, "--class", "income", code=1).exception
    assert re.search(r"line 3: attribute 'note' is of type string.*\(--drop-strings\)$", str(refused))
    (tmp_path / "file.arff").write_text("@relation r\n@attribute k {}\n@data\n")
    printed = gatree_("info", str(tmp_path / "file.arff"))
    assert printed == "r: 0 instances, 0 attributes, 0 classes, 0 missing values\n\nclass 'k'\n"
    (tmp_path / "one.csv").write_text("k,a\nx,1\n")
    printed = gatree_("info", str(tmp_path / "one.csv"), "--class", "k")
    assert printed.startswith("one: 1 instance, 1 attribute, 1 class, 0 missing values")


def test_info_as_json_and_csv(people):
    asked = ("info", people, "--class=income", "--drop-strings")
    found = json.loads(gatree_(*asked, "--format=json"))
    assert (found["name"], found["instances"], found["missing"]) == ("people", 4, 7)
    age, born, colour, nothing, height = found["attributes"]
    assert age == {"name": "age", "kind": "numeric", "missing": 1, "distinct": 2, "range": [30, 41.5]}
    assert (born["kind"], born["range"]) == ("date", ["1980-05-06", "2001-01-01"])
    assert (colour["kind"], colour["counts"]) == ("nominal", {"red": 2, "green": 1, "blue": 0})
    assert (nothing["missing"], nothing["range"]) == (4, None)
    assert height["range"] == [1, "inf"]
    assert found["class"]["counts"] == {"low": 2, "high": 1}
    rows = list(csv.DictReader(io.StringIO(gatree_(*asked, "--format=csv"))))
    assert [row["attribute"] for row in rows] == ["age", "born", "colour", "nothing", "height", "income"]
    assert rows[2]["values"] == "red: 2, green: 1, blue: 0"


def test_info_of_a_known_data_set_tells_where_it_comes_from():
    printed = gatree_("info", "zoo")
    assert "  licence: CC BY 4.0" in printed
    assert "aardvark: 1, antelope: 1, bass: 1, …" in printed
    assert json.loads(gatree_("info", "zoo", "--format", "json"))["origin"] == "paper"


def test_verify_names_a_file_that_was_changed(tmp_path, monkeypatch):
    rows = json.loads(gatree_("verify", "--format", "json"))
    assert [(row["name"], row["verdict"]) for row in rows] == [(name, "ok") for name in dataset_names()]
    entries = {entry.name: entry for entry in catalog()}
    changed = tmp_path / "vote.arff"
    changed.write_text(entries["vote"].file.read_text() + "\n")
    some = (
        entries["soybean"],
        structs.replace(entries["zoo"], file=tmp_path / "zoo.arff"),
        structs.replace(entries["vote"], file=changed),
    )
    monkeypatch.setattr("gatree.cli.commands.datasets.catalog", lambda: some)
    result = run("datasets", "verify", code=1)
    assert isinstance(result.exception, DataError)
    assert result.stdout.count("DIFFERS") == 2
    first, second = str(result.exception).splitlines()
    assert first.startswith(f"{tmp_path / 'zoo.arff'}: cannot be read (No such file")
    assert second.startswith(f"{changed}: the file was changed: its SHA-256 is ")


def test_generated_data_are_printed_as_arff(tmp_path):
    path = tmp_path / "board.arff"
    path.write_text(gatree_("generate", "chessboard", "--noise", "5", "--seed", "2"))
    assert load_data(path).checksum == load_data("chessboard-5-seed-2").checksum


@pytest.mark.parametrize("name", ["credit-a", "anneal"])
def test_info_fits_eighty_columns(name):
    assert max(map(len, gatree_("info", name).splitlines())) <= 80


@pytest.mark.parametrize(("typed", "meant"), [("describe", "info"), ("inof", "info")])
def test_another_name_of_a_command_is_understood(typed, meant):
    refused = run("datasets", typed, "vote", code=2).output
    assert f"no command '{typed}'; did you mean '{meant}'?" in refused
