"""Kernels that kernels call are translated once, whatever the integers, and never kept by themselves."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

KERNELS = """
import json

import numba
import numpy as np
from numba.core import event

from gatree.kernels.decorators import jit, lean

compiled = []

class Listener(event.Listener):
    def on_start(self, happened):
        compiled.append(happened.data["dispatcher"].py_func.__name__)

    def on_end(self, happened):
        pass

event.register("numba:compile", Listener())

@lean
def doubled(number):
    return 2 * number

@lean
def total(numbers, short):
    found = doubled(len(numbers)) + doubled(short[0]) + doubled(3)
    for number in numbers:
        found += doubled(number)
    return found

@jit
def totals(n):
    sums = np.zeros(n)
    for k in range(n):
        sums[k] = total(np.arange(k), np.ones(1, dtype=np.int32))
    return sums.sum()

@numba.njit(cache=True)
def of_others(n):
    return np.arange(n).sum()

short = np.ones(1, dtype=np.int32)
found = [totals(4), total(np.arange(2), short), doubled(4), of_others(3)]
print(json.dumps({"found": found, "compiled": compiled}))
"""


def run_kernels(folder: Path, **variables: str) -> dict[str, Any]:
    """Run the kernels in a process of their own, with a cache in this folder."""
    script = folder / "kernels.py"
    if not script.exists():  # to older releases of numba a file that is written again is another one
        script.write_text(KERNELS)
    return dict(json.loads(said_by(script, **variables)))


def said_by(script: Path, *arguments: str, **variables: str) -> str:
    """Run a script in a process of its own, with a cache next to it; return what it prints."""
    settled = {"NUMBA_DISABLE_JIT": "0", "GATREE_PLAIN_NUMBA": "0"}
    environment = {**os.environ, **settled, "GATREE_CACHE_DIR": str(script.parent / "cache"), **variables}
    command = [sys.executable, str(script), *arguments]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def kept(folder: Path) -> set[str]:
    """Return the names of the kernels that have machine code in the cache."""
    return {path.name.split("-")[0].removeprefix("kernels.") for path in (folder / "cache").rglob("*.nbi")}


def naive(numbers: range, short: int) -> int:
    return 2 * (len(numbers) + short + 3 + sum(numbers))


EXPECTED = [sum(naive(range(k), 1) for k in range(4)), naive(range(2), 1), 8, 3]


def test_only_what_python_calls_becomes_machine_code_once_for_integers_of_all_types(tmp_path):
    first = run_kernels(tmp_path)
    assert first["found"] == EXPECTED
    assert kept(tmp_path) == {"totals", "total", "doubled"}
    # Once for the kernels, whose integers are three types, and once for Python.
    assert first["compiled"].count("doubled") == first["compiled"].count("total") == 2


@pytest.mark.long
@pytest.mark.parametrize("plain", ["0", "1"])
def test_the_next_process_finds_every_kernel(tmp_path, plain):
    for _ in range(2):
        last = run_kernels(tmp_path, GATREE_PLAIN_NUMBA=plain)
        assert last["found"] == EXPECTED
        assert {"totals", "total", "doubled"} <= kept(tmp_path)
    assert not {"totals", "total", "doubled"} & set(last["compiled"])


INDEXED = """
import sys

import numpy as np
from numba.np import arrayobj

from gatree.kernels.decorators import branching, lean

numbas_own = arrayobj.fix_integer_index

@lean
def taken(numbers, k):
    return numbers[k]

@lean
def from_the_end(numbers, k):
    return taken(numbers, k)

@branching
def as_it_is(numbers, k):
    return taken(numbers, k)

numbers = np.arange(3)
for name in sys.argv[1:]:  # both call one kernel, which is then translated for each
    try:
        print(name, {"from_the_end": from_the_end, "as_it_is": as_it_is}[name](numbers, -1))
    except IndexError as error:
        print(name, error)
    assert arrayobj.fix_integer_index is numbas_own
"""


@pytest.mark.parametrize(
    "order",
    [["from_the_end", "as_it_is"], pytest.param(["as_it_is", "from_the_end"], marks=pytest.mark.long)],
)
def test_in_branching_kernels_no_index_counts_from_the_end_and_in_others_it_does(tmp_path, order):
    script = tmp_path / "indexed.py"
    script.write_text(INDEXED)
    outcomes = {"from_the_end": "from_the_end 2", "as_it_is": "as_it_is index is out of bounds"}
    said = said_by(script, *order, NUMBA_BOUNDSCHECK="1")
    assert said.splitlines() == [outcomes[name] for name in order]
