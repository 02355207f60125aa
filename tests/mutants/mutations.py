"""Single changes of a module: another operator, another constant, or a condition turned round."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_PAIRS = (  # each becomes the other
    (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.Is, ast.IsNot),
    (ast.Add, ast.Sub), (ast.LShift, ast.RShift), (ast.BitAnd, ast.BitOr), (ast.And, ast.Or),
)  # fmt: skip
_OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitXor: ast.BitOr,
}
for _one, _other in _PAIRS:
    _OPERATORS |= {_one: _other, _other: _one}
_CONDITIONAL = (ast.If, ast.While, ast.IfExp)
_KERNELS = {"jit", "lean", "branching", "inlined", "shared"}


@dataclass(frozen=True)
class Mutation:
    """A change at a place of a module, by its number among all changes of it."""

    number: int
    line: int
    change: str
    in_kernel: bool


def mutations_of(source: str) -> list[Mutation]:
    """Return every single change of a module."""
    tree = ast.parse(source)
    has_kernels = any(isinstance(node, ast.Name) and node.id in _KERNELS for node in ast.walk(tree))
    found = []
    for number, (node, part, top) in enumerate(_sites(tree)):
        before = ast.unparse(node)
        mutated = copy.deepcopy(node)
        _mutate(mutated, part)
        in_kernel = has_kernels and not isinstance(top, ast.ClassDef)
        change = f"{_short(before)}  ->  {_short(ast.unparse(mutated))}"
        found.append(Mutation(number, getattr(node, "lineno", 0), change, in_kernel))
    return found


def mutated(source: str, number: int) -> str:
    """Return a module with one of its changes."""
    tree = ast.parse(source)
    for k, (node, part, _) in enumerate(_sites(tree)):
        if k == number:
            _mutate(node, part)
            return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    raise IndexError(number)


def _sites(tree: ast.Module) -> Iterator[tuple[ast.AST, str, ast.AST]]:
    """Yield the nodes that can be changed, what of them, and the statement of the module they are in."""
    for top in tree.body:
        for node in _walk(top):
            for part in _parts(node):
                yield node, part, top


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield nodes in order, but nothing of texts, annotations, imports and what is for type checkers only."""
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Raise):
        return
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.FunctionDef) and any("overload" in ast.unparse(d) for d in node.decorator_list):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list", "type_params"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _walk(child)


def _parts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        yield from (f"ops {k}" for k, each in enumerate(node.ops) if type(each) in _OPERATORS)
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        if type(node.op) in _OPERATORS:
            yield "op"
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool | int | float):
            yield "value"
    elif isinstance(node, _CONDITIONAL):
        yield "test"


def _mutate(node: Any, part: str) -> None:
    if part == "op":
        node.op = _OPERATORS[type(node.op)]()
    elif part == "value":
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    elif part == "test":
        negated = (
            node.test.operand if isinstance(node.test, ast.UnaryOp) else ast.UnaryOp(ast.Not(), node.test)
        )
        node.test = negated
    else:
        k = int(part.split()[1])
        node.ops[k] = _OPERATORS[type(node.ops[k])]()


def _short(code: str) -> str:
    first, *more = code.splitlines()
    return first + (" ..." if more else "")
