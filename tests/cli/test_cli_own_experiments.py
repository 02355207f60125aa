"""A custom experiment on the command line: from --init to rows, comparisons and completion."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import click
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from laboratory import gatree_here as gatree

from gatree.cli import options
from gatree.cli.commands.figure import complete_figure
from gatree.cli.main import cli
from gatree.cli.output import print_labelled
from gatree.experiments.cell import run_cell
from gatree.experiments.experiment_file import read_experiment
from gatree.experiments.frame import COLUMNS
from gatree.experiments.run import Plan, run_plan


def write_data(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    rows = [(n, chance.random(), chance.choice("ab")) for n in range(40)]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["number", "x", "letter", "sort"])
        writer.writerows([*row, "big" if (row[1] > 0.5) != (row[2] == "a") else "small"] for row in rows)


def run_here(cells, datasets):
    return (run_cell(cell, datasets[cell.checksum]) for cell in cells)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two CSV files, the experiment that --init makes of them, smaller, and its results."""
    folder = tmp_path_factory.mktemp("own")
    write_data(folder / "one.csv", 1)
    write_data(folder / "two.csv", 2)
    here = Path.cwd()
    os.chdir(folder)
    try:
        made = CliRunner().invoke(cli, ["run", "--init", "one.csv", "two.csv"])
        assert (made.exit_code, made.stderr) == (0, "")
        experiment = yaml.safe_load(made.stdout)
        experiment |= {"seeds": 2, "evolution": {"population_size": 20, "n_generations": 5}}
        experiment["studies"][0] |= {"n_folds": 2, "baselines": ["majority", "cart"]}
        Path("mine.yaml").write_text(yaml.safe_dump(experiment))
        run_plan(Plan.of(read_experiment(Path("mine.yaml"))), Path("results"), run_here)
    finally:
        os.chdir(here)
    return folder


@pytest.fixture
def results(folder):
    return folder / "results" / "mine"


def test_init_describes_the_data_it_was_given(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    code, text, _ = gatree(capsys, "run", "--init", "one.csv", "vote")
    assert code == 0
    assert "- data: one.csv" in text
    assert "40 rows, 2 columns to learn from" in text
    assert "drop: [number]           # different in every row" in text
    experiment = yaml.safe_load(text)
    assert experiment["datasets"] == [
        {"data": "one.csv", "class": "sort", "drop": ["number"]},
        {"data": "vote", "class": "Class"},
    ]
    (folder / "again.yaml").write_text(text)
    code, planned, _ = gatree(capsys, "run", "--config", "again.yaml", "--dry-run")
    assert code == 0
    assert "cells      304" in planned


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--init"], 2, "--init needs data sets"),
        (["vote"], 2, "data sets and --output belong to --init"),
        (["--output", "mine.yaml"], 2, "data sets and --output belong to --init"),
        (["--init", "vot"], 1, "no data set 'vot'; did you mean 'vote'?"),
        (["--init", "none.csv"], 1, "no such file: none.csv"),
        (["--init", "zoo", "zoo"], 1, "listed twice: zoo"),
    ],
)
def test_init_explains_itself(capsys, arguments, code, message):
    got, _, errors = gatree(capsys, "run", *arguments)
    assert got == code
    assert message in errors


def test_init_writes_its_file_only_if_the_data_can_be_used(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("same.csv").write_text("rooms,price\n" + "3,low\n" * 100)
    code, _, errors = gatree(capsys, "run", "--init", "same.csv", "--output", "own.yaml")
    assert (code, errors.startswith("error: ")) == (1, True)
    assert not Path("own.yaml").exists()
    one = folder / "one.csv"
    assert gatree(capsys, "run", "--init", one, "--output", "own.yaml") == (0, "", "")
    assert Path("own.yaml").read_text(encoding="utf-8") == gatree(capsys, "run", "--init", one)[1]


def experiment_of(folder: Path, x_factors: Sequence[float] = (1e3, 1e4), **source: str) -> Path:
    path = folder / "own.yaml"
    study = {"name": "s", "kind": "cross-validation", "n_folds": 2, "grid": {"x_factor": [*x_factors]}}
    about = {"name": "own", "seed": 1, "seeds": 1, "evolution": {"population_size": 20, "n_generations": 5}}
    path.write_text(yaml.safe_dump({**about, "datasets": [source], "studies": [study]}))
    return path


def test_what_the_data_and_the_studies_are_is_pointed_out(tmp_path, capsys):
    rows = "".join(f"{chr(97 + n % 5)},{n * 17 % 101}.5\n" for n in range(100))
    (tmp_path / "people.csv").write_text(f"town,income\n{rows}")
    config = experiment_of(tmp_path, data="people.csv", **{"class": "income"})
    code, _, err = gatree(capsys, "run", "--config", config, "--dry-run")
    assert code == 1
    assert "evolution predicts classes, and 'income' has numbers" in err
    assert "choose another column with class:, or make classes" in err
    (tmp_path / "sales.csv").write_text("price,kind\n" + "$4,a\n$5,b\n" * 20)
    config = experiment_of(tmp_path, data="sales.csv", x_factors=[1e4])
    code, out, err = gatree(capsys, "run", "--config", config, "--dry-run")
    assert code == 0
    assert "sales: price: numbers ('$' left out)" in err
    assert "note: the study 's' varies nothing" in err
    assert "left out" not in out


def test_rows_are_those_of_the_plan_with_all_columns(results, capsys):
    code, text, _ = gatree(capsys, "results", "--results", results, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert code == 0
    assert list(rows[0]) == list(COLUMNS)
    assert len(rows) == 2 * (3 * 2 * 2 + 2 * 2)  # data sets * (x-factors * seeds * folds + baselines * folds)
    assert [row["dataset"] for row in rows] == ["one"] * 16 + ["two"] * 16, "in the order of the plan"
    code, text, _ = gatree(capsys, "results", "--results", results, "--format", "json")
    assert [row["key"] for row in json.loads(text)] == [row["key"] for row in rows]


def test_rows_can_be_narrowed_and_written(results, capsys, tmp_path):
    chosen = ["--columns", "dataset,x-factor,accuracy", "--where", "x_factor=1000", "--where", "fold=0"]
    _, text, _ = gatree(capsys, "results", "--results", results, "--format", "csv", *chosen)
    header, *rows = text.splitlines()
    assert header == "dataset,x_factor,accuracy"
    assert len(rows) == 4
    assert all(",1e3," in row for row in rows)
    either = ("--where", "method=cart", "--where", "method=majority")
    _, text, _ = gatree(capsys, "results", "--results", results, *either)
    assert len(text.splitlines()) == 2 + 8
    _, text, _ = gatree(capsys, "results", "--results", results)
    heading = [cell.strip() for cell in text.splitlines()[0].strip("|").split("|")]
    assert heading == [
        *("dataset", "method", "replicate", "fold", "evaluator", "x_factor"),
        *("accuracy", "train_accuracy", "n_nodes", "savings", "seconds"),
    ]
    gatree(capsys, "results", "--results", results, "--format", "parquet", "--output", tmp_path / "r.parquet")
    gatree(capsys, "results", "--results", results, "--output", tmp_path / "r.csv")
    packed, plain = pd.read_parquet(tmp_path / "r.parquet"), pd.read_csv(tmp_path / "r.csv")
    pd.testing.assert_frame_equal(packed[["dataset", "accuracy"]], plain[["dataset", "accuracy"]])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["results", "--columns", "acuracy"], 1, "--columns: no column 'acuracy'; did you mean 'accuracy'?"),
        (["results", "--where", "fold=9"], 1, "--where fold=9: no row has this fold; there is: 0, 1"),
        (["results", "--where", "size=9"], 1, "--where size=9: no row has this population_size; there is: "),
        (["results", "--where", "colour=red"], 1, "no key 'colour'; known: study, kind, dataset"),
        (["results", "--where", "fold"], 1, "--where fold: should be KEY=VALUE"),
        (["results", "--format", "parquet"], 2, "parquet is a binary format: give --output FILE"),
        (["results", "--output", "none/r.csv"], 1, "none/r.csv: cannot be written"),
        (["compare", "--by", "leaf_class"], 1, "it is random in all cells, and a comparison"),
        (["compare", "--by", "x_factor", "--against", "2e3"], 1, "--against 2e3: no such x_factor"),
        (["compare", "--metric", "acuracy"], 2, "'acuracy' is no metric; did you mean 'accuracy'?"),
    ],
)
def test_what_cannot_be_is_explained(results, capsys, arguments, code, message):
    got, _, errors = gatree(capsys, *arguments, "--results", results)
    assert got == code
    assert message in errors


def test_methods_are_compared(results, capsys):
    code, text, _ = gatree(capsys, "compare", "--by", "method", "--against", "majority", "--results", results)
    assert code == 0
    heading = [cell.strip() for cell in text.splitlines()[2].strip("|").split("|")]
    assert heading == ["data set", "x_factor", "(1) majority", "(2) evolution", "(3) cart"]
    assert "evolution is better than majority on" in text
    _, records, notes = gatree(capsys, "compare", "--by", "x_factor", "--format", "csv", "--results", results)
    rows = list(csv.DictReader(io.StringIO(records)))
    assert {row["x_factor"] for row in rows} == {"1e3", "1e4", "1e5", "majority", "cart"}
    assert "± is the standard error over the folds" in notes
    code, _, errors = gatree(capsys, "compare", "--results", results)
    assert (code, errors) == (0, "comparing by x_factor; also varied: method (--by)\n")


# --- terminals ----------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    """A stdout that is a terminal."""

    def isatty(self):
        return True


def on_a_terminal(columns: int, words: list[str]) -> str:
    """Run a command on a terminal of ``columns`` columns and return what it shows, without colours."""
    environment = {"COLUMNS": str(columns), "TERM": "xterm", "NO_COLOR": ""}
    with mock.patch.dict(os.environ, environment), mock.patch.object(sys, "stdout", Terminal()) as shown:
        cli.main(words, prog_name="gatree", standalone_mode=False)
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.getvalue())


TABLES = (
    "table 8 --paper",
    "compare --by method",
    "results",
    "results --list-columns",
    "status",
    "datasets list",
)


@pytest.mark.parametrize("table", TABLES)
def test_tables_fit_the_terminal_and_lose_nothing(results, capsys, table):
    arguments = table.split()
    arguments += [] if arguments[0] in ("table", "datasets") else ["--results", str(results)]
    _, piped, _ = gatree(capsys, *arguments)
    assert piped.count("|") > 20 or arguments[0] in ("status", "datasets"), "Markdown"
    rows = [line.split() for line in piped.splitlines() if "|" in line or "  " in line]
    for columns in (40, 80) if arguments[0] in ("results", "status") else (40,):
        shown = on_a_terminal(columns, arguments).splitlines()
        lines = [line for line in shown if not line.startswith("journal: ")]  # a path may be longer
        assert max(map(len, lines)) <= columns
        assert not any("…" in line for line in lines)
        text = " ".join(lines)
        assert all(word in text for row in rows for word in row if word.replace(".", "").isdigit())


def test_lines_are_broken_between_words_on_a_terminal_only(monkeypatch, capsys):
    lines = [("chosen", "the smallest size within one standard error of the best"), ("", "  no: recall 0.9")]
    print_labelled(lines)
    assert capsys.readouterr().out.splitlines()[0] == f"chosen       {lines[0][1]}"
    monkeypatch.setenv("COLUMNS", "44")
    monkeypatch.setattr(sys, "stdout", Terminal())
    print_labelled(lines)
    assert sys.stdout.getvalue().splitlines() == [
        "chosen       the smallest size within one",
        "             standard error of the best",
        "               no: recall 0.9",
    ]


# --- completion ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("complete", "start", "expected"),
    [
        (options.complete_data, "vo", ["vote"]),
        (options.complete_data, "b", ["balance-scale", "breast"]),
        (options.complete_table, "1", ["10", "11", "12"]),
        (options.complete_table, "a", ["all", "accuracy"]),
        (complete_figure, "equal", ["equal-time"]),
        (options.complete_config, "pa", ["paper"]),
        (options.complete_only, "mut", ["mutation_rate="]),
        (options.complete_only, "generation", ["generation_gap="]),
        (options.complete_where, "acc", ["accuracy="]),
        (options.complete_columns, "dataset,acc", ["dataset,accuracy"]),
        (options.complete_columns, "dataset,dat", []),
        (options.complete_by, "met", ["method"]),
    ],
)
def test_completion(complete, start, expected):
    context = click.Context(cli)
    assert [item.value for item in complete(context, mock.Mock(), start)] == expected
    for or_a_file in (options.complete_config, options.complete_data):
        (item,) = or_a_file(context, mock.Mock(), "./mine")
        assert (item.value, item.type) == ("./mine", "file")
