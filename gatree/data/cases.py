"""What the exact solver works on: codes, classes, and every attribute's instances in the order of its codes.

A subproblem is the instances that reach a node. Its rows of sorted instances are picked out of the whole
data set's, so nothing is sorted twice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.coding import Coding
from gatree.data.dataset import Dataset
from gatree.kernels.decorators import jit

Ints = NDArray[np.int32]


class Cases(NamedTuple):
    """Coded instances, as kernels take them."""

    codes: Any  # [attribute, instance]
    classes: Ints  # [instance]
    n_tests: Ints  # [attribute]
    is_numeric: NDArray[np.bool_]  # [attribute]
    order: Ints  # [attribute, rank]: the instances by rising code
    n_classes: int


def cases_of(dataset: Dataset, coding: Coding) -> Cases:
    """Return a data set, all of whose classes are known, as the solver takes it."""
    if not dataset.attributes:
        raise DataError(f"{dataset.name}: there is only the class; at least one attribute to test is needed")
    codes = coding.encode(dataset.columns, dataset.n_instances).astype(np.int32)
    return Cases(
        codes=codes,
        classes=dataset.classes.astype(np.int32),
        n_tests=coding.n_tests.astype(np.int32),
        is_numeric=coding.is_numeric,
        order=np.argsort(codes, axis=1, kind="stable").astype(np.int32),
        n_classes=dataset.n_classes,
    )


class Rows(NamedTuple):
    """The members of a set in the order of every attribute's codes."""

    instances: Ints  # [attribute, rank]
    codes: Ints  # [attribute, rank]

    def of(self, attribute: int) -> Rows:
        """Return one attribute's row."""
        one = slice(attribute, attribute + 1)
        return Rows(self.instances[one], self.codes[one])


@jit
def sorted_members(cases: Cases, member: NDArray[np.bool_], n_members: int) -> Rows:
    """Return the members of a set in the order of every attribute's codes."""
    order = cases.order
    instances = np.empty((order.shape[0], n_members), dtype=np.int32)
    codes = np.empty((order.shape[0], n_members), dtype=np.int32)
    for attribute in range(order.shape[0]):
        found = 0
        for rank in range(order.shape[1]):
            instance = order[attribute, rank]
            if member[instance]:
                instances[attribute, found] = instance
                codes[attribute, found] = cases.codes[attribute, instance]
                found += 1
    return Rows(instances, codes)


def in_order(cases: Cases, attributes: NDArray[np.integer]) -> Cases:
    """Return the cases with their attributes in another order."""
    return cases._replace(
        codes=np.ascontiguousarray(cases.codes[attributes]),
        n_tests=cases.n_tests[attributes],
        is_numeric=cases.is_numeric[attributes],
        order=np.ascontiguousarray(cases.order[attributes]),
    )


def only(cases: Cases, attribute: int) -> Cases:
    """Return the cases with one attribute."""
    one = slice(attribute, attribute + 1)
    return cases._replace(
        codes=cases.codes[one], n_tests=cases.n_tests[one], is_numeric=cases.is_numeric[one]
    )
