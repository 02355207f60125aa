"""All kernels go through gatree.kernels.decorators; no other package uses numba to compile."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import gatree

PACKAGE = Path(gatree.__file__).parent

NOT_COMPILING = {
    "core.caching",
    "core.event",
    "__version__",
    "config",
    "types",
    "core.cgutils",
    "extending.intrinsic",
}
"""What modules may use of numba outside gatree/kernels: an intrinsic is an instruction, not a kernel."""


def origins(tree: ast.AST) -> dict[str, str]:
    """Map the names that a module imports to where they come from, whatever it calls them."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                found[name.asname or name.name.partition(".")[0]] = (
                    name.name if name.asname else name.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                found[name.asname or name.name] = f"{node.module}.{name.name}"
    return found


def origin(expression: ast.expr, known: dict[str, str]) -> str:
    """Return where a name, a dotted name, or what is called by it, comes from."""
    match expression:
        case ast.Call(func=function):
            return origin(function, known)
        case ast.Attribute(value=value, attr=attr):
            return f"{origin(value, known)}.{attr}"
        case ast.Name(id=name):
            return known.get(name, name)
    return ""


def used_of_numba(source: str) -> Iterator[str]:
    """Yield what a module uses of numba."""
    tree = ast.parse(source)
    known = origins(tree)
    for node in ast.walk(tree):
        expressions: list[ast.expr] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            expressions += node.decorator_list
        elif isinstance(node, ast.Attribute | ast.Name):
            expressions.append(node)
        for expression in expressions:
            came_from = origin(expression, known)
            if came_from.startswith("numba."):
                yield came_from.removeprefix("numba.")


def sources(*folders: str) -> list[Path]:
    return [source for folder in folders for source in sorted((PACKAGE / folder).rglob("*.py"))]


def compiles_by_itself(source: str) -> set[str]:
    used = set(used_of_numba(source))
    return {name for name in used if not any(f"{name}.".startswith(f"{known}.") for known in NOT_COMPILING)}


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
    others = [source for source in sources(".") if source.parent != PACKAGE / "kernels"]
    assert len(others) > 100
    texts = {source: source.read_text(encoding="utf-8") for source in others}
    found = {source: compiles_by_itself(text) for source, text in texts.items() if "numba" in text}
    assert len(found) > 5
    assert {str(source): names for source, names in found.items() if names} == {}
