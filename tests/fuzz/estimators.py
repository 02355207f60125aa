"""Odd inputs of the estimators: used, or refused with the error that scikit-learn users expect.

An input is a dict of column kinds and a seed, so that it can be made smaller and kept as a file.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from fuzz.random_data import Case
from gatree import GATreeClassifier, J48Classifier, SmallTreeClassifier, SmallTreeRegressor

_ODD_CELLS: list[Any] = [
    None, np.nan, pd.NA, pd.NaT, 0, -1, 1.5, -0.0, 10**400, -(10**400), 2**63, 2**64, np.inf, -np.inf, 5e-324,
    True, np.True_, np.float32(1.5), np.int8(3), Decimal("1.5"), Decimal("NaN"), Decimal("sNaN"),
    Decimal("1e999"), Fraction(1, 3), "", " ", "a", "1", "1.0", "True", "nan", "\ud800", "\x00", "é",
    np.str_("a"), b"a", 1j, (1, 2), [1], {}, pd.Timestamp("2020"), pd.Timedelta("1s"), pd.Interval(0, 1),
]  # fmt: skip
_NAMES: list[Any] = ["a", "b", "", " ", "class", "class_", "x0", "é", "\ud800", 0, 1, None, ("a", 1)]
_COLUMNS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "numbers": lambda rng, n: rng.choice([1.5, 2.5, -3.0, np.nan], n),
    "integers": lambda rng, n: rng.integers(-3, 3, n),
    "single": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "large": lambda rng, n: rng.choice([1e308, -1e308, 5e-324, 1.0], n),
    "scaled": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-320, 308),
    "ulps": lambda rng, n: 1e15 + rng.integers(0, 3, n) / 8,
    "infinite": lambda rng, n: rng.choice([1.0, np.inf], n),
    "unsigned": lambda rng, n: rng.choice(np.array([0, 2**64 - 1], dtype=np.uint64), n),
    "booleans": lambda rng, n: rng.random(n) < 0.5,
    "text": lambda rng, n: pd.Series(rng.choice(["a", "b", " ", ""], n), dtype=object),
    "strings": lambda rng, n: pd.array(rng.choice(["a", "b"], n).tolist(), dtype="string"),
    "categories": lambda rng, n: pd.Categorical.from_codes(rng.integers(-1, 3, n), categories=["x", "y", ""]),
    "nullable": lambda rng, n: pd.array([int(i) or None for i in rng.integers(0, 3, n)], dtype="Int64"),
    "dates": lambda rng, n: pd.to_datetime(rng.integers(0, 10**9, n), unit="s"),
    "zones": lambda rng, n: pd.to_datetime(rng.integers(0, 10**9, n), unit="s", utc=True),
    "differences": lambda rng, n: pd.to_timedelta(rng.integers(0, 10**9, n), unit="s"),
    "complex": lambda rng, n: rng.normal(size=n) + 1j,
    "odd": lambda rng, n: _odd(rng, n, 2),
    "very odd": lambda rng, n: _odd(rng, n, 6),
}  # fmt: skip
_LABELS = ("two", "text", "blank", "booleans", "odd", "floats", "one", "scaled", "ulps")
_FORMS = ("frame", "array", "objects", "rows", "polars", "pyarrow")


def draw(rng: random.Random) -> Case:
    """Return a random input: one to four columns, names, classes, and the form that they come in."""
    n_columns = rng.randint(1, 4)
    return {
        "seed": rng.randrange(2**32),
        "n_rows": rng.choice([1, 2, 3, 30]),
        "columns": [rng.choice(list(_COLUMNS)) for _ in range(n_columns)],
        "names": [rng.choice([0, 1, rng.randrange(len(_NAMES))]) + i for i in range(n_columns)],
        "labels": rng.choice(_LABELS),
        "form": rng.choice(_FORMS),
        "weights": rng.choice([None, None, None, "ones", "fractions", "odd"]),
        "estimator": rng.choice(list(_ESTIMATORS)),
    }


def run(case: Case) -> None:
    """Fit and predict; any error but a ValueError or TypeError is raised, and so is a changed prediction."""
    rng = np.random.default_rng(case["seed"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what pandas and numpy say to such cells is no matter of ours
        X, y, weights = _input(case, rng)
        model = _ESTIMATORS[case["estimator"]]()
        try:
            model.fit(X, y, sample_weight=weights)
        except UnicodeError:
            raise  # says nothing of the input
        except (ValueError, TypeError):
            return
        found = np.asarray(model.predict(X))
        assert len(found) == case["n_rows"]
        assert (found == np.asarray(model.predict(X))).all()
        model.tree_._repr_html_() if hasattr(model.tree_, "_repr_html_") else str(model.tree_)


def _input(case: Case, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    n = case["n_rows"]
    columns = [_COLUMNS[kind](rng, n) for kind in case["columns"]]
    frame = pd.concat([pd.Series(column) for column in columns], axis="columns")
    frame.columns = pd.Index(
        [_NAMES[index % len(_NAMES)] for index in case["names"]], dtype=object, tupleize_cols=False
    )
    forms: dict[str, Callable[[], Any]] = {
        "frame": lambda: frame,
        "array": frame.to_numpy,
        "objects": lambda: frame.to_numpy(dtype=object),
        "rows": lambda: frame.to_numpy(dtype=object).tolist(),
        "polars": lambda: _of_another_library(frame, pl.from_pandas),
        "pyarrow": lambda: _of_another_library(frame, pa.Table.from_pandas),
    }
    weights = {
        None: lambda: None,
        "ones": lambda: np.ones(n),
        "fractions": lambda: rng.random(n),
        "odd": lambda: _odd(rng, n, 2),
    }
    return forms[case["form"]](), _labels(case, rng), weights[case["weights"]]()


def _labels(case: Case, rng: np.random.Generator) -> Any:
    n = case["n_rows"]
    kinds: dict[str, Callable[[], Any]] = {
        "two": lambda: rng.integers(0, 2, n),
        "one": lambda: np.zeros(n, dtype=int),
        "text": lambda: rng.choice(["a", "b"], n),
        "blank": lambda: rng.choice(["", " ", "  "], n),
        "booleans": lambda: rng.random(n) < 0.5,
        "floats": lambda: rng.normal(size=n),
        "scaled": lambda: _COLUMNS["scaled"](rng, n),
        "ulps": lambda: _COLUMNS["ulps"](rng, n),
        "odd": lambda: _odd(rng, n, 2),
    }
    return kinds[case["labels"]]()


def _odd(rng: np.random.Generator, n: int, n_kinds: int) -> Any:
    kinds = rng.integers(len(_ODD_CELLS), size=n_kinds)
    cells = np.empty(n, dtype=object)
    for row, kind in enumerate(rng.choice(kinds, n)):
        cells[row] = _ODD_CELLS[kind]
    return pd.Series(cells, dtype=object)


def _of_another_library(frame: pd.DataFrame, convert: Callable[[pd.DataFrame], Any]) -> Any:
    """Return a frame of polars or pyarrow, or the one of pandas if the library does not take its columns."""
    try:
        return convert(frame)
    except Exception:  # each library refuses odd cells and names with errors of its own
        return frame


_FEW = {"population_size": 10, "n_generations": 5, "random_state": 0}
_ESTIMATORS: dict[str, Callable[[], Any]] = {
    "gatree": lambda: GATreeClassifier(**_FEW),
    "small tree": lambda: SmallTreeClassifier(effort=0.05, random_state=0),
    "small tree of numbers": lambda: SmallTreeRegressor(effort=0.05, random_state=0),
    "j48": J48Classifier,
}


def smaller(case: Case) -> list[Case]:
    """Return inputs that are simpler than this one in one thing."""
    found = [{**case, "n_rows": n} for n in (1, 2, 3) if n < case["n_rows"]]
    for index in range(len(case["columns"])):
        if len(case["columns"]) > 1:
            fewer = {key: case[key][:index] + case[key][index + 1 :] for key in ("columns", "names")}
            found.append({**case, **fewer})
        if case["columns"][index] != "numbers":
            plain = [*case["columns"][:index], "numbers", *case["columns"][index + 1 :]]
            found.append({**case, "columns": plain})
    usual = {"labels": "two", "form": "frame", "weights": None}
    found += [{**case, name: value} for name, value in usual.items() if case[name] != value]
    return found


_PLAIN = {
    "seed": 1,
    "n_rows": 30,
    "columns": ["numbers", "text"],
    "names": [0, 1],
    "labels": "two",
    "form": "frame",
    "weights": None,
}
WARM_UP: list[Case] = [{**_PLAIN, "estimator": name} for name in _ESTIMATORS]
