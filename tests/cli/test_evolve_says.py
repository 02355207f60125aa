"""What `gatree evolve` and `gatree explore` print of the data before they start, and of the tree after."""

import json
import re

import pytest
from click.testing import CliRunner

from gatree.cli.main import cli

QUICK = ("--preset", "fast", "--folds", "2")


@pytest.fixture
def customers(tmp_path):
    file = tmp_path / "customers.csv"
    lines = ["name,since,spend,churn"]
    for i in range(60):
        churn = "" if i == 5 else "yes" if i % 20 > 11 else "no"
        lines.append(f"n{i},2024-{1 + i % 12:02d}-{1 + i % 20:02d},{100 / 3 * (i % 20):.9f},{churn}")
    file.write_text("\n".join(lines))
    return str(file)


def run(*arguments):
    result = CliRunner().invoke(cli, ["evolve", *arguments])
    assert result.exit_code == 0, (result.output, result.exception)
    return result


@pytest.mark.parametrize("command", ["evolve", "explore"])
def test_three_lines_before_it_starts(customers, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = [command, customers, *QUICK, "--no-compare"]
    result = CliRunner().invoke(cli, asked)
    assert result.exit_code == 0, result.output
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
    assert CliRunner().invoke(cli, [*asked, "--quiet"]).stderr == ""
    if command == "explore":
        assert result.stdout == "customers-trees.html\n"
        page = (tmp_path / "customers-trees.html").read_text()
        assert "1 row has no value of" in page
        assert "'sha256-" in page


def test_a_page_of_numbers_without_rows(customers, tmp_path):
    output = tmp_path / "out.html"
    named = ["--class", "spend", "--regression", "--no-rows", "--drop", "since", "--keep", "name"]
    asked = ["explore", customers, *named, "--preset", "fast", "--folds", "0", "--output", str(output)]
    result = CliRunner().invoke(cli, asked)
    assert result.exit_code == 0, result.output
    assert "predicting spend (numbers from 0 to 633.333) from 2 columns of 60 rows" in result.stderr
    assert "left out: since (on request)" in result.stderr
    assert "guess" not in result.stderr
    assert "made without the rows" in output.read_text()


def test_small_data_are_not_sent_to_shards(customers, monkeypatch):
    short = (customers, "--generations", "5", "--folds", "0")
    monkeypatch.setattr("gatree.evolution.evaluators.shards.cluster.LocalCluster", None)
    shown = run(*short, "--shards", "2")
    assert (
        "note: 60 instances are evaluated faster in one process; shards pay from 100,000 on" in shown.stderr
    )
    assert run(*short, "--shards", "2", "--quiet").stderr == ""
    untimed = slice(-2)  # the last two lines have times
    assert run(*short).stdout.splitlines()[untimed] == shown.stdout.splitlines()[untimed]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["evolve", "zoo"], r"(search|cross-validation), \d+% done(, about \d+ s left)? \(\d+ s\)"),
        (["explore", "zoo"], r"search, \d+% done"),
        (["j48", "glass"], r"glass: J48 \("),
    ],
)
def test_long_searches_print_lines_where_there_is_no_terminal(arguments, line, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gatree.base.progress.FIRST_SECONDS", 0.0)
    monkeypatch.setattr("gatree.base.progress.NEXT_SECONDS", 0.005)
    arguments = arguments if arguments[0] == "j48" else [*arguments, *QUICK, "--no-compare"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert re.search(line, result.stderr)
    if arguments[0] == "explore":
        assert CliRunner().invoke(cli, [*arguments, "--quiet"]).stderr == ""


def test_numbers_have_as_many_digits_as_tell_them_apart_and_dates_are_dates(customers):
    text = run(customers, *QUICK, "--drop", "since").stdout
    assert text.splitlines()[0].startswith("spend <= 380: no")
    text = run(customers, *QUICK, "--drop", "spend").stdout
    assert "since <= 2024-" in text


ONE = ("--population", "20", "--generations", "5", "--folds", "3")
PAPER = ("--preset", "paper", "--numeric-tests", "observed")  # most rows of a leaf may have another class


@pytest.mark.parametrize("way", [QUICK, ONE, (*ONE, *PAPER)])
def test_details_and_times(customers, way):
    text = run(customers, *way, "--details", "--no-compare").stdout
    assert "<- classified as" in text
    assert "Precision" in text
    assert "search" in parts_of_the_time(text)
    written = json.loads(run(customers, *way, "--details", "--json", "--no-compare").stdout)
    matrix = written["confusion_matrix"]
    assert [sum(row) for row in matrix] == [35, 24]
    assert (matrix[0][0] + matrix[1][1]) / 59 == pytest.approx(written["cross_validation"]["accuracy"])
    assert {"kernels", "search", "cross-validation"} <= set(written["seconds_spent"])


def parts_of_the_time(text):
    (spent,) = [line.partition(": ")[2] for line in text.splitlines() if line.startswith("time ")]
    return [part.split()[0] for part in spent.split(", ")]


def test_a_numeric_class_evolves_a_regression_tree(customers, tmp_path):
    saved = tmp_path / "tree.json"
    shown = run(customers, *QUICK, "--class", "spend", "--regression", "--save", str(saved))
    assert "predicting spend (numbers from 0 to 633.333) from 2 columns of 60 rows" in shown.stderr
    assert "on the training data (errors: root mean square" in shown.stdout
    assert "search" in parts_of_the_time(shown.stdout)
    written = json.loads(saved.read_text())
    assert written["class"] == {"name": "spend", "kind": "numeric"}
    assert all(0 <= node["value"] <= 633.334 for node in written["nodes"] if "attribute" not in node)
    result = CliRunner().invoke(cli, ["predict", str(saved), customers])
    assert result.exit_code == 0
    assert "R2 0." in result.stderr


def test_options_come_in_groups():
    text = CliRunner().invoke(cli, ["evolve", "--help"]).output
    titles = ("Data options:", "Tree options:", "Search options:", "Output options:", "Options of the gen")
    places = [text.index(title) for title in titles]
    assert places == sorted(places)
    assert places[0] < text.index("--keep") < places[1] < text.index("  --leaves ") < places[2]
    assert text.index("\n  --mutation-rate ") > places[4]
    assert text.count("--seed") == 1
    assert "\n  DATA" not in text
