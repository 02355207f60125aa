"""One evolution on one large data set, alone in a process: run as ``python -m bench.scale_run``.

The data are made as codes, block by block, so that nothing but them is ever in memory; times and memory are
printed as JSON.
"""

from __future__ import annotations

import hashlib
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from bench.memory import now_and_peak
from gatree.data.attribute import Attribute, Schema
from gatree.data.coding import Coding
from gatree.evolution.evaluators.shards.sharded import start_workers
from gatree.evolution.evolve import Evolution
from gatree.evolution.problem import Problem
from gatree.evolution.warm_up import warm_up
from gatree.settings.presets import settings_of

N_CODES = 256
_BLOCK = 2**20


def chess_board(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Return points of a board of 3 x 3 fields, whose classes alternate."""
    codes = rng.integers(0, N_CODES, (2, n), dtype=np.uint8)
    fields = (codes.astype(np.int16) * 3) // N_CODES
    return codes, (fields.sum(axis=0) % 2).astype(np.uint16)


def normal_classes(n_attributes: int, n_informative: int) -> Callable[..., tuple[Any, Any]]:
    """Return points of two classes, normally distributed around means that differ."""

    def points(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        classes = rng.integers(0, 2, n, dtype=np.uint16)
        codes = np.empty((n_attributes, n), dtype=np.uint8)
        for attribute in range(n_attributes):
            shift = 0.8 * classes if attribute < n_informative else 0
            numbers = rng.standard_normal(n, dtype=np.float32) + shift
            codes[attribute] = ((numbers + 3) * (N_CODES / 6.8)).clip(0, N_CODES - 1)
        return codes, classes

    return points


SHAPES: dict[str, tuple[int, Callable[..., tuple[Any, Any]]]] = {
    "chess board": (2, chess_board),
    "normal classes": (20, normal_classes(20, 4)),
    "SUSY's shape": (18, normal_classes(18, 6)),
    "HIGGS's shape": (28, normal_classes(28, 7)),
}


def coded(shape: str, n: int) -> Problem:
    """Return a problem of ``n`` instances."""
    n_attributes, points = SHAPES[shape]
    codes, classes = np.empty((n_attributes, n), dtype=np.uint8), np.empty(n, dtype=np.uint16)
    rng = np.random.default_rng(0)
    for begin in range(0, n, _BLOCK):
        end = min(n, begin + _BLOCK)
        codes[:, begin:end], classes[begin:end] = points(rng, end - begin)
    attributes = tuple(Attribute(f"x{number}", "numeric") for number in range(n_attributes))
    coding = Coding.of(attributes, [np.arange(1.0, N_CODES)] * n_attributes)
    target = Attribute("class", "nominal", ("a", "b"))
    schema = Schema(shape, attributes, target, n_attributes, np.bincount(classes, minlength=2))
    return Problem.coded(schema, coding, codes, classes)


@contextmanager
def where(how: str, problem: Problem) -> Iterator[Any]:
    """Yield the workers that evaluate, if this process does not do so alone."""
    with ExitStack() as stack:
        client, n_shards = None, 2 if how == "two shards" else None
        if how.startswith("Dask"):
            import distributed

            options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
            cluster = stack.enter_context(distributed.LocalCluster(**options))
            client = stack.enter_context(distributed.Client(cluster, set_as_default=False))
        workers = start_workers(problem, n_shards, client)
        yield None if workers is None else stack.enter_context(workers)


def main(shape: str, n: str, how: str, n_generations: str, generation_gap: str) -> None:
    """Evolve, and print what it took."""
    values = {
        "population_size": 64,
        "generation_gap": generation_gap,
        "n_generations": int(n_generations),
        "numeric_tests": "observed",
        "n_jobs": 2 if how == "two threads" else 1,
    }
    settings = settings_of("default", values)
    problem = coded(shape, int(n))
    warm_up(coded(shape, 1000), settings, in_parts=how != "one process")
    data_bytes = problem.instances.codes.nbytes + problem.instances.classes.nbytes
    with where(how, problem) as workers:
        evolution = Evolution(
            problem, settings, workers=workers
        )  # the shards are loaded with the first population
        started, started_cpu = time.perf_counter(), time.process_time()
        evolution.advance(settings.n_generations)
        seconds, cpu = time.perf_counter() - started, time.process_time() - started_cpu
    outcome, peak = evolution.outcome(), now_and_peak()[1]
    if how == "two shards":
        peak, data_bytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6, data_bytes / 2
    print(
        json.dumps(
            {
                "attributes": problem.dataset.n_attributes,
                "seconds": seconds,
                "cpu": cpu,
                "offspring": outcome.n_evaluations - 64,
                "overhead": None if how.startswith("Dask") else peak - data_bytes / 1e6,
                "accuracy": outcome.accuracy,
                "history": hashlib.sha256(outcome.history.tobytes()).hexdigest(),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
