"""With an empty cache, no cell's seconds contain a compilation: kernels are compiled before a clock runs."""

import os

import pytest
from laboratory import gatree, write_config

from gatree.experiments.journal import read_records

SAVINGS = {"kind": "savings", "evaluators": ["old", "new", "new-all-nodes", "bitset"]}
HISTORY = {"kind": "cross-validation", "history": True}
BASELINES = {
    "kind": "cross-validation",
    "evaluator": "bitset",
    "baselines": ["j48", "j48-reduced-error", "cart", "front", "majority"],
}


def compiled_in(timing):
    """Return the numbers of kernels that were compiled while a clock ran."""
    parts = [part for part in timing.values() if isinstance(part, dict)]
    return [part["compiled"] for part in (timing, *parts) if "compiled" in part]


@pytest.mark.long
@pytest.mark.parametrize("study", [SAVINGS, HISTORY, BASELINES], ids=["savings", "history", "baselines"])
def test_no_cells_seconds_contain_a_compilation(tmp_path, study):
    study = {"name": "cold", "grid": {"size": [10]}, **study}
    config = write_config(tmp_path, datasets=["zoo"], studies=[study])
    cache = {"GATREE_CACHE_DIR": str(tmp_path / "cache")}
    command = ("run", "--config", config, "--results", tmp_path, "--jobs", "1")
    code, _, errors = gatree(*command, env=os.environ | cache)
    assert code == 0, errors
    records = list(read_records(tmp_path / "tiny" / "cells.jsonl"))
    assert {record["status"] for record in records} == {"done"}
    assert [compiled_in(record["timing"]) for record in records] == [[]] * len(records)
