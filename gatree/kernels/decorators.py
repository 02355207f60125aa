"""The decorators that compile kernels, and the folder the compiled code is kept in.

numba's cache on disk notices an edit of the compiled function's own file, but not of a function
it calls from another file, and would then silently serve stale code. So the cache lives in a
folder named by a hash of the sources that hold kernels or what kernels use: an edit in one of them starts
a fresh one.

``GATREE_CACHE_DIR`` moves the cache; ``NUMBA_DISABLE_JIT=1`` switches compilation off.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba.core.options import DefaultOptions
from numba.extending import register_jitable

from gatree.kernels.cache import KernelCache, cache_folder
from gatree.kernels.compiler import (
    IS_KNOWN,
    BranchingCompiler,
    KernelCompiler,
    TranslatingCompiler,
    call_instead,
)
from gatree.kernels.events import report_compilations
from gatree.kernels.interpreting import interpret_if_asked
from gatree.kernels.numba_without_scipy import import_numba_without_scipy

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
Fields = TypeVar("Fields", bound=tuple[Any, ...])

_WITH_KERNELS = (
    "evolution/",
    "j48/",
    "optimum/",
    "front/",
    "trees/genome.py",
    "trees/predict.py",
    "data/cases.py",
    "settings/registry.py",
    "kernels/decorators.py",
    "kernels/compiler.py",
)
"""The sources that kernels depend on; a test knows if one is missing."""


def kernel_sources() -> dict[str, bytes]:
    """Return the sources that compiled code depends on, by their names in the package."""
    package = Path(__file__).resolve().parents[1]
    names = sorted(path.relative_to(package).as_posix() for path in package.rglob("*.py"))
    return {name: (package / name).read_bytes() for name in names if name.startswith(_WITH_KERNELS)}


def _sources_digest() -> str:
    built = (numba.__version__, llvmlite.__version__, np.__version__, numba.config.BOUNDSCHECK)
    digest = hashlib.sha256(repr(built).encode())
    for name, source in kernel_sources().items():
        digest.update(name.encode())
        digest.update(source)
    return digest.hexdigest()[:16]


CACHE_FOLDER = cache_folder(f"kernels-{_sources_digest()}")
"""Where compiled code is kept, if it can be kept at all."""

COMPILED = not numba.config.DISABLE_JIT
"""Whether kernels are compiled at all."""

report_compilations()
import_numba_without_scipy()


U = np.uintp
"""The type of an index that is never negative: numba then needs no check for counting from the end.

Arithmetic of it with a signed integer gives a float, so either all of an expression is unsigned, or only
the finished index is turned: ``span[U(row), U(left + 1)]``. (Where kernels are interpreted it is an int.)
"""

# numba's switch for reference counting is private; where a release does not have it, do without.
# A kernel does as its caller does unless it says otherwise: one that allocates counts, whoever calls it.
_CAN_SAY = hasattr(DefaultOptions, "_nrt")
_UNCOUNTED = {"_nrt": False} if _CAN_SAY else {}
_COUNTED = {"_nrt": True} if _CAN_SAY else {}


def jit(kernel: Kernel) -> Kernel:
    """Compile a kernel: no Python objects, no exceptions, the GIL released, cached on disk."""
    return _compiled(kernel, **_COUNTED)


def lean(kernel: Kernel) -> Kernel:
    """Compile a kernel that allocates nothing, without counting references to its arrays.

    The arrays belong to the caller, who outlives the call. On trees of a few nodes the counting takes
    longer than the work: without it a generation runs two to three times as fast.
    """
    return _compiled(kernel, **_UNCOUNTED)


def branching(kernel: Kernel) -> Kernel:
    """Compile a lean kernel that decides more than it counts: no loop in it is worth looking for vectors.

    No index in it, or in what it calls, may be negative: it is taken as it is, not counted from the end, and
    would be one outside the array. By that the search for fronts takes three quarters of the time. (Elsewhere
    `U` says so, index by index.)

    Only Python calls it; where a kernel does, that one's compiler decides.
    """
    return _compiled(kernel, BranchingCompiler, **_UNCOUNTED)


def inlined(kernel: Kernel) -> Kernel:
    """Compile a small lean kernel into its callers: passing tuples of arrays costs more than it does."""
    return _compiled(kernel, forceinline=True, **_UNCOUNTED)


def shared(function: Kernel) -> Kernel:
    """Let kernels call a small function that Python calls as it is."""
    return cast(Kernel, register_jitable(error_model="numpy", **_UNCOUNTED)(function))


def _compiled(kernel: Kernel, compiler: Any = KernelCompiler, **options: bool) -> Kernel:
    """Compile a kernel for Python when Python calls it, and for kernels when they do (compiler.py)."""
    options.update(nogil=True, no_cfunc_wrapper=True)
    pipeline: Any = {"pipeline_class": compiler} if IS_KNOWN else {}
    compiled: Any = numba.njit(error_model="numpy", **options, **pipeline)(kernel)
    if COMPILED and IS_KNOWN:
        pipeline = {"pipeline_class": TranslatingCompiler, "no_cpython_wrapper": True}
        call_instead(compiled, lambda: numba.njit(error_model="numpy", **options, **pipeline)(kernel))
    if COMPILED and CACHE_FOLDER is not None:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(CACHE_FOLDER)  # only our own kernels move there
        try:
            compiled._cache = KernelCache(kernel)  # what `cache=True` does, with numba's own
        finally:
            numba.config.CACHE_DIR = before
    if COMPILED:
        interpret_if_asked(compiled)
    return cast(Kernel, compiled)


def specialised(template: Kernel, name: str, **kernels: Callable[..., Any]) -> Kernel:
    """Return a template as a function of its own, in which global names stand for the given kernels.

    numba cannot keep on disk a kernel that is given another kernel, nor a closure over one. It does keep one
    that calls a global by its name, under its own file and qualified name. So a loop is written once, calls
    what varies by a global name, and is made anew for each that can stand there, under another name. Compile
    the result with a decorator of this module.
    """
    assert isinstance(template, FunctionType), "a template is not compiled itself"
    function = FunctionType(template.__code__, {**template.__globals__, **kernels}, name)
    function.__qualname__ = name
    function.__module__ = template.__module__
    function.__doc__ = template.__doc__
    return cast(Kernel, function)


def one_of(name: str, kernels: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """Return a kernel that calls the one of these whose number it is given, with the other arguments."""
    chain = kernels[-1]
    call: Callable[..., Any] = inlined(specialised(_the_last, f"{name}_{len(kernels) - 1}", this=chain))
    for number in reversed(range(len(kernels) - 1)):
        parts = {"this": kernels[number], "another": call}
        call = inlined(specialised(_this_or_another, f"{name}_{number}", **parts))
    return call


def this(*arguments: Any) -> Any:
    """Stand for the kernel that is called if its number comes up."""


def another(which: int, *arguments: Any) -> Any:
    """Stand for the kernel that chooses among the rest."""


def _this_or_another(which: int, *arguments: Any) -> Any:
    if which == 0:
        return this(*arguments)
    return another(which - 1, *arguments)


def _the_last(which: int, *arguments: Any) -> Any:  # noqa: ARG001
    return this(*arguments)


def plain(fields: Fields) -> Fields:
    """Return a NamedTuple of arrays, or of such tuples, as plain tuples, which kernels take from Python.

    This is how kernels are given what belongs together. Inside, it has names: kernels that kernels call take
    a `Trees`. From Python it comes plain, since numba recognises a plain tuple in half the time it takes for
    a NamedTuple, which counts in a call that is made once per generation. So the kernels that Python calls
    begin by naming what they are given, ``trees = Trees(*trees)``, and no others do.
    """
    return tuple([plain(field) if isinstance(field, tuple) else field for field in fields])  # type: ignore[return-value]
