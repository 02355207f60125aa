"""Which leaf an instance reaches, and so which class a tree gives it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.kernels.decorators import inlined, lean
from gatree.trees.genome import LEAF, Ints, Tree


@inlined
def passes(code: int, value: int, is_numeric: bool) -> bool:
    """Tell whether a coded value passes a test: ``<=`` on a numeric attribute, ``==`` on a nominal one."""
    return code <= value if is_numeric else code == value


@lean
def _find_leaves(
    codes: Any, is_numeric: NDArray[np.bool_], attribute: Ints, value: Ints, span: Ints, reached: Ints
) -> None:
    for instance in range(codes.shape[1]):
        node = 0
        while attribute[node] != LEAF:
            tested = attribute[node]
            left = node + 1
            passed = passes(codes[tested, instance], value[node], is_numeric[tested])
            node = left if passed else left + span[left]
        reached[instance] = node


def leaves(tree: Tree, codes: Any, is_numeric: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the leaf that every instance reaches, as a node number."""
    if not tree.attribute.max() < len(codes) == len(is_numeric):
        raise DataError(
            f"a tree that tests attribute {tree.attribute.max()} needs codes of more than the "
            f"{len(codes)} attributes there are, and their kinds (got {len(is_numeric)})"
        )
    reached = np.empty(codes.shape[1], dtype=np.int32)
    _find_leaves(codes, is_numeric, tree.attribute, tree.value, tree.span, reached)
    return reached


def predict(tree: Tree, codes: Any, is_numeric: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the class that a tree gives to every instance."""
    return tree.value[leaves(tree, codes, is_numeric)]
