"""How long J48 takes to build a tree, in a warm process; and WEKA's J48, where WEKA is installed."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from bench.common import Options, Report, Row, progress, timed
from gatree.data.arff import write_arff
from gatree.data.catalog import load_dataset
from gatree.data.dataset import Dataset
from gatree.j48 import J48Settings, fit

TITLE = "J48: milliseconds to build a tree"

COLUMNS = {
    "dataset": "dataset",
    "options": "options",
    "n": "n",
    "ours": "ms",
    "wekas": "WEKA, ms",
    "ratio": "ours by WEKA's",
}

NOTES = """\
- All data, no cross-validation, nothing printed; best of {repeats}. WEKA 3.6.14 in one JVM, after {seconds}
  seconds of building the same trees; set GATREE_WEKA_JAR to where weka.jar is (else its columns are empty).
- The trees are the same, to the last bit (tests/j48/test_weka_golden.py).{mean}
"""

DATASETS = (
    "soybean",
    "zoo",
    "lymph",
    "glass",
    "breast",
    "vote",
    "balance-scale",
    "credit-a",
    "anneal",
    "kr-vs-kp",
)
SETTINGS = {
    "-B": J48Settings(),
    "-B -R": J48Settings(pruning="reduced-error"),
    "": J48Settings(binary_splits=False),
}


def measure(options: Options) -> Report:
    """Build all trees here, then in WEKA, then here again."""
    data = [load_dataset(name) for name in (DATASETS[:2] if options.quick else DATASETS)]
    repeats, seconds = (1, 0.1) if options.quick else (25, 8.0)
    rows: list[Row] = []
    for words, settings in SETTINGS.items():
        progress(f"J48 {words}")
        first = [_ours(one, settings, repeats) for one in data]
        wekas = _wekas(data, words, repeats, seconds)
        again = [_ours(one, settings, repeats) for one in data]
        for one, ours, other, weka in zip(data, first, again, wekas, strict=True):
            best = min(ours, other)
            about = {"dataset": one.name, "options": words or "none", "n": one.n_instances}
            rows.append({**about, "ours": best, "wekas": weka, "ratio": weka and best / weka})
    return Report(rows, COLUMNS, notes=NOTES.format(repeats=repeats, seconds=seconds, mean=_mean(rows)))


def _mean(rows: list[Row]) -> str:
    ratios = [row["ratio"] for row in rows if row["ratio"]]
    if not ratios:
        return ""
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f" The ratio's geometric mean is {mean:.2f}."


def _ours(data: Dataset, settings: J48Settings, repeats: int) -> float:
    """Return the milliseconds of the best repeat, after a discarded warm-up run."""
    fit(data, settings)
    return min(timed(lambda: fit(data, settings))[0] for _ in range(repeats)) * 1e3


def _wekas(data: list[Dataset], words: str, repeats: int, seconds: float) -> list[float | None]:
    jar = Path(os.environ.get("GATREE_WEKA_JAR", "/usr/share/java/weka.jar"))
    if not jar.is_file() or not shutil.which("java"):
        return [None] * len(data)
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for one in data:
            write_arff(one, Path(folder) / f"{one.name}.arff")
            files.append(f"{folder}/{one.name}.arff,{one.answer_position}")
        program = str(Path(__file__).with_name("J48Timing.java"))
        command = ["java", "-cp", str(jar), program, str(seconds), str(repeats), words, *files]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]
