"""The wheel in an empty environment, far from the checkout: `make wheel-check`.

First the core alone: all data sets, an evolution, J48, and what the command says that is missing. Then
with the command line: an experiment in an empty folder, and a table of it.
It is no test of the suite because it needs a package registry.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from environments import build_wheel, empty_environment, install, run

CORE = """
import gatree
from gatree.data.catalog import catalog, verify
from gatree.j48 import fit
for entry in catalog():
    verify(entry)
    print(f"{entry.name:15}{gatree.load_dataset(entry.name).n_instances:6} instances")
zoo = gatree.load_dataset("zoo")
settings = gatree.EvolutionSettings(population_size=50, n_generations=20)
correct = gatree.evolve(zoo, settings).n_correct
print("evolved to", correct, "of", zoo.n_instances, "J48:", fit(zoo).n_leaves, "leaves")
print("from", gatree.__file__)
"""


def main() -> None:
    """Build, install, use."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wheel = build_wheel(folder)
        python = empty_environment(folder / "venv")
        gatree = python.parent / "gatree"
        install(python, wheel)
        run(python, "-I", "-c", CORE, cwd=folder)
        _refuses_without_its_libraries(gatree)
        install(python, wheel, "cli")
        empty = folder / "empty"
        empty.mkdir()
        few = ("--only", "study=savings", "--evaluators", "old,new")
        run(gatree, "run", "--config", "smoke", *few, cwd=empty)
        run(gatree, "table", "3", "--results", "results/smoke", cwd=empty)


def _refuses_without_its_libraries(gatree: Path) -> None:
    done = subprocess.run([gatree, "--help"], capture_output=True, text=True, check=False)
    print(done.stderr, end="")
    if done.returncode != 1 or "pip install 'gatree-lab[cli]'" not in done.stderr:
        sys.exit("without its libraries the command does not say what to install")


if __name__ == "__main__":
    main()
