"""Plug-ins: evaluators, selections, mutations and formats that other packages register.

A package names its entry points in its own ``pyproject.toml`` (docs/extending.md)::

    [project.entry-points."gatree.selections"]
    linear-rank = "my_package.entries:LINEAR_RANK"
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from gatree.base.errors import ConfigError

Result = TypeVar("Result")

_log = logging.getLogger(__name__)


def load_plugins(group: str, own: Collection[str] = ()) -> dict[str, object]:
    """Return the plug-ins that installed packages register in a group, by name, in alphabetical order.

    A plug-in that fails to import is logged in one line and skipped. It is a ConfigError if two packages
    register the same name, or one of gatree's ``own`` of this group.
    """
    for name, package in _packages(group).items():
        if name in own:
            raise ConfigError(f"{group}: {package} registers {name!r}, a name of gatree's own; rename it")
    return dict(_loaded(group))


_all_registered = cache(entry_points)  # read the metadata of all installed packages only once


def _registered(group: str) -> list[EntryPoint]:
    return sorted(_all_registered().select(group=group), key=lambda point: point.name)


def _packages(group: str) -> dict[str, str]:
    """Return the package that registers each name of a group."""
    packages: dict[str, str] = {}
    for point in _registered(group):
        package = _package_of(point)
        if point.name in packages:
            both = f"{packages[point.name]} and {package}"
            raise ConfigError(f"{group}: {both} both register {point.name!r}; uninstall one of them")
        packages[point.name] = package
    return packages


@cache
def _loaded(group: str) -> dict[str, object]:
    parts: dict[str, object] = {}
    for point in _registered(group):
        try:
            parts[point.name] = point.load()
        except Exception as error:  # third-party code may raise anything
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            _log.warning("%s: %r of %s is left out: %s", group, point.name, _package_of(point), reason)
    return parts


def _package_of(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def plugin_sources(groups: Iterable[str]) -> dict[str, bytes]:
    """Return the sources of all packages that register plug-ins in these groups, by module and path."""
    top_level = {point.module.partition(".")[0] for group in groups for point in _registered(group)}
    return {
        f"{name}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for name in sorted(top_level)
        for folder, path in _files_of(name)
    }


def _files_of(module: str) -> list[tuple[Path, Path]]:
    """Return the Python files of a top-level module or package, each with its folder."""
    spec = find_spec(module)
    if spec is None:
        return []
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    if not folders and spec.origin:
        return [(Path(spec.origin).parent, Path(spec.origin))]
    return [(folder, path) for folder in folders for path in sorted(folder.rglob("*.py"))]
