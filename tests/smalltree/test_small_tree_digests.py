"""Default small trees are the same everywhere: the search reproduces the table with one and two threads."""

import pytest
from smalltree import pinned_trees

ROWS = pinned_trees.table()
QUICK = {
    *("zoo", "glass", "vote, 8 leaves", "balance-scale, depth 3", "credit-a, first test"),
    *("glass, sample weights", "lymph, costs", "numbers 300", "numbers of crime"),
}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row["name"], marks=[] if row["name"] in QUICK else [pytest.mark.long])
        for row in ROWS
    ],
)
def test_the_search_reproduces_the_table(row, n_jobs):
    assert pinned_trees.run(row, n_jobs) == row["gives"]


def test_the_quick_rows_exist():
    assert {row["name"] for row in ROWS} >= QUICK
