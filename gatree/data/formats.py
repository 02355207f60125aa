"""Which format a data file has, by how its name ends."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Format = Literal["arff", "csv", "parquet"]

_FORMAT_OF: dict[str, Format] = {
    **dict.fromkeys((".arff", ".arff.gz"), "arff"),
    **dict.fromkeys((".csv", ".csv.gz", ".tsv", ".tsv.gz"), "csv"),
    ".parquet": "parquet",
}

ENDINGS = ".arff, .csv, .tsv, any of these and .gz, or .parquet"
"""How the names of data files end, for messages."""


def format_of(path: str | Path) -> Format | None:
    """Return the format of a file, if its name tells it."""
    ending = _ending(path)
    return None if ending is None else _FORMAT_OF[ending]


def name_of_file(path: str | Path) -> str:
    """Return the name of a file without its folder and the ending that tells its format."""
    name = Path(path).name
    return name[: len(name) - len(_ending(path) or "")]


def is_tsv(path: str | Path) -> bool:
    """Tell whether the name of a file says that tabs separate its values."""
    return (_ending(path) or "").startswith(".tsv")


def _ending(path: str | Path) -> str | None:
    return next((ending for ending in _FORMAT_OF if str(path).lower().endswith(ending)), None)
