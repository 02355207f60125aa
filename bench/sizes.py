"""Default fits by rows and columns of smooth numbers: a cliff between two sizes would show here.

Every value of such a column is different, so there are as many thresholds as rows. The sizes are close to
each other where an exact proof may be started or given up.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from bench.common import Options, Report, Row, log_log, progress
from bench.memory import now_and_peak
from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.settings.small_tree import SmallTreeSettings
from gatree.smalltree.fit import fit_front
from gatree.smalltree.settings import search_settings

TITLE = "Default fits by rows and columns"

ROWS = (1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 50_000, 60_000, 100_000, 200_000, 500_000, 1_000_000)
COLUMNS_OF_DATA = (2, 20, 200)
MOST_CELLS = 20_000_000  # a quarter of an hour in all, and 2 GB

COLUMNS = {
    "rows": "rows",
    "columns": "columns",
    "seconds": "seconds [CPU]",
    "megabytes": "peak memory [MB]",
    "leaves": "leaves",
    "ratio": "to its neighbours",
}

NOTES = """\
- A class that depends on the signs of two columns, 10 % noise; one thread; up to {cells:,} cells. Every fit
  has a process of its own, whose peak memory includes Python, the libraries and the data. The last column is
  the time divided by what the two neighbouring numbers of rows lead to expect (a straight line on
  logarithmic axes); above 3 there is a cliff.
"""

BAR = 3.0


def signs(n_rows: int, n_columns: int, seed: int = 0) -> Dataset:
    """Return normal numbers, and a class that the signs of two of them decide, with noise."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n_columns, n_rows))
    classes = (columns[0] * columns[1] > 0) ^ (rng.random(n_rows) < 0.1)
    return Dataset(
        name=f"{n_rows} x {n_columns}",
        attributes=tuple(Attribute(f"x{i}", "numeric") for i in range(n_columns)),
        columns=tuple(columns),
        answer=Classes(Attribute("sign", "nominal", ("one", "other")), classes.astype(np.int32)),
        answer_position=n_columns,
    )


def measure(options: Options) -> Report:
    """Fit every size, each column count from few rows to many."""
    sizes, counts = ((100, 200, 300), (2,)) if options.quick else (ROWS, COLUMNS_OF_DATA)
    rows: list[Row] = []
    for n_columns in counts:
        of_column_count = [_row(n, n_columns) for n in sizes if n * n_columns <= MOST_CELLS]
        ratios = _ratios(of_column_count)
        rows += [row | {"ratio": ratio} for row, ratio in zip(of_column_count, ratios, strict=True)]
    largest = max(row["ratio"] for row in rows if row["ratio"] is not None)
    facts = {"largest_ratio": largest, "bar": BAR}
    lines = {
        f"{n_columns} columns": [(row["rows"], row["seconds"]) for row in rows if row["columns"] == n_columns]
        for n_columns in counts
    }
    picture = log_log("A default fit of SmallTreeClassifier", "rows", "CPU seconds", lines)
    notes = NOTES.format(cells=MOST_CELLS)
    return Report(rows, COLUMNS, notes=notes, facts=facts, figures={"sizes": picture})


def _row(n_rows: int, n_columns: int) -> Row:
    progress(f"sizes: {n_rows:,} rows, {n_columns} columns")
    with ProcessPoolExecutor(1, get_context("spawn")) as elsewhere:
        return elsewhere.submit(_fitted, n_rows, n_columns).result()


def _fitted(n_rows: int, n_columns: int) -> Row:
    """Return the CPU seconds of a default fit in one thread, the memory of this process, and the leaves."""
    data, small = signs(n_rows, n_columns), signs(1_001, n_columns)
    fit_front(small, search_settings(SmallTreeSettings(), small))  # compiles, or loads what is compiled
    started = time.process_time()
    fit = fit_front(data, search_settings(SmallTreeSettings(), data))
    seconds = time.process_time() - started
    about = {"rows": n_rows, "columns": n_columns, "seconds": seconds}
    return {**about, "megabytes": now_and_peak()[1], "leaves": fit.n_leaves}


def _ratios(rows: list[Row]) -> Iterator[float | None]:
    """Yield the time of each size, divided by the log-log interpolation of its neighbours' times."""
    n, seconds = (np.log([row[key] for row in rows]) for key in ("rows", "seconds"))
    yield None
    for here in range(1, len(rows) - 1):
        around = [here - 1, here + 1]
        yield float(np.exp(seconds[here] - np.interp(n[here], n[around], seconds[around])))
    yield None
