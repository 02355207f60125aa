"""Kernels for one kind of task: what differs between kinds is a constant when a kernel is compiled.

numba leaves out a branch whose condition is a global constant, before it translates anything. So a kernel
that asks ``if ARE_CLASSES`` is compiled for one kind only, which takes half the time. A kernel as it is
written is that of classes with any demands; `for_kind` copies it, with all kernels that it calls, for another
kind.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from gatree.kernels.decorators import specialised

ARE_CLASSES = True
HAS_DEMANDS = True
"""Whether there may be costs or directions, which few tasks have."""

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_decorators: dict[Any, Callable[[Any], Any]] = {}


class Kind(NamedTuple):
    """What is constant in a kernel."""

    are_classes: bool = True
    has_demands: bool = True


def of_kind(decorator: Callable[[Kernel], Kernel]) -> Callable[[Kernel], Kernel]:
    """Return a decorator of kernels that `for_kind` copies."""

    def decorated(function: Kernel) -> Kernel:
        kernel = decorator(function)
        _decorators[kernel] = decorator
        return kernel

    return decorated


@functools.cache
def for_kind(kernel: Any, kind: Kind) -> Any:
    """Return a kernel, and all that it calls, for one kind of task."""
    if kernel not in _decorators or kind == Kind():
        return kernel
    function = getattr(kernel, "py_func", kernel)
    names = function.__globals__
    called = (name for name in function.__code__.co_names if _is_kernel(names.get(name)))
    parts = {name: for_kind(names[name], kind) for name in called}
    constants = {"ARE_CLASSES": kind.are_classes, "HAS_DEMANDS": kind.has_demands}
    suffix = ("classes" if kind.are_classes else "numbers") + ("_with_demands" if kind.has_demands else "")
    copy = specialised(function, f"{function.__name__}_of_{suffix}", **parts, **constants)
    return _decorators[kernel](copy)


def _is_kernel(named: Any) -> bool:
    return callable(named) and not isinstance(named, type) and named in _decorators
