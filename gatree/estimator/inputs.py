"""Convert the inputs of scikit-learn users to a `Dataset`: arrays, and frames with categories.

Columns of numbers become numeric attributes; categories, text and booleans become nominal ones, without
one-hot encoding. Columns of objects that are all numbers, such as decimals, are numeric. NaN, None and
pandas' NA are missing values. Errors are those that scikit-learn users expect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation
from numbers import Number, Real
from typing import Protocol, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api import types
from pandas.api.extensions import ExtensionDtype
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from gatree.base.errors import GatreeError, SettingError
from gatree.data.answer import Answer
from gatree.data.attribute import Attribute, half_a_surrogate_pair
from gatree.data.dataset import Dataset, read_table
from gatree.data.frames import FrameSource, frame_of_pandas, is_frame
from gatree.data.goal import SampleWeights
from gatree.data.source import ReadOptions
from gatree.estimator.parameters import parameter_of


class SparseMatrix(Protocol):
    """A matrix of scipy's, as far as it is used."""

    shape: tuple[int, int]

    def toarray(self) -> NDArray[np.generic]:
        """Return it as an array."""


Matrix: TypeAlias = ArrayLike | SparseMatrix
"""What scikit-learn takes as X: an array, rows, a frame of any library, or a sparse matrix."""

_MOST_REPEATED_ROWS = 50_000_000
_ROWS_PER_WEIGHT = 16


@contextmanager
def as_value_error() -> Iterator[None]:
    """Convert a GatreeError, and errors caused by invalid cells, to the ValueError that users expect."""
    try:
        yield
    except SettingError as error:
        raise ValueError(error.named(parameter_of)) from error
    except GatreeError as error:
        raise ValueError(str(error)) from error
    except OverflowError as error:
        raise ValueError("Input contains infinity or a value too large for dtype('float64').") from error
    except InvalidOperation as error:
        raise ValueError("Input contains a signaling NaN; a missing value is NaN or None.") from error
    except UnicodeEncodeError as error:
        raise ValueError(half_a_surrogate_pair(error.object)) from error


@as_value_error()
def as_frame(estimator: BaseEstimator, X: ArrayLike, reset: bool) -> pd.DataFrame:
    """Return X as a checked frame; store its columns, or compare them with the stored ones.

    Frames with columns that are not numeric, and arrays of objects that are not numbers, are used as they
    are; scikit-learn's own validation converts everything else.
    """
    _refuse_dask(X, "fit" if reset else "predict")
    _refuse_repeated_names(X)
    X = _unpacked(X)
    if isinstance(X, pd.DataFrame) and not all(_is_number(dtype) for dtype in X.dtypes):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        _check_cells(X)
        frame = X
    else:
        checked = validate_data(
            estimator, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan", ensure_min_samples=1
        )
        frame = pd.DataFrame(checked)
    named = frame.set_axis(column_names(estimator), axis="columns")
    return named.reset_index(drop=True)


def column_names(estimator: BaseEstimator) -> list[str]:
    """Return the names of the columns: the frame's, or x0, x1, ..."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{i}" for i in range(estimator.n_features_in_)] if names is None else list(names)


def _is_number(dtype: np.dtype | ExtensionDtype) -> bool:
    return types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype)


def _unpacked(X: ArrayLike) -> ArrayLike | pd.DataFrame:
    """Return rows with text, objects that are not all numbers, and other frames as a frame of pandas."""
    if isinstance(X, list) and all(isinstance(row, list | tuple) for row in X):
        has_text = any(isinstance(cell, str) for row in X for cell in row)
        return pd.DataFrame(X) if has_text and len(set(map(len, X))) == 1 else X
    if is_frame(X) and not isinstance(X, pd.DataFrame):
        return frame_of_pandas(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in "OU" and X.ndim == 2:
        try:
            return X.astype(np.float64)
        except (TypeError, ValueError):
            return pd.DataFrame(X.astype(object)).infer_objects()
    return X


def _refuse_dask(X: object, method: str) -> None:
    """Reject a Dask collection, of which each access to a cell would be a computation."""
    if type(X).__module__.partition(".")[0] == "dask":
        lazily = "" if method == "fit" else " or use X.map_partitions(model.predict)"
        raise ValueError(f"X is a Dask collection, which is not in memory; pass X.compute(){lazily}")


def _refuse_repeated_names(X: object) -> None:
    """Reject a frame that has a name twice."""
    columns = getattr(X, "columns", ())
    names: Counter[object] = Counter(getattr(X, "column_names", columns))  # the columns of pyarrow are data
    if repeated := [name for name, n in names.items() if n > 1]:
        raise ValueError(
            f"X has several columns called {', '.join(map(repr, repeated))}; rename or drop all but one"
        )


def _check_cells(frame: pd.DataFrame) -> None:
    """Reject infinite numbers, and objects that are neither text nor numbers."""
    if len(frame) == 0:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    for name, column in frame.items():
        if column.dtype == object:
            known = column.dropna()
            for cell in known:
                if not isinstance(cell, str | Number | np.bool_ | date):
                    raise TypeError(
                        f"argument must be a string or a number, got {type(cell).__name__} in column {name!r}"
                    )
            numbers: ArrayLike = [float(cell) for cell in known if isinstance(cell, Real | Decimal)]
        else:
            is_number = _is_number(column.dtype)
            numbers = column.to_numpy(np.float64, na_value=np.nan) if is_number else []
        if np.isinf(numbers).any():
            raise ValueError(f"Input X contains infinity or a value too large, in column {name!r}.")


def class_name(y: ArrayLike, default: str = "class") -> str:
    """Return the name of a Series, or of the only column of a frame."""
    columns: Sequence[object] = getattr(y, "columns", ())
    name = columns[0] if len(columns) == 1 else getattr(y, "name", None)
    return name if isinstance(name, str) and name.strip() else default


def as_dataset(
    frame: pd.DataFrame, answer: Answer | None = None, like: tuple[Attribute, ...] = ()
) -> Dataset:
    """Return a data set from a frame and what is to be predicted, or None if that is unknown.

    Text is read as in the columns of an earlier data set, if those are given.
    """
    source = FrameSource(frame.infer_objects(), "X")
    table = read_table(lambda _: source, ReadOptions(like=like))
    if answer is None:
        return table.unlabelled()
    free = class_column(table.names, answer.name)
    return table.predicting(replace(answer, attribute=replace(answer.attribute, name=free)))


def class_column(names: list[str], name: str) -> str:
    """Return the name of the class column, with underscores appended while another column has it."""
    while name in names:
        name += "_"
    return name


def sample_weights(sample_weight: ArrayLike) -> SampleWeights:
    """Return how often every sample counts according to its weight.

    Integer weights are used as they are. Fractional weights are scaled so that the mean weight is sixteen
    rows, and rounded with that sum preserved: the largest remainders are rounded up. So a weight is off by
    less than one row, which is less than a sixteenth of the mean weight.
    """
    weights = np.asarray(sample_weight, dtype=np.float64)
    if np.any(weights < 0):
        raise ValueError("sample_weight must not be negative")
    if not weights.any():
        raise ValueError("sample_weight is zero for all instances")
    is_whole = np.all(weights == np.round(weights))
    if not is_whole:
        weights = _rounded(weights, _ROWS_PER_WEIGHT * len(weights))
    if weights.sum() > _MOST_REPEATED_ROWS:
        raise ValueError(
            f"sample_weight adds up to {weights.sum():g}, more than {_MOST_REPEATED_ROWS}; integer weights "
            "are numbers of copies, so pass weights / weights.sum() if they are relative"
        )
    return SampleWeights(weights.astype(np.int64), 1 if is_whole else _ROWS_PER_WEIGHT)


def _rounded(weights: NDArray[np.float64], total: int) -> NDArray[np.float64]:
    """Return integers that add up to a total, in proportion to the weights."""
    exact = weights / weights.max()
    exact *= total / exact.sum()
    whole: NDArray[np.float64] = np.floor(exact)
    n_up = round(total - float(whole.sum()))
    whole[np.argsort(whole - exact, kind="stable")[:n_up]] += 1
    return whole
