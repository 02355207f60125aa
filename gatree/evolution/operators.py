"""The kernels of the genetic operators: selections and mutations, including those of other packages."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from gatree.base.errors import ConfigError
from gatree.kernels.decorators import one_of, stop_caching
from gatree.settings.entries import Entry

_log = logging.getLogger(__name__)

AnyEntry = TypeVar("AnyEntry", bound=Entry)


class Operators(Generic[AnyEntry]):
    """Operators of one kind, and one kernel that calls the operator with a given index.

    An operator of another package that fails to import is logged in one line and skipped.
    """

    def __init__(self, setting: str, entries: Iterable[AnyEntry]) -> None:
        self.setting = setting
        self.entries: list[AnyEntry] = []
        self.failures: dict[str, str] = {}
        kernels: list[Any] = []
        for entry in entries:
            try:
                kernels.append(entry.load())
            except Exception as error:  # code of another package may raise anything
                self._skip(entry, error)
            else:
                self.entries.append(entry)
        self.kernel: Any = one_of(f"any_{setting}".replace(" ", "_"), kernels)

    def _skip(self, entry: AnyEntry, error: Exception) -> None:
        if entry.path.startswith("gatree."):
            raise error
        self.failures[entry.name] = f"{type(error).__name__}: {error}".splitlines()[0]
        _log.warning("%s: %r is left out: %s", self.setting, entry.name, self.failures[entry.name])
        stop_caching()  # the cache key does not record which operators were compiled in

    def index_of(self, name: str) -> int:
        """Return the index by which the kernel calls an operator."""
        if name in self.failures:
            raise ConfigError(f"{self.setting}: {name!r} failed to import: {self.failures[name]}")
        return [entry.name for entry in self.entries].index(name)
