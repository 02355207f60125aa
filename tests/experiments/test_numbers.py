"""Experiments on numbers: only methods that predict numbers run, and their errors are compared."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from commands import run

LINES = "name: prices\nseed: 1\ndatasets: [houses.csv]\nstudies:\n  - {name: errors, kind: cross-validation, "


@pytest.fixture
def _with_houses(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    rows = [f"{size},{rng.integers(1, 7)},{1000.5 * (size > 120)}" for size in rng.integers(40, 200, 60)]
    prices = [f"{row}{n % 10}{n}" for n, row in enumerate(rows)]  # all different
    (tmp_path / "houses.csv").write_text("\n".join(["size,rooms,price", *prices]))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_with_houses")
def test_the_file_of_init_runs_and_its_methods_are_compared():
    run("run", "--init", "houses.csv", "--output", "mine.yaml")
    run("run", "--config", "mine.yaml", "--jobs", "1", "--only", "baseline=cart", "--only", "baseline=mean")
    rows = list(
        csv.DictReader(run("results", "--results", "results/mine", "--format", "csv").stdout.splitlines())
    )
    assert [row["fold"] for row in rows] == [*"01234"] * 2
    assert {row["accuracy"] for row in rows} == {""}
    compared = json.loads(run("compare", "--results", "results/mine", "--format", "json").stdout)
    r2 = {record["method"]: record["mean"] for record in compared if record.get("dataset") == "houses"}
    assert r2["cart"] > 0.7
    assert r2["mean"] < 0
    table = run("table", "rmse", "--results", "results/mine").stdout
    assert "| Dataset" in table
    assert run("table", "all", "--results", "results/mine").stderr.startswith("12 files written")
    drawn = [Path(line) for line in run("figure", "all", "--results", "results/mine").stdout.splitlines()]
    assert [path.name for path in drawn if path.suffix == ".png"] == [
        "r2-size.png",
        "rmse-size.png",
        "mae-size.png",
    ]
    assert all(path.exists() for path in drawn)


@pytest.mark.usefixtures("_with_houses")
@pytest.mark.parametrize(
    ("methods", "named"),
    [("baselines: [j48]", "J48"), ("n_folds: 3", "evolution"), ("baselines: [majority]", "maj")],
)
def test_methods_that_predict_classes_are_refused_before_anything_runs(methods, named, tmp_path):
    (tmp_path / "prices.yaml").write_text(f"{LINES}{methods}}}\n")
    refused = run("run", "--config", "prices.yaml", code=1)
    assert f"study 'errors', data set 'houses': {named}" in str(refused.exception)
    assert "'price' has numbers; methods for these: small-tree, cart, mean" in str(refused.exception)
