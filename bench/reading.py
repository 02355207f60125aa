"""CSV files of numbers and of text, read by gatree and by pandas: CPU and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from bench.common import ROOT, Options, Report, progress

TITLE = "Reading CSV files"

COLUMNS = {
    "file": "file",
    "rows": "rows",
    "gatree": "gatree [s of CPU]",
    "pandas": "pandas [s of CPU]",
    "ratio": "times as long",
    "gatree_peak": "gatree [MB]",
    "pandas_peak": "pandas [MB]",
    "memory_ratio": "times as much",
}

NOTES = """\
- Generated files with a class: 20 numbers of six digits, and 10 such numbers with 10 columns of text, five of
  8 values and five of 10,000. `read` of gatree and `pandas.read_csv`, each in a process of its own; the
  libraries' imports are not in the times, and the memory is what reading adds to the process at its peak.
"""

_READ = """
import json, sys, time
from bench.memory import now_and_peak
{imports}
before, _ = now_and_peak()
started = time.process_time()
table = {read}
spent = time.process_time() - started
print(json.dumps([spent, now_and_peak()[1] - before]))
"""
_WAYS = {
    "gatree": ("import pandas; from gatree.data.load import read", "read(sys.argv[1])"),
    "pandas": ("import pandas", "pandas.read_csv(sys.argv[1])"),
}


def measure(options: Options) -> Report:
    """Write the files, and read each by both."""
    n_rows = 2_000 if options.quick else 1_000_000
    rows = []
    with TemporaryDirectory() as folder:
        for name, frame in (("numbers", _numbers(n_rows)), ("numbers and text", _mixed(n_rows))):
            path = Path(folder) / "table.csv"
            progress(f"reading: writing {name}")
            frame.to_csv(path, index=False)
            progress(f"reading: {name}")
            (own, own_peak), (theirs, their_peak) = (_read(path, *_WAYS[way]) for way in _WAYS)
            rows.append(
                {
                    "file": name,
                    "rows": n_rows,
                    "gatree": own,
                    "pandas": theirs,
                    "ratio": own / max(theirs, 1e-9),
                    "gatree_peak": own_peak,
                    "pandas_peak": their_peak,
                    "memory_ratio": own_peak / max(their_peak, 1e-3),
                }
            )
    return Report(rows, COLUMNS, notes=NOTES)


def _read(path: Path, imports: str, read: str) -> tuple[float, float]:
    """Return the CPU seconds and the megabytes that reading takes."""
    command = [sys.executable, "-c", _READ.format(imports=imports, read=read), str(path)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    seconds, megabytes = json.loads(done.stdout)
    return seconds, megabytes


def _numbers(n_rows: int, n_columns: int = 20) -> pd.DataFrame:
    random = np.random.default_rng(0)
    columns = {f"x{at}": random.normal(size=n_rows).round(6) for at in range(n_columns)}
    return pd.DataFrame(columns).assign(kind=random.choice(["yes", "no"], n_rows))


def _mixed(n_rows: int) -> pd.DataFrame:
    random = np.random.default_rng(1)
    texts = {
        f"t{at}": np.char.add("value ", random.integers(0, 8 if at % 2 else 10_000, n_rows).astype(str))
        for at in range(10)
    }
    return pd.concat([pd.DataFrame(texts), _numbers(n_rows, 10)], axis="columns")
