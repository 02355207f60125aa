"""The table of readings: what every data file of the project, and tables of all kinds of texts, are read as.

`readings.json` holds, for each file, its rows, its notes, the checksum of its data, and per column the kind,
the reading, the number of its values and a digest of its cells. A reader that reads anything otherwise fails
`test_frozen_readings.py`. If that is meant, run ``python tests/data/frozen_readings.py`` and look at every
difference. Of the business tables next to the project, there are digests only.
"""

import csv
import hashlib
import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import to_builtins

from gatree.base.errors import DataError
from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset, Table
from gatree.data.load import read
from gatree.data.source import ReadOptions

TABLE = Path(__file__).with_name("readings.json")
BUSINESS_TABLE = Path(__file__).with_name("business_digests.json")
ROOT = Path(__file__).parents[2]
BUSINESS = ROOT.parent / "shared" / "business"

POOLS = {
    "numbers": ["1", "-2.5", "3e2", "", "1234.5", ".5"],
    "money": ["$1,234.50", "-$3", "($4)", "$1,000,000", "N/A", "-"],
    "euro": ["1.234,50 €", "3,5 €", "-12,00 €", "1.000.000 €"],
    "shares": ["62.0%", "5 %", "-3%", "n/a"],
    "days": ["2024-02-29", "2023-12-31", "", "None"],
    "day_first": ["31/12/2024", "01/02/2024", "7/8/2023"],
    "open_days": ["01/12/2024", "01/02/2024", "07/08/2023"],
    "named": ["3 Mar 2024", "12 October 2017", "NULL"],
    "stamps": ["2024-03-03T10:00:00Z", "2024-03-03T10:00:00.250Z", "2023-01-01T00:00:00+02:00"],
    "words": ["red", " green ", "None", "-", "1"],
    "units": ["4 kg", "12.5 kg", "7kg", "1 kg"],
    "groups": ["1,234", "12,345", "1,000", "999"],
    "plain": ["10", "20", "30", "40"],
    "truth": ["true", "false", "True", "?"],
}
LATE = ["red", "$5", "31.12.2024", "", "-", "1,5", "(3)", "Total", "1 234", "nan"]
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}


def table_of_texts(separator: str) -> str:
    """Return a table with a column for each pool and each late value, as the text of a CSV file."""
    n_rows = 24
    names, columns = [], []
    for name, pool in POOLS.items():
        for late in (None, *LATE):
            cells = [pool[row % len(pool)] for row in range(n_rows)]
            names.append(f"{name} {late or 'alone'}" if late != "" else f"{name} empty")
            columns.append(cells if late is None else [*cells[:-1], late])
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator, lineterminator="\n")
    writer.writerows([names, *zip(*columns, strict=True)])
    return file.getvalue()


def files() -> dict[str, Path]:
    """Return the files of the project, by the name that they have in the table."""
    paths = [*(ROOT / "datasets").glob("*.arff"), *(ROOT / "tests" / "data").rglob("*.arff")]
    return {path.relative_to(ROOT).as_posix(): path for path in sorted(paths)}


def generated(folder: Path) -> dict[str, Path]:
    """Write the tables of texts into a folder, and return their files."""
    paths = {f"texts, {name}": folder / f"{name}.csv" for name in SEPARATORS}
    for path, separator in zip(paths.values(), SEPARATORS.values(), strict=True):
        path.write_text(table_of_texts(separator), encoding="utf-8")
    return paths


def business() -> dict[str, tuple[Path, ReadOptions]]:
    """Return the business tables, if they are there, and how to read them."""
    paths = [path for path in sorted(BUSINESS.glob("*")) if path.suffix in (".csv", ".xlsx")]
    options = {".xlsx": ReadOptions(sheet="Customers"), ".csv": ReadOptions()}
    return {path.name: (path, options[path.suffix]) for path in paths}


def reading(path: Path, options: ReadOptions | None = None) -> dict[str, Any]:
    """Return what a file is read as, in plain values."""
    table = read(path, options or ReadOptions(drop_strings=True))
    return {
        "rows": table.n_rows,
        "notes": [note.replace(str(path), path.name) for note in table.notes],
        "checksum": table.unlabelled().checksum[:16],
        "predicts": _predicted(table),
        "columns": {
            attribute.name: [
                "date" if attribute.date_format else "category" if attribute.is_nominal else "number",
                attribute.date_format,
                attribute.reading and to_builtins(attribute.reading),
                list(attribute.values) if len(attribute.values) < 10 else len(attribute.values),
                _digest(column),
            ]
            for attribute, column in zip(table.attributes, table.columns, strict=True)
        },
    }


def _predicted(table: Table) -> str:
    """Return what the last column is to a learner: a checksum with its classes or numbers, or why not."""
    try:
        dataset = table.dataset(regression=None)
    except DataError as error:
        return str(error).replace(table.path, table.name)
    if isinstance(dataset.answer, Classes):
        return f"{_checksum(dataset)}, classes"
    one_class = Classes(Attribute(dataset.answer.name, "nominal", ("number",)), dataset.answer.strata)
    return f"{_checksum(replace(dataset, answer=one_class))}, {_digest(dataset.answer.values)}"


def _checksum(dataset: Dataset) -> str:
    return dataset.checksum[:16]


def _digest(column: np.ndarray) -> str:
    canonical = np.where(np.isnan(column), np.nan, column) if column.dtype.kind == "f" else column
    return hashlib.sha256(np.ascontiguousarray(canonical).tobytes()).hexdigest()[:12]


def digest_of(found: dict[str, Any]) -> str:
    """Return the digest of a reading."""
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:24]


def renew(folder: Path) -> None:
    """Write both tables."""
    found = {name: reading(path) for name, path in (files() | generated(folder)).items()}
    TABLE.write_text("{\n" + ",\n".join(_row(*each) for each in found.items()) + "\n}\n", encoding="utf-8")
    digests = {name: digest_of(reading(*given)) for name, given in business().items()}
    BUSINESS_TABLE.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


def _row(name: str, found: dict[str, Any]) -> str:
    """Return a row of the table, with a line for each column."""
    columns = ",\n".join(f"  {_json(column)}: {_json(cells)}" for column, cells in found["columns"].items())
    parts = [f" {_json(key)}: {_json(value)}" for key, value in found.items() if key != "columns"]
    return f"{_json(name)}: {{\n" + ",\n".join([*parts, f' "columns": {{\n{columns}\n }}']) + "\n}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        sys.exit(renew(Path(folder)))
