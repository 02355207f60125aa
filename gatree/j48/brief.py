"""A few trees on small data, built before the kernels that build them would be compiled."""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager

from gatree.data.dataset import Dataset
from gatree.kernels.interpreting import interpreting

_BRIEF = 40_000
"""Cells of all trees' data: half a second's work on vote, more on bushy trees; to compile takes six."""


def briefly(dataset: Dataset, n_trees: int) -> AbstractContextManager[None]:
    """Return where to build and try out so many trees, if these are all there are to build.

    Numbers take long: all their thresholds are tried.
    """
    has_numbers = any(not attribute.is_nominal for attribute in dataset.attributes)
    n_cells = dataset.n_instances * len(dataset.attributes)
    is_brief = not has_numbers and n_trees * n_cells <= _BRIEF
    return interpreting() if is_brief else contextlib.nullcontext()
