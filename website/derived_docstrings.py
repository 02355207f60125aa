"""Show the docstrings of estimators as they are at run time, where their parameters are filled in."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import griffe


class DerivedDocstrings(griffe.Extension):
    """Replace a docstring in which a decorator fills in the parameters."""

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        if cls.docstring and "{parameters}" in cls.docstring.value:
            found = getattr(import_module(cls.module.path), cls.name)
            cls.docstring.value = inspect.cleandoc(found.__doc__)
