"""Random data of a few numbers: what evolutions and fronts are hunted with."""

from __future__ import annotations

from typing import Any

import numpy as np

from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset

Case = dict[str, Any]

SIZES = ("n_instances", "n_attributes", "n_values", "n_classes")


def random_data(case: Case) -> Dataset:
    """Return nominal and numeric columns with missing values, and classes by chance."""
    rng, n = np.random.default_rng(case["data_seed"]), case["n_instances"]
    attributes, columns = [], []
    for index in range(case["n_attributes"]):
        if rng.random() < 0.5:
            attributes.append(Attribute(f"n{index}", "nominal", tuple("abcde"[: case["n_values"]])))
            columns.append(rng.integers(-1, case["n_values"], n).astype(np.int32))
        else:
            attributes.append(Attribute(f"x{index}", "numeric"))
            column = rng.integers(-20, 21, n) / 2
            column[rng.random(n) < 0.1] = np.nan
            columns.append(column)
    return Dataset(
        name="random",
        attributes=tuple(attributes),
        columns=tuple(columns),
        answer=Classes(
            Attribute("class", "nominal", tuple(f"c{i}" for i in range(case["n_classes"]))),
            rng.integers(0, case["n_classes"], n).astype(np.int32),
        ),
        answer_position=case["n_attributes"],
    )


def smaller_data(case: Case) -> list[Case]:
    """Return cases with fewer instances, attributes, values, classes or threads."""
    found = []
    for name in (*SIZES, "n_jobs"):
        size = case.get(name, 1)
        if size > 1:
            found += [{**case, name: fewer} for fewer in (1, size // 2 or 1, size - 1)]
    return found
