"""The lock has a version of everything that the project names, and one that the project accepts."""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def locked() -> dict[str, Requirement]:
    lines = (ROOT / "requirements" / "lock.txt").read_text().splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    return {pin.name: pin for pin in pins}


def test_every_dependency_is_locked_to_a_version_that_it_accepts():
    pins = locked()
    named = [*PROJECT["build-system"]["requires"], *PROJECT["project"]["dependencies"]]
    for extra in PROJECT["project"]["optional-dependencies"].values():
        named += extra
    for requirement in map(Requirement, named):
        name = canonicalize_name(requirement.name)
        if name != PROJECT["project"]["name"]:
            assert name in pins, f"{name} is not in requirements/lock.txt: make lock"
            version = str(pins[name].specifier).removeprefix("==")
            assert version in requirement.specifier, f"{requirement}, locked to {version}: make lock"


def test_the_oldest_python_is_not_asked_for_what_does_not_admit_it():
    for name, pin in locked().items():
        asked = pin.marker is None or pin.marker.evaluate({"python_full_version": "3.11.0"})
        with suppress(PackageNotFoundError):
            installed = metadata(name)
            admitted = SpecifierSet(installed.get("Requires-Python") or "")
            if asked and installed["Version"] in pin.specifier:
                assert "3.11.0" in admitted, f"{pin} needs Python {admitted}: make lock"


def test_pins_are_exact_and_in_order():
    pins = locked()
    assert list(pins) == sorted(pins)
    assert all(re.fullmatch(r"==[\w.+]+", str(pin.specifier)) for pin in pins.values())
