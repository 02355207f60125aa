"""Kernels as plain Python functions, for tests of kernels that only kernels call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any


@functools.cache
def as_python(kernel: Any) -> Callable[..., Any]:
    """Return a kernel as a Python function that also calls other kernels as Python functions."""
    function = getattr(kernel, "py_func", None)
    if function is None:  # the JIT is off
        return kernel
    names, used = function.__globals__, function.__code__.co_names
    called = {name: as_python(names[name]) for name in used if hasattr(names.get(name), "py_func")}
    # `U` is Python's integer: numpy's unsigned integers as indices would double the time.
    parts = {**names, **called, "U": int}
    return FunctionType(function.__code__, parts, function.__name__, function.__defaults__)
