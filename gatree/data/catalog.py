"""The twelve data sets of the paper, by name.

Each is a file ``NAME.arff`` with its metadata next to it in ``NAME.yaml`` (where it comes from, what was
done to it, its checksum), in the order of the paper's tables. Ten are the paper's own data; two stand
in for data that are lost. The files are made by ``datasets/make.py``.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

import yaml
from msgspec import Struct, convert, field

from gatree.base.errors import DataError, did_you_mean
from gatree.base.files import shipped_folder
from gatree.data.arff import read_arff
from gatree.data.dataset import Dataset

if TYPE_CHECKING:
    import pandas as pd

_NAMES = (
    "balance-scale",
    "zoo",
    "credit-a",
    "lymph",
    "glass",
    "soybean",
    "vote",
    "anneal",
    "crime",
    "kr-vs-kp",
    "breast",
    "multiplexor",
)


class CatalogEntry(Struct, frozen=True):
    """What is known about one data set without reading it.

    ``checksum`` is the SHA-256 of the file's bytes. ``origin`` tells whether these are the data that
    the paper used, or stand in for data that are lost.
    """

    file: Path
    name: str
    title: str
    origin: Literal["paper", "stand-in"]
    source: str
    citation: str
    licence: str
    transformations: tuple[str, ...]
    n_instances: int = field(name="instances")
    n_attributes: int = field(name="attributes")
    n_classes: int = field(name="classes")
    n_missing: int = field(name="missing")
    checksum: str = field(name="sha256")


def dataset_names() -> tuple[str, ...]:
    """Return the names of the data sets, in the paper's order."""
    return _NAMES


@cache
def catalog() -> tuple[CatalogEntry, ...]:
    """Return the entries of all data sets, in the paper's order."""
    return tuple(_read_entry(shipped_folder("datasets"), name) for name in _NAMES)


def catalog_entry(name: str) -> CatalogEntry:
    """Return the entry of the data set called ``name``."""
    for entry in catalog():
        if entry.name == name:
            return entry
    raise DataError(f"no data set {name!r}{did_you_mean(name, _NAMES)} (there are: {', '.join(_NAMES)})")


@overload
def load_dataset(name: str, *, as_frame: Literal[False] = False) -> Dataset: ...


@overload
def load_dataset(name: str, *, as_frame: Literal[True]) -> tuple[pd.DataFrame, pd.Series]: ...


def load_dataset(name: str, *, as_frame: bool = False) -> Dataset | tuple[pd.DataFrame, pd.Series]:
    """Return one of the paper's data sets.

    Parameters
    ----------
    name : str
    as_frame : bool
        Return ``X, y`` for scikit-learn instead: a frame of categories and numbers, and the classes.

    Examples
    --------
    >>> load_dataset("vote").n_instances
    435
    >>> X, y = load_dataset("vote", as_frame=True)
    >>> X.shape, y.name
    ((435, 16), 'Class')
    """
    dataset = read_arff(catalog_entry(name).file)
    if not as_frame:
        return dataset
    frame = dataset.to_frame()
    return frame, frame.pop(dataset.class_attribute.name)


def verify(entry: CatalogEntry) -> None:
    """Raise `DataError` unless the file is there and has the bytes that the catalog promises."""
    try:
        found = hashlib.sha256(entry.file.read_bytes()).hexdigest()
    except OSError as error:
        raise DataError(f"{entry.file}: cannot be read ({error.strerror}); install gatree again") from error
    if found != entry.checksum:
        raise DataError(
            f"{entry.file}: the file was changed: its SHA-256 is {found}, the catalog has {entry.checksum}; "
            "install gatree again"
        )


def _read_entry(folder: Path, name: str) -> CatalogEntry:
    path = folder / f"{name}.yaml"
    try:
        metadata = yaml.safe_load(path.read_text(encoding="utf-8"))
        return convert({**metadata, "file": path.with_suffix(".arff")}, CatalogEntry)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}); install gatree again") from error
    except (TypeError, ValueError, yaml.YAMLError) as error:
        raise DataError(f"{path}: not the metadata of a data set; install gatree again") from error
