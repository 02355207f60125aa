"""What there is to compile, in one list: `gatree warm-up` compiles all of it, and a command what it needs.

A command compiles what it needs when it needs it, and says so. If there is a second core, it starts a
process that compiles what it will need later, and loads that from the cache then (`compile_ahead`).
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from gatree.base.machine import n_cores
from gatree.settings.evolution_settings import EvolutionSettings

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.experiments.grid import Cell
    from gatree.j48.settings import Pruning


@dataclass(frozen=True)
class Part:
    """A part of the kernels that is compiled as one."""

    compile: Callable[[], object]
    kernel: str  # a pattern of its name; the part is compiled if the cache has this kernel
    seconds: float  # to compile it, measured on one core of a Xeon of 2.5 GHz


def compile_part(name: str) -> None:
    """Compile a part, or load it."""
    PARTS[name].compile()


def is_compiled(name: str) -> bool:
    """Return whether a part needs no compilation."""
    from gatree.kernels.decorators import CACHE_FOLDER, COMPILED

    kept = CACHE_FOLDER is not None and any(CACHE_FOLDER.rglob(f"{PARTS[name].kernel}-*.nbi"))
    return kept or not COMPILED


def seconds_to_compile(cells: Iterable[Cell]) -> float:
    """Return the seconds to compile what cells need and the cache lacks."""
    from gatree.learners.registry import LEARNERS

    needed = set[str | None]()
    for cell in cells:
        evaluators = {_PART_OF.get(name, name) for name in cell.evaluators}
        baseline = cell.identity.baseline
        needed |= {LEARNERS[baseline].kernels} if baseline else evaluators
    return sum(part.seconds for name, part in PARTS.items() if name in needed and not is_compiled(name))


_PART_OF = {"old": "new", "new-all-nodes": "new"}
"""Evaluators that have the kernels of another one."""

_COMPILE = "import sys; sys.path[:] = {path!r}; from gatree.cli.compilation import compile_part"

# With little memory, libraries that start threads wait for them forever, and the process would not end.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def compile_ahead(*names: str) -> subprocess.Popen[bytes] | None:
    """Start and return a process that compiles the parts that the cache lacks; it ends with this one."""
    from gatree.kernels.decorators import CACHE_FOLDER

    missing = [name for name in names if not is_compiled(name)]
    if CACHE_FOLDER is None or not missing or n_cores() == 1:
        return None
    steps = "".join(f"; compile_part({name!r})" for name in missing)
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", _COMPILE.format(path=sys.path) + steps],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # without Ctrl-C
            env=os.environ | _ONE_THREAD,
        )
    except OSError:  # no memory or no process left: everything is compiled here
        return None
    atexit.register(_end, process)
    return process


def compile_for_study(dataset: Dataset, compares: bool) -> None:
    """Start processes that compile what a study needs after its first evolution, or its search."""
    from gatree.data.answer import Numbers

    if isinstance(dataset.answer, Numbers):
        compile_ahead("optimum-numbers")
        return
    is_nominal = all(attribute.is_nominal for attribute in dataset.attributes)
    compile_ahead("front")
    compile_ahead("optimum", *(["j48-nominal" if is_nominal else "j48"] if compares else []))


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


# --- what compiles each part: a small piece of the real work --------------------------------------------


def _evolve(evaluator: str) -> None:
    import numpy as np

    from gatree.evolution.problem import Problem
    from gatree.evolution.warm_up import warm_up

    settings = EvolutionSettings.preset("paper", {"evaluator": evaluator, "leaf_class": "majority"})
    many_rows = data_of(20).take(np.arange(2**16 + 1) % 20)  # their indices have four bytes
    for data in (*data_by_codes().values(), many_rows):
        warm_up(Problem.of(data, settings.numeric_tests), settings)


def _breed() -> None:
    from gatree.evolution.warm_up import compile_breeding

    compile_breeding()


def _predict() -> None:
    import numpy as np

    from gatree.evolution.problem import Problem
    from gatree.trees.genome import Tree, leaves_of_numbers, predict

    for data in data_by_codes().values():
        problem = Problem.of(data, "integer")
        predict(Tree.nested(0), problem.instances.codes, problem.coding.is_numeric)
    for order in ("C", "F"):
        leaves_of_numbers(Tree.nested(0), np.zeros(1), np.zeros((2, 2), order=order))


def _fit_front() -> None:
    from gatree.smalltree.fit import fit_front
    from gatree.smalltree.settings import SearchSettings

    fit_front(data_of(20), SearchSettings(work=1.0, population=0))


def _fit_large_front() -> None:
    """Improve the front of a sample on all rows."""
    import numpy as np

    from gatree.data.goal import Goal
    from gatree.smalltree.choose import Effort, Job, count_all, search_fronts
    from gatree.smalltree.prepare import prepare, sampled
    from gatree.smalltree.settings import SearchSettings

    settings = SearchSettings(max_leaves=4)
    prepared = prepare(data_of(20), settings, Goal.of(data_of(20)))
    few, _, _ = sampled(prepared.rows, prepared.samples, seed=0)
    searched = search_fronts(few, Job(np.zeros_like(few.weight), seed=0), settings, Effort(0, 0, 1.0))
    count_all(prepared.rows, searched.archives[1], 0, uses_gaps=True)


def _optimum(of_numbers: bool = False) -> None:
    import numpy as np

    from gatree.optimum import AllowedTrees, optimum, optimum_of_numbers

    if of_numbers:
        optimum_of_numbers(data_of(20).with_numbers(np.arange(20.0)), AllowedTrees(2))
    else:
        optimum(data_of(20), AllowedTrees(2))


def _j48(pruning: Pruning = "confidence", has_numbers: bool = True) -> None:
    from gatree.j48 import J48Settings, cross_validate, evaluate, fit

    data, settings = data_of(20), J48Settings(pruning=pruning)
    if not has_numbers:  # then no thresholds are searched
        data = replace(data, attributes=data.attributes[1:], columns=data.columns[1:], answer_position=1)
    evaluate(fit(data, settings), data)
    cross_validate(data, settings, n_folds=2, seed=1)


def _fold() -> None:
    import numpy as np

    from gatree.weka.folds import stratified_folds

    stratified_folds(np.zeros(20_000, dtype=np.int32), 2, 1)


def _count_theory() -> None:
    from gatree.paper.theory_check import count

    for depth in (1, 9):  # codes of one byte, of two
        count("weighted linear", depth)


def data_by_codes() -> dict[str, Dataset]:
    """Return data for every type of codes that kernels are compiled for."""
    return {
        "codes of a byte": data_of(20),
        "codes of two": data_of(300),
        "codes of four": data_of(300, apart=300),
    }


def data_of(n_values: int, apart: int = 1) -> Dataset:
    """Return data with a numeric attribute of ``n_values`` integers, some missing, and a nominal one."""
    import numpy as np

    from gatree.data.answer import Classes
    from gatree.data.attribute import Attribute
    from gatree.data.dataset import Dataset

    numbers = apart * np.arange(n_values, dtype=np.float64)
    numbers[::7] = np.nan
    return Dataset(
        name="made-up",
        attributes=(Attribute("number", "numeric"), Attribute("colour", "nominal", ("red", "green", "blue"))),
        columns=(numbers, (np.arange(n_values) % 3).astype(np.int32)),
        answer=Classes(
            Attribute("class", "nominal", ("low", "high")),
            (np.arange(n_values) > n_values / 3).astype(np.int32),
        ),
        answer_position=2,
    )


PARTS: dict[str, Part] = {
    "front": Part(_fit_front, "held_out.evaluate_held_out", 15.0),
    "new": Part(partial(_evolve, "new"), "partition.evaluate_children", 6.0),
    "bitset": Part(partial(_evolve, "bitset"), "bitset.settle_children", 8.0),
    "optimum": Part(_optimum, "search.run_bits", 5.0),
    "optimum-numbers": Part(partial(_optimum, of_numbers=True), "search.run_walks", 5.0),
    "j48": Part(_j48, "build.build", 5.0),
    "j48-nominal": Part(partial(_j48, has_numbers=False), "build.build", 5.0),
    "j48-reduced-error": Part(partial(_j48, "reduced-error"), "build.prune_by_held_out", 1.0),
    "front-large": Part(_fit_large_front, "search.refit", 5.0),
    "folds-large": Part(_fold, "folds._shuffle", 1.0),
    "breeding": Part(_breed, "breed.breed", 2.0),
    "predictions": Part(_predict, "genome._find_leaves", 1.0),
    "theory": Part(_count_theory, "partition.evaluate_children", 3.0),
}
"""Every part, those that take longest first. All kernels that a command may need are in one of them."""
