"""The exact solver against published optima; skipped where their folder is not next to the project."""

import csv
import functools
import gzip
import math
from pathlib import Path

import numpy as np
import pytest

from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.optimum import AllowedTrees, optimum

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "oracle"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no published optima in {FOLDER}")

_QUICK = 0.3  # seconds that others need, up to which a row is held in every run
_FEW_TESTS = 3


def rows(file):
    if not FOLDER.is_dir():
        return []
    with (FOLDER / file).open() as lines:
        return list(csv.DictReader(lines))


@functools.cache
def data(name):
    with gzip.open(FOLDER / "data" / f"{name}.csv.gz", "rt") as lines:
        cells = list(csv.reader(lines))
    names, body = cells[0], cells[1:]
    values = np.array([row[:-1] for row in body], dtype=np.float64)
    labels, classes = np.unique([row[-1] for row in body], return_inverse=True)
    return Dataset(
        name=name,
        attributes=tuple(Attribute(each, "numeric") for each in names[:-1]),
        columns=tuple(values.T.copy()),
        answer=Classes(Attribute(names[-1], "nominal", tuple(labels.tolist())), classes.astype(np.int32)),
        answer_position=len(names) - 1,
    )


def holds_streed(row):
    found = optimum(data(row["name"]), AllowedTrees(int(row["max_tests"])))
    errors = found.n_instances - found.n_correct
    assert found.is_proven
    assert errors == int(row["errors"]) if row["optimal"] == "True" else errors <= int(row["errors"])


def called(row):
    return "-".join(row[key] for key in ("name", "max_depth", "max_tests", "min_leaf") if row.get(key))


STREED, EXPECTED = rows("streed_by_tests.csv"), rows("expected.csv")


QUICK = [row for row in STREED if float(row["seconds"]) <= _QUICK][::3]  # every third one in every run


def test_errors_of_streed_by_tests():
    for row in QUICK:
        holds_streed(row)


@pytest.mark.long
@pytest.mark.parametrize("row", [row for row in STREED if row not in QUICK], ids=called)
def test_errors_of_streed_by_tests_that_take_longer(row):
    holds_streed(row)


def holds_depth(row):
    min_leaf = int(row["min_leaf"] or 1)
    found = optimum(data(row["name"]), AllowedTrees(depth=int(row["max_depth"]), min_leaf=min_leaf))
    assert found.is_proven
    assert found.n_instances - found.n_correct == int(row["value"])


FLAT = [row for row in EXPECTED if row["limit"] == "depth" and row["max_depth"] == "2" and row["n"]]
DEEPER = [row for row in EXPECTED if row["max_depth"] == "3"]


def test_published_errors_of_depth_two():
    for row in FLAT[::3]:
        holds_depth(row)


@pytest.mark.long
@pytest.mark.parametrize("row", [*(row for row in FLAT if row not in FLAT[::3]), *DEEPER], ids=called)
def test_other_published_errors_by_depth(row):
    holds_depth(row)


def holds_tests(row, relation, correct, seconds):
    """A published tree is no better than the bound; a published bound no worse than the tree."""
    found = optimum(data(row["name"]), AllowedTrees(int(row["max_tests"])), max_seconds=seconds)
    assert relation == "at most" or found.bound >= correct
    assert relation == "at least" or found.n_correct <= correct


def by_tests():
    for row in EXPECTED:
        if row["limit"] == "tests":
            yield row, "at least", int(row["value"])
    for row in rows("branches_bounds.csv"):
        yield {**row, "max_tests": row["tests"]}, row["relation"], int(row["correct"])


def test_trees_and_bounds_that_others_published_by_tests():
    for row, relation, correct in by_tests():
        if int(row["max_tests"]) <= _FEW_TESTS:
            holds_tests(row, relation, correct, math.inf)


@pytest.mark.long
def test_trees_and_bounds_of_more_tests_as_far_as_time_goes():
    for row, relation, correct in by_tests():
        if int(row["max_tests"]) > _FEW_TESTS:
            holds_tests(row, relation, correct, 1)
