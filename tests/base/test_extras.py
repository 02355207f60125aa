"""The core needs its own dependencies only, and every part says what to install for more."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from gatree.base.errors import GatreeError, MissingLibraryError
from gatree.base.extras import EXTRA_OF, extras

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
REFERENCE = ROOT / "results" / "reference"
PARTS_OF = {"pydantic_core": "pydantic"}


def distributions(requirements: list[str]) -> set[str]:
    """Return the distributions that a list of requirements names, also those of our own extras in it."""
    found: set[str] = set()
    for requirement in map(Requirement, requirements):
        if requirement.name != PROJECT["name"]:
            found.add(canonicalize_name(requirement.name))
        for extra in requirement.extras if requirement.name == PROJECT["name"] else ():
            found |= distributions(PROJECT["optional-dependencies"][extra])
    return found


def imported() -> set[str]:
    """Return the names of all libraries that the package imports anywhere."""
    names: set[str] = set()
    for path in (ROOT / "gatree").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(str(node.module))
    top_level = {name.partition(".")[0] for name in names}
    return {PARTS_OF.get(name, name) for name in top_level} - sys.stdlib_module_names - {"gatree"}


def test_every_library_is_in_the_core_or_in_the_extra_that_is_named():
    core, distribution_of = distributions(PROJECT["dependencies"]), packages_distributions()
    used = imported()
    assert set(EXTRA_OF) <= used
    for library in used:
        wanted = canonicalize_name(distribution_of[library][0])
        extra = EXTRA_OF.get(library)
        assert wanted in (distributions(PROJECT["optional-dependencies"][extra]) if extra else core), library
    assert core == {canonicalize_name(distribution_of[name][0]) for name in used - set(EXTRA_OF)}


def test_all_brings_every_extra():
    assert distributions(PROJECT["optional-dependencies"]["all"]) == {
        name
        for extra in set(EXTRA_OF.values())
        for name in distributions(PROJECT["optional-dependencies"][extra])
    }


def test_other_missing_modules_stay_what_they_are():
    with pytest.raises(ModuleNotFoundError, match="no_such_module"), extras():
        import no_such_module  # noqa: F401
    assert issubclass(MissingLibraryError, GatreeError)
    assert issubclass(MissingLibraryError, ImportError)


def without(libraries: set[str], code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a process that cannot import these libraries."""
    code = f"import sys\nsys.modules.update(dict.fromkeys({sorted(libraries)!r}))\n{code}"
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def command(*words: str) -> str:
    return f"sys.argv[1:] = {list(words)!r}; from gatree.__main__ import main; main()"


CORE = """
from gatree import EvolutionSettings, evolve, load_data, load_dataset, read_arff, write_arff
from gatree.j48 import fit

data = load_dataset("vote")
write_arff(data, "vote.arff")
assert read_arff("vote.arff") == load_data("vote.arff") == data
outcome = evolve(data, EvolutionSettings(population_size=50, n_generations=20))
print(outcome.best.n_nodes, fit(data).to_text())
"""


def test_the_core_works_without_any_extra(tmp_path: Path):
    done = without(set(EXTRA_OF), CORE, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "physician-fee-freeze" in done.stdout


@pytest.mark.parametrize(
    ("library", "code"),
    [
        ("click", command("--help")),
        ("jinja2", command("report", "--results", str(REFERENCE), "--output", "page.html")),
        ("matplotlib", command("figure", "5", "--output", ".")),
        pytest.param(
            *("matplotlib", command("evolve", "zoo", "--generations", "2", "--picture", "zoo.png")),
            marks=pytest.mark.long,
        ),
        ("pandas", "import gatree; gatree.GATreeClassifier"),
        ("sklearn", "import gatree; gatree.J48Classifier"),
    ],
)
def test_what_is_missing_is_named(library: str, code: str, tmp_path: Path):
    done = without({library}, code, tmp_path)
    assert done.returncode == 1
    assert f"which is not installed: pip install 'gatree-lab[{EXTRA_OF[library]}]'" in done.stderr
    assert ("Traceback" in done.stderr) == ("main()" not in code)


COMMANDS = [
    ["datasets", "list"],
    ["evolve", "zoo", "--population", "20", "--generations", "5"],
    ["table", "3", "--paper"],
    ["run", "--config", str(ROOT / "configs" / "smoke.yaml"), "--results", "here", "--dry-run"],
]


def test_the_commands_need_the_extra_cli_only(tmp_path: Path):
    brought = {"click", "msgspec", "rich", "tabulate", "pandas"}
    run = "for words in {}: cli.main(words, standalone_mode=False); print('done:', words[0])"
    code = f"from gatree.cli.main import cli\n{run.format(COMMANDS)}"
    done = without(set(EXTRA_OF) - brought, code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert [f"done: {words[0]}" for words in COMMANDS] == [
        line for line in done.stdout.splitlines() if line.startswith("done: ")
    ]
