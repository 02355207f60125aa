"""What docs/fronts.md says of the trees' quality is what was measured."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

from bench.contenders import OTHERS, data_of

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "results" / "bench"
TEXT = " ".join((ROOT / "docs" / "fronts.md").read_text(encoding="utf-8").split())


def test_the_table_of_ranks_and_leaves_is_that_of_the_results():
    parts = ("quality", "unseen")
    measured = [json.loads((BENCH / f"{part}.json").read_text())["facts"] for part in parts]
    ours = [facts["summary"]["gatree, all"] for facts in measured]
    below = [facts["below the rest"].values() for facts in measured]
    rows = [
        [f"{found['data sets']}" for found in ours],
        [found["mean rank"] for found in ours],
        [" / ".join(str(found["a point below"]) for found in each) for each in below],
        [f"{found['share of leaves']:.2f}, {found['of all leaves']:.2f}" for found in ours],
    ]
    lines = (ROOT / "docs/fronts.md").read_text().partition("| gatree / CART")[2].splitlines()
    for row, line in zip(rows, [lines[0], *lines[2:5]], strict=True):
        shown = [cell.strip() for cell in line.split("|")[-3:-1]]
        assert [cell.partition(" data")[0].partition(", not")[0] for cell in shown] == row


def test_the_share_of_leaves_over_all_data_is_that_of_the_results():
    parts = ("quality", "unseen")
    ours = [
        json.loads((BENCH / f"{part}.json").read_text())["facts"]["summary"]["gatree, all"] for part in parts
    ]
    n_sets = [found["data sets"] for found in ours]
    share = np.average([found["share of leaves"] for found in ours], weights=n_sets)
    assert f"The mean ratio is {share:.2f} over all {sum(n_sets)} data sets." in TEXT


def test_where_there_is_hardly_a_smaller_tree():
    said = re.search(r"six of the 16 \((.+?)\) the best other's tree has at most ([\d.]+) leaves more", TEXT)
    cells = [json.loads(line) for line in (BENCH / "quality-cells.jsonl").read_text().splitlines()]
    assert said is not None
    more = [
        _best_others_leaves(cells, name) - len(np.unique(data_of(name)[1])) for name in said[1].split(", ")
    ]
    assert (len(more), f"{max(more):.1f}") == (6, said[2])


def _best_others_leaves(cells: list[dict], name: str) -> float:
    found = [
        [cell for cell in cells if (cell["data"], cell["classifier"]) == (name, each)] for each in OTHERS
    ]
    means = [[np.mean([cell[key] for cell in of_one]) for key in ("accuracy", "leaves")] for of_one in found]
    return max(means)[1]
