"""What the package imports is declared in pyproject.toml, and nothing else is."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMES_WITH = {"pydantic_core": "pydantic"}  # which pins its version


def imported() -> set[str]:
    """The distributions that the package's modules import, at whatever depth."""
    found = set()
    for source in (ROOT / "gatree").rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add((node.module or "").partition(".")[0])
    found -= {*sys.stdlib_module_names, "gatree"}
    providers = packages_distributions()
    return {normal(COMES_WITH.get(name) or providers.get(name, [name])[0]) for name in found}


def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needs = [*project["dependencies"], *(need for name in extras if name != "dev" for need in extras[name])]
    return {normal(re.match(r"[\w.-]+", need)[0]) for need in needs}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_what_is_imported_is_declared_and_nothing_else():
    assert declared() == imported()
