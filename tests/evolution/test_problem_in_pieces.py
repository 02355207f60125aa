"""Evolutions on data in pieces equal those on the same codes in memory, in one process and in shards."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from test_shards import found

from bench.concepts import random_tree_concept
from gatree.base.errors import DataError
from gatree.cli.main import cli
from gatree.data.pieces import survey
from gatree.evolution.evolve import evolve
from gatree.evolution.problem import Problem
from gatree.settings.presets import settings_of

SHORT = settings_of("fast", {"population_size": 30, "n_generations": 20})


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a data set, and its rows in three CSV files of different lengths."""
    folder = tmp_path_factory.mktemp("pieces")
    frame = random_tree_concept(6000, 5, noise=0.1).to_frame().round(1)
    for number, (begin, end) in enumerate([(0, 10), (10, 4500), (4500, 6000)]):
        frame[begin:end].to_csv(folder / f"{number}.csv", index=False)
    frame.to_csv(folder / "all.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def pieces(files):
    return survey([str(files / f"{number}.csv") for number in range(3)])


@pytest.mark.parametrize("n_shards", [None, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2, 4))])
def test_data_in_pieces_evolve_like_data_in_memory(files, pieces, n_shards):
    from gatree.data.csv_file import read_csv

    outcome = evolve(pieces, SHORT, shards=n_shards)
    whole = evolve(Problem.of(read_csv(files / "all.csv"), "auto", 255), SHORT)
    assert found(outcome) == found(whole)
    assert outcome.tree == whole.tree
    assert np.array_equal(outcome.tree.counts, whole.tree.counts)
    assert outcome.problem.instances.codes.shape == (5, 0 if n_shards else 6000)  # shards have them
    assert outcome.n_instances == 6000


def test_an_error_if_the_columns_are_needed(pieces):
    with pytest.raises(DataError, match="its columns are in pieces, but this needs them in memory"):
        _ = Problem.in_pieces(pieces).dataset_in_memory


def outputs(*options):
    done = CliRunner().invoke(
        cli, ["evolve", *map(str, options), "--preset", "fast", "--generations", "9", "--json"]
    )
    assert done.exit_code == 0, done.stderr
    varying = ("seconds", "seconds_spent", "data")
    return {key: value for key, value in json.loads(done.stdout).items() if key not in varying}


def test_the_command_accepts_patterns_shards_and_parquet(files, tmp_path):
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    alone = outputs(files / "[0-9].csv")
    assert alone == outputs(files / "[0-9].csv", "--shards", "1")
    assert alone == outputs(files / "all.csv", "--in-pieces")
    pd.read_csv(files / "all.csv").to_parquet(tmp_path / "all.parquet")
    assert alone == outputs(tmp_path / "all.parquet")


def test_folds_of_pieces_are_rejected_and_a_bad_file_is_named(files, tmp_path):
    done = CliRunner().invoke(cli, ["evolve", str(files / "[0-9].csv"), "--folds", "5"])
    assert done.exit_code == 2
    assert "data in pieces are not cross-validated" in done.stderr
    (tmp_path / "a.csv").write_text("x,class\n1,yes\n2,no\n")
    (tmp_path / "b.csv").write_text("z,class\n1,yes\n")
    done = CliRunner().invoke(cli, ["evolve", str(tmp_path / "*.csv"), "--shards", "2"])
    assert done.exit_code == 1
    assert "b.csv: has no column 'x', but" in str(done.exception) + done.stderr
