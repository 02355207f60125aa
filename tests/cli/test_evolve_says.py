"""What `gatree tree`, `explore` and `evolve` print of the data before they start, and of the tree after."""

import gzip
import importlib
import json
import re
from pathlib import Path

import pytest
from commands import printed, run

from gatree import read_csv, write_arff
from gatree.data.attribute import MISSING_WORDS

QUICK = ("--effort", "0.1", "--folds", "2")


@pytest.fixture
def customers(tmp_path):
    file = tmp_path / "customers.csv"
    lines = ["name,since,spend,churn"]
    for i in range(60):
        churn = "" if i == 5 else "yes" if i % 20 > 11 else "no"
        lines.append(f"n{i},2024-{1 + i % 12:02d}-{1 + i % 20:02d},{100 / 3 * (i % 20):.9f},{churn}")
    file.write_text("\n".join(lines))
    return str(file)


@pytest.mark.parametrize("command", ["tree", "explore"])
def test_three_lines_before_it_starts(customers, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = [command, customers, *QUICK, "--no-compare"]
    result = run(*asked)
    dates, first, second, *_ = result.stderr.splitlines()  # progress may follow
    assert dates == "since: dates (yyyy-MM-dd)"
    assert first == (
        "predicting churn (no 35, yes 24) from 2 columns of 59 rows; "
        "left out: name (a different value in every row)"
    )
    assert second == (
        "churn is a guess: the last column; --class NAME predicts another one; "
        "1 row has no churn and is left out; --keep NAME keeps a column"
    )
    assert run(*asked, "--quiet").stderr == ""
    if command == "explore":
        assert result.stdout == "customers-trees.html\n"
        page = (tmp_path / "customers-trees.html").read_text()
        assert "1 row has no value of" in page
        assert "'sha256-" in page


def test_a_page_of_numbers_without_rows(customers, tmp_path):
    output = tmp_path / "out.html"
    named = ["--class", "spend", "--regression", "--no-rows", "--drop", "since", "--keep", "name"]
    result = run("explore", customers, *named, "--effort", "0.1", "--folds", "0", "--output", output)
    assert "predicting spend (numbers from 0 to 633.333) from 2 columns of 60 rows" in result.stderr
    assert "left out: since (on request)" in result.stderr
    assert "guess" not in result.stderr
    assert "made without the rows" in output.read_text()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["tree", "zoo"], r"(search|cross-validation), \d+% done(, about \d+ s left)? \(\d+ s\)"),
        (["explore", "zoo"], r"search, \d+% done"),
        (["j48", "glass"], r"glass: J48 \("),
    ],
)
def test_long_searches_print_lines_where_there_is_no_terminal(arguments, line, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gatree.base.progress.FIRST_SECONDS", 0.0)
    monkeypatch.setattr("gatree.base.progress.NEXT_SECONDS", 0.005)
    arguments = arguments if arguments[0] == "j48" else [*arguments, *QUICK, "--no-compare"]
    assert re.search(line, run(*arguments).stderr)
    if arguments[0] == "explore":
        assert run(*arguments, "--quiet").stderr == ""


def test_numbers_have_as_many_digits_as_tell_them_apart_and_dates_are_dates(customers):
    text = run("tree", customers, *QUICK, "--drop", "since").stdout
    assert text.splitlines()[0].startswith("spend <= 380: no")
    text = run("tree", customers, *QUICK, "--drop", "spend").stdout
    assert "since <= 2024-" in text


def test_details_and_times(customers):
    text = run("tree", customers, *QUICK, "--details", "--no-compare").stdout
    assert "<- classified as" in text
    assert "Precision" in text
    assert "search" in parts_of_the_time(text)
    written = printed("tree", customers, *QUICK, "--details", "--no-compare")
    matrix = written["confusion_matrix"]
    assert [sum(row) for row in matrix] == [35, 24]
    assert (matrix[0][0] + matrix[1][1]) / 59 == pytest.approx(written["cross_validation"]["accuracy"])
    assert {"kernels", "search", "cross-validation"} <= set(written["seconds_spent"])


def parts_of_the_time(text):
    (spent,) = [line.partition(": ")[2] for line in text.splitlines() if line.startswith("time ")]
    return [part.split()[0] for part in spent.split(", ")]


def test_a_numeric_class_evolves_a_regression_tree(customers, tmp_path):
    saved = tmp_path / "tree.json"
    shown = run("tree", customers, *QUICK, "--class", "spend", "--regression", "--save", str(saved))
    assert "predicting spend (numbers from 0 to 633.333) from 2 columns of 60 rows" in shown.stderr
    assert "on the training data (errors: root mean square" in shown.stdout
    assert "search" in parts_of_the_time(shown.stdout)
    written = json.loads(saved.read_text())
    assert written["class"] == {"name": "spend", "kind": "numeric"}
    assert all(0 <= node["value"] <= 633.334 for node in written["nodes"] if "attribute" not in node)
    assert "R2 0." in run("predict", saved, customers).stderr


@pytest.mark.parametrize("command", ["evolve", "tree", "explore"])
def test_options_come_in_groups(command):
    text = run(command, "--help").output
    groups = importlib.import_module(f"gatree.cli.commands.{command}")._GROUPS
    places = [text.index(f"\n{title}:\n") for title in groups]
    assert places == sorted(places)
    assert text.count("--seed") == 1


# --- columns of a CSV file that are nominal because of one word ------------------------------------------

SHORT = ["--population", "30", "--generations", "5"]


def table(*words: str, n_numbers: int = 20) -> str:
    """Two columns, the first of which has some words among its numbers, and the class."""
    cells = [*words, *(f"{number}.5" for number in range(n_numbers))]
    rows = [f"{cell},{number},{'xy'[number % 2]}\n" for number, cell in enumerate(cells)]
    return "size,order,kind\n" + "".join(rows)


def said(command: str, source: Path | str, *options: str) -> str:
    lines = run(command, source, *options).stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("reading "))  # on a slow machine


@pytest.mark.parametrize("command", [["j48"], ["evolve", *SHORT], ["tree", "--leaves", "2", "--folds", "0"]])
def test_the_word_is_named(tmp_path, command):
    (tmp_path / "data.csv").write_text(table("unknown", "unknown", "?"))
    assert said(command[0], tmp_path / "data.csv", *command[1:]).startswith(
        "size: categories, because of 'unknown', its only value that is no number; "
        "--as size=number makes it a missing value\n"
    )
    assert said(command[0], tmp_path / "data.csv", *command[1:], "--as", "size=number").startswith(
        "size: numbers ('unknown' is missing)\n"
    )


def priced(tmp_path: Path, *words: str, form: str = "{}.5") -> Path:
    """A file whose last column has 60 different texts, and some words, 5 rows each."""
    prices = [*(form.format(number) for number in range(10, 70)), *words * 5]
    rows = [f"{number},{number % 7},{price}\n" for number, price in enumerate(prices)]
    (tmp_path / "data.csv").write_text("order,size,price\n" + "".join(rows))
    return tmp_path / "data.csv"


LEARNING = [["j48", "--folds", "2"], ["optimum", "--leaves", "2"], ["evolve", *SHORT, "--keep", "order"]]


@pytest.mark.parametrize("command", LEARNING, ids=["j48", "optimum", "evolve"])
def test_the_words_of_a_class_of_numbers_are_named(tmp_path, command):
    line = (
        "price: 62 classes, 60 of them numbers; --as price=number makes 'unknown' and 'tbd' missing values, "
        "and numbers are predicted\n"
    )
    assert said(command[0], priced(tmp_path, "unknown", "tbd"), *command[1:]).startswith(line)


def test_nothing_is_said_of_a_class_that_is_declared_as_categories(tmp_path):
    options = ("--folds", "2", "--as", "price=category")
    assert "classes," not in said("j48", priced(tmp_path, "unknown", "tbd"), *options)


def test_a_class_of_dates_is_named(tmp_path):
    assert (
        "price: 60 classes, all of them dates; name another column with --class, or make classes (such as "
        "the year) or numbers of it first\n"
    ) in said("j48", priced(tmp_path, form="20{}-01-05"), "--folds", "2")


@pytest.mark.parametrize(
    ("words", "form"), [(("a", "b"), "v{}"), (("unknown",), "{}.5"), ((*map(chr, range(97, 123)),) * 3, "1")]
)
def test_nothing_is_said_of_other_classes(tmp_path, words, form):
    assert "classes," not in said("j48", priced(tmp_path, *words, form=form), "--folds", "2")


def test_so_it_is_in_patterns_and_where_a_file_is_gzipped(tmp_path):
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(table("unknown").encode()))
    for source, keep in (("data.csv.gz", "size"), ("*.csv.gz", "size")):
        text = said("evolve", tmp_path / source, *SHORT, "--keep", keep)
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
