"""Run kernels that are not compiled yet as plain Python, for small jobs.

Compiling J48 takes six seconds; building a few trees on a few hundred instances in plain Python takes half a
second. Inside ``with interpreting():`` kernels that are already compiled, in this process or in the cache,
run compiled; all others run as Python. The results are the same. With plain numba, all kernels are compiled.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import FunctionType
from typing import Any

import numpy as np

from gatree.kernels.events import wait_for_other_process

_interpreting: ContextVar[bool] = ContextVar("interpreting", default=False)


@contextlib.contextmanager
def interpreting() -> Iterator[None]:
    """Do not compile kernels inside the block."""
    before = _interpreting.set(True)
    try:
        with np.errstate(all="ignore"):  # compiled code does not warn
            yield
    finally:
        _interpreting.reset(before)


def allow_interpreting(kernel: Any) -> None:
    """Let a kernel that is not compiled yet run as Python inside `interpreting`."""
    compiled_for: Any = getattr(kernel, "_compile_for_args", None)  # returns the function for numba to call

    def called_for(*arguments: Any, **keywords: Any) -> Any:
        if _interpreting.get() and not getattr(kernel._cache, "has_code", False):
            return as_python(kernel)
        wait_for_other_process(kernel.py_func.__module__)
        return compiled_for(*arguments, **keywords)

    if compiled_for is not None:
        kernel._compile_for_args = called_for


@functools.cache
def as_python(kernel: Any) -> Callable[..., Any]:
    """Return a kernel as a Python function that also calls other kernels as Python functions.

    `U` is Python's `int` there: numpy's unsigned integers as indices would double the time.
    """
    function = kernel.py_func
    names, used = function.__globals__, function.__code__.co_names
    called = {name: as_python(names[name]) for name in used if hasattr(names.get(name), "py_func")}
    return FunctionType(
        function.__code__, {**names, **called, "U": int}, function.__name__, function.__defaults__
    )
