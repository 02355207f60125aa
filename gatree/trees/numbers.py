"""The numbers of regression trees: of the samples at every node, what the nodes predict, and as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.trees.genome import Tree

Floats = NDArray[np.float64]

_LARGEST = float(np.finfo(np.float64).max)
_DIGITS, _NOISE = 15, 4
_SQUARED = 400  # the square of a number with a larger exponent may overflow, that of a smaller one vanish
_NEAR = 2.0**-20
_MOST_GROUPED = 1e15


def number(x: float, decimals: int | None = None) -> str:
    """Return a number with these decimals, or the shortest text that gives back the same float.

    The shortest text is the one that JavaScript writes.
    """
    if decimals is not None:
        return f"{x:.{decimals}f}"
    text = repr(min(max(float(x), -_LARGEST), _LARGEST))  # infinity has no text that all languages read
    digits, _, exponent = text.partition("e")
    if exponent and not -7 < int(exponent) < 21:
        return f"{digits.removesuffix('.0')}e{int(exponent):+d}"
    return (f"{Decimal(text):f}" if exponent else text).removesuffix(".0") if x else "0"


def short(x: float, digits: int = 4) -> str:
    """Return a number with a few digits, or with all those before its point."""
    return number(float(f"{x:.{max(digits, len(str(int(abs(x)))))}g}")) if math.isfinite(x) else str(x)


def grouped(x: float, digits: int = 4) -> str:
    """Return a short number for people to read, with thousands separators."""
    if abs(x) >= _MOST_GROUPED:
        return f"{x:.{digits}g}"
    text = short(x, digits)
    return f"{Decimal(text):,}" if abs(x) >= 1_000 else text


def without_noise(numbers: Floats) -> Floats:
    """Return numbers without the noise of sums, which is a few units in the last place: 0.7 for 0.69...98."""
    short = np.array([float(f"{number:.{_DIGITS}g}") for number in numbers.tolist()])
    return np.where(np.abs(short - numbers) <= _NOISE * np.spacing(np.abs(numbers)), short, numbers)


class Reduced(NamedTuple):
    """Numbers in another unit, and as differences from a number, so that sums and squares are accurate."""

    numbers: Floats
    exponent: int  # of the unit, a power of two
    middle: float

    @classmethod
    def of(cls, numbers: Floats) -> Reduced:
        """Return numbers reduced; most have the unit one and differ from zero.

        Numbers that differ only in their last digits are reduced by one of them.
        """
        low, high = float(numbers.min()), float(numbers.max())
        exponent = int(np.frexp(max(-low, high) or 1.0)[1])
        exponent = exponent if abs(exponent) > _SQUARED else 0
        low, high = float(np.ldexp(low, -exponent)), float(np.ldexp(high, -exponent))
        middle = low if high - low < _NEAR * max(-low, high) else 0.0
        return cls(np.ldexp(numbers, -exponent) - middle, exponent, middle)

    def restored(self, numbers: Floats) -> Floats:
        """Return reduced numbers, such as means of these, in the unit of the given ones."""
        return np.asarray(np.ldexp(numbers + self.middle, self.exponent))


@dataclass(frozen=True)
class NodeNumbers:
    """The numbers of the samples at every node of a regression tree."""

    n: NDArray[np.int64]
    mean: Floats  # of a node without samples its parent's
    errors: Floats  # sums of squared deviations from the mean, in a unit
    exponent: int = 0  # of the unit, a power of two

    @classmethod
    def of(cls, tree: Tree, reached: NDArray[np.integer], target: Floats) -> NodeNumbers:
        """Return the numbers at the nodes of a tree, given the leaf that every sample reaches."""
        reduced = Reduced.of(target)
        samples = NodeSamples.of(tree, reached, reduced.numbers)
        means = samples.means()
        errors = samples.errors(means, np.arange(tree.n_nodes))
        return cls(samples.n, reduced.restored(without_noise(means)), errors, reduced.exponent)

    @property
    def deviation(self) -> Floats:
        """The standard deviation at every node."""
        return np.asarray(np.ldexp(np.sqrt(self.errors / np.maximum(self.n, 1)), self.exponent))

    def taken(self, nodes: NDArray[np.intp]) -> NodeNumbers:
        """Return the numbers of some nodes."""
        return NodeNumbers(self.n[nodes], self.mean[nodes], self.errors[nodes], self.exponent)

    def merged(self, sources: Sequence[Sequence[int]]) -> NodeNumbers:
        """Return the numbers of nodes that each take the place of some nodes of this tree."""
        n = np.array([self.n[nodes].sum() for nodes in map(list, sources)])
        before = np.ldexp(self.mean, -self.exponent)
        mean, errors = np.zeros(len(n)), np.zeros(len(n))
        for node, old in enumerate(map(list, sources)):
            weights = self.n[old] if n[node] else np.ones(len(old))
            mean[node] = np.average(before[old], weights=weights)
            errors[node] = (self.errors[old] + self.n[old] * (before[old] - mean[node]) ** 2).sum()
        return NodeNumbers(n, np.ldexp(mean, self.exponent), errors, self.exponent)


class NodeSamples(NamedTuple):
    """The numbers of the samples that come to every node of a tree."""

    target: Floats  # by leaf
    begin: list[int]  # [node]: its first number
    end: list[int]  # [node]: behind its last
    parent: list[int]

    @classmethod
    def of(cls, tree: Tree, reached: NDArray[np.integer], target: Floats) -> NodeSamples:
        """Return the numbers, given the leaf that every sample reaches."""
        narrow = reached.astype(np.uint16) if tree.n_nodes < 2**16 else reached  # sorted much faster
        by_leaf = np.argsort(narrow, kind="stable")
        counts = np.bincount(reached, minlength=tree.n_nodes)
        bounds = np.concatenate(([0], np.cumsum(counts)))
        end = bounds[np.arange(tree.n_nodes) + tree.span]
        return cls(target[by_leaf], bounds[:-1].tolist(), end.tolist(), tree.parents().tolist())

    @property
    def n(self) -> NDArray[np.int64]:
        """The number of samples at every node."""
        return np.subtract(self.end, self.begin, dtype=np.int64)

    def means(self) -> Floats:
        """Return the mean of every node; a node without samples has that of its parent."""
        means: list[float] = []
        for begin, end, parent in zip(self.begin, self.end, self.parent, strict=True):
            here = self.target[begin:end]  # a call of its method `mean` takes three times as long
            means.append(float(np.add.reduce(here)) / (end - begin) if end > begin else means[parent])
        return np.array(means)

    def errors(self, means: Floats, nodes: NDArray[np.intp]) -> Floats:
        """Return the sum of squared deviations from the mean at some nodes."""
        errors = np.zeros(len(nodes))
        for place, node in enumerate(nodes.tolist()):
            away = self.target[self.begin[node] : self.end[node]] - means[node]
            errors[place] = np.add.reduce(away * away)
        return errors


def shrunken(tree: Tree, reached: NDArray[np.integer], numbers: Floats, shrinkage: float) -> Floats:
    """Return what every node predicts if it is drawn towards its parent.

    A node moves away from its parent, of n instances, by n / (n + shrinkage) of the difference (hierarchical
    shrinkage: Agarwal et al., 2022).
    """
    if shrinkage == 0:
        return numbers  # the sum of differences would be rounded
    n_below = np.concatenate(([0], np.cumsum(np.bincount(reached, minlength=tree.n_nodes))))
    shrunk = numbers.copy()
    for node, parent in enumerate(tree.parents().tolist()):
        if node > 0:
            n = n_below[parent + tree.span[parent]] - n_below[parent]
            share = n / (n + shrinkage) if n > 0 else 0.0
            shrunk[node] = shrunk[parent] + share * (numbers[node] - numbers[parent])
    return without_noise(shrunk)
