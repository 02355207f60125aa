"""Our own compiler is used where it is known to work; elsewhere plain numba compiles the same kernels."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gatree.data.catalog import load_dataset
from gatree.evolution.evolve import evolve
from gatree.kernels import canary, decorators, guard
from gatree.kernels.events import COMPILING
from gatree.settings.evolution_settings import EvolutionSettings

pytestmark = pytest.mark.skipif(decorators._compiler is None, reason="plain numba compiles, or none")


COUNT = """
import numpy as np
from gatree.kernels import guard
guard.TESTED = ("0.1", "0.2")
from gatree.kernels.decorators import lean

@lean
def square(number):
    return number * number

@lean
def sum_of_squares(numbers):
    total = 0
    for number in numbers:
        total += square(number)
    return total

print(sum_of_squares(np.arange(5)))
"""

EVOLVE = """
import json, sys
from gatree import EvolutionSettings, evolve, load_dataset
found = evolve(load_dataset("zoo"), EvolutionSettings(**json.loads(sys.argv[1])))
print(json.dumps([str(found.tree), found.history["digest"].tolist()]))
"""
SETTINGS = {"population_size": 30, "n_generations": 20, "mutation_rate": 0.5, "evaluator": "new", "seed": 3}


def run(folder: Path, code: str, *arguments: str, **variables: str) -> tuple[str, str]:
    """Run a program in a process with a cache in this folder; return its stdout and its stderr."""
    script = folder / "script.py"
    script.write_text(code)
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        env={**os.environ, "GATREE_CACHE_DIR": str(folder / "cache"), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


PLAIN = "kernels are compiled by plain numba, which takes about three times as long: "


def test_with_an_untested_version_plain_numba_compiles(tmp_path):
    found, log = run(tmp_path, COUNT)
    assert found == "30\n"
    assert log.count(PLAIN) == log.count("\n") == 1
    assert " is outside the tested versions 0.1 to 0.2" in log


BROKEN = """
from numba import types
from gatree.kernels import compiler, guard

{change}
guard.choose_compiler(None)
"""


@pytest.mark.parametrize(
    ("change", "reason"),
    [  # the first item, whatever the index; an internal that numba does not have
        (
            "compiler._index_as_it_is = lambda context, *_: context.get_constant(types.intp, 0)",
            "the canary returned ",
        ),
        ("del compiler.BaseFunction.get_call_type", "the canary raised AttributeError"),
    ],
)
def test_what_is_not_known_to_work_is_left_to_plain_numba(tmp_path, change, reason):
    """In a process, since the canary is compiled when it is imported."""
    _, log = run(tmp_path, BROKEN.format(change=change), GATREE_PLAIN_NUMBA="0")
    assert log.splitlines()[-1].startswith(f"{PLAIN}{reason}")


def test_plain_numba_can_be_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("GATREE_PLAIN_NUMBA", "1")
    assert guard.choose_compiler(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_plain_numba_evolves_the_same_trees(tmp_path):
    found, log = run(tmp_path, EVOLVE, json.dumps(SETTINGS), GATREE_PLAIN_NUMBA="1")
    expected = evolve(load_dataset("zoo"), EvolutionSettings(**SETTINGS))
    assert json.loads(found) == [str(expected.tree), expected.history["digest"].tolist()]
    assert log == f"{COMPILING}\n"


@pytest.mark.parametrize(("result", "verdict"), [(canary.EXPECTED, None), (-2, "returned -2")])
def test_a_canary_is_not_compiled_again(tmp_path, monkeypatch, result, verdict):
    monkeypatch.setattr(canary, "run", lambda: result)
    for _ in range(2):
        found = guard._failure(tmp_path)
        assert found is None if verdict is None else verdict in found
        monkeypatch.setattr(canary, "run", lambda: pytest.fail("compiled again"))


def test_the_canary_equals_its_naive_twin():
    numbers, weights = range(-4, 5), (3, 5)

    def weighed_sum(end):
        return sum(numbers[k] * weights[k & 1] - numbers[3] * weights[1] for k in range(end))

    assert canary.run() == canary.EXPECTED == weighed_sum(9) + 1000 * weighed_sum(5)


def test_the_tested_versions_are_those_that_can_be_installed():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    (needs,) = (need for need in project["project"]["dependencies"] if need.startswith("numba"))
    major, minor = guard._minor(guard.TESTED[1])
    assert needs == f"numba>={guard.TESTED[0]},<{major}.{minor + 1}"


@pytest.mark.parametrize("damaged", [b"", b"\xff\xfe", b"pass"], ids=["empty", "not UTF-8", "cut off"])
def test_a_damaged_result_of_the_canary_is_replaced(tmp_path, damaged):
    (tmp_path / "canary").write_bytes(damaged)
    assert guard._failure(tmp_path) is None
    assert (tmp_path / "canary").read_text() == "passed"


def test_a_full_disk_leaves_no_result_of_the_canary(tmp_path, monkeypatch):
    def full(_, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(guard.Path, "write_bytes", full)
    assert guard._failure(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
