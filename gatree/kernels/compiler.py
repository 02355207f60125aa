"""How kernels are compiled: only what Python calls is optimized and made machine code of.

numba by itself optimizes every function, and emits and keeps machine code of it, also of one that is then
inlined into its callers and never called itself. Here a function that kernels call is only translated into
LLVM's language and linked into the kernel that Python calls, where LLVM optimizes all of it together, once.
And whatever the type of a whole number that a kernel gives to another, there it is an int64: else numba
compiles the other anew for each type. In kernels that decide more than they count, an index is taken as it
is, where numba would have a negative one count from the end.

By that a first command compiles in a third of the time. The insides of numba that it takes are known here
and nowhere else; where a release of numba lacks them, kernels are compiled as numba does it.
"""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from numba import types
from numba.core import ir
from numba.core.codegen import CPUCodegen, JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager
from numba.core.dispatcher import Dispatcher
from numba.core.targetconfig import TargetConfig
from numba.np import arrayobj

_TAKEN = {
    JITCodeLibrary: (
        "add_linking_library",
        "enable_object_caching",
        "_ensure_finalized",
        "_get_module_for_linking",
    ),
    CPUCodegen: ("create_library", "_function_pass_manager"),
    Compiler: ("compile_extra", "define_pipelines"),
    Dispatcher: ("get_call_template", "get_overload"),
    TargetConfig: ("options", "values", "_values"),
    ir.Inst: ("list_vars", "_rec_list_vars"),
    arrayobj: ("fix_integer_index",),
}

IS_KNOWN = all(hasattr(part, name) for part, names in _TAKEN.items() for name in names)
"""Whether this numba has what is needed here."""

_MAKES_PASSES_ANEW = hasattr(CPUCodegen, "_pass_builder")  # for every function, from numba 0.62 on


class _KernelCode(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel, with what it calls."""

    def _optimize_functions(self, module: Any) -> None:
        """Simplify the functions one by one, as numba does, but not those that are only declared."""
        if not _MAKES_PASSES_ANEW:
            super()._optimize_functions(module)
            return
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)


class _BranchingCode(_KernelCode):
    """The code of a kernel that has no loops to vectorize, and next to no references to count."""

    def _optimize_final_module(self) -> None:
        """Optimize all once, where numba does so twice to find references first."""
        if not _MAKES_PASSES_ANEW:
            super()._optimize_final_module()
            return
        passes, builder = self._codegen._module_pass_manager(loop_vectorize=False)
        passes.run(self._final_module, builder)


class _TranslatedCode(_KernelCode):
    """The code of a function that only kernels call, to be linked into theirs."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            if hasattr(library, "_reload_init"):  # from numba 0.63 on
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0  # there is no machine code

    @property
    def codegen(self) -> Any:
        return _NoMachineCode


class _NoMachineCode:
    """Stands where numba lets machine code know its Python environment."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing."""


_NEEDLESS = frozenset(
    (
        "WithLifting",  # no kernel has a `with`
        "InlineClosureLikes",  # nor, see below, a closure or a comprehension
        "MakeFunctionToJitFunction",
        "RewriteDynamicRaises",  # nor raises
        "InlineInlinables",  # functions are inlined by LLVM
        "InlineOverloads",
        "FindLiterallyCalls",  # numba's own way of saying that a value has to be known
        "LiteralUnroll",
        "LiteralPropagationSubPipelinePass",
        "AnnotateTypes",  # for people
        "DumpParforDiagnostics",
    )
)
"""The passes of numba that would change nothing in a kernel, but look for it."""


class TranslatingCompiler(Compiler):  # type: ignore[misc]
    """Translates a function that only kernels call, without the passes that do nothing in it."""

    def define_pipelines(self) -> list[Any]:
        pipelines = list(super().define_pipelines())
        code = self.state.func_id.code
        if any(isinstance(constant, CodeType) for constant in code.co_consts):  # of a closure
            return pipelines
        return [_without_needless_passes(pipeline) for pipeline in pipelines]


def _without_needless_passes(pipeline: Any) -> Any:
    shorter = PassManager(pipeline.pipeline_name)
    for kind, description in pipeline.passes:
        if kind.__name__ not in _NEEDLESS:
            shorter.add_pass(kind, description)
    shorter.finalize()
    return shorter


class KernelCompiler(TranslatingCompiler):
    """Compiles a kernel that Python calls."""

    _code = _KernelCode

    def compile_extra(self, function: Any) -> Any:
        codegen = self.state.targetctx.codegen()
        self.state.library = self._code(codegen, function.__qualname__)
        self.state.library.enable_object_caching()
        # What the kernel calls, which is all other code that is made meanwhile, is only translated.
        only_translating = _put(codegen, "_library_class", _TranslatedCode)
        with only_translating, _without_garbage_collection(), _with_short_cuts():
            return super().compile_extra(function)


class BranchingCompiler(KernelCompiler):
    """Compiles a kernel that Python calls, that has no loops to vectorize and never counts from the end."""

    _code = _BranchingCode

    def compile_extra(self, function: Any) -> Any:
        with _put(arrayobj, "fix_integer_index", _index_as_it_is):
            return super().compile_extra(function)


def _index_as_it_is(context: Any, builder: Any, kind: Any, index: Any, _length: Any) -> Any:
    """Return an index that is never negative, where numba would count a negative one from the end."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


@contextlib.contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Spare the search for garbage among the many objects of a compilation: a twentieth of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextlib.contextmanager
def _with_short_cuts() -> Iterator[None]:
    """Have numba find at once what it looks for tens of thousands of times in a kernel.

    The flags of a compilation, which it compares whenever it asks whether a function is one of its own, and
    the variables in a statement: together a fifth of all that Python does in a compilation.
    """
    with (
        _put(TargetConfig, "values", _flags_at_once),
        _put(ir.Inst, "_rec_list_vars", _variables_in),
    ):
        yield


@contextlib.contextmanager
def _put(owner: Any, name: str, ours: Any) -> Iterator[None]:
    """Have numba use something of ours in place of its own meanwhile."""
    before = getattr(owner, name)
    setattr(owner, name, ours)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _flags_at_once(flags: Any) -> dict[str, Any]:
    return {**_defaults(flags.__class__), **flags._values}


@functools.cache
def _defaults(kind: Any) -> dict[str, Any]:
    return {name: option.default for name, option in kind.options.items()}


_WITHOUT_VARIABLES = frozenset((str, int, float, bool, type(None), ir.Loc, ir.Const, ir.Global, ir.Arg))


def _variables_in(statement: Any, part: Any) -> list[Any]:
    """Return the variables in a part of a statement, as numba does, without asking what most parts are."""
    if part.__class__ in _WITHOUT_VARIABLES:
        return []
    if isinstance(part, ir.Var):
        return [part]
    if isinstance(part, dict):
        part = list(part.values())
    if isinstance(part, list | tuple):
        return [variable for value in part for variable in _variables_in(statement, value)]
    return part.list_vars() if isinstance(part, ir.Inst) else []


def call_instead(kernel: Any, translate: Callable[[], Any]) -> None:
    """Have kernels that call a kernel call a translation of it, with whole numbers of one type.

    There is one for each way to take an index, whichever kernel in a process is compiled first.
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

    kernel.get_call_template = get_call_template
    kernel.get_overload = lambda signature: translated().get_overload(signature)


def _widest(kind: Any) -> Any:
    """Return the type that an argument has in the kernel that is called."""
    if isinstance(kind, types.BaseAnonymousTuple):
        return types.Tuple([_widest(part) for part in kind])
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind
