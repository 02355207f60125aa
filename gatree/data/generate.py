"""A data set of any size from a function: ``chessboard``, the simulation of the evtree paper.

That is Grubinger, Zeileis and Pfeiffer, JSS 61(1), 2014. It draws from ``numpy.random.default_rng(seed)``
only, column by column, so the same arguments give the same data set.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from gatree.base.errors import DataError
from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset


def generated(name: str) -> Dataset | None:
    """Return generated data by their name; None if it names none.

    ``chessboard-5`` is `chessboard` with 5 % noise, ``chessboard-5-seed-2`` the same with another seed.
    """
    match = re.fullmatch(r"chessboard-(\d{1,2})(?:-seed-(\d{1,9}))?", name)
    if match is None:
        return None
    return replace(chessboard(noise=int(match[1]) / 100, seed=int(match[2] or 0)), name=name)


def chessboard(n_instances: int = 4000, noise: float = 0.0, n_irrelevant: int = 6, seed: int = 0) -> Dataset:
    """Return points of a 4 x 4 chessboard, classified by the colour of their field.

    No single test separates the colours better than chance, so greedy trees have nothing to begin with.

    Parameters
    ----------
    n_instances : int
        Points, uniform in [0, 4) in every attribute.
    noise : float
        The share of instances that get the other class, exactly.
    n_irrelevant : int
        Irrelevant attributes, in addition to the two of the board.
    seed : int
    """
    check_at_least_one(n_instances=n_instances)
    check_noise(noise)
    if n_irrelevant < 0:
        raise DataError(f"n_irrelevant must be 0 or more, got {n_irrelevant}")
    rng = np.random.default_rng(seed)
    columns = tuple(4 * rng.random(n_instances) for _ in range(2 + n_irrelevant))
    colours = (columns[0].astype(np.int32) + columns[1].astype(np.int32) + 1) % 2
    flipped = np.argsort(rng.random(n_instances), kind="stable")[: round(noise * n_instances)]
    colours[flipped] = 1 - colours[flipped]
    return Dataset(
        name=f"chessboard-{100 * noise:g}",
        attributes=tuple(Attribute(f"x{i}", "numeric") for i in range(1, len(columns) + 1)),
        columns=columns,
        answer=Classes(Attribute("class", "nominal", ("0", "1")), colours.astype(np.int32)),
        answer_position=len(columns),
    )


def check_at_least_one(**numbers: int) -> None:
    """Raise a DataError that names a number below one."""
    for name, number in numbers.items():
        if number < 1:
            raise DataError(f"{name} must be 1 or more, got {number}")


def check_noise(noise: float) -> None:
    """Raise a DataError if a share of wrong classes cannot be one."""
    if not 0 <= noise <= 1:
        raise DataError(f"noise must be between 0 and 1, got {noise}")
