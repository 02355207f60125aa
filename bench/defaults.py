"""Old and new default trees in one table: ``python -m bench.defaults COMMIT`` writes defaults.md."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence

import numpy as np

from bench.common import RESULTS
from bench.contenders import OURS

PARTS = ("quality", "unseen")
_HEAD = """# Old and new default trees

Accuracy on held-out rows and leaves, means over {seeds} seeds of five folds. Before: commit {before};
now: commit {now}. The first {n} data sets are included, the others are those of
`make bench-unseen`. Mean ranks are among gatree, two CARTs and J48.

| data set | before | leaves | now | leaves | points |
|---|---|---|---|---|---|
"""


def table(before: dict[str, dict], now: dict[str, dict], commit: str) -> str:
    """Return the page, given the results of both parts of two commits."""
    head = _HEAD.format(
        seeds=now[PARTS[0]]["rows"][0]["seeds"],
        before=commit[:8],
        now=now[PARTS[0]]["machine"]["commit"],
        n=len(now[PARTS[0]]["rows"]),
    )
    return head + "".join(_part(before[part], now[part]) for part in PARTS)


def _part(before: dict, now: dict) -> str:
    """Return a line per data set, and one with the means and the mean ranks."""
    old, new = ({row["data"]: _numbers(row[OURS]) for row in each["rows"]} for each in (before, now))
    lines = [_line(name, old[name], new[name]) for name in new]
    means = [np.mean(list(each.values()), axis=0) for each in (old, new)]
    ranks = [each["facts"]["summary"][f"{OURS}, all"]["mean rank"].split(" / ")[0] for each in (before, now)]
    return "".join([*lines, _line(f"**mean** (rank {ranks[0]}, now {ranks[1]})", *means, digits=4)])


def _line(name: str, old: Sequence[float], new: Sequence[float], digits: int = 3) -> str:
    cells = [f"{accuracy:.{digits}f} | {leaves:.{digits - 3}f}" for accuracy, leaves in (old, new)]
    return f"| {name} | {cells[0]} | {cells[1]} | {100 * (new[0] - old[0]):+.{digits - 2}f} |\n"


def _numbers(cell: str) -> tuple[float, float]:
    """Return the accuracy and the leaves of a cell like `0.776 (24)`."""
    accuracy, leaves = re.findall(r"[\d.]+", cell)
    return float(accuracy), float(leaves)


def main(commit: str) -> None:
    def at(part: str) -> dict:
        shown = ["git", "show", f"{commit}:results/bench/{part}.json"]
        return dict(json.loads(subprocess.run(shown, check=True, capture_output=True).stdout))

    now = {part: json.loads((RESULTS / f"{part}.json").read_text(encoding="utf-8")) for part in PARTS}
    page = table({part: at(part) for part in PARTS}, now, commit)
    (RESULTS / "defaults.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
