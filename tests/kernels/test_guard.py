"""Our own compiler is used where it is known to work; elsewhere plain numba gives the same trees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gatree.evolution.evolve import evolve
from gatree.kernels import decorators, guard
from gatree.kernels.decorators import cache_folder
from gatree.settings.evolution_settings import EvolutionSettings

pytestmark = pytest.mark.skipif(decorators._compiler is None, reason="plain numba compiles, or none")

SETTINGS = {"population_size": 30, "n_generations": 20, "mutation_rate": 0.5, "evaluator": "new", "seed": 3}

EVOLVE = """
{change}

import json, sys
from gatree import EvolutionSettings, evolve, load_dataset
found = evolve(load_dataset("zoo"), EvolutionSettings(**json.loads(sys.argv[1])))
print(json.dumps([str(found.tree), found.history["digest"].tolist()]))
"""

RENAMED = """
import sys
from importlib.machinery import SourceFileLoader

read = SourceFileLoader.get_data

def renamed(loader, path):
    if "{file}.cpython" in path:
        raise OSError("the bytecode has the old name")
    content = read(loader, path)
    return content.replace(b"{name}", b"{name}Renamed") if path.endswith("core/{file}.py") else content

sys.dont_write_bytecode = True
SourceFileLoader.get_data = renamed
"""

CHANGES = {
    "attribute": RENAMED.format(file="codegen", name="_library_class"),
    "canary": """
import numba
from gatree.kernels import compiler
compiler._index_as_it_is = lambda context, *_: context.get_constant(numba.types.intp, 0)
""",
    "version": """
from gatree.kernels import guard
guard.TESTED = ("0.1", "0.2")
""",
    "class": RENAMED.format(file="caching", name="IndexDataCacheFile"),
    "nothing": "",
}


@pytest.fixture
def cache(tmp_path) -> Path:
    """A new cache in which plain numba finds what it compiled for another test, or an earlier run."""
    name = decorators._name + "-plain"
    kept = cache_folder(name)
    assert kept is not None
    (tmp_path / name).symlink_to(kept)
    return tmp_path


def evolved(cache: Path, change: str, **variables: str) -> tuple[list[object], str]:
    """Return what an evolution gives in a process in which something of numba is changed, and its stderr."""
    done = subprocess.run(
        [sys.executable, "-c", EVOLVE.format(change=CHANGES[change]), json.dumps(SETTINGS)],
        env={**os.environ, "GATREE_CACHE_DIR": str(cache), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def expected() -> list[object]:
    from gatree import load_dataset

    found = evolve(load_dataset("zoo"), EvolutionSettings(**SETTINGS))
    return [str(found.tree), found.history["digest"].tolist()]


PLAIN = "kernels are compiled by plain numba, which takes about twice as long: "


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("attribute", "the canary raised AttributeError"),
        ("canary", "the canary returned "),
        ("version", " is none of the tested versions 0.1 to 0.2"),
        ("class", "the canary raised ImportError"),
    ],
)
def test_what_is_not_known_to_work_is_left_to_plain_numba(cache, expected, change, reason):
    for _ in range(2):  # the second process reads how the canary fared
        found, log = evolved(cache, change)
        assert found == expected
        assert log.count(PLAIN) == 1
        assert reason in log
        assert log.count("\n") == 1


def test_plain_numba_can_be_asked_for(cache, expected):
    found, log = evolved(cache, "nothing", GATREE_PLAIN_NUMBA="1")
    assert (found, log) == (expected, "")
    assert [folder.name for folder in cache.glob("*/canary")] == []


def test_a_canary_that_passed_is_not_compiled_again(tmp_path, monkeypatch):
    assert guard._failure(tmp_path) is None
    monkeypatch.setattr(guard, "_compiled_canary", lambda: pytest.fail("compiled again"))
    assert guard._failure(tmp_path) is None


def test_the_tested_versions_are_those_that_can_be_installed():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    (needs,) = (need for need in project["project"]["dependencies"] if need.startswith("numba"))
    major, minor = guard._minor(guard.TESTED[1])
    assert needs == f"numba>={guard.TESTED[0]},<{major}.{minor + 1}"
