"""Kernels that kernels call are translated once, whatever the integers, and never kept by themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba.core import ir
from numba.core.compiler import run_frontend

from gatree.kernels.compiler import _with_short_cuts

KERNELS = """
import json

import numba
import numpy as np
from numba.core import event

import gatree.kernels.compiler
gatree.kernels.compiler.IS_KNOWN &= {is_known}
from gatree.kernels.decorators import inlined, jit, lean, shared

compiled = []

class Listener(event.Listener):
    def on_start(self, happened):
        compiled.append(happened.data["dispatcher"].py_func.__name__)

    def on_end(self, happened):
        pass

event.register("numba:compile", Listener())

@shared
def larger(a, b):
    return a if a > b else b

@inlined
def doubled(number):
    return 2 * larger(number, 0)

@lean
def total(numbers, short):
    found = doubled(len(numbers)) + doubled(short[0]) + doubled(3)
    for number in numbers:
        found += doubled(number)
    return found

@jit
def totals(n):
    def none():  # a closure takes passes of numba that kernels do without
        return 0.0

    sums = np.zeros(n)
    for k in range(n):
        sums[k] = none() + total(np.arange(k), np.ones(1, dtype=np.int32))
    return sums.sum()

@numba.njit
def of_others(n):
    return np.zeros(n).sum() + np.arange(n).sum()

short = np.ones(1, dtype=np.int32)
found = [totals(4), total(np.arange(2), short), doubled(4), larger(1, 2), of_others(3)]
print(json.dumps({{"found": found, "compiled": compiled}}))
"""


def run_kernels(folder: Path, is_known: bool) -> dict[str, Any]:
    """Run the kernels in a process of their own, with a cache in this folder."""
    script = folder / "kernels.py"
    if not script.exists():  # a file written anew is another one to older releases of numba
        script.write_text(KERNELS.format(is_known=is_known))
    return dict(json.loads(said_by(script)))


def said_by(script: Path, *arguments: str, **variables: str) -> str:
    """Run a script in a process of its own, with a cache beside it; return what it prints."""
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    environment |= {"GATREE_CACHE_DIR": str(script.parent / "cache"), **variables}
    command = [sys.executable, str(script), *arguments]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def kept(folder: Path) -> set[str]:
    """Return the names of the kernels that have machine code in the cache."""
    return {path.name.split("-")[0].removeprefix("kernels.") for path in (folder / "cache").rglob("*.nbi")}


def naive(numbers: range, short: int) -> int:
    return 2 * (len(numbers) + short + 3 + sum(numbers))


EXPECTED = [sum(naive(range(k), 1) for k in range(4)), naive(range(2), 1), 8, 2, 3]


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> tuple[dict[str, Any], dict[str, Any], set[str]]:
    """What two processes find and compile, one after the other, and the kernels that are kept."""
    folder = tmp_path_factory.mktemp("kernels")
    first = run_kernels(folder, is_known=True)
    names = kept(folder)
    return first, run_kernels(folder, is_known=True), names


def test_only_what_python_calls_becomes_machine_code(runs):
    first, _, names = runs
    assert first["found"] == EXPECTED
    assert names == {"totals", "total", "doubled"}


def test_a_kernel_is_translated_once_for_integers_of_all_types(runs):
    # Once for the kernels, whose integers are three types, and once for Python.
    assert runs[0]["compiled"].count("doubled") == 2
    assert runs[0]["compiled"].count("total") == 2


def test_the_machine_code_is_found_by_the_next_process(runs):
    assert runs[1]["found"] == EXPECTED
    assert not {"totals", "total", "doubled"} & set(runs[1]["compiled"])


@pytest.mark.long
def test_without_the_internals_of_numba_kernels_compile_as_numba_does_it(tmp_path):
    for _ in range(2):
        assert run_kernels(tmp_path, is_known=False)["found"] == EXPECTED
        assert {"totals", "total", "doubled"} <= kept(tmp_path)


def some_of_everything(numbers, *others, flag=True):
    total, pairs = 0, [(1, 2), (3, 4)]
    for k, (a, b) in enumerate(pairs):
        if flag and not others:
            total += numbers[k] * a - -b
        else:
            numbers[k : k + 2] = others[0]
            del a
    while total > 3:
        total = max(total // 2, len(numbers), key=lambda x: x)
    return {"total": total, "numbers": numbers[::2]}


def test_short_cuts_list_the_variables_that_numba_lists_and_are_gone_afterwards():
    statements = [
        statement for block in run_frontend(some_of_everything).blocks.values() for statement in block.body
    ]
    numbas, method = [statement.list_vars() for statement in statements], ir.Inst._rec_list_vars
    with _with_short_cuts():
        assert ir.Inst._rec_list_vars is not method
        assert [statement.list_vars() for statement in statements] == numbas
    assert ir.Inst._rec_list_vars is method
    assert sum(map(len, numbas)) > 50


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
