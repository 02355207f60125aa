"""A CSV file of five gigabytes on two gigabytes of memory: read in pieces, coded, learnt from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from pyarrow import csv

from bench.common import ROOT, Options, Report, progress

TITLE = "Data in pieces"

COLUMNS = {
    "gigabytes": "file [GB]",
    "rows": "rows",
    "columns": "columns",
    "survey": "first pass [s of CPU]",
    "encode": "second pass [s of CPU]",
    "evolve": "evolution [s of CPU]",
    "codes": "codes [MB]",
    "peak": "peak memory [MB]",
    "accuracy": "accuracy",
}

NOTES = """\
- A generated CSV file of 20 numbers with three decimals and a class, deleted afterwards, in one process and
  one thread: `gatree evolve FILE --in-pieces` with a population of 64 and {n_generations} generations. The
  first pass finds the thresholds, the second codes the cells, a byte each. The peak is that of the whole
  process, Python and its libraries in it.
"""

_ROWS_AT_A_TIME = 500_000


def measure(options: Options) -> Report:
    """Write a file, learn from it in a process of its own, and delete it."""
    n_bytes, n_generations = (2 * 10**5, 4) if options.quick else (5 * 10**9, 100)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "numbers.csv"
        progress(f"pieces: writing {n_bytes / 1e9:g} GB")
        write_numbers(path, n_bytes)
        progress("pieces: reading them")
        command = [sys.executable, "-m", "bench.pieces_run", str(path), str(n_generations)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        size = path.stat().st_size
    found = json.loads(done.stdout)
    survey, encode, evolve = found["seconds"]
    times = {"survey": survey, "encode": encode, "evolve": evolve}
    kept = {name: found[name] for name in ("rows", "columns", "codes", "peak", "accuracy")}
    row = {"gigabytes": size / 1e9, **kept, **times}
    return Report([row], COLUMNS, notes=NOTES.format(n_generations=n_generations))


def write_numbers(path: Path, n_bytes: int) -> None:
    """Write at least ``n_bytes`` of CSV: 20 numbers, of which 4 are informative of the class."""
    rng = np.random.default_rng(0)
    n_rows = min(_ROWS_AT_A_TIME, 1 + n_bytes // 150)
    with path.open("wb") as file:
        while file.tell() < n_bytes:
            classes = rng.integers(0, 2, n_rows)
            columns = {f"x{at}": rng.standard_normal(n_rows) + 0.8 * classes * (at < 4) for at in range(20)}
            table = {name: pa.array(numbers.round(3)) for name, numbers in columns.items()}
            table["class"] = pa.array(np.where(classes == 1, "signal", "background"))
            options = csv.WriteOptions(include_header=file.tell() == 0, quoting_style="none")
            csv.write_csv(pa.table(table), file, options)
