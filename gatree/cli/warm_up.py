"""`gatree warm-up`: compile every kernel in advance, on all cores."""

from __future__ import annotations

import hashlib
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

import click
import llvmlite.binding
import numba
import numpy as np

import gatree
from gatree.base.machine import n_cores
from gatree.base.progress import Progress, duration
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.evolution.problem import Problem
from gatree.evolution.warm_up import warm_up as compile_for
from gatree.front.fit import fit_front, warm_up_on_all, warm_up_trial
from gatree.front.settings import FRONT_PRESETS, REGRESSION_PRESETS
from gatree.j48 import J48Settings, cross_validate, evaluate, fit
from gatree.j48.settings import Pruning
from gatree.kernels.decorators import CACHE_FOLDER
from gatree.kernels.events import on_compilation
from gatree.optimum import optimum, optimum_of_numbers
from gatree.paper.counted import count
from gatree.settings.presets import settings_of
from gatree.settings.registry import EVALUATORS
from gatree.trees.genome import Tree, predict
from gatree.weka.folds import stratified_folds

_PRUNINGS: tuple[Pruning, ...] = ("confidence", "reduced-error")
_MAX_TESTS = 2
_MANY = 20_000  # instances: too many for interpreted kernels


@dataclass(frozen=True)
class Step:
    """A part of the kernels, named by what they are for."""

    name: str
    compile: Callable[[], object]


@click.command("warm-up")
def warm_up() -> None:
    """Compile all kernels in advance, so that no command has to wait for them.

    Compiled code is cached for all later commands; run this again after an update. Without it
    the first command of each kind compiles its kernels, and says so.

    \b
    Example:
      gatree warm-up
    """
    mark = _mark_of_completion()
    if mark is not None and mark.exists():
        click.echo("all kernels are compiled", err=True)
        return
    on_compilation(lambda _: None)  # the progress says it
    click.echo("compiling the kernels, which takes one to three minutes if the cache is empty", err=True)
    started, families = time.monotonic(), kernels_to_compile()
    n_steps = sum(map(len, families))
    with Progress("compiling") as progress:
        for done, _ in enumerate(compiled(families, n_cores()), start=1):
            progress("compiling", done, n_steps)
    if mark is not None:
        mark.touch()
    click.echo(f"all kernels are compiled, after {duration(time.monotonic() - started)}", err=True)


def compiled(families: list[list[Step]], n_processes: int) -> Iterator[Step]:
    """Yield each step when it is done; a process takes whole families, one after the other."""
    waiting = iter(families)
    running: dict[Future[object], tuple[ProcessPoolExecutor, Iterator[Step], Step]] = {}

    def start_next(process: ProcessPoolExecutor, steps: Iterator[Step]) -> None:
        if (step := next(steps, None)) is not None:
            running[process.submit(step.compile)] = process, steps, step

    with ExitStack() as processes:
        for _ in range(min(n_processes, len(families))):
            process = ProcessPoolExecutor(1, get_context("spawn"), _ignore_ctrl_c)
            start_next(processes.enter_context(process), chain.from_iterable(waiting))
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                process, steps, step = running.pop(future)
                future.result()
                yield step
                start_next(process, steps)


def _ignore_ctrl_c() -> None:
    """Leave Ctrl-C to the parent, which ends after the running steps."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _mark_of_completion() -> Path | None:
    """Return the file that marks a warm-up as complete, if compiled code is kept.

    numba finds compiled code by the path of its source, so another copy of the package has its own file.
    """
    if CACHE_FOLDER is None:
        return None
    place = hashlib.sha256(str(Path(gatree.__file__).resolve()).encode()).hexdigest()[:16]
    return CACHE_FOLDER / f"complete-{numba.__version__}-{llvmlite.binding.get_host_cpu_name()}-{place}"


def kernels_to_compile() -> list[list[Step]]:
    """Return every kernel that a command may need, in families that share next to none.

    Two processes take about as long: one the first family, the other those that follow it.
    """
    small, kinds = data_of(20), data_by_codes().items()
    numbers = np.arange(float(small.n_instances))
    evolving = {
        name: [Step(f"{name}, {kind}", partial(_evolve, data, name)) for kind, data in kinds]
        for name in EVALUATORS
    }
    stepping = [
        *evolving.pop("bitset"),
        *evolving.pop("new-all-nodes"),
        *(
            Step(f"bitset, in threads and shards, {kind}", partial(_evolve, data, "bitset", in_parts=True))
            for kind, data in kinds
        ),
    ]
    fronts = [
        *(Step(f"predictions, {kind}", partial(_predict, data)) for kind, data in kinds),
        Step("trials", partial(warm_up_trial, small, FRONT_PRESETS["fast"])),
        Step("trials of numbers", partial(warm_up_trial, small, REGRESSION_PRESETS["fast"], numbers)),
        Step("large data", partial(warm_up_on_all, small, FRONT_PRESETS["fast"])),
        Step("large data of numbers", partial(warm_up_on_all, small, REGRESSION_PRESETS["fast"], numbers)),
        Step("fronts", partial(fit_front, small, FRONT_PRESETS["fast"])),
        Step("fronts of numbers", partial(fit_front, small, REGRESSION_PRESETS["fast"], target=numbers)),
    ]
    j48 = [
        Step(f"J48, {pruning}{kind}", partial(_j48, data, pruning))
        for pruning in _PRUNINGS
        for kind, data in (("", small), (", no numbers", without_numbers(small)))
    ]
    folds = [Step("folds of large data", partial(stratified_folds, np.zeros(_MANY, dtype=np.int32), 2, 1))]
    best = [
        Step("optimum", partial(optimum, small, _MAX_TESTS)),
        Step("optimum of numbers", partial(optimum_of_numbers, small, numbers, _MAX_TESTS)),
    ]
    theory = [  # one node at a time, outside of any evolution's loop
        Step(f"Section 3.2, trees of depth {depth}", partial(count, "weighted linear", depth))
        for depth in (1, 9)  # codes of one byte, of two
    ]
    return [stepping, fronts, [*chain(*evolving.values()), *theory], j48, [*folds, *best]]


def _evolve(data: Dataset, evaluator: str, in_parts: bool = False) -> None:
    settings = settings_of("default", {"evaluator": evaluator, "numeric_tests": "integer"})
    compile_for(Problem.of(data, settings.numeric_tests), settings, in_parts)


def _predict(data: Dataset) -> None:
    problem = Problem.of(data, "integer")
    predict(Tree.nested(0), problem.instances.codes, problem.coding.is_numeric)


def _j48(data: Dataset, pruning: Pruning) -> None:
    settings = J48Settings(pruning=pruning)
    evaluate(fit(data, settings), data)
    cross_validate(data, settings, n_folds=2, seed=1)


def without_numbers(data: Dataset) -> Dataset:
    """Return made-up data with their nominal attribute alone, where J48 searches no thresholds."""
    return replace(data, attributes=data.attributes[1:], columns=data.columns[1:], class_position=1)


def data_by_codes() -> dict[str, Dataset]:
    """Return data for every type of codes that kernels are compiled for."""
    return {
        "codes of a byte": data_of(20),
        "codes of two": data_of(300),
        "codes of four": data_of(300, apart=300),
    }


def data_of(n_values: int, apart: int = 1) -> Dataset:
    """Return data with a numeric attribute of ``n_values`` integers, some missing, and a nominal one."""
    numbers = apart * np.arange(n_values, dtype=np.float64)
    numbers[::7] = np.nan
    return Dataset(
        name="made-up",
        attributes=(Attribute("number", "numeric"), Attribute("colour", "nominal", ("red", "green", "blue"))),
        columns=(numbers, (np.arange(n_values) % 3).astype(np.int32)),
        class_attribute=Attribute("class", "nominal", ("low", "high")),
        classes=(np.arange(n_values) > n_values / 3).astype(np.int32),
        class_position=2,
    )
