"""The note on columns of a CSV file that are nominal because of one word."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from gatree import read_csv, write_arff
from gatree.cli.main import cli
from gatree.data.csv_file import MISSING_WORDS

QUICK = ["--population", "30", "--generations", "5", "--folds", "0"]


def table(*words: str, n_numbers: int = 20) -> str:
    """Two columns, the first of which has some words among its numbers, and the class."""
    cells = [*words, *(f"{number}.5" for number in range(n_numbers))]
    rows = [f"{cell},{number},{'xy'[number % 2]}\n" for number, cell in enumerate(cells)]
    return "size,order,kind\n" + "".join(rows)


def said(command: str, source: Path | str, *options: str) -> str:
    quiet = ["--quiet"] if command == "evolve" else []
    result = CliRunner().invoke(cli, [command, str(source), *options, *quiet])
    assert result.exit_code == 0, result.output
    return result.stderr


@pytest.mark.parametrize(
    "command", [["j48"], ["evolve", *QUICK], ["evolve", "--leaves", "2", "--folds", "0"]]
)
def test_the_word_is_named(tmp_path, command):
    (tmp_path / "data.csv").write_text(table("N/A", "N/A", "?"))
    assert said(command[0], tmp_path / "data.csv", *command[1:]) == (
        "note: column 'size' is nominal because of 'N/A', its only value that is no number; "
        "a missing value is an empty cell or ?, NA, NaN, nan, null\n"
    )


def test_so_it_is_in_pieces_and_where_a_file_is_gzipped(tmp_path):
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(table("N/A").encode()))
    for source, keep in (("data.csv.gz", ["--keep", "size"]), ("*.csv.gz", [])):
        assert "column 'size' is nominal because of 'N/A'" in said("evolve", tmp_path / source, *QUICK, *keep)


def test_numbers_with_commas_are_named_where_semicolons_do_not_separate(tmp_path):
    text = table().replace(",", "\t").replace(".", ",")
    (tmp_path / "data.csv").write_text(text)
    assert said("j48", tmp_path / "data.csv") == (
        "note: column 'size' is nominal: a comma is a decimal point only where semicolons separate the "
        "values\n"
    )
    (tmp_path / "data.csv").write_text(text.replace("\t", ";"))
    assert said("j48", tmp_path / "data.csv") == ""


@pytest.mark.parametrize(
    "text",
    [table(*MISSING_WORDS), table("small", "large"), table("more", n_numbers=5)],
    ids=["missing values", "two words", "names of groups"],
)
def test_nothing_is_said_of_other_columns(tmp_path, text):
    (tmp_path / "data.csv").write_text(text)
    assert said("j48", tmp_path / "data.csv", "--folds", "2") == ""


def test_nothing_is_said_where_a_file_declares_its_values(tmp_path):
    (tmp_path / "data.csv").write_text(table("N/A"))
    write_arff(read_csv(tmp_path / "data.csv"), tmp_path / "data.arff")
    assert said("j48", tmp_path / "data.arff") == ""


def test_the_documents_name_what_stands_for_a_missing_value():
    text = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")
    named = text.partition("| missing values | an empty cell, ")[2].partition(", in this spelling")[0]
    assert named.replace(" or ", ", ").split(", ") == [f"`{word}`" for word in MISSING_WORDS if word]
