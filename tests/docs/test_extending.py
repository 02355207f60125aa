"""docs/extending.md: it shows the package in tests/plugins, which is installed here and evolves trees."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "tests" / "plugins" / "gatree_example"
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")


def test_the_page_shows_the_package():
    blocks = re.findall(r"```python\n# (gatree_example/\S+)\n(.*?)```", PAGE, flags=re.S)
    assert len(blocks) >= 4
    for name, text in blocks:
        assert text == (EXAMPLE / name).read_text(encoding="utf-8"), name
    project = (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")
    for text in re.findall(r"```toml\n(.*?)```", PAGE, flags=re.S):
        assert text in project


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """A folder in which the package is installed."""
    folder = tmp_path_factory.mktemp("plugins")
    shutil.copytree(EXAMPLE, folder / "source")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder / "site"), "./source"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "site"


def run(*folders: Path, program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program with packages on its path."""
    path = os.pathsep.join(map(str, [*folders, ROOT]))
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


EVOLVE = """
import numpy as np
from click.testing import CliRunner
from gatree import EvolutionSettings, evolve, load_dataset
from gatree.cli.main import cli

data = load_dataset("zoo")
settings = {"population_size": 12, "n_generations": 5, "mutation_rate": 0.8, "prune_share": 0.2}
for extra in ({}, {"leaf_class": "majority", "min_leaf": 1, "class_weight": {"bird": 3}}):
    old, walking = (
        evolve(data, EvolutionSettings(evaluator=name, **settings, **extra)) for name in ("old", "walking")
    )
    assert np.array_equal(old.history, walking.history) and old.ledger == walking.ledger
changed = [
    evolve(data, EvolutionSettings(evaluator="walking", **settings, **extra)).history["digest"].tolist()
    for extra in ({}, {"selection": "linear-rank"}, {"swap_share": 0.8})
]
assert len({tuple(digests) for digests in changed}) == 3

options = ["--evaluator", "walking", "--swap-share", "0.5", "--selection", "linear-rank", "--min-leaf", "0"]
small = ["--population", "8", "--generations", "3", "--preset", "paper", "--folds", "0", "--json"]
shown = CliRunner().invoke(cli, ["evolve", "zoo", *options, *small])
assert shown.exit_code == 0 and "walking" in shown.output, shown.output
shown = CliRunner().invoke(cli, ["evolve", "zoo", "--swap-share", "0.6"])
print(shown.exception)
"""


@pytest.mark.parametrize(
    "without_jit", ["1", pytest.param("0", marks=pytest.mark.long)], ids=["interpreted", "compiled"]
)
def test_the_parts_evolve_and_are_options_of_the_command_line(installed, without_jit):
    done = run(installed, program=EVOLVE, NUMBA_DISABLE_JIT=without_jit, PYTHONWARNINGS="ignore")
    assert done.stdout == (
        "--prune-share, --shift-share, --swap-share: should be at most 1 together, got 0.25 + 0.25 + 0.6\n"
    )
    assert "left out" not in done.stderr


READ_AND_WRITE = """
from gatree import EvolutionSettings, evolve, load_data
from gatree.trees.export.registry import exports

data = load_data({path!r})
found = evolve(data, EvolutionSettings(population_size=8, n_generations=2))
print(data.class_values, exports()["size"].write(found.tree))
"""


def test_data_are_read_and_trees_written_by_the_package(installed, tmp_path):
    (tmp_path / "fruit.colons").write_text("kg:colour:kind\n1:red:apple\n2:green:pear\n", encoding="utf-8")
    program = READ_AND_WRITE.format(path=str(tmp_path / "fruit.colons"))
    done = run(installed, program=program, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore")
    assert done.stdout.startswith("('apple', 'pear') ")
    assert done.stdout.endswith(" nodes\n\n")


UNCHANGED = """
import json, os
from gatree import EvolutionSettings, evolve, load_dataset
from gatree.experiments.key import hashed_settings
from gatree.kernels.decorators import CACHE_FOLDER
from gatree.experiments.frame import COLUMNS

settings = EvolutionSettings(population_size=8, n_generations=3, mutation_rate=0.8, evaluator="old")
digests = evolve(load_dataset("zoo"), settings).history["digest"].tolist()
hashed = hashed_settings(settings.model_dump(mode="json"))
print(json.dumps([digests, hashed]), "swap_share" in COLUMNS, CACHE_FOLDER.name)
"""


def test_parts_that_are_not_used_change_neither_outcomes_nor_keys_but_the_cache(installed, tmp_path):
    in_python = {"NUMBA_DISABLE_JIT": "1", "GATREE_CACHE_DIR": str(tmp_path)}
    without = run(program=UNCHANGED, **in_python).stdout.split("] ")
    with_parts = run(installed, program=UNCHANGED, **in_python).stdout.split("] ")
    assert with_parts[0] == without[0]
    known, cache = with_parts[1].split()
    assert (known, without[1].split()[0]) == ("True", "False")
    assert cache not in without[1]

    edited = tmp_path / "edited"
    shutil.copytree(installed, edited)
    with (edited / "gatree_example" / "walking.py").open("a") as file:
        file.write("# an edit\n")
    folder = "from gatree.kernels.decorators import CACHE_FOLDER; print(CACHE_FOLDER.name)"
    assert run(installed, program=folder, **in_python).stdout.strip() == cache
    assert run(edited, program=folder, **in_python).stdout.strip() != cache


BROKEN = """
from gatree import EvolutionSettings, evolve, load_dataset
from gatree.base.errors import ConfigError

settings = EvolutionSettings(population_size=8, n_generations=3, mutation_rate=0.8, evaluator="old")
print(evolve(load_dataset("zoo"), settings).n_generations)
try:
    evolve(load_dataset("zoo"), settings.model_copy(update={"selection": "linear-rank"}))
except (ConfigError, KeyError) as error:
    print(error)
"""


@pytest.mark.parametrize("module", ["entries", pytest.param("linear_rank", marks=pytest.mark.long)])
def test_a_part_that_fails_to_import_is_named_in_one_line_and_left_out(installed, tmp_path, module):
    broken = tmp_path / "broken"
    shutil.copytree(installed, broken)
    (broken / "gatree_example" / f"{module}.py").write_text("import no_such_library\n", encoding="utf-8")
    done = run(broken, program=BROKEN, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore")
    reason = "is left out: ModuleNotFoundError: No module named 'no_such_library'"
    assert done.stdout.splitlines()[0] == "3"
    assert done.stderr.count(reason) == (3 if module == "entries" else 1)
    assert done.stderr.count("\n") == done.stderr.count(reason)
    assert "'linear-rank'" in done.stdout.splitlines()[1]
