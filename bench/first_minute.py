"""What a newcomer gets: `gatree tree` on the shipped data sets and on three CSV files, and J48."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from bench.cold_start import children_seconds, gatree
from bench.common import Options, Report, Row, progress
from bench.evolutions import names

TITLE = "The first minute: gatree tree compared with J48"

COLUMNS = {
    "data": "data",
    "n": "n",
    "accuracy": "accuracy",
    "leaves": "leaves",
    "j48_accuracy": "J48, accuracy",
    "j48_leaves": "J48, leaves",
    "majority": "majority class, accuracy",
    "seconds": "CPU seconds",
}

NOTES = """\
- `gatree tree DATA{flags}`, seed 1: accuracies by cross-validation, all on the same folds; leaves are the
  means of the folds' trees. CPU seconds are those of the whole command, with the comparison.
- shares.csv: two numbers between 0 and 1, the class is whether they lie in a ring. loans.csv: text, numbers
  and missing values, and 8 % of the classes wrong. marks.csv: four marks from 1 to 6, and the class a number
  too.
"""


def shares(source: Random) -> str:
    """Numbers between 0 and 1: in a ring or out of it."""
    lines = ["x,y,where"]
    for _ in range(400):
        x, y = source.random(), source.random()
        where = "in" if 0.06 < (x - 0.5) ** 2 + (y - 0.5) ** 2 < 0.2 else "out"
        lines.append(f"{x:.4f},{y:.4f},{where}")
    return "\n".join(lines) + "\n"


def loans(source: Random) -> str:
    """Text, numbers and missing values."""
    lines = ["job,income,age,owner,repaid"]
    for _ in range(500):
        job, income = source.choice(["none", "clerk", "nurse", "smith"]), source.randrange(10, 90)
        age, owner = source.randrange(18, 80), source.choice(["yes", "no", "?"])
        repaid = (income > 35 and job != "none") or (owner == "yes" and age > 40)
        if source.random() < 0.08:
            repaid = not repaid
        known_income = "" if source.random() < 0.1 else income
        lines.append(f"{job},{known_income},{age},{owner},{'yes' if repaid else 'no'}")
    return "\n".join(lines) + "\n"


def marks(source: Random) -> str:
    """Marks from 1 to 6, and the class a number too."""
    lines = ["maths,physics,german,sports,level"]
    for _ in range(300):
        given = [source.randint(1, 6) for _ in range(4)]
        level = 1 if given[0] + given[1] <= 5 else 2 if min(given[:3]) <= 2 else 3
        lines.append(",".join(map(str, [*given, level])))
    return "\n".join(lines) + "\n"


FILES: dict[str, Callable[[Random], str]] = {"shares.csv": shares, "loans.csv": loans, "marks.csv": marks}


def measure(options: Options) -> Report:
    """Run the command on all of them, with all kernels compiled before."""
    flags = ["--effort", "0.1"] if options.quick else []
    files = list(FILES)[:1] if options.quick else list(FILES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in files:
            (folder / file).write_text(FILES[file](Random(file)), encoding="utf-8")
        if not options.quick:
            gatree(folder, "warm-up")
        rows = [_row(folder, data, flags) for data in (*names(options.quick), *files)]
    notes = NOTES.format(flags="".join(f" {flag}" for flag in flags))
    return Report(rows, COLUMNS, notes=notes)


def _row(folder: Path, data: str, flags: list[str]) -> Row:
    progress(f"first minute: {data}")
    before = children_seconds()
    found = json.loads(gatree(folder, "tree", data, "--json", "--seed", "1", *flags))
    folds, compared = found["cross_validation"], found["compared"]
    return {
        "data": data,
        "n": found["n_instances"],
        "accuracy": folds["accuracy"],
        "leaves": folds["n_leaves"],
        "j48_accuracy": compared["J48"]["accuracy"],
        "j48_leaves": compared["J48"]["n_leaves"],
        "majority": compared["majority"]["accuracy"],
        "seconds": children_seconds() - before,
    }
