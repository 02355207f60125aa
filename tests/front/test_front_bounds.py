"""The search is compiled to take every index as it is: with numba's checks on, none is out of bounds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from j48_cases import dataset_of

from gatree.data.catalog import dataset_names
from gatree.front.fit import fit_front
from gatree.front.settings import FRONT_PRESETS


def trees_found() -> list[str]:
    """What is found in every shipped data set, and in a hundred of generated ones."""
    names = (*dataset_names(), *map(str, range(100)))
    return [fit_front(dataset_of(name), FRONT_PRESETS["fast"]).tree.to_text() for name in names]


def test_no_index_is_out_of_bounds():
    checks = {"NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
    checked = subprocess.run(
        [sys.executable, __file__], env={**os.environ, **checks}, stdout=subprocess.PIPE, check=False
    )
    assert checked.returncode == 0
    assert json.loads(checked.stdout) == trees_found()


if __name__ == "__main__":
    print(json.dumps(trees_found()))
