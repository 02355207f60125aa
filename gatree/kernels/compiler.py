"""A numba compiler that emits machine code only for the kernels that Python calls.

numba optimizes every function, and emits and caches its machine code, even if the function is inlined into
its callers and never called itself. This compiler only translates such a function to LLVM's intermediate
representation and links it into the kernel that Python calls, where LLVM optimizes everything once. That and
three smaller measures take about a third of numba's time. In CPU time, for an evolution with `new` and J48:

| without | compiling takes |
|---|---|
| all of it, by plain numba | 2.8 times as long |
| `_remembering`: the overload of a built-in function is searched once for its types | 1.13 |
| `_UNUSED`: passes for features that kernels do not use are left out | 1.11 |
| `_widest`: a function that kernels call has integer arguments of one type | 1.06 |

In a *branching* kernel an index is never negative; numba would let a negative one count from the end.

The disk cache treats a damaged file as missing: the kernel is compiled again and the file is replaced.
If the disk is full, the kernel is compiled but not cached. A kernel is compiled by one process at a time:
others that need it wait, and load its code.

This module holds every use of numba's internals:

| internal of numba | what for |
|---|---|
| `CompilerBase`, `DefaultPassBuilder`, the passes | to leave out passes |
| `JITCodeLibrary`, `codegen._library_class` | to link called kernels without machine code |
| `BaseFunction.get_call_type` | to remember overloads |
| `get_call_template`, `get_overload` of a dispatcher | to translate a called kernel, with wide integers |
| `arrayobj.fix_integer_index` | branching kernels |
| `FunctionCache`, `IndexDataCacheFile` | damaged files, full disks, taking turns |

`gatree.kernels.guard` decides whether it is used. Without it, plain numba compiles the same kernels, with the
same results. To live without it for good, delete this file, the canary and the guard, and let
`decorators._compiled` always call ``numba.njit``. Branching kernels then take a third longer.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
import zlib
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

import numba
from numba import types
from numba.core import typed_passes, untyped_passes
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction
from numba.np import arrayobj

from gatree.kernels.events import waiting

if TYPE_CHECKING:
    from filelock import FileLock
    from llvmlite.ir import IRBuilder
    from llvmlite.ir import Value as IRValue
    from numba.core.base import BaseContext as CodeContext
    from numba.core.compiler import CompileResult, Flags
    from numba.core.typing.context import BaseContext
    from numba.core.typing.templates import Signature

    Types = tuple[types.Type, ...]
    Dispatcher: TypeAlias = Any  # numba's, of which parts are replaced here
    BuiltIn: TypeAlias = Any

_log = logging.getLogger(__name__)


def compiled(kernel: Callable[..., object], *, branching: bool = False, **options: bool) -> Dispatcher:
    """Return a kernel that is compiled when Python calls it, and only translated when kernels call it."""
    options.update(nogil=True, no_cfunc_wrapper=True)
    pipeline = BranchingCompiler if branching else KernelCompiler
    dispatcher: Dispatcher = numba.njit(error_model="numpy", pipeline_class=pipeline, **options)(kernel)
    options["no_cpython_wrapper"] = True
    translate = numba.njit(error_model="numpy", pipeline_class=Translator, **options)
    _call_translation(dispatcher, lambda: translate(kernel))
    return dispatcher


def keep_on_disk(dispatcher: Dispatcher) -> None:
    """Cache like ``cache=True`` in numba's cache folder, but replace damaged files, and compile in turn."""
    cache = dispatcher._cache = KernelCache(dispatcher.py_func)
    load_or_compile = dispatcher.compile

    def compile_in_turn(signature: Signature) -> Dispatcher:
        try:
            return load_or_compile(signature)
        finally:
            cache.end_turn()

    dispatcher.compile = compile_in_turn


class _TranslatedCode(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that only kernels call: linked into its callers, without machine code."""

    def _optimize_final_module(self) -> None:
        """Leave the optimization to the calling kernel."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> type[_NoMachineCode]:
        return _NoMachineCode


class _NoMachineCode:
    """A stand-in for the code generator, which sets the Python environment of machine code."""

    @staticmethod
    def set_env(name: str, environment: object) -> None:
        """Do nothing."""


_UNUSED = (
    untyped_passes.WithLifting,
    untyped_passes.InlineClosureLikes,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.InlineInlinables,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
)
"""Passes for closures, ``with`` blocks, literal types, raised errors and array expressions."""


class Translator(CompilerBase):  # type: ignore[misc]
    """Translates a kernel, without the passes for what kernels do not use."""

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("kernel")
        for step, description in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if step not in _UNUSED:
                passes.add_pass(step, description)
        passes.finalize()
        return [passes]


class KernelCompiler(Translator):
    """Compiles a kernel that Python calls."""

    def compile_extra(self, function: FunctionType) -> CompileResult:
        codegen = self.state.targetctx.codegen()
        self.state.library = JITCodeLibrary(codegen, function.__qualname__)
        self.state.library.enable_object_caching()
        with contextlib.ExitStack() as parts:
            # All other code that is generated during this call belongs to functions that the kernel calls.
            parts.enter_context(_replaced(codegen, "_library_class", _TranslatedCode))
            parts.enter_context(_replaced(BaseFunction, "get_call_type", _remembering()))
            return super().compile_extra(function)


def _remembering() -> Callable[..., Signature]:
    """Return numba's search for the overload of a built-in function, with a memory of what it has found."""
    search: Callable[..., Signature] = BaseFunction.get_call_type
    found: dict[tuple[object, ...], tuple[Signature, object]] = {}
    kinds: list[object] = []

    def kind_of(flags: Flags) -> int:
        """Return a number for the flags of the calling function, which decide how an overload is compiled."""
        if flags._values not in kinds:
            kinds.append(flags.copy()._values)
        return kinds.index(flags._values)

    def get_call_type(
        function: BuiltIn, context: BaseContext, arguments: Types, keywords: Mapping[str, types.Type]
    ) -> Signature:
        key = function.key, arguments, tuple(keywords.items()), kind_of(ConfigStack().top())
        if key not in found:
            signature = search(function, context, arguments, keywords)
            found[key] = signature, function.get_impl_key(signature)
        signature, implementation = found[key]
        function._impl_keys[signature.args] = implementation
        return signature

    return get_call_type


class BranchingCompiler(KernelCompiler):
    """Compiles a kernel that Python calls, without support for negative indices."""

    def compile_extra(self, function: FunctionType) -> CompileResult:
        with _replaced(arrayobj, "fix_integer_index", _index_as_it_is):
            return super().compile_extra(function)


def _index_as_it_is(
    context: CodeContext, builder: IRBuilder, kind: types.Type, index: IRValue, _length: IRValue
) -> IRValue:
    """Return an index as it is, where numba would count a negative one from the end."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


@contextlib.contextmanager
def _replaced(owner: object, name: str, ours: object) -> Iterator[None]:
    """Replace a part of numba temporarily; numba's global lock keeps other threads from compiling."""
    before = getattr(owner, name)
    setattr(owner, name, ours)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _call_translation(kernel: Dispatcher, translate: Callable[[], Dispatcher]) -> None:
    """Make other kernels call a translation of this kernel, with integers of one type.

    There is one translation for each way to treat indices, whichever kernel is compiled first.
    """
    translations: dict[Callable[..., IRValue], Dispatcher] = {}

    def translated() -> Dispatcher:
        way = arrayobj.fix_integer_index
        if way not in translations:
            translations[way] = translate()
        return translations[way]

    def get_call_template(arguments: Types, keywords: Mapping[str, types.Type]) -> tuple[object, ...]:
        wide = {name: _widest(kind) for name, kind in keywords.items()}
        template: tuple[object, ...] = translated().get_call_template(tuple(map(_widest, arguments)), wide)
        return template

    for name in ("get_call_template", "get_overload"):
        getattr(kernel, name)  # fail here if numba no longer has this attribute
    kernel.get_call_template = get_call_template
    kernel.get_overload = lambda signature: translated().get_overload(signature)


def _widest(kind: types.Type) -> types.Type:
    """Return the type that an argument has in the called kernel."""
    if isinstance(kind, types.BaseAnonymousTuple):
        return types.Tuple([_widest(part) for part in kind])
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


_LONGEST_TURN = 120.0
"""Seconds after which a process does not wait any longer for another one that compiles a kernel."""


class KernelCache(FunctionCache):  # type: ignore[misc]
    """numba's cache of one kernel: unreadable code is compiled again, unwritable code is not cached."""

    _warned = False
    _turn: FileLock | None = None

    def __init__(self, kernel: Callable[..., object]) -> None:
        super().__init__(kernel)
        locator = self._impl.locator
        self._cache_file = _CheckedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=locator.get_source_stamp(),
        )

    def load_overload(self, sig: Signature, target_context: CodeContext) -> CompileResult | None:
        """Return the code of a kernel; if there is none, return None when it is this process's turn."""
        found = self._load(sig, target_context)
        if found is None and self._waited_for_turn():
            found = self._load(sig, target_context)
        return found

    def _load(self, sig: Signature, target_context: CodeContext) -> CompileResult | None:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file may raise anything
            return None

    def _waited_for_turn(self) -> bool:
        """Keep other processes from compiling this kernel; return whether one has been doing so."""
        import filelock  # which takes as long to import as loading a kernel

        turn = filelock.FileLock(f"{self._cache_file._index_path}.lock")
        with contextlib.suppress(OSError):  # no lock here: every process compiles; a timeout is one, too
            try:
                turn.acquire(blocking=False)
                self._turn = turn
            except filelock.Timeout:
                with waiting():
                    turn.acquire(timeout=_LONGEST_TURN)
                self._turn = turn
                return True
        return False

    def end_turn(self) -> None:
        """Let other processes compile this kernel, or load it."""
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.release()

    def save_overload(self, sig: Signature, data: CompileResult) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if not KernelCache._warned:
                KernelCache._warned = True
                _log.warning(
                    "%s: compiled code cannot be cached here (%s), so it is compiled again next time; "
                    "make room, or choose another folder with GATREE_CACHE_DIR",
                    self._cache_path,
                    error.strerror,
                )


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """numba's cache files, with a checksum and the signature of the compiled code.

    Two processes that compile at the same time may give their files the same name.
    """

    def save(self, key: tuple[object, ...], data: object) -> None:
        code = self._dump(data)
        super().save(key, (key, zlib.crc32(code), code))

    def load(self, key: tuple[object, ...]) -> object:
        try:
            compiled_for, check_sum, code = super().load(key)
            if compiled_for == key and check_sum == zlib.crc32(code):
                return pickle.loads(code)
        except Exception:  # a missing or damaged file may raise anything
            return None
        return None

    def _load_index(self) -> dict[tuple[object, ...], str]:
        try:
            index: dict[tuple[object, ...], str] = super()._load_index()
        except Exception:
            return {}
        return index
