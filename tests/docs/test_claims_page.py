"""docs/claims.md has the numbers of results/balance-scale and of the reference."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatree.experiments.frame import frame

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("folds", "study"), [("WEKA's", "weka"), ("every fifth row", "every-fifth-row")])
def test_accuracies_and_sizes_by_folds(folds, study):
    """The lowest and the highest of the settings, means over their seeds."""
    cells = frame(ROOT / "results" / "balance-scale")
    shown = []
    for method in ("evolution", "j48"):
        by_setting = cells[(cells["study"] == study) & (cells["method"] == method)].groupby("point")
        sums = by_setting[["test_correct", "n_test"]].sum()
        accuracies, nodes = 100 * sums["test_correct"] / sums["n_test"], by_setting["n_nodes"].mean()
        shown += [between(accuracies, 1), between(nodes, 0)]
    assert f"| {folds} | {' | '.join(shown)} |" in (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")


def test_generations_in_equal_time():
    cells = frame(ROOT / "results" / "reference")
    median = cells["generations_in_equal_time"].median()
    text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    assert f"While `old` runs 100 generations, `new` runs {median:.0f} in the median cell" in text


def between(values, digits):
    low, high = f"{values.min():.{digits}f}", f"{values.max():.{digits}f}"
    return low if low == high else f"{low}-{high}"
