"""Outcomes are the same everywhere: every evaluator and number of threads reproduces the table."""

import pytest
from evolution import pinned

from gatree.evolution import ENGINE_VERSION
from gatree.settings.registry import EVALUATORS

ROWS = pinned.table()["evolutions"]
SMALL = [row for row in ROWS if row["name"].startswith("small")]

WAYS = {
    **{name: {"evaluator": name} for name in EVALUATORS},
    **{f"{name}, 2 threads": {"evaluator": name, "n_jobs": 2} for name in ("old", "new", "new-all-nodes")},
    "new, 4 threads": {"evaluator": "new", "n_jobs": 4},
}


def marks(row: pinned.Row, way: str) -> list[pytest.MarkDecorator]:
    """Small rows run in every way in the fast suite, other rows in one way; the rest is long."""
    if row in SMALL:
        return [pytest.mark.no_jit] if way in EVALUATORS else []
    return (
        []
        if way == ("bitset" if row["name"].startswith(("deep", "several")) else "new")
        else [pytest.mark.long]
    )


@pytest.mark.parametrize(
    ("row", "way"),
    [
        pytest.param(row, way, marks=marks(row, way), id=f"{row['name']}-{way}")
        for row in ROWS
        for way in WAYS
    ],
)
def test_every_way_reproduces_the_table(row, way):
    expected = row["gives"]
    if WAYS[way]["evaluator"] == "old":
        expected = pinned.without_inheritance(expected)
    assert pinned.run(row, **WAYS[way]) == expected, "raise ENGINE_VERSION if this is meant (make digests)"


def test_the_table_has_the_version_of_the_engine():
    assert pinned.table()["engine_version"] == ENGINE_VERSION, "run: make digests"


def test_the_table_has_large_and_deep_trees():
    """Trees of thousands of nodes, and deep ones."""
    found = [row["gives"] for row in ROWS]
    assert max(row["most_nodes"] / 60 for row in found) > 1000
    assert max(row["depth"] for row in found) > 20
