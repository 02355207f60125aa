"""Print the lock: the version of everything that gatree-lab[dev] needs, as it is installed here; `make lock`.

The lock is a file of constraints for pip, so it can name more than an installation takes, and works on other
platforms. A version that does not admit all Pythons that the project does carries a marker: elsewhere pip
chooses.
"""

from __future__ import annotations

import platform
import sys
from importlib.metadata import distribution, metadata

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def main() -> None:
    """Print a line for each distribution."""
    print(f"# Made by `make lock` with Python {platform.python_version()} on {sys.platform}.")
    print("# Versions for `make setup`; `make setup LATEST=1` takes the newest instead.")
    for name in sorted(needed("gatree-lab", frozenset({"dev"})) | {"pip"}):
        if name != "gatree-lab":
            print(pin(name))


def needed(
    name: str, extras: frozenset[str], seen: set[tuple[str, frozenset[str]]] | None = None
) -> set[str]:
    """Return the names of a distribution and of all that it needs here, with these extras of it."""
    seen = set() if seen is None else seen
    if (name, extras) not in seen:
        seen.add((name, extras))
        for requirement in map(Requirement, distribution(name).requires or ()):
            wanted = [
                requirement.marker is None or requirement.marker.evaluate({"extra": e}) for e in ("", *extras)
            ]
            if any(wanted):
                needed(canonicalize_name(requirement.name), frozenset(requirement.extras), seen)
    return {name for name, _ in seen}


def pin(name: str) -> str:
    """Return a distribution's line."""
    about = metadata(name)
    line = f"{name}=={about['Version']}"
    admitted = SpecifierSet(about.get("Requires-Python") or "")
    if all(f"{python}.{patch}" in admitted for python in PYTHONS for patch in (0, 99)):
        return line
    return f"{line} ; " + " and ".join(f'python_full_version {a.operator} "{a.version}"' for a in admitted)


if __name__ == "__main__":
    main()
