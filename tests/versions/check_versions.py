"""Run the tests with the lowest and the newest versions that pyproject.toml allows; `make versions`.

It does so on every Python of 3.11-3.14 that is found (with ``--here`` only on the one that runs it), each
in its own environment, and ends with a table. It is not part of the suite because it needs a package
registry. Other arguments are passed on to pytest; by default all fast tests run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
ROWS: dict[str, tuple[str, dict[str, str]]] = {  # the resolution, and variables of the environment
    "lowest": ("lowest-direct", {}),
    "newest": ("highest", {}),
    "newest, plain numba": ("highest", {"GATREE_PLAIN_NUMBA": "1"}),
}
_AS_WHEELS = ("--only-binary", ":all:", "--no-binary", "liac-arff")  # which is there as a source only
# The lowest versions of ours meet newer ones of what they need themselves, which warn them of it.
_OLD_MEETS_NEW = {"lowest-direct": ("-W", "default::DeprecationWarning")}
ALL_TESTS = ("-n", str(os.cpu_count()), "--dist", "worksteal")
SHOWN = ("numpy", "numba", "pandas", "scikit-learn")


class Environment(NamedTuple):
    """A virtual environment to make, and how to run the tests in it."""

    folder: Path
    python: str
    resolution: str
    variables: dict[str, str]


def main() -> None:
    """Find the Pythons, run all, print the table."""
    rows, worst = [], 0
    here = "--here" in sys.argv[1:]
    tests = [argument for argument in sys.argv[1:] if argument != "--here"] or list(ALL_TESTS)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        uv = _uv(folder / "tools")
        for version in ("{}.{}".format(*sys.version_info),) if here else PYTHONS:
            python = sys.executable if here else _python(version)
            for name, (resolution, variables) in ROWS.items():
                if python is None:
                    rows.append((version, name, "", "not installed: skipped"))
                    continue
                print(f"\nPython {version}, {name} versions", flush=True)
                environment = Environment(folder / f"{version}-{name}", python, resolution, variables)
                verdict, versions = _tested(uv, environment, tests)
                worst = worst or verdict != "passed"
                rows.append((version, name, versions, verdict))
    print("\n| Python | versions | of them | tests |\n|---|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    sys.exit(int(worst))


def _uv(folder: Path) -> Path:
    """Return uv, which knows how to choose the lowest versions; pip does not."""
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", "uv"], check=True)
    return folder / "bin" / "uv"


def _python(version: str) -> str | None:
    """Return the newest Python of this version, on the path or among pyenv's."""
    root = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    found = sorted(root.glob(f"versions/{version}.*/bin/python{version}"))
    return str(found[-1]) if found else shutil.which(f"python{version}")


def _tested(uv: Path, wanted: Environment, tests: list[str]) -> tuple[str, str]:
    """Install and run the tests; return how it went and which versions were there."""
    folder, python, resolution, variables = wanted
    environment = {**os.environ, **_index(), **variables}
    install = ["pip", "install", "--quiet", "--resolution", resolution, *_AS_WHEELS]
    direct = [*_direct(), *_for_the_tests()]
    own_python = folder / "bin" / "python"
    for command in (
        [uv, "venv", "--quiet", "--python", python, folder],
        [uv, *install, "--python", own_python, *direct],
        [uv, "pip", "install", "--quiet", "--no-deps", "--python", own_python, "--editable", PROJECT],
    ):
        if subprocess.run(list(map(str, command)), env=environment, check=False).returncode:
            return "cannot be installed", ""
    warm_up = [own_python, "-m", "gatree", "warm-up"]  # else all tests' processes do it
    subprocess.run(warm_up, env=environment, check=False)
    options = [*tests, *_OLD_MEETS_NEW.get(resolution, ())]
    command = [own_python, "-m", "pytest", "-q", *options]
    done = subprocess.run(command, cwd=PROJECT, env=environment, check=False)
    return ("passed" if done.returncode == 0 else "failed"), _versions(uv, own_python)


def _direct() -> list[str]:
    """Return what the project and its extras need, without what only developers do."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needs = [need for name in extras if name != "dev" for need in extras[name]]
    return [*project["dependencies"], *(need for need in needs if not need.startswith(project["name"]))]


def _for_the_tests() -> list[str]:
    """Return what the tests import, and what builds the project, as the dev extra has it."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = re.compile(r"(hypothesis|pytest|pytest-xdist|onnxruntime|selenium|build|shap|jsonschema|mypy)\b")
    dev = project["project"]["optional-dependencies"]["dev"]
    builds = [*project["build-system"]["requires"], "editables", "pip"]
    return [*(need for need in dev if needed.match(need)), *builds]


def _index() -> dict[str, str]:
    """Return where pip looks for packages, in uv's words."""
    settings = {}
    for pips, uvs in {"index-url": "UV_DEFAULT_INDEX", "extra-index-url": "UV_INDEX"}.items():
        command = [sys.executable, "-m", "pip", "config", "get", f"global.{pips}"]
        found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
        if found and not found.startswith("file:"):
            settings[uvs] = found
    return settings


def _versions(uv: Path, python: Path) -> str:
    command = [str(uv), "pip", "list", "--python", str(python), "--format", "freeze"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    installed = dict(line.split("==") for line in listed.splitlines() if "==" in line)
    return ", ".join(f"{name} {installed[name]}" for name in SHOWN if name in installed)


if __name__ == "__main__":
    main()
