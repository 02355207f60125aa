"""Small jobs, done without compiling: a kernel that is not compiled yet runs as the Python it is written in.

To compile J48 takes six seconds; to build a handful of trees on some hundred instances without, half a one.
Who has such a job, and no other, does it ``with interpreting():``. Kernels that were compiled before, here or
by another process that left them in the cache, run compiled in there, too. The results are the same. Where a
release of numba lacks the place to step in, all are compiled.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import FunctionType
from typing import Any

import numpy as np

_interpreting: ContextVar[bool] = ContextVar("interpreting", default=False)


@contextlib.contextmanager
def interpreting() -> Iterator[None]:
    """Compile no kernel meanwhile."""
    before = _interpreting.set(True)
    try:
        with np.errstate(all="ignore"):  # as compiled code does
            yield
    finally:
        _interpreting.reset(before)


def interpret_if_asked(kernel: Any) -> None:
    """Have a kernel, wherever it would be compiled, be interpreted while that is asked."""
    compiled_for: Any = getattr(kernel, "_compile_for_args", None)  # it returns what numba is to call

    def called_for(*arguments: Any, **keywords: Any) -> Any:
        if _interpreting.get() and not getattr(kernel._cache, "has_code", False):
            return as_python(kernel)
        return compiled_for(*arguments, **keywords)

    if compiled_for is not None:
        kernel._compile_for_args = called_for


@functools.cache
def as_python(kernel: Any) -> Callable[..., Any]:
    """Return a kernel as a Python function that calls the kernels in it as such, too.

    `U` is Python's `int` there: indices that are numpy's unsigned integers would double the time.
    """
    function = kernel.py_func
    names, used = function.__globals__, function.__code__.co_names
    called = {name: as_python(names[name]) for name in used if hasattr(names.get(name), "py_func")}
    return FunctionType(
        function.__code__, {**names, **called, "U": int}, function.__name__, function.__defaults__
    )
