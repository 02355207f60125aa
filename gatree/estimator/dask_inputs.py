"""Learn from Dask frames and arrays, and predict for them, on the workers that hold them.

Two passes over the partitions collect the classes, then a summary of each column (as for files, see
`gatree.data.pieces`). Then every partition is coded on its worker, usually with a byte per cell, and the
codes become the shards of one evolution. Predictions are lazy and made partition by partition.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from gatree.base.extras import extras
from gatree.data.blocks import ReadOptions
from gatree.data.coding import NumericTests
from gatree.data.columns import ScanRequest, Summary, settle, summarise
from gatree.data.frames import frame_source
from gatree.data.pieces import CodedRows, CodingPlan, DataInPieces, plan_of
from gatree.estimator.inputs import as_frame, class_column, class_name, column_names
from gatree.evolution.evaluators.shards.workers import ShardWorkers, Source
from gatree.evolution.problem import Instances, Problem


def is_dask(X: Any) -> bool:
    """Return whether X is a Dask collection, without importing Dask."""
    return type(X).__module__.partition(".")[0] == "dask"


def dask_data(
    estimator: Any, X: Any, y: Any, numeric_tests: NumericTests, max_thresholds: int | None
) -> tuple[NDArray[Any], Problem, ShardWorkers]:
    """Code X and y on the workers of the current client.

    Return the classes, a problem without instances, and the workers that hold them.

    Raises
    ------
    ValueError
        If X and y do not match.
    """
    with extras():
        import distributed
    try:
        client = distributed.get_client()
    except ValueError:
        raise ValueError(
            "learning from Dask frames and arrays needs a cluster, got none: create a Client first"
        ) from None
    frames, targets = _partitions(X), _partitions(y)
    if len(frames) != len(targets):
        raise ValueError(
            f"X has {len(frames)} partitions, but y has {len(targets)}; both need the same partitions"
        )
    as_frame(estimator, sample_of(X), reset=True)
    names = column_names(estimator)
    targets = client.compute(targets)
    classes = np.unique(np.concatenate(client.gather(client.map(_classes_of, targets, pure=False))))
    check_classification_targets(classes)
    target = class_column(names, class_name(y._meta))
    labelled = [
        client.submit(_labelled, frame, labels, names, target, classes, pure=False)
        for frame, labels in zip(client.compute(frames), targets, strict=True)
    ]
    lengths = client.gather(client.map(len, labelled, pure=False))
    there = [at for at, n_rows in enumerate(lengths) if n_rows]
    if not there:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")

    def scan(request: ScanRequest) -> list[Summary]:
        found = client.map(
            _summarised, [labelled[at] for at in there], there, [request] * len(there), pure=False
        )
        summaries: list[Summary] = client.gather(found)
        return summaries

    first = frame_source(as_frame(estimator, sample_of(X), reset=False).assign(**{target: ""}), "X")
    settled = settle(lambda _: (first, scan), ReadOptions())
    plan = plan_of("X", settled, target, numeric_tests, max_thresholds=max_thresholds)
    coded = [client.submit(_coded, labelled[at], plan, pure=False) for at in there]
    from gatree.evolution.evaluators.shards.cluster import Cluster  # imported here: it imports Dask

    cluster = Cluster(client)
    groups = np.array_split(np.arange(len(coded)), min(len(coded), cluster.n_workers))
    load = partial(_joined, plan.coding.is_numeric)
    shards = [Source(load, tuple(coded[at] for at in group)) for group in groups]
    problem = Problem.in_pieces(DataInPieces(plan, ()), in_memory=False)
    return classes, problem, ShardWorkers(shards, cluster.start)


def _partitions(collection: Any) -> list[Any]:
    """Return the partitions by rows, as delayed objects."""
    if not is_dask(collection):
        raise ValueError(f"X is a Dask collection, so y must be one too, got {type(collection).__name__}")
    return list(np.ravel(np.asarray(rows_in_one(collection).to_delayed(), dtype=object)))


def rows_in_one(collection: Any) -> Any:
    """Return a collection whose partitions hold whole rows."""
    is_matrix = getattr(collection, "ndim", 1) == 2 and hasattr(collection, "rechunk")
    return collection.rechunk({1: -1}) if is_matrix else collection


def sample_of(X: Any) -> Any:
    """Return a small sample with the columns and types of X."""
    return X._meta_nonempty if hasattr(X, "_meta_nonempty") else np.zeros((1, X.shape[1]), X.dtype)


# ----------------------------------------------------------------------------------------- on the workers


def _classes_of(y: Any) -> NDArray[Any]:
    y = np.asarray(y)
    if pd.isna(y).any():
        raise ValueError("Input y contains NaN.")
    return np.unique(y)


def _labelled(X: Any, y: Any, names: list[str], target: str, classes: NDArray[Any]) -> pd.DataFrame:
    """Return a partition as a frame with its classes as the last column."""
    if len(X) != len(y):
        raise ValueError(
            f"a partition of X has {len(X)} rows, but that of y {len(y)}; both need the same partitions"
        )
    frame = pd.DataFrame(X).set_axis(names, axis="columns").reset_index(drop=True)
    labels = pd.Index([str(label) for label in classes])
    return frame.assign(**{target: pd.Categorical.from_codes(np.searchsorted(classes, y), categories=labels)})


def _summarised(frame: pd.DataFrame, number: int, request: ScanRequest) -> Summary:
    return summarise(frame_source(frame, f"partition {number} of X"), ReadOptions(), request)


def _coded(frame: pd.DataFrame, plan: CodingPlan) -> tuple[Any, Any]:
    room, source = CodedRows(plan, len(frame)), frame_source(frame, "X")
    room.add(dict(zip(source.names, source.cells, strict=True)), "X")
    return room.filled()


def _joined(is_numeric: NDArray[np.bool_], *parts: tuple[Any, Any]) -> Instances:
    """Return the instances of a shard, whose partitions Dask sends to the shard's worker."""
    codes, classes = zip(*parts, strict=True)
    return Instances(np.concatenate(codes, axis=1), is_numeric, np.concatenate(classes))


def predicted(estimator: Any, method: str, X: Any) -> Any:
    """Return the result of an estimator's method for X as a lazy collection of X's kind.

    For a frame it is a series or, with several numbers per sample, a frame with a column for each class, both
    with the index of X.
    """
    sample: NDArray[Any] = getattr(estimator, method)(sample_of(X))  # raises if X has other columns
    if hasattr(X, "map_partitions"):
        nothing = _like_frame(estimator, sample[:0], X._meta.index)
        # Bound by `partial`: Dask would treat pandas objects among the arguments as collections.
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
