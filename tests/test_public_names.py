"""What `import gatree` offers: typed, light, and all of it by a star."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gatree


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_star_takes_every_public_name():
    names: dict[str, object] = {}
    exec("from gatree import *", names)
    assert {*gatree.__all__} - {"__version__"} <= names.keys()


def test_importing_it_compiles_and_loads_nothing():
    heavy = "{'numba', 'pandas', 'matplotlib', 'sklearn', 'pydantic'}"
    assert run(f"import sys, gatree.settings.registry; print({heavy} & set(sys.modules))") == "set()\n"


def test_the_stub_has_the_public_names_of_the_program():
    """`__init__.pyi` is what type checkers see, ``__all__`` what a program gets."""
    stub = ast.parse(Path(gatree.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imported = {
        name.asname: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert imported == gatree._HOMES


@pytest.mark.long
def test_a_program_with_every_public_name_passes_mypy_strict(tmp_path):
    from mypy import api

    public = [name for name in gatree.__all__ if name != "__version__"]
    uses = "".join(f"from gatree import {name}\nreveal_type({name})\n" for name in public)
    (tmp_path / "uses.py").write_text(uses)
    options = ["--strict", "--cache-dir", str(tmp_path), "--follow-imports=silent"]
    shown, errors, code = api.run([str(tmp_path / "uses.py"), *options])
    assert (errors, code) == ("", 0), shown
    types = re.findall(r'Revealed type is "(.*)"', shown)
    assert len(types) == len(public)
    assert "Any" not in types
