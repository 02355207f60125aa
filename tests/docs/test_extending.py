"""docs/extending.md, word for word: its parts are put into a copy of the package, and evolve."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BEFORE = {  # in front of what a block is put
    "EVALUATORS": "SELECTIONS: ",
    "MUTATIONS": '    MutationEntry(\n        "change-test"',
    "EvolutionSettings": "    @property\n    def brood_size",
}

TRY = """
import numpy as np
from gatree import EvolutionSettings, evolve, load_dataset
from gatree.experiments.estimate import EVALUATORS
from gatree.paper.published import METRICS
data = load_dataset("zoo")
ways = [{}, {"leaf_class": "majority", "min_leaf": 1, "class_weight": {"bird": 3}, "n_jobs": 2}]
for extra in ways:
    settings = {"population_size": 10, "n_generations": 6, "mutation_rate": 1.0, "prune_share": 0.2, **extra}
    both = (EvolutionSettings(evaluator=name, **settings) for name in ("old", "walking"))
    old, walking = (evolve(data, each) for each in both)
    assert np.array_equal(old.history, walking.history) and old.ledger == walking.ledger
    swapping = evolve(data, EvolutionSettings(evaluator="new", swap_share=0.8, **settings))
    assert not np.array_equal(swapping.history["digest"], old.history["digest"])
print(METRICS["walking_s"].label)
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory) -> Path:
    """A copy of the package with the parts of the page in it."""
    folder = tmp_path_factory.mktemp("extended")
    shutil.copytree(ROOT / "gatree", folder / "gatree", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "datasets").symlink_to(ROOT / "datasets")
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", page, flags=re.S):
        heading, _, text = block.partition("\n")
        if new_file := re.fullmatch(r"# new file: (\S+)", heading):
            (folder / new_file[1]).write_text(text, encoding="utf-8")
            continue
        table, path = re.fullmatch(r"# into (\S+) of (\S+)", heading).groups()
        insert(folder / path, text, table)
    return folder


def insert(path: Path, text: str, table: str) -> None:
    source = path.read_text(encoding="utf-8")
    assert source.count(BEFORE[table]) == 1
    at = source.index(BEFORE[table])
    if table == "EVALUATORS":
        at = source.rindex(")", 0, at)
    path.write_text(source[:at] + text + source[at:], encoding="utf-8")


COMMANDS = """
from gatree.cli.main import cli
options = ["--evaluator", "walking", "--swap-share", "0.5", "--population", "8", "--generations", "3"]
cli.main(["evolve", "zoo", *options, "--preset", "paper", "--min-leaf", "0", "--json"], standalone_mode=False)
cli.main(["run", "--config", "mine.yaml", "--dry-run"], standalone_mode=False)
"""


def test_the_parts_evolve_and_tables_options_and_experiments_know_them(extended):
    """In one process, which starts without the parts' names in any module."""
    (extended / "mine.yaml").write_text(
        "name: mine\nseed: 1\npreset: paper\ndatasets: zoo\nstudies:\n"
        "  - name: it\n    kind: savings\n    evaluators: [old, walking]\n"
        "    grid: {mutation_rate: 0.5, x_factor: 1e4, size: 10}\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-c", TRY + COMMANDS],
        cwd=extended,
        env=os.environ | {"PYTHONPATH": str(extended), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Walking (sec)\n")
    assert '"walking"' in done.stdout
    assert "to run     1" in done.stdout
