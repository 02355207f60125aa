"""A compiler of kernels that makes machine code only of what Python calls.

numba by itself optimizes every function, and emits and keeps machine code of it, also of a function that is
then inlined into its callers and never called itself. Here a function that kernels call is only translated
to LLVM's intermediate language and linked into the kernel that Python calls, where LLVM optimizes all of it
together, once. An integer argument of a kernel that kernels call is an int64 there, whatever its type: numba
would compile the function again for each type. By that a first command compiles in half of the time.

In a *branching* kernel an index is used as it is; numba lets a negative one count from the end.

The cache on disk treats a damaged file, which numba would stumble over each time, as one that is missing: the
kernel is compiled again and the file replaced. A full disk costs the compilation, not the work.

All that gatree uses of numba's internals is here; `gatree.kernels.guard` decides whether it is used.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.np import arrayobj

_log = logging.getLogger(__name__)


def compiled(kernel: Any, *, branching: bool = False, **options: bool) -> Any:
    """Return a kernel, compiled for Python when Python calls it, and translated when kernels do."""
    options.update(nogil=True, no_cfunc_wrapper=True)
    pipeline = BranchingCompiler if branching else KernelCompiler
    dispatcher: Any = numba.njit(error_model="numpy", pipeline_class=pipeline, **options)(kernel)
    options["no_cpython_wrapper"] = True
    _call_translation(dispatcher, lambda: numba.njit(error_model="numpy", **options)(kernel))
    return dispatcher


def keep_on_disk(dispatcher: Any) -> None:
    """Do what ``cache=True`` does, with a cache that mends itself, in the folder that numba is set to."""
    dispatcher._cache = KernelCache(dispatcher.py_func)


class _TranslatedCode(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that only kernels call, to be linked into theirs: no machine code."""

    def _optimize_final_module(self) -> None:
        """Leave that to the kernel that calls it."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return _NoMachineCode


class _NoMachineCode:
    """Stands where numba gives machine code its Python environment."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing."""


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Compiles a kernel that Python calls."""

    def compile_extra(self, function: Any) -> Any:
        codegen = self.state.targetctx.codegen()
        self.state.library = JITCodeLibrary(codegen, function.__qualname__)
        self.state.library.enable_object_caching()
        # All other code that is made during this call belongs to functions that the kernel calls.
        with _replaced(codegen, "_library_class", _TranslatedCode):
            return super().compile_extra(function)


class BranchingCompiler(KernelCompiler):
    """Compiles a kernel that Python calls, in which no index counts from the end."""

    def compile_extra(self, function: Any) -> Any:
        with _replaced(arrayobj, "fix_integer_index", _index_as_it_is):
            return super().compile_extra(function)


def _index_as_it_is(context: Any, builder: Any, kind: Any, index: Any, _length: Any) -> Any:
    """Return an index that is never negative, where numba would count a negative one from the end."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


@contextlib.contextmanager
def _replaced(owner: Any, name: str, ours: Any) -> Iterator[None]:
    """Replace a part of numba for a time, in which numba's global lock lets no other thread compile."""
    before = getattr(owner, name)
    setattr(owner, name, ours)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _call_translation(kernel: Any, translate: Callable[[], Any]) -> None:
    """Have kernels that call a kernel call a translation of it, with integers of one type.

    There is one translation for each way to use an index, whichever kernel is compiled first.
    """
    translations: dict[Any, Any] = {}

    def translated() -> Any:
        way = arrayobj.fix_integer_index
        if way not in translations:
            translations[way] = translate()
        return translations[way]

    def get_call_template(arguments: Any, keywords: Any) -> Any:
        wide = {name: _widest(kind) for name, kind in keywords.items()}
        return translated().get_call_template(tuple(map(_widest, arguments)), wide)

    for name in ("get_call_template", "get_overload"):
        getattr(kernel, name)  # numba has to look for what is put there
    kernel.get_call_template = get_call_template
    kernel.get_overload = lambda signature: translated().get_overload(signature)


def _widest(kind: Any) -> Any:
    """Return the type that an argument has in the kernel that is called."""
    if isinstance(kind, types.BaseAnonymousTuple):
        return types.Tuple([_widest(part) for part in kind])
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


class KernelCache(FunctionCache):  # type: ignore[misc]
    """numba's cache of one kernel. What it cannot read is compiled again, what it cannot write not kept."""

    _warned = False

    def __init__(self, kernel: Any) -> None:
        super().__init__(kernel)
        locator = self._impl.locator
        self._cache_file = _CheckedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=locator.get_source_stamp(),
        )

    @property
    def has_code(self) -> bool:
        """Tell whether the kernel was compiled before, for whatever types."""
        return Path(self._cache_file._index_path).exists()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file may raise anything
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if not KernelCache._warned:
                KernelCache._warned = True
                _log.warning(
                    "%s: compiled code cannot be kept here (%s), so it is compiled again next time; "
                    "make room, or choose another folder with GATREE_CACHE_DIR",
                    self._cache_path,
                    error.strerror,
                )


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """numba's files, with a check sum and the signature that the code was compiled for.

    Two processes that compile at the same time may give their files the same name.
    """

    def save(self, key: Any, data: Any) -> None:
        code = self._dump(data)
        super().save(key, (key, zlib.crc32(code), code))

    def load(self, key: Any) -> Any:
        try:
            compiled_for, check_sum, code = super().load(key)
            if compiled_for == key and check_sum == zlib.crc32(code):
                return pickle.loads(code)
        except Exception:  # nothing there, or damaged, which may raise anything
            return None
        return None

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:
            return {}
