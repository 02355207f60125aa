"""The README is short, and its tables and those of docs/performance.md have the measured numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
README, PERFORMANCE = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/performance.md")
)


def bench(part: str) -> dict[str, Any]:
    return json.loads((ROOT / "results" / "bench" / f"{part}.json").read_text(encoding="utf-8"))


def rows(page: str) -> dict[str, list[str]]:
    """Return the tables' rows by their first cell."""
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return {first: others for first, *others in lines}


def test_it_is_one_screen_and_keeps_its_two_commands():
    assert len(README.splitlines()) <= 120
    assert "\n$ make paper\n" in README
    assert "\n$ make test\n" in README


def test_the_ranks_are_measured():
    shown = rows(README)
    facts = [bench(part)["facts"] for part in ("quality", "unseen")]
    for found, name in zip(facts, ("16 shipped data sets", "34 others"), strict=True):
        summary = found["summary"]["gatree, all"]
        assert name.startswith(f"{summary['data sets']} ")
        assert shown[f"mean rank, {name}"] == summary["mean rank"].split(" / ")
    below = [
        sum(found["below the rest"][name]["a point below"] for found in facts)
        for name in facts[0]["below the rest"]
    ]
    first, *others = shown["data sets more than a point below the best of the others"]
    assert [first, *others] == [f"{below[0]} of 50", *map(str, below[1:])]


def test_the_speed_is_measured():
    engine = {row["dataset"]: row["seconds_old"] / row["seconds_new"] for row in bench("engine")["rows"]}
    bits = [
        row["speed_up"]
        for row in bench("evaluators")["rows"]
        if (row["dataset"], row["evaluator"]) == ("kr-vs-kp", "bitset")
    ]
    large = {
        row["evaluator"]: row["microseconds"] for row in bench("large")["rows"] if row["data"] == "generated"
    }
    peers = {
        (row["learner"], row["dataset"], row["setting"]): row["bitset_is"]
        for row in bench("peers")["rows"]
        if "bitset_is" in row
    }
    times = [f"{engine[name]:.1f}" for name in ("kr-vs-kp", "vote", "zoo")]
    old = "gatree 0.2.0 (PyPI)"
    slow = [(old, "zoo", "100 x 20"), (old, "vote", "100 x 5"), (old, "kr-vs-kp", "100 x 1")]
    texts = {
        "new": "{} times as fast on kr-vs-kp, {} on vote, {} on zoo".format(*times),
        "bitset": f"{min(bits):.0f} to {max(bits):.0f} times on kr-vs-kp",
        "million": f"{round(large['old'] / large['bitset'], -1):.0f} times",
        "deap": "{:.0f} times on vote, {:.0f} on kr-vs-kp".format(
            *(peers["DEAP with numpy", name, "100 x 100"] for name in ("vote", "kr-vs-kp"))
        ),
        "gatree": "{:,} times on zoo, {:,} on vote, {:,} on kr-vs-kp".format(
            *(int(round(peers[key], -2)) for key in slow)
        ),
    }
    for page in (README, PERFORMANCE):
        assert [name for name, text in texts.items() if text not in page] == []
    genetic = [peers["genetic-tree (PyPI)", name, "100 x 100"] for name in ("vote", "kr-vs-kp")]
    assert "{:.0f} times on vote, {:.0f} on kr-vs-kp".format(*genetic) in PERFORMANCE
    costs = [row["besides_evaluation"] for row in bench("engine")["rows"]]
    assert f"an offspring costs {min(costs):.1f} to {max(costs):.1f} µs" in " ".join(PERFORMANCE.split())


def test_large_data_are_measured():
    found = {row["evaluator"]: row for row in bench("large")["rows"] if row["data"] == "generated"}
    for evaluator, row in found.items():
        milliseconds, memory, evaluation, whole = rows(PERFORMANCE)[f"`{evaluator}`"]
        assert float(milliseconds) == float(
            f"{row['microseconds'] / 1000:.{1 if row['microseconds'] > 100 else 3}f}"
        )
        assert memory == f"{row['peak'] / 1000:.1f} GB"
        assert evaluation.split()[0] == f"{row['threads_evaluation']:.1f}"
        assert whole == f"{row['threads_whole']:.1f}"


def test_the_studies_are_measured():
    total = next(row for row in bench("studies")["rows"] if row["dataset"] == "all")
    assert f"| {np.round(1 / total['ratio'], 1)} times (`BENCH=studies`) |" in PERFORMANCE
