"""Codes, classes, and every attribute's instances in the order of its codes: what the solver works on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.coding import Coding
from gatree.data.dataset import Dataset

Ints = NDArray[np.int32]


class Cases(NamedTuple):
    """Coded instances, as kernels take them."""

    codes: Any  # [attribute, instance]
    classes: Ints  # [instance]
    n_tests: Ints  # [attribute]
    is_numeric: NDArray[np.bool_]  # [attribute]
    order: Ints  # [attribute, rank]: the instances by rising code
    n_classes: int


def check_attributes(dataset: Dataset) -> None:
    """Raise an error if there is nothing to test."""
    if not dataset.attributes:
        raise DataError(f"{dataset.name}: there is only the class; at least one attribute to test is needed")


def cases_of(dataset: Dataset, coding: Coding) -> Cases:
    """Return a data set, all of whose answers are known, as the solver takes it; numbers are of one class."""
    check_attributes(dataset)
    codes = coding.encode(dataset.columns, dataset.n_instances).astype(np.int32)
    return Cases(
        codes=codes,
        classes=dataset.answer.strata,
        n_tests=coding.n_tests.astype(np.int32),
        is_numeric=coding.is_numeric,
        order=np.argsort(codes, axis=1, kind="stable").astype(np.int32),
        n_classes=max(1, len(dataset.answer.attribute.values)),
    )
