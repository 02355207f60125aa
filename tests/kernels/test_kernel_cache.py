"""The folder of compiled code is named by the sources that a kernel can depend on."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from types import FunctionType, ModuleType

import gatree
from gatree.kernels import decorators as jit


def every_module() -> list[ModuleType]:
    names = [module.name for module in pkgutil.walk_packages(gatree.__path__, "gatree.")]
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


def is_decorated(function: ast.FunctionDef) -> bool:
    names = {
        node.id for mark in function.decorator_list for node in ast.walk(mark) if isinstance(node, ast.Name)
    }
    return bool(names & {"jit", "lean", "branching", "inlined", "intrinsic"})


def home_of(value: object) -> str | None:
    """Return the module of ours in which a global of a kernel is defined, if it says so."""
    plain = getattr(value, "py_func", value)
    return getattr(plain, "__module__", None) if isinstance(plain, type | FunctionType) else None


def test_kernels_use_nothing_of_a_source_that_does_not_count():
    counted = {"gatree." + name.removesuffix(".py").replace("/", ".") for name in jit.kernel_sources()}
    n_kernels = 0
    for module in every_module():
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
