"""Predictions for Dask's frames and arrays: partition by partition, where they are, when asked for."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gatree.estimator.dask_inputs import rows_in_one, sample_of


def predicted(estimator: Any, method: str, X: Any) -> Any:
    """Return what a method of an estimator says of X, as a collection of X's kind, not computed yet.

    A frame gives a series or, if there are several numbers per sample, a frame with a column for each class,
    both with the index of X.
    """
    sample: NDArray[Any] = getattr(estimator, method)(sample_of(X))  # says if X has other columns
    if hasattr(X, "map_partitions"):
        nothing = _like_frame(estimator, sample[:0], X._meta.index)
        # Not as arguments: what is pandas' among these, Dask takes for another collection.
        of_partition = partial(_of_partition, estimator=estimator, method=method, nothing=nothing)
        return X.map_partitions(of_partition, meta=nothing)
    one_number = sample.ndim == 1
    shape: Any = {"drop_axis": 1} if one_number else {"chunks": (X.chunks[0], (sample.shape[1],))}
    return rows_in_one(X).map_blocks(_of_block, estimator, method, sample[:0], dtype=sample.dtype, **shape)


def _like_frame(estimator: Any, values: NDArray[Any], index: pd.Index) -> Any:
    if values.ndim == 1:
        return pd.Series(values, index=index)
    return pd.DataFrame(values, index=index, columns=pd.Index(estimator.classes_))


def _of_partition(partition: pd.DataFrame, estimator: Any, method: str, nothing: Any) -> Any:
    if len(partition) == 0:
        return nothing
    return _like_frame(estimator, getattr(estimator, method)(partition), partition.index)


def _of_block(block: NDArray[Any], estimator: Any, method: str, nothing: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(getattr(estimator, method)(block)) if len(block) else nothing
