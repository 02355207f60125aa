"""Every evaluator on every shipped data set, in several sizes: the same evolution, another clock."""

from __future__ import annotations

from bench.common import Best, Options, Report, Row, log_log, progress
from bench.evolutions import names, offspring_of, problem, race
from gatree.settings.registry import EVALUATORS

TITLE = "The evaluators"

COLUMNS = {
    "dataset": "dataset",
    "n": "n",
    "size": "population = generations",
    "evaluator": "evaluator",
    "seconds": "whole run [s]",
    "evaluation": "per evaluation [µs]",
    "speed_up": "evaluation, old / this",
    "run_speed_up": "run, old / this",
    "instances_saved": "instances saved [%]",
}

NOTES = """\
- Mutation 0.01, x-factor 1e4..1e5. All evaluators run the same evolution, which is checked; best of
  {repeats}, the evaluators taking turns.
- Per evaluation: the evaluation of the offspring alone, per offspring.
"""


def measure(options: Options) -> Report:
    """Race all evaluators."""
    sizes = (20,) if options.quick else (100, 200, 400)
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
            (row["n"], row["evaluation"])
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
                f"Time per evaluation, {sizes[-1]} x {sizes[-1]}", "instances", "microseconds", lines
            )
        },
    )


def _numbers(evaluator: str, raced: dict[str, Best]) -> Row:
    best = raced[evaluator]
    return {
        "evaluator": evaluator,
        "seconds": best.seconds,
        "evaluation": evaluation_microseconds(best),
        "speed_up": evaluation_microseconds(raced["old"]) / evaluation_microseconds(best),
        "run_speed_up": raced["old"].seconds / best.seconds,
        "instances_saved": 100 * best.result.ledger.instances_saved,
        "bytes": best.result.n_bytes,
        "all_seconds": best.all_seconds,
    }


def evaluation_microseconds(best: Best) -> float:
    """Return the time of one offspring's evaluation in the best run."""
    return float(1e6 * best.result.timing.evaluate / offspring_of(best.result))
