"""Space against time: what keeping indices at leaves, at every node, or bit sets costs and is worth.

The trade-off that the paper's conclusion asks for.
"""

from __future__ import annotations

from bench.common import Options, Report, Row, progress
from bench.concepts import random_tree_concept
from bench.evolutions import problem, race
from gatree.evolution.problem import Problem
from gatree.settings.registry import EVALUATORS

TITLE = "Space against time"

KEPT = {
    "old": "nothing",
    "new": "indices at the leaves",
    "new-all-nodes": "indices at every node",
    "bitset": "counts per node; bit sets of tests, shared",
}

COLUMNS = {
    "dataset": "dataset",
    "n": "n",
    "evaluator": "evaluator",
    "kept": "kept",
    "bytes_per_tree": "bytes per tree",
    "bytes_per_instance": "bytes per tree and instance",
    "seconds": "whole run [CPU s]",
    "speed_up": "old / this",
}

NOTES = """\
- Whole evolutions over {size} generations with a population of {size} (fewer on `generated`, 100,000 random
  instances), mutation 0.01, x-factor 1e4..1e5; best of {repeats}, taking turns.
- Bytes are what is allocated at the end, divided by the slots for trees; rows are made larger by doubling,
  so up to half of it may be room to grow. The masks of `bitset` are shared by all trees.
"""


def measure(options: Options) -> Report:
    """Run evolutions, and note what each evaluator keeps and how long it takes."""
    size = 20 if options.quick else 100
    data = {name: problem(name) for name in (("vote",) if options.quick else ("vote", "anneal", "kr-vs-kp"))}
    if not options.quick:
        data["generated"] = Problem.of(random_tree_concept(100_000, 20))
    rows: list[Row] = []
    for name, coded in data.items():
        progress(f"space: {name}")
        population = min(size, 20 + 10**6 // coded.n_instances)  # indices at all nodes of many large trees
        raced = race(coded, tuple(EVALUATORS), size, options.repeats, population_size=population)
        n_slots = population + max(1, round(population / 4))
        for evaluator, best in raced.items():
            bytes_per_tree = best.result.n_bytes / n_slots
            rows.append(
                {
                    "dataset": name,
                    "n": coded.n_instances,
                    "evaluator": evaluator,
                    "kept": KEPT[evaluator],
                    "bytes_per_tree": bytes_per_tree,
                    "bytes_per_instance": bytes_per_tree / coded.n_instances,
                    "seconds": best.seconds,
                    "speed_up": raced["old"].seconds / best.seconds,
                    "population": population,
                }
            )
    return Report(rows, COLUMNS, notes=NOTES.format(size=size, repeats=options.repeats))
