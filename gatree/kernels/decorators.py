"""The decorators that compile kernels, and the folder the compiled code is kept in.

numba's cache on disk notices an edit of the compiled function's own file, but not of a function
it calls from another file, and would then silently serve stale code. So the cache lives in a
folder named by a hash of the sources that hold kernels or what kernels use: an edit in one of them starts
a fresh one.

``GATREE_CACHE_DIR`` moves the cache, ``GATREE_PLAIN_NUMBA=1`` has numba compile by itself (guard.py), and
``NUMBA_DISABLE_JIT=1`` switches compilation off.

numba unpickles what it finds in its cache, so the folder has to be the user's own: in the shared folder
for temporary files another user must neither have made it nor be able to write there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba.extending import register_jitable

from gatree.base.plugins import load_plugins, plugin_sources
from gatree.kernels.events import report_compilations
from gatree.kernels.guard import choose_compiler
from gatree.kernels.interpreting import allow_interpreting

_STALE_AFTER_SECONDS = 30 * 24 * 3600
_ROOM_NEEDED = bytes(4096)


def cache_folder(name: str) -> Path | None:
    """Return a folder of this name in the user's cache, or in one for temporary files, or none.

    ``GATREE_CACHE_DIR`` chooses the place; whoever sets it knows who can write there.
    """
    for parent, checked in _candidates():
        if _made(parent) and (not checked or _is_own(parent)) and _writable(parent / name):
            (parent / name).touch()
            _drop_unused(parent, keep=parent / name)
            return parent / name
    return None


def _candidates() -> Iterator[tuple[Path, bool]]:
    """Yield the folders to try, and whether they have to be the user's own."""
    if chosen := os.environ.get("GATREE_CACHE_DIR"):
        yield Path(chosen).expanduser(), False
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        with contextlib.suppress(RuntimeError):  # there may be no home
            yield Path(base).expanduser() / "gatree", True
    with contextlib.suppress(FileNotFoundError):  # Python finds no room for temporary files
        yield Path(tempfile.gettempdir()) / f"gatree-{os.getuid()}", True


def _made(folder: Path) -> bool:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
    except OSError:
        return False
    return True


def _is_own(folder: Path) -> bool:
    """Tell whether a folder is no link, belongs to this user, and nobody else can write in it."""
    about = folder.lstat()
    others = stat.S_IWGRP | stat.S_IWOTH
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & others


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            return file.write(_ROOM_NEEDED) == len(_ROOM_NEEDED)
    except OSError:
        return False


def _drop_unused(parent: Path, keep: Path) -> None:
    """Remove compiled code of sources that nobody has used for a month."""
    oldest = time.time() - _STALE_AFTER_SECONDS
    for folder in parent.glob("kernels-*"):
        with contextlib.suppress(OSError):  # another process may be faster
            if folder != keep and folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


Kernel = TypeVar("Kernel", bound=Callable[..., Any])
Fields = TypeVar("Fields", bound=tuple[Any, ...])

_WITH_KERNELS = (
    "evolution/",
    "j48/",
    "optimum/",
    "front/",
    "trees/genome.py",
    "data/cases.py",
    "settings/entries.py",
    "settings/registry.py",
    "kernels/decorators.py",
    "kernels/compiler.py",
    "kernels/words.py",
)
"""The sources that kernels depend on; a test knows if one is missing."""


_GROUPS_WITH_KERNELS = ("gatree.evaluators", "gatree.selections", "gatree.mutations")


def kernel_sources() -> dict[str, bytes]:
    """Return the sources that compiled code depends on, by their names in the package."""
    package = Path(__file__).resolve().parents[1]
    names = sorted(path.relative_to(package).as_posix() for path in package.rglob("*.py"))
    return {name: (package / name).read_bytes() for name in names if name.startswith(_WITH_KERNELS)}


def _sources_digest() -> str:
    built = (numba.__version__, llvmlite.__version__, np.__version__, numba.config.BOUNDSCHECK)
    registered = [list(load_plugins(group)) for group in _GROUPS_WITH_KERNELS]
    digest = hashlib.sha256(repr((built, registered)).encode())
    for name, source in {**kernel_sources(), **plugin_sources(_GROUPS_WITH_KERNELS)}.items():
        digest.update(name.encode())
        digest.update(source)
    return digest.hexdigest()[:16]


COMPILED = not numba.config.DISABLE_JIT
"""Whether kernels are compiled at all."""

_name = f"kernels-{_sources_digest()}"
CACHE_FOLDER = cache_folder(_name)
"""Where compiled code is kept, if it can be kept at all."""

_compiler = choose_compiler(CACHE_FOLDER) if COMPILED else None
if COMPILED and _compiler is None:  # the two compilers' files have different formats
    CACHE_FOLDER = cache_folder(f"{_name}-plain")

report_compilations()


def stop_caching() -> None:
    """Neither keep on disk nor read from there what is decorated from now on."""
    global CACHE_FOLDER
    CACHE_FOLDER = None


U = np.uintp
"""The type of an index that is never negative: numba then needs no check for counting from the end.

Arithmetic of it with a signed integer gives a float, so either all of an expression is unsigned, or only
the finished index is turned: ``span[U(row), U(left + 1)]``. (Where kernels are interpreted it is an int.)
"""

# numba's switch for reference counting. A kernel does as its caller does unless it says otherwise: one that
# allocates counts, whoever calls it.
_COUNTED, _UNCOUNTED = {"_nrt": True}, {"_nrt": False}


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
    """Compile a lean kernel in which no index, also in what it calls, is negative.

    An index is used as it is: a negative one does not count from the end but lies outside the array. By that
    the search for fronts takes three quarters of the time. (Elsewhere `U` says so, index by index.)

    Only Python calls it; where a kernel does, that one's compiler decides.
    """
    return _compiled(kernel, branching=True, **_UNCOUNTED)


def inlined(kernel: Kernel) -> Kernel:
    """Compile a small lean kernel into its callers: passing tuples of arrays costs more than it does."""
    return _compiled(kernel, forceinline=True, **_UNCOUNTED)


def shared(function: Kernel) -> Kernel:
    """Let kernels call a small function that Python calls as it is."""
    return cast(Kernel, register_jitable(error_model="numpy", **(_UNCOUNTED if _compiler else {}))(function))


def _compiled(kernel: Kernel, **options: bool) -> Kernel:
    """Compile a kernel with our own compiler and its options, or with plain numba, which has others."""
    if not COMPILED:
        return kernel
    before = numba.config.CACHE_DIR
    if CACHE_FOLDER is not None:
        numba.config.CACHE_DIR = str(CACHE_FOLDER)  # only our own kernels move there
    try:
        if _compiler is None:
            plain_numba = numba.njit(error_model="numpy", nogil=True, cache=CACHE_FOLDER is not None)
            return cast(Kernel, plain_numba(kernel))
        compiled: Any = _compiler.compiled(kernel, **options)
        if CACHE_FOLDER is not None:
            _compiler.keep_on_disk(compiled)
    finally:
        numba.config.CACHE_DIR = before
    allow_interpreting(compiled)
    return cast(Kernel, compiled)


def specialised(template: Kernel, name: str, **kernels: Callable[..., Any]) -> Kernel:
    """Return a template as a function of its own, in which global names stand for the given kernels.

    numba cannot keep on disk a kernel that takes another kernel, nor a closure over one. It does keep one
    that calls a global by its name, under its own file and qualified name. So a loop is written once, calls
    what varies by a global name, and is copied for each kernel that can take its place, under another name.
    Compile the result with a decorator of this module.
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
    """Stand for the kernel with the number 0."""


def another(which: int, *arguments: Any) -> Any:
    """Stand for the kernel that chooses among the others."""


def _this_or_another(which: int, *arguments: Any) -> Any:
    if which == 0:
        return this(*arguments)
    return another(which - 1, *arguments)


def _the_last(which: int, *arguments: Any) -> Any:  # noqa: ARG001
    return this(*arguments)


def plain(fields: Fields) -> Fields:
    """Return a NamedTuple of arrays, or of such tuples, as plain tuples, which kernels take from Python.

    This is how kernels take what belongs together. Kernels that kernels call take a NamedTuple, such as
    `Trees`. Python passes a plain tuple, since numba recognises that in half the time, which counts in a call
    once per generation. So the kernels that Python calls begin with ``trees = Trees(*trees)``.
    """
    return tuple([plain(field) if isinstance(field, tuple) else field for field in fields])  # type: ignore[return-value]
