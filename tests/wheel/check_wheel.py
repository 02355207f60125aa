"""The wheel in an empty environment, without extras and far from the checkout: `make wheel-check`.

All data sets, an evolution and J48 in Python; then the commands, from an experiment to its page; then what is
said where an extra is missing. It is no test of the suite because it needs a package registry.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from environments import build_wheel, empty_environment, install, run

LIBRARY = """
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

RESULTS = ("--results", "results/smoke")
COMMANDS = [
    ("--help",),
    ("run", "--config", "smoke", "--only", "study=savings", "--evaluators", "old,new"),
    ("table", "3", *RESULTS),
    ("figure", "speed-up", *RESULTS),
    ("figure", "5", "--output", "."),
    ("report", *RESULTS),
    ("tree", "zoo", "--effort", "0.1", "--save", "tree.json", "--picture", "tree.svg"),
    ("explore", "zoo", "--output", "zoo.html"),
    ("export", "tree.json", "--to", "sql"),
]
WRITTEN = ["results/smoke/report.html", "figure-5.svg", "tree.svg", "zoo.html"]


def main() -> None:
    """Build, install, use."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wheel = build_wheel(folder)
        python = empty_environment(folder / "venv")
        install(python, wheel)
        run(python, "-I", "-c", LIBRARY, cwd=folder)
        empty = folder / "empty"
        empty.mkdir()
        check_commands(python.parent / "gatree", empty, wheel)


def check_commands(gatree: Path, folder: Path, source: Path) -> None:
    """Run the commands in an empty folder, and one that needs an extra."""
    for words in COMMANDS:
        print("$ gatree", *words, flush=True)
        run(gatree, *words, cwd=folder)
    if missing := [name for name in WRITTEN if not (folder / name).is_file()]:
        sys.exit(f"not written: {', '.join(missing)}")
    command = [gatree, "results", *RESULTS, "--output", "rows.parquet"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    print(done.stderr, end="")
    if done.returncode != 1 or f"pip install '{source}[parquet]'" not in done.stderr:
        sys.exit("without its libraries a command does not say what to install")


if __name__ == "__main__":
    main()
