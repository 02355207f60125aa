"""A plain install runs the commands; what needs an extra says which one, and where to install it from."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import gatree.base.extras
from gatree.base.errors import GatreeError, MissingLibraryError
from gatree.base.extras import EXTRA_OF, extras

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
REFERENCE = ROOT / "results" / "reference"
SAMPLE = ROOT / "tests" / "report" / "sample"
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
    pattern = re.compile(r"^ *(?:import (\w+)|from (\w+)[\w.]* import )", re.MULTILINE)
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "gatree").rglob("*.py"))
    names = {name for text in texts for found in pattern.findall(text) for name in found if name}
    return {PARTS_OF.get(name, name) for name in names} - sys.stdlib_module_names - {"gatree"}


def test_every_library_is_in_the_core_or_in_the_extra_that_is_named():
    core, distribution_of = distributions(PROJECT["dependencies"]), packages_distributions()
    used = imported()
    assert set(EXTRA_OF) <= used
    for library in used:
        wanted = canonicalize_name(distribution_of[library][0])
        extra = EXTRA_OF.get(library)
        assert wanted in (distributions(PROJECT["optional-dependencies"][extra]) if extra else core), library
    assert core == {canonicalize_name(distribution_of[name][0]) for name in used - set(EXTRA_OF)}
    extra_libraries = [distributions(PROJECT["optional-dependencies"][name]) for name in EXTRA_OF.values()]
    assert distributions(PROJECT["optional-dependencies"]["all"]) == set.union(*extra_libraries)


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


PLAIN = """
from gatree import EvolutionSettings, evolve, load_data, load_dataset, read_arff, write_arff
from gatree.j48 import fit
import gatree.cli.commands.evolve, gatree.trees.plot

data = load_dataset("vote")
write_arff(data, "vote.arff")
assert read_arff("vote.arff") == load_data("vote.arff") == data
outcome = evolve(data, EvolutionSettings(population_size=50, n_generations=20))
print(outcome.best.n_nodes, fit(data).to_text(), flush=True)
"""


def test_the_library_works_without_any_extra_and_names_what_is_missing(tmp_path: Path):
    words = ["results", "--results", str(SAMPLE), "--output", "rows.parquet"]
    needs_pyarrow = f"sys.argv[1:] = {words!r}; from gatree.__main__ import main; main()"
    done = without(set(EXTRA_OF), f"{PLAIN}\n{needs_pyarrow}", tmp_path)
    assert done.returncode == 1, done.stderr
    assert "physician-fee-freeze" in done.stdout
    assert f"which is not installed: pip install '{ROOT}[{EXTRA_OF['pyarrow']}]'" in done.stderr
    assert "Traceback" not in done.stderr


COMMANDS = [
    ["datasets", "list"],
    ["table", "3", "--results", str(REFERENCE)],
    ["figure", "5", "--output", "."],
    ["evolve", "zoo", "--picture", "zoo.svg"],
    ["run", "--config", str(ROOT / "configs" / "smoke.yaml"), "--results", "here", "--dry-run"],
]


@pytest.mark.long
def test_the_commands_need_no_extra(tmp_path: Path):
    run = "for words in {}: cli.main(words, standalone_mode=False); print('done:', words[0])"
    code = f"from gatree.cli.main import cli\n{run.format(COMMANDS)}"
    done = without(set(EXTRA_OF), code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert [f"done: {words[0]}" for words in COMMANDS] == [
        line for line in done.stdout.splitlines() if line.startswith("done: ")
    ]


def hint() -> str:
    with pytest.raises(MissingLibraryError) as caught, extras():
        raise ModuleNotFoundError(name="onnx.helper")
    return str(caught.value)


def test_in_a_clone_the_hint_installs_from_the_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    assert hint() == "this needs onnx, which is not installed: pip install '.[onnx]'"
    monkeypatch.chdir(tmp_path)
    assert hint().endswith(f"pip install '{ROOT}[onnx]'")


@pytest.mark.parametrize(
    ("url", "source"),
    [
        ("https://example.org/gatree_lab-1.0-py3-none-any.whl", "gatree-lab"),
        ("file:///no/such/folder", "gatree-lab"),
        ("file://{here}", "{here}"),
        (None, "gatree-lab"),
    ],
)
def test_elsewhere_the_hint_installs_from_where_pip_did(
    url: str | None, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """As an installation leaves it: no clone around the package, and pip's record of its source."""
    here = tmp_path / "a clone"
    about = tmp_path / "gatree_lab-9.9.dist-info"
    here.mkdir()
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: gatree-lab\nVersion: 9.9\n")
    if url is not None:
        recorded = url.format(here=str(here).replace(" ", "%20"))
        (about / "direct_url.json").write_text(json.dumps({"url": recorded, "dir_info": {}}))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(gatree.base.extras, "__file__", str(tmp_path / "gatree" / "base" / "extras.py"))
    assert hint().endswith(f"pip install '{source.format(here=here)}[onnx]'")
