"""The search is compiled to take every index as it is: with numba's checks on, none is out of bounds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from j48_cases import dataset_of
from small_searches import FAST, goal_of

from gatree.data.catalog import dataset_names
from gatree.smalltree.fit import fit_front
from gatree.smalltree.settings import SearchSettings

SETTINGS = (
    FAST,
    SearchSettings(max_depth=3, work=1e7),
    SearchSettings(size=9, min_leaves=(3,), work=1e7),
    SearchSettings(numeric_tests="integer", polished=(), work=1e7),
)


def trees_found() -> list[str]:
    """What is found in shipped data sets, in generated ones with all kinds of trouble, and in a few rows."""
    data = [(dataset_of(name), FAST) for name in dataset_names()]
    for number in range(100):
        name = f"{number}-valueless" if number % 5 == 0 else f"{number}"
        data.append((dataset_of(name), SETTINGS[number % len(SETTINGS)]))
    data += [(dataset_of("zoo").take(np.arange(n)), FAST) for n in (1, 2, 3)]
    found = [fit_front(dataset, settings) for dataset, settings in data]
    glass = dataset_of("glass")
    unequal = fit_front(glass, FAST, goal_of(glass, np.arange(7) % 3))
    return [fit.tree.to_text() for fit in (*found, unequal)]


@pytest.mark.long
def test_no_index_is_out_of_bounds():
    checks = {"NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
    soon_compiled = {"NUMBA_OPT": "1"}  # all optimizations take longer than they spare here
    checked = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, **checks, **soon_compiled},
        stdout=subprocess.PIPE,
        check=False,
    )
    assert checked.returncode == 0
    assert json.loads(checked.stdout) == trees_found()


if __name__ == "__main__":
    print(json.dumps(trees_found()))
