"""Kernels for classes and for numbers: which of them is a constant when a kernel is compiled.

numba leaves out a branch whose condition is a global constant, before it translates anything. So a kernel
that asks ``if ARE_CLASSES`` is compiled for one of them only, which takes half the time. A kernel as it is
written is that of classes; `for_kind` copies it, with all kernels that it calls, for numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from gatree.kernels.decorators import specialised

ARE_CLASSES = True

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_decorators: dict[Any, Callable[[Any], Any]] = {}


def of_kind(decorator: Callable[[Kernel], Kernel]) -> Callable[[Kernel], Kernel]:
    """Return a decorator of kernels that `for_kind` copies."""

    def decorated(function: Kernel) -> Kernel:
        kernel = decorator(function)
        _decorators[kernel] = decorator
        return kernel

    return decorated


@functools.cache
def for_kind(kernel: Any, are_classes: bool) -> Any:
    """Return a kernel, and all that it calls, for classes or for numbers."""
    if kernel not in _decorators or are_classes:
        return kernel
    function = getattr(kernel, "py_func", kernel)
    names = function.__globals__
    called = (name for name in function.__code__.co_names if _is_kernel(names.get(name)))
    parts = {name: for_kind(names[name], are_classes) for name in called}
    copy = specialised(function, f"{function.__name__}_of_numbers", **parts, ARE_CLASSES=are_classes)
    return _decorators[kernel](copy)


def _is_kernel(named: Any) -> bool:
    return callable(named) and not isinstance(named, type) and named in _decorators
