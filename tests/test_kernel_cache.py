"""The folder of compiled code is named by the sources that a kernel can depend on."""

from __future__ import annotations

import ast
from pathlib import Path

import gatree
from gatree import jit

PACKAGE = Path(gatree.__file__).parent


def test_the_layers_that_are_left_out_have_no_kernels():
    for layer in jit._ABOVE_ALL_KERNELS:
        for source in (PACKAGE / layer).rglob("*.py"):
            tree = ast.parse(source.read_text(encoding="utf-8"))
            names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            assert not names & {"jit", "njit", "lean", "inlined", "vectorize", "guvectorize"}, source
