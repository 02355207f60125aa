"""All kernels go through gatree.kernels.decorators; no other package uses numba to compile."""

import ast
import importlib.util
import inspect
import pkgutil
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import gatree
from gatree.kernels import decorators as jit

PACKAGE = Path(gatree.__file__).parent

NOT_COMPILING = {"numba.__version__", "numba.types", "numba.extending.intrinsic"}
"""What modules may use of numba outside gatree/kernels: an intrinsic is an instruction, not a kernel."""


def compiles_by_itself(source: str) -> set[str]:
    """Return what a module uses of numba that may compile."""
    used = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "numba":
            used |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Import):  # under another name, or a module of it
            used |= {n.name for n in node.names if n.name.startswith("numba") and (n.asname or "." in n.name)}
        elif isinstance(node, ast.Attribute) and ast.unparse(node).startswith("numba."):
            used.add(ast.unparse(node))
    return used - NOT_COMPILING


@pytest.mark.parametrize(
    "source",
    [
        "import numba\n@numba.njit(cache=True)\ndef f(): ...",
        "import numba as nb\n@nb.jit\ndef f(): ...",
        "from numba import njit as compiled\n@compiled\ndef f(): ...",
        "from numba.extending import overload\n@overload(len)\ndef f(): ...",
        "from numba import njit\ndef f(): ...\ng = njit(f)",
    ],
)
def test_the_guard_sees_other_decorators_by_any_name(source):
    assert compiles_by_itself(source)


def test_all_kernels_go_through_the_decorators_of_jit():
    others = [source for source in sorted(PACKAGE.rglob("*.py")) if source.parent != PACKAGE / "kernels"]
    assert len(others) > 100
    texts = {str(source): source.read_text(encoding="utf-8") for source in others}
    found = {source: compiles_by_itself(text) for source, text in texts.items() if "numba" in text}
    assert len(found) >= 3
    assert {source: names for source, names in found.items() if names} == {}


def modules_with_kernels() -> list[ModuleType]:
    names = [module.name for module in pkgutil.walk_packages(gatree.__path__, "gatree.")]
    sources = {name: importlib.util.find_spec(name).loader.get_source(name) for name in names}
    return [importlib.import_module(name) for name in names if "numba" in sources[name]
            or "gatree.kernels" in sources[name]]  # fmt: skip


def is_decorated(function: ast.FunctionDef) -> bool:
    names = {
        node.id for mark in function.decorator_list for node in ast.walk(mark) if isinstance(node, ast.Name)
    }
    return bool(names & {"jit", "lean", "branching", "intrinsic"})


def home_of(value: object) -> str | None:
    """Return the module of ours in which a global of a kernel is defined, if it says so."""
    plain = getattr(value, "py_func", value)
    return getattr(plain, "__module__", None) if isinstance(plain, type | FunctionType) else None


def test_kernels_use_nothing_of_a_source_that_does_not_count():
    counted = {"gatree." + name.removesuffix(".py").replace("/", ".") for name in jit.kernel_sources()}
    n_kernels = 0
    for module in modules_with_kernels():
        tree = ast.parse(inspect.getsource(module))
        imported = {
            (alias.asname or alias.name): node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            if not is_decorated(function):
                continue
            n_kernels += 1
            used = {
                node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)
            } - {argument.arg for argument in function.args.args}
            homes = {imported.get(name) for name in used} | {home_of(vars(module).get(name)) for name in used}
            ours = {home for home in homes if home and home.startswith("gatree")} | {module.__name__}
            assert ours <= counted, (module.__name__, function.name, ours - counted)
    assert n_kernels > 100
