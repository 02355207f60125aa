"""Every evaluator on every shipped data set, in several sizes: the same evolution, another clock."""

from __future__ import annotations

from bench.common import Best, Options, Report, Row, log_log, progress
from bench.evolutions import names, problem, race
from gatree.settings.registry import EVALUATORS

TITLE = "The evaluators"

COLUMNS = {
    "dataset": "dataset",
    "n": "n",
    "size": "population = generations",
    "evaluator": "evaluator",
    "seconds": "whole run [CPU s]",
    "per_tree": "per tree [CPU µs]",
    "speed_up": "old / this",
    "instances_saved": "instances saved [%]",
}

NOTES = """\
- Mutation 0.01, x-factor 1e4..1e5. All evaluators run the same evolution, which is checked; best of
  {repeats}, the evaluators taking turns.
- Whole evolutions, breeding and ranking included; per tree that was examined.
"""


def measure(options: Options) -> Report:
    """Race all evaluators."""
    sizes = (20,) if options.quick else (100, 400)
    rows: list[Row] = []
    for name in names(options.quick):
        for size in sizes:
            progress(f"evaluators: {name}, {size} x {size}")
            data = problem(name)
            raced = race(data, tuple(EVALUATORS), size, options.repeats)
            shared = {"dataset": name, "n": data.n_instances, "size": size}
            rows += [{**shared, **_numbers(evaluator, raced)} for evaluator in raced]
    lines = {
        evaluator: [
            (row["n"], row["per_tree"])
            for row in rows
            if row["evaluator"] == evaluator and row["size"] == sizes[-1]
        ]
        for evaluator in EVALUATORS
    }
    return Report(
        rows,
        COLUMNS,
        notes=NOTES.format(repeats=options.repeats),
        figures={
            "evaluators": log_log(
                f"Evolutions of {sizes[-1]} x {sizes[-1]}", "instances", "CPU microseconds per tree", lines
            )
        },
    )


def _numbers(evaluator: str, raced: dict[str, Best]) -> Row:
    best = raced[evaluator]
    return {
        "evaluator": evaluator,
        "seconds": best.seconds,
        "per_tree": 1e6 * best.seconds / best.result.n_evaluations,
        "speed_up": raced["old"].seconds / best.seconds,
        "instances_saved": 100 * best.result.ledger.instances_saved,
        "bytes": best.result.n_bytes,
        "all_seconds": best.all_seconds,
    }
