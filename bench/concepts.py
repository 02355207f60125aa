"""Concepts with noise, for benchmarks, tests and data sets.

``multiplexer`` is the classic concept behind the paper's `multiplexor` data; ``random_tree_concept`` labels
random instances with a random decision tree. Both draw from ``numpy.random.default_rng(seed)`` only, column
by column, so the same arguments give the same data set.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError
from gatree.data.answer import Classes
from gatree.data.attribute import Attribute, Column
from gatree.data.dataset import Dataset
from gatree.data.generate import check_at_least_one, check_noise

N_VALUES = 4
"""Values of a nominal attribute of `random_tree_concept`."""

N_LEVELS = 100
"""Different numbers (0, 1, ... 99) in a numeric attribute of `random_tree_concept`."""


def multiplexer(n_address_bits: int, n_instances: int, noise: float = 0.0, seed: int = 0) -> Dataset:
    """Return random bit strings, classified by the data bit that their address bits point at.

    Parameters
    ----------
    n_address_bits : int
        k address bits (``a0`` is the highest) select one of 2^k data bits (``d0``, ``d1``, ...).
    n_instances : int
    noise : float
        The probability that an instance gets the other class.
    seed : int
    """
    check_at_least_one(n_address_bits=n_address_bits, n_instances=n_instances)
    check_noise(noise)
    rng = np.random.default_rng(seed)
    names = [f"a{i}" for i in range(n_address_bits)] + [f"d{i}" for i in range(2**n_address_bits)]
    bits = [rng.integers(0, 2, n_instances, dtype=np.int32) for _ in names]
    address = np.zeros(n_instances, dtype=np.int64)
    for bit in bits[:n_address_bits]:
        address = 2 * address + bit
    classes = np.zeros(n_instances, dtype=np.int32)
    for position, bit in enumerate(bits[n_address_bits:]):
        np.copyto(classes, bit, where=address == position)
    return Dataset(
        name=f"multiplexer-{len(names)}",
        attributes=tuple(Attribute(name, "nominal", ("0", "1")) for name in names),
        columns=tuple(bits),
        answer=Classes(Attribute("class", "nominal", ("0", "1")), _with_noise(classes, 2, noise, rng)),
        answer_position=len(names),
    )


def random_tree_concept(
    n_instances: int,
    n_attributes: int,
    *,
    n_numeric: int | None = None,
    n_classes: int = 2,
    depth: int = 5,
    noise: float = 0.0,
    seed: int = 0,
) -> Dataset:
    """Return random instances, classified by a complete random decision tree.

    Parameters
    ----------
    n_instances, n_attributes : int
    n_numeric : int, optional
        How many of the attributes are numeric; they come last. Half of them by default.
    n_classes : int
    depth : int
        Tests between the root and a leaf of the tree that gives the classes.
    noise : float
        The probability that an instance gets another class than the tree says.
    seed : int
    """
    n_numeric = n_attributes // 2 if n_numeric is None else n_numeric
    check_at_least_one(n_instances=n_instances, n_attributes=n_attributes, depth=depth)
    check_noise(noise)
    if n_classes < 2:
        raise DataError(f"n_classes must be 2 or more, got {n_classes}")
    if not 0 <= n_numeric <= n_attributes:
        raise DataError(f"n_numeric must be between 0 and n_attributes ({n_attributes}), got {n_numeric}")
    rng = np.random.default_rng(seed)
    attributes = _mixed_attributes(n_attributes - n_numeric, n_numeric)
    columns = tuple(_random_column(attribute, n_instances, rng) for attribute in attributes)
    classes = np.empty(n_instances, dtype=np.int32)
    _classify(np.arange(n_instances), depth, columns, classes, n_classes, rng)
    return Dataset(
        name=f"random-tree-{n_instances}x{n_attributes}",
        attributes=attributes,
        columns=columns,
        answer=Classes(
            Attribute("class", "nominal", tuple(f"c{i}" for i in range(n_classes))),
            _with_noise(classes, n_classes, noise, rng),
        ),
        answer_position=n_attributes,
    )


def _mixed_attributes(n_nominal: int, n_numeric: int) -> tuple[Attribute, ...]:
    values = tuple(f"v{i}" for i in range(N_VALUES))
    nominal = (Attribute(f"nominal{i}", "nominal", values) for i in range(n_nominal))
    numeric = (Attribute(f"numeric{i}", "numeric") for i in range(n_numeric))
    return (*nominal, *numeric)


def _random_column(attribute: Attribute, n_instances: int, rng: np.random.Generator) -> Column:
    if attribute.is_nominal:
        return rng.integers(0, N_VALUES, n_instances, dtype=np.int32)
    return rng.integers(0, N_LEVELS, n_instances, dtype=np.int32).astype(np.float64)


def _classify(
    rows: NDArray[np.intp],
    depth: int,
    columns: tuple[Column, ...],
    classes: NDArray[np.int32],
    n_classes: int,
    rng: np.random.Generator,
) -> None:
    """Grow a random subtree of the given depth over ``rows`` and write down their classes."""
    passed = _random_test(columns[rng.integers(len(columns))][rows], rng)
    left, right = rows[passed], rows[~passed]
    if depth == 1:
        classes[left], classes[right] = rng.choice(n_classes, 2, replace=False)  # a test that matters
        return
    _classify(left, depth - 1, columns, classes, n_classes, rng)
    _classify(right, depth - 1, columns, classes, n_classes, rng)


def _random_test(column: Column, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Tell which values pass a random test; a threshold lies in the middle half of the range."""
    if column.dtype.kind == "f":
        return np.less_equal(column, rng.integers(N_LEVELS // 4, 3 * N_LEVELS // 4))
    return np.equal(column, rng.integers(N_VALUES))


def _with_noise(
    classes: NDArray[np.int32], n_classes: int, noise: float, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Replace each class, with probability ``noise``, by another one at random."""
    wrong = rng.random(len(classes)) < noise
    shift = rng.integers(1, n_classes, len(classes), dtype=np.int32)
    return np.where(wrong, (classes + shift) % n_classes, classes).astype(np.int32)
