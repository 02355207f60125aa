"""Integer codes of a data set: what the genetic algorithm sees.

Every attribute becomes one contiguous integer column and a list of candidate tests, so that every
test of a tree is one integer compare (Section 2 of the paper: "attribute = value" for nominal
attributes, "attribute <= threshold" for numeric ones):

    nominal   code = index of the value        test j:  code == j
    numeric   code = thresholds below x        test j:  code <= j, which is  x <= thresholds[j]

A missing value gets the code ``n_tests``, which no test accepts: it goes to the right branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.base.errors import DataError, SettingError, shown
from gatree.base.limits import MOST_TESTS, refuse_above
from gatree.data.attribute import Attribute, Column, missing
from gatree.data.dataset import Dataset

NumericTests = Literal["integer", "observed", "auto"]

_FEW_INTEGERS = 20

Codes = NDArray[np.integer]


class CodedData(NamedTuple):
    """Coded instances, in the form that all kernels take: those of evolutions, small trees and the solver."""

    codes: Codes  # [attribute, instance]
    classes: Codes  # [instance]; zeros for numbers
    n_tests: NDArray[np.int32]  # [attribute]; zero if it cannot be tested
    is_numeric: NDArray[np.bool_]  # [attribute]
    order: NDArray[np.int32]  # [attribute, rank]: the instances by rising code; no ranks if none are needed
    n_classes: int


@dataclass(frozen=True)
class Coding:
    """The candidate tests of every attribute; turns columns into integer codes."""

    is_numeric: NDArray[np.bool_]  # whether an attribute's tests are <= tests
    n_tests: NDArray[np.int32]  # zero if it cannot be tested
    thresholds: tuple[NDArray[np.float64], ...]  # in rising order; none for a nominal attribute

    def __post_init__(self) -> None:
        if not len(self.is_numeric) == len(self.n_tests) == len(self.thresholds):
            raise DataError(
                f"a coding of {len(self.is_numeric)} attributes has {len(self.n_tests)} numbers of tests "
                f"and {len(self.thresholds)} lists of thresholds"
            )
        n_thresholds = np.array([len(candidates) for candidates in self.thresholds], dtype=np.int64)
        if np.any(self.n_tests < 0) or np.any((self.n_tests != n_thresholds)[self.is_numeric]):
            raise DataError("a coding has other numbers of tests than of thresholds")

    @classmethod
    def of(
        cls, attributes: Sequence[Attribute], thresholds: Iterable[NDArray[np.float64]], where: str = ""
    ) -> Coding:
        """Return the coding of attributes whose numeric ones have these thresholds; `where` names them."""
        kept: list[NDArray[np.float64]] = []
        n_tests: list[int] = []
        total = 0
        for attribute, candidates in zip(attributes, thresholds, strict=True):
            kept.append(candidates)
            n_tests.append(len(attribute.values) if attribute.is_nominal else len(candidates))
            total += n_tests[-1]
            refuse_above(MOST_TESTS, total, "candidate tests", where)  # before the next ones take memory
        return cls(
            is_numeric=np.array([not attribute.is_nominal for attribute in attributes], dtype=np.bool_),
            n_tests=np.array(n_tests, dtype=np.int32),
            thresholds=tuple(kept),
        )

    @property
    def dtype(self) -> type[np.integer]:
        """The smallest integer type that holds every code."""
        largest = int(self.n_tests.max(initial=0))
        if largest <= np.iinfo(np.uint8).max:
            return np.uint8
        return np.uint16 if largest <= np.iinfo(np.uint16).max else np.int32

    def encode(self, columns: tuple[Column, ...], n_instances: int) -> Codes:
        """Return the codes, one contiguous row per attribute."""
        codes = np.zeros((len(columns), n_instances), dtype=self.dtype)
        # Without a test, all have the code of a missing value.
        for index in np.flatnonzero(self.n_tests).tolist():
            codes[index] = self.encode_column(index, columns[index])
        return codes

    def coded(self, dataset: Dataset, in_order: bool = False) -> CodedData:
        """Return a data set whose answers are all known, with types as small as fit.

        With ``in_order`` the instances are also sorted by every attribute, and all integers have 32 bits.
        """
        n_classes = dataset.answer.n_strata
        codes = self.encode(dataset.columns, dataset.n_instances)
        classes: Codes = dataset.answer.strata
        order = np.zeros((len(codes), 0), dtype=np.int32)
        if in_order:
            codes = codes.astype(np.int32)
            order = np.argsort(codes, axis=1, kind="stable").astype(np.int32)
        elif n_classes <= np.iinfo(np.uint16).max:
            classes = classes.astype(np.uint16)
        return CodedData(codes, classes, self.n_tests, self.is_numeric, order, n_classes)

    def encode_column(self, index: int, column: Column) -> NDArray[np.integer]:
        """Return the codes of one column."""
        if self.is_numeric[index]:
            coded = np.searchsorted(self.thresholds[index], column, side="left")
        else:
            coded = column.astype(np.int64)
        return np.where(missing(column), self.n_tests[index], coded)


def check_attributes(dataset: Dataset) -> None:
    """Raise an error if there is nothing to test."""
    if not dataset.attributes:
        raise DataError(f"{dataset.name}: there is only the class; at least one attribute to test is needed")


def code(dataset: Dataset, numeric_tests: NumericTests, max_thresholds: int | None = None) -> Coding:
    """Return the candidate tests of a data set.

    Parameters
    ----------
    dataset : Dataset
    numeric_tests : {"integer", "observed", "auto"}
        ``integer``: every integer between an attribute's smallest and largest value, as in the
        paper. ``observed``: the midpoints between neighbouring observed values. ``auto``: the former for an
        attribute of a few integers, such as marks from 1 to 6, the latter for all others.
    max_thresholds : int, optional
        Thin the ``observed`` thresholds of an attribute to at most this many, evenly over the
        instances. All are kept by default.
    """
    return Coding.of(
        dataset.attributes,
        (
            thresholds_of(attribute, *_distinct(attribute, column), numeric_tests, max_thresholds)
            for attribute, column in zip(dataset.attributes, dataset.columns, strict=True)
        ),
        where=dataset.name,
    )


def _distinct(attribute: Attribute, column: Column) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the finite numbers of a column in rising order, and how often each comes."""
    known = column[:0] if attribute.is_nominal else column[np.isfinite(column)]
    return np.unique(known.astype(np.float64, copy=False), return_counts=True)


def thresholds_of(
    attribute: Attribute,
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
    kind: NumericTests,
    at_most: int | None,
) -> NDArray[np.float64]:
    """Return an attribute's thresholds, given its finite values in rising order and how often each comes."""
    if len(values) == 0:
        return np.empty(0)
    low, high = float(values[0]), float(values[-1])
    if kind == "integer" or (kind == "auto" and _few_integers(values, at_most or _FEW_INTEGERS)):
        if high - low > MOST_TESTS:  # dates, in milliseconds, would fill the memory
            name = shown(attribute.name)
            raise SettingError.of(
                "numeric_tests",
                f"{name} goes from {low:g} to {high:g}: too many integers to test each; use observed",
            )
        return np.arange(np.ceil(low), np.floor(high) + 1)
    return _midpoints(values, np.cumsum(counts) - 1, at_most)


def _few_integers(values: NDArray[np.float64], at_most: int) -> bool:
    """Tell whether rising values are integers only, and few between the smallest and the largest."""
    low, high = float(values[0]), float(values[-1])  # their difference may be infinite, without a warning
    return high - low < min(at_most, _FEW_INTEGERS) and bool(np.all(values == np.round(values)))


def _midpoints(
    values: NDArray[np.float64], ends: NDArray[np.int64], at_most: int | None
) -> NDArray[np.float64]:
    """Return the cuts between neighbouring values, given where each ends in the sorted column."""
    cuts = np.arange(len(values) - 1)
    if at_most is not None and len(cuts) > at_most:
        wanted = np.linspace(0, ends[-1], at_most + 2)[1:-1]
        cuts = np.unique(np.searchsorted(ends[:-1], wanted).clip(max=len(cuts) - 1))
    below, above = values[cuts], values[cuts + 1]
    with np.errstate(over="ignore"):
        middle = below + (above - below) / 2
    return np.where(middle < above, middle, below)  # neighbouring floats: the middle may round up
