"""Mutants differ from the module in one place, are the same for a seed, and cover what tests can notice."""

from __future__ import annotations

import ast

import pytest

from mutants import mutants
from mutants.mutations import mutated, mutations_of

SOURCE = """
from __future__ import annotations
LIMIT = 3

@jit
def kernel(a: tuple[int, int], b=0):
    "A docstring with 7."
    if a < b and not b:
        a += 2 * b
    return a[0] if b else f"{b + 1}"

class Loop:
    def run(self):
        while True:
            raise ValueError(1)
"""


def changes() -> list[str]:
    return [mutation.change for mutation in mutations_of(SOURCE)]


def test_operators_constants_and_conditions_change_and_texts_and_annotations_do_not():
    assert changes() == [
        "3  ->  4",
        "0  ->  1",
        "if a < b and (not b): ...  ->  if not (a < b and (not b)): ...",
        "a < b and (not b)  ->  a < b or not b",
        "a < b  ->  a <= b",
        "a += 2 * b  ->  a -= 2 * b",
        "2 * b  ->  2 + b",
        "2  ->  3",
        "a[0] if b else f'{b + 1}'  ->  a[0] if not b else f'{b + 1}'",
        "0  ->  1",
        "while True: ...  ->  while not True: ...",
        "True  ->  False",
    ]


def test_what_is_in_kernels_is_known():
    assert [mutation.in_kernel for mutation in mutations_of(SOURCE)] == [True] * 10 + [False] * 2


@pytest.mark.parametrize("number", range(12))
def test_a_mutant_is_another_program(number):
    mutant = mutated(SOURCE, number)
    assert ast.dump(ast.parse(mutant)) != ast.dump(ast.parse(SOURCE))
    assert len(mutations_of(mutant)) >= len(mutations_of(SOURCE)) - 1


def test_only_the_project_s_own_modules_are_replaced(monkeypatch):
    monkeypatch.setattr(mutants.sys, "prefix", str(mutants.ROOT / ".venv"))
    places = [mutants.ROOT, mutants.ROOT / "tests", mutants.ROOT / ".venv" / "lib", "/usr/lib"]
    assert [mutants.of_the_project(str(place)) for place in places] == [True, True, False, False]
