"""What docs/api.md says of the trees' quality is what was measured."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "results" / "bench"


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
    lines = (ROOT / "docs/api.md").read_text().partition("| gatree / CART")[2].splitlines()
    for row, line in zip(rows, [lines[0], *lines[2:5]], strict=True):
        shown = [cell.strip() for cell in line.split("|")[-3:-1]]
        assert [cell.partition(" data")[0].partition(", not")[0] for cell in shown] == row
