"""docs/extending.md: it shows the package in tests/plugins, which is installed here and evolves trees."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gatree import EvolutionSettings, evolve, load_dataset
from gatree.experiments.grid import hashed_settings
from gatree.kernels.decorators import CACHE_FOLDER

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "tests" / "plugins" / "gatree_example"
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")


def test_the_page_shows_the_package():
    blocks = re.findall(r"```python\n# (gatree_example/\S+)\n(.*?)```", PAGE, flags=re.S)
    assert len(blocks) == 3
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


def run(
    *folders: Path, program: str, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a program with packages on its path."""
    path = os.pathsep.join(map(str, [*folders, ROOT]))
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path, **variables},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


EVOLVE = """
import json
import numpy as np
from click.testing import CliRunner
from gatree import EvolutionSettings, evolve, load_dataset
from gatree.cli.main import cli
from gatree.experiments.grid import hashed_settings
from gatree.kernels.decorators import CACHE_FOLDER

data = load_dataset("zoo")
settings = {"population_size": 12, "n_generations": 5, "mutation_rate": 0.8, "prune_share": 0.2}
for extra in ({}, {"leaf_class": "majority", "min_leaf": 1}):
    old, *others = (
        evolve(data, EvolutionSettings(evaluator=name, **settings, **extra))
        for name in ("old", "walking", "walking-compiled")
    )
    for walking in others:
        assert np.array_equal(old.history, walking.history) and old.ledger == walking.ledger
changed = [
    evolve(data, EvolutionSettings(evaluator="walking", **settings, **extra)).history["digest"].tolist()
    for extra in ({}, {"selection": "linear-rank"}, {"payoff": "leaf-price"})
]
assert len({tuple(digests) for digests in changed}) == 3

options = ["--evaluator", "walking", "--selection", "linear-rank", "--min-leaf", "0"]
small = ["--population", "8", "--generations", "3", "--json"]
shown = CliRunner().invoke(cli, ["evolve", "zoo", *options, *small])
assert shown.exit_code == 0 and "walking" in shown.output, shown.output

settings = EvolutionSettings(population_size=8, n_generations=3, mutation_rate=0.8, evaluator="old")
unchanged = evolve(data, settings).history["digest"].tolist()
hashed = hashed_settings(settings.model_dump(mode="json"))
print(json.dumps([unchanged, hashed, CACHE_FOLDER.name]))
"""


@pytest.mark.parametrize(
    "without_jit", ["1", pytest.param("0", marks=pytest.mark.long)], ids=["interpreted", "compiled"]
)
def test_the_parts_are_used_and_change_nothing_else_but_the_cache(installed, tmp_path, without_jit):
    quietly = {"NUMBA_DISABLE_JIT": without_jit, "PYTHONWARNINGS": "ignore"}
    done = run(installed, program=EVOLVE, cwd=tmp_path, **quietly)
    last = done.stdout.splitlines()[-1]
    assert "left out" not in done.stderr

    digests, hashed, cache = json.loads(last)
    settings = EvolutionSettings(population_size=8, n_generations=3, mutation_rate=0.8, evaluator="old")
    assert digests == evolve(load_dataset("zoo"), settings).history["digest"].tolist()
    assert hashed == hashed_settings(settings.model_dump(mode="json"))
    edited = tmp_path / "edited"
    shutil.copytree(installed, edited)
    with (edited / "gatree_example" / "walking.py").open("a") as file:
        file.write("# an edit\n")
    folder = "from gatree.kernels.decorators import CACHE_FOLDER; print(CACHE_FOLDER.name)"
    caches = {cache, CACHE_FOLDER.name, run(edited, program=folder, **quietly).stdout.strip()}
    assert len(caches) == 3


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
def test_a_part_that_fails_to_import_is_named_in_one_line(installed, tmp_path, module):
    broken = tmp_path / "broken"
    shutil.copytree(installed, broken)
    (broken / "gatree_example" / f"{module}.py").write_text("import no_such_library\n", encoding="utf-8")
    done = run(broken, program=BROKEN, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore")
    reason = "ModuleNotFoundError: No module named 'no_such_library'"
    evolved, complaint = done.stdout.splitlines()
    assert evolved == "3"
    if module == "entries":  # its parts are left out
        assert done.stderr.count(f"is left out: {reason}") == done.stderr.count("\n") == 4
        assert "'linear-rank'" in complaint
    else:
        assert (done.stderr, complaint) == ("", f"'linear-rank' failed to import: {reason}")
