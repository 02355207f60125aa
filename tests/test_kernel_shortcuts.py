"""numba's short cuts while a kernel is compiled: they come to the same, and are gone afterwards."""

from __future__ import annotations

import pytest
from numba.core import errors, ir
from numba.core.compiler import run_frontend
from numba.core.cpu import CPUContext
from numba.core.types.functions import BaseFunction

from gatree.kernel_shortcuts import shortcuts

PLACES = [
    (ir.Inst, "_rec_list_vars"),
    (CPUContext, "create_cfunc_wrapper"),
    (CPUContext, "load_additional_registries"),
    (BaseFunction, "get_call_type"),
    (getattr(errors, "HighlightColorScheme", None), "_markup"),
]


def methods() -> list[object]:
    return [getattr(owner, name, None) for owner, name in PLACES]


def test_numba_is_afterwards_as_it_was_also_after_an_error():
    before = methods()
    with shortcuts():
        assert all(one is not other for one, other in zip(methods(), before, strict=True) if other)
    with pytest.raises(ZeroDivisionError), shortcuts():
        raise ZeroDivisionError
    assert methods() == before


def some_of_everything(numbers, *others, flag=True):
    total, pairs = 0, [(1, 2), (3, 4)]
    for k, (a, b) in enumerate(pairs):
        if flag and not others:
            total += numbers[k] * a - -b
        else:
            numbers[k : k + 2] = others[0]
            del a
    while total > 3:
        total = max(total // 2, len(numbers), key=lambda x: x)
    print(f"{total}", total)
    return {"total": total, "numbers": numbers[::2]}


def test_the_variables_of_instructions_are_those_that_numba_lists():
    blocks = run_frontend(some_of_everything).blocks.values()
    statements = [statement for block in blocks for statement in block.body]
    expected = [statement.list_vars() for statement in statements]
    with shortcuts():
        assert [statement.list_vars() for statement in statements] == expected
    assert sum(map(len, expected)) > len(statements) > 50
