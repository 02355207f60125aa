"""This package against other evolutionary tree learners: tree evaluations per second.

All get the same matrix of integers, the same population and the same number of generations, one core
each, one after the other. A learner that cannot be run is a row that says why.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.common import ROOT, Options, Report, Row, progress
from bench.evolutions import problem
from bench.peers.environments import HERE, UnavailableError, call, evtree, genetic_tree, with_pip

TITLE = "Peers"

COLUMNS = {
    "dataset": "dataset",
    "n": "n",
    "setting": "population x generations",
    "learner": "learner",
    "evaluations": "evaluations",
    "seconds": "whole run [CPU s]",
    "runs": "runs",
    "per_second": "evaluations per second",
    "new_is": "new is faster by",
    "bitset_is": "bitset is faster by",
    "accuracy": "accuracy on the data",
    "failure": "why not",
}

SLOW = "gatree 0.2.0 (PyPI)"
BUDGET_SECONDS = 15  # no further repeat is started after it
TIMEOUT_SECONDS = 300

_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}

Command = list[str | Path]

NOTES = """\
- All get the same matrix: nominal values as their number, a missing value as -1, tests `x <= threshold`.
  All breed as many trees per generation as there are; an evaluation is one tree on all the data. Imports
  and compilation do not count. One thread each; best of {repeats}, or of as many as start within {budget}
  s.
- The learners differ in operators and so in the sizes of their trees; each runs with its own defaults, but
  for the population and the generations.
"""


@dataclass(frozen=True)
class Heat:
    """One data set and one size; the slowest learner would need minutes for the large ones."""

    dataset: str
    population: int
    generations: int
    with_slow: bool = True


QUICK_HEATS = (Heat("zoo", 10, 2),)
HEATS = (
    Heat("zoo", 100, 20),
    Heat("vote", 100, 5),
    Heat("vote", 100, 100, with_slow=False),
    Heat("kr-vs-kp", 100, 1),
    Heat("kr-vs-kp", 100, 100, with_slow=False),
)


def _this(evaluator: str, install: bool) -> Command:
    del install  # it is
    return ["env", f"PYTHONPATH={ROOT}", sys.executable, HERE / "this_gatree.py", evaluator]


LEARNERS: dict[str, Callable[..., Command]] = {
    "this, old": partial(_this, "old"),
    "this, new": partial(_this, "new"),
    "this, bitset": partial(_this, "bitset"),
    "evtree (R)": evtree,
    "genetic-tree (PyPI)": genetic_tree,
    "DEAP with numpy": partial(with_pip, "deap", "deap==1.4.4", "numpy", script="deap_trees.py"),
    SLOW: partial(with_pip, "pypi-gatree", "gatree==0.2.0", script="pypi_gatree.py"),
}


def measure(options: Options) -> Report:
    """Install who can be installed, and let all run."""
    commands, reasons = line_up(install=not options.quick)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for heat in QUICK_HEATS if options.quick else HEATS:
            data = Path(folder) / f"{heat.dataset}.csv"
            np.savetxt(data, matrix(heat.dataset), fmt="%d", delimiter=",")
            rows += _run(heat, data, commands, reasons, options.repeats)
    return Report(
        rows,
        COLUMNS,
        notes=NOTES.format(repeats=options.repeats, budget=BUDGET_SECONDS)
        + "".join(f"- {learner} did not take part: {reason}\n" for learner, reason in reasons.items()),
    )


def matrix(name: str) -> NDArray[np.int64]:
    """Return a data set as integers, the class in the last column."""
    dataset = problem(name).dataset
    columns = [np.nan_to_num(column.astype(np.float64), nan=-1) for column in dataset.columns]
    return np.column_stack([*columns, dataset.classes]).astype(np.int64)


def line_up(install: bool) -> tuple[dict[str, Command], dict[str, str]]:
    """Return the commands of the learners that can run, and why the others cannot."""
    commands, reasons = {}, {}
    for learner, command in LEARNERS.items():
        try:
            commands[learner] = command(install=install)
        except UnavailableError as reason:
            progress(f"peers: {learner}: {reason}")
            reasons[learner] = str(reason)
    return commands, reasons


def _run(
    heat: Heat, data: Path, commands: dict[str, Command], reasons: dict[str, str], repeats: int
) -> list[Row]:
    """Return a row per learner, with its numbers or the reason why there are none."""
    setting = f"{heat.population} x {heat.generations}"
    rows: list[Row] = []
    for learner in LEARNERS:
        if learner == SLOW and not heat.with_slow:
            continue
        dataset = problem(heat.dataset).dataset
        row: Row = {"dataset": heat.dataset, "n": dataset.n_instances, "setting": setting, "learner": learner}
        if learner in commands:
            sizes = (heat.population, heat.generations, repeats, BUDGET_SECONDS)
            answer = answer_of([*commands[learner], data, *map(str, sizes)])
            row |= not_worse_than_guessing(answer, dataset.n_classes)
            found = row.get("failure") or f"{row['per_second']:,.0f} evaluations per second"
            progress(f"peers: {heat.dataset}, {setting}: {learner}: {found}")
        else:
            row["failure"] = reasons[learner]
        rows.append(row)
    rates = {row["learner"]: row.get("per_second") for row in rows}
    for row in rows:
        for key, ours in (("new_is", rates["this, new"]), ("bitset_is", rates["this, bitset"])):
            if ours and row.get("per_second"):
                row[key] = ours / row["per_second"]
    return rows


def answer_of(command: Command) -> Row:
    """Let a learner run; return its numbers, or why there are none."""
    try:
        answer = json.loads(call(command, TIMEOUT_SECONDS, _ONE_THREAD))
    except UnavailableError as failure:
        return {"failure": str(failure)}
    seconds = min(answer["seconds"])
    return {
        "evaluations": answer["evaluations"],
        "seconds": seconds,
        "runs": len(answer["seconds"]),
        "per_second": answer["evaluations"] / seconds,
        "accuracy": answer["accuracy"],
        "all_seconds": answer["seconds"],
    }


def not_worse_than_guessing(answer: Row, n_classes: int) -> Row:
    """Return an answer, or its failure if its best tree is so bad that it cannot have learnt anything."""
    if "failure" not in answer and answer["accuracy"] < 1 / n_classes:
        return {"failure": f"its best tree is worse than guessing (accuracy {answer['accuracy']:.3f})"}
    return answer
