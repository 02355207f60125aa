"""The note on columns of a CSV file that are nominal because of one word."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from gatree import read_csv, write_arff
from gatree.cli.main import cli
from gatree.data.attribute import MISSING_WORDS

QUICK = ["--population", "30", "--generations", "5", "--folds", "0"]


def table(*words: str, n_numbers: int = 20) -> str:
    """Two columns, the first of which has some words among its numbers, and the class."""
    cells = [*words, *(f"{number}.5" for number in range(n_numbers))]
    rows = [f"{cell},{number},{'xy'[number % 2]}\n" for number, cell in enumerate(cells)]
    return "size,order,kind\n" + "".join(rows)


def said(command: str, source: Path | str, *options: str) -> str:
    result = CliRunner().invoke(cli, [command, str(source), *options])
    assert result.exit_code == 0, result.output
    lines = result.stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("reading "))  # on a slow machine


@pytest.mark.parametrize(
    "command", [["j48"], ["evolve", *QUICK], ["evolve", "--leaves", "2", "--folds", "0"]]
)
def test_the_word_is_named(tmp_path, command):
    (tmp_path / "data.csv").write_text(table("unknown", "unknown", "?"))
    assert said(command[0], tmp_path / "data.csv", *command[1:]).startswith(
        "size: categories, because of 'unknown', its only value that is no number; "
        "--as size=number makes it a missing value\n"
    )
    assert said(command[0], tmp_path / "data.csv", *command[1:], "--as", "size=number").startswith(
        "size: numbers ('unknown' is missing)\n"
    )


def test_so_it_is_in_pieces_and_where_a_file_is_gzipped(tmp_path):
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(table("unknown").encode()))
    for source, keep in (("data.csv.gz", ["--keep", "size"]), ("*.csv.gz", [])):
        text = said("evolve", tmp_path / source, *QUICK, *keep)
        assert text.startswith("size: categories, because of 'unknown'")


@pytest.mark.parametrize("separator", ["\t", ";"])
def test_numbers_with_commas_are_numbers_whatever_separates(tmp_path, separator):
    text = table().replace(",", separator).replace(".", ",")
    (tmp_path / "data.csv").write_text(text)
    assert said("j48", tmp_path / "data.csv").startswith("size: numbers (',' is the decimal mark)\n")


@pytest.mark.parametrize(
    "text",
    [table(*MISSING_WORDS), table("small", "large"), table("more", n_numbers=5)],
    ids=["missing values", "two words", "names of groups"],
)
def test_nothing_is_said_of_other_columns(tmp_path, text):
    (tmp_path / "data.csv").write_text(text)
    assert "size" not in said("j48", tmp_path / "data.csv", "--folds", "2")
    (tmp_path / "data.csv").write_text(table("unknown"))
    write_arff(read_csv(tmp_path / "data.csv"), tmp_path / "data.arff")  # which declares its values
    assert "size" not in said("j48", tmp_path / "data.arff", "--folds", "2")
    documents = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")
    named = documents.partition("| missing values | an empty cell, ")[2].partition(", in this spelling")[0]
    assert named.replace(" or ", ", ").split(", ") == [f"`{word}`" for word in MISSING_WORDS if word]
