"""The folder of compiled code is named by the sources that a kernel can depend on."""

from __future__ import annotations

from pathlib import Path

import gatree
from gatree import jit

PACKAGE = Path(gatree.__file__).parent


def test_the_layers_that_are_left_out_have_no_kernels():
    for layer in jit._ABOVE_ALL_KERNELS:
        for source in (PACKAGE / layer).rglob("*.py"):
            assert "@jit" not in source.read_text(encoding="utf-8"), source
            assert "import numba" not in source.read_text(encoding="utf-8"), source
