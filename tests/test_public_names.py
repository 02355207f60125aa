"""What `import gatree` offers: typed, light, and all of it by a star."""

from __future__ import annotations

import subprocess
import sys

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


@pytest.mark.long
def test_type_checkers_see_the_real_types(tmp_path):
    from mypy import api

    public = [name for name in gatree.__all__ if name != "__version__"]
    code = "import gatree\n" + "".join(f"reveal_type(gatree.{name})\n" for name in public)
    (tmp_path / "uses.py").write_text(code)
    shown, errors, _ = api.run(
        [str(tmp_path / "uses.py"), "--cache-dir", str(tmp_path), "--follow-imports=silent"]
    )
    assert not errors
    assert shown.count("Revealed type is") == len(public)
    for name in ("Dataset", "DecisionTree", "EvolutionSettings"):
        assert f".{name}" in shown
    typed = [line for line in shown.splitlines() if 'type is "Any"' not in line]
    assert len(typed) >= len(public)
