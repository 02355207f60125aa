"""The decorators that compile kernels, and the cache folder of the compiled code.

numba's disk cache notices an edit of the compiled function's own file, but not of a function that it calls
from another file: it would silently load stale code. So the name of the cache folder contains a hash of all
sources that hold kernels or that kernels use, and an edit in one of them starts a new folder.

``GATREE_CACHE_DIR`` moves the cache, ``GATREE_PLAIN_NUMBA=1`` selects plain numba (guard.py), and
``NUMBA_DISABLE_JIT=1`` disables compilation.

numba unpickles the files of its cache, so the folder must belong to the user: in the shared folder for
temporary files, no other user may have created it or be able to write to it.
"""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np

from gatree.base.plugins import load_plugins, plugin_sources
from gatree.kernels.events import report_compilations
from gatree.kernels.guard import choose_compiler

_STALE_AFTER_SECONDS = 30 * 24 * 3600
_ROOM_NEEDED = bytes(4096)


def cache_folder(name: str) -> Path | None:
    """Return a folder of this name in the user's cache or the temporary folder, or None.

    The folder that ``GATREE_CACHE_DIR`` names is used without a check of its owner.
    """
    for parent, checked in _candidates():
        if _made(parent) and (not checked or _is_own(parent)) and _writable(parent / name):
            (parent / name).touch()
            _drop_unused(parent, keep=parent / name)
            return parent / name
    return None


def _candidates() -> Iterator[tuple[Path, bool]]:
    """Yield the folders to try, and whether each must belong to the user."""
    if chosen := os.environ.get("GATREE_CACHE_DIR"):
        yield Path(chosen).expanduser(), False
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        with contextlib.suppress(RuntimeError):  # there may be no home folder
            yield Path(base).expanduser() / "gatree", True
    with contextlib.suppress(FileNotFoundError):  # there may be no folder for temporary files
        yield Path(tempfile.gettempdir()) / f"gatree-{_user()}", True


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else getpass.getuser()


def _made(folder: Path) -> bool:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
    except OSError:
        return False
    return True


def _is_own(folder: Path) -> bool:
    """Tell whether a folder is not a link, belongs to this user, and no other user can write to it."""
    about = folder.lstat()
    others = stat.S_IWGRP | stat.S_IWOTH
    if not hasattr(os, "getuid"):  # Windows: the folder for temporary files is the user's own
        return stat.S_ISDIR(about.st_mode)
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & others


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            return file.write(_ROOM_NEEDED) == len(_ROOM_NEEDED)
    except OSError:
        return False


def _drop_unused(parent: Path, keep: Path) -> None:
    """Remove the compiled code of sources that were not used for a month."""
    oldest = time.time() - _STALE_AFTER_SECONDS
    for folder in parent.glob("kernels-*"):
        with contextlib.suppress(OSError):  # another process may remove it first
            if folder != keep and folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_WITH_KERNELS = (
    "evolution/",
    "j48/",
    "optimum/",
    "smalltree/",
    "trees/genome.py",
    "trees/thresholds.py",
    "weka/folds.py",
    "data/cases.py",
    "data/coding.py",
    "settings/entries.py",
    "settings/registry.py",
    "kernels/decorators.py",
    "kernels/canary.py",
    "kernels/compiler.py",
    "kernels/words.py",
)
"""The sources that kernels depend on; a test fails if one is missing."""


_GROUPS_WITH_KERNELS = ("gatree.evaluators", "gatree.selections")


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
"""The cache of compiled code, or None if no folder is writable."""

_compiler = choose_compiler(CACHE_FOLDER) if COMPILED else None
if COMPILED and _compiler is None:  # the two compilers' files have different formats
    CACHE_FOLDER = cache_folder(f"{_name}-plain")

report_compilations()


U = np.uintp
"""The type of an index that is never negative, for which numba skips the check for negative indices.

Arithmetic with a signed integer gives a float, so either the whole expression is unsigned, or only the
finished index is converted: ``span[U(row), U(left + 1)]``.
"""

# numba's option for reference counting. By default a kernel inherits it from its caller; a kernel that
# allocates has to count, whatever its caller does.
_COUNTED, _UNCOUNTED = {"_nrt": True}, {"_nrt": False}


def jit(kernel: Kernel) -> Kernel:
    """Compile a kernel: no Python objects, no exceptions, the GIL released, cached on disk."""
    return _compiled(kernel, **_COUNTED)


def lean(kernel: Kernel) -> Kernel:
    """Compile a kernel that allocates nothing, without reference counting of its arrays.

    The arrays belong to the caller, which outlives the call. On trees of a few nodes, reference counting
    takes longer than the work: without it a generation runs two to three times as fast.
    """
    return _compiled(kernel, **_UNCOUNTED)


def branching(kernel: Kernel) -> Kernel:
    """Compile a lean kernel without support for negative indices, also in the kernels that it calls.

    A negative index is out of bounds here. This reduces the time of the search for fronts to three quarters.
    (Elsewhere `U` marks single indices as non-negative.)

    It takes effect when Python calls the kernel; otherwise the calling kernel's compiler decides.
    """
    return _compiled(kernel, branching=True, **_UNCOUNTED)


def _compiled(kernel: Kernel, **options: bool) -> Kernel:
    """Compile a kernel with our own compiler and its options, or with plain numba."""
    if not COMPILED:
        return kernel
    before = numba.config.CACHE_DIR
    if CACHE_FOLDER is not None:
        numba.config.CACHE_DIR = str(CACHE_FOLDER)  # for our own kernels only
    try:
        if _compiler is None:
            plain_numba = numba.njit(error_model="numpy", nogil=True, cache=CACHE_FOLDER is not None)
            return cast(Kernel, plain_numba(kernel))
        compiled = _compiler.compiled(kernel, **options)
        if CACHE_FOLDER is not None:
            _compiler.keep_on_disk(compiled)
    finally:
        numba.config.CACHE_DIR = before
    return cast(Kernel, compiled)


Fields = TypeVar("Fields", bound=tuple[Any, ...])


def plain(fields: Fields) -> Fields:
    """Return a NamedTuple as a plain tuple, which numba recognises three times as fast in a call."""
    return cast(Fields, tuple(fields))
