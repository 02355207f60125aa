"""How the time of one evaluation grows: with the instances below the change, and with the nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from matplotlib.figure import Figure

from bench.brood import Brood
from bench.common import Options, Report, Row, fitted_exponent, interleaved, log_log, progress, repeated
from gatree.data.generate import random_tree_concept
from gatree.evolution.problem import Problem
from gatree.settings.evolution_settings import EvaluatorName
from gatree.settings.registry import EVALUATORS

TITLE = "Growth"

N_ATTRIBUTES = 10
NODES_WHILE_INSTANCES_GROW = 15
INSTANCES_WHILE_NODES_GROW = 4096

COLUMNS = {
    "sweep": "growing",
    "n": "instances",
    "nodes": "nodes",
    "evaluator": "evaluator",
    "microseconds": "per evaluation [µs]",
    "speed_up": "old / this",
    "reclassified": "instances below the change",
}

NOTES = """\
- Random data, {n_attributes} attributes, half of them numeric; children of random trees by crossover at
  random nodes; all evaluators evaluate the same children, taking turns, best of {repeats}. The masks of
  `bitset` are there before the clock starts, as they are in an evolution after its first generations.
"""


def measure(options: Options) -> Report:
    """Sweep over instances, then over nodes."""
    n_instances = (100, 1000) if options.quick else (10**2, 10**3, 10**4, 10**5, 10**6)
    n_nodes = (3, 31) if options.quick else (3, 7, 15, 31, 63, 127, 255, 511, 999)
    rows = [
        *_sweep("instances", ((n, NODES_WHILE_INSTANCES_GROW) for n in n_instances), options.repeats),
        *_sweep("nodes", ((INSTANCES_WHILE_NODES_GROW, nodes) for nodes in n_nodes), options.repeats),
    ]
    exponents = _exponents(rows)
    return Report(
        rows,
        COLUMNS,
        notes=NOTES.format(n_attributes=N_ATTRIBUTES, repeats=options.repeats)
        + "".join(_sentence(sweep, powers) for sweep, powers in exponents.items()),
        figures={
            "growth-instances": _figure(rows, "instances", "n", "instances"),
            "growth-nodes": _figure(rows, "nodes", "nodes", "nodes of a tree"),
        },
        facts={"exponents": exponents},
    )


def _sweep(name: str, points: Iterable[tuple[int, int]], repeats: int) -> Iterable[Row]:
    for n, nodes in points:
        progress(f"growth: {n:,} instances, {nodes} nodes")
        yield from ({"sweep": name, "n": n, "nodes": nodes, **row} for row in _point(n, nodes, repeats))


def _point(n: int, nodes: int, repeats: int) -> Iterable[Row]:
    """Time all evaluators on the same children."""
    problem = Problem.of(random_tree_concept(n, N_ATTRIBUTES))
    n_trees = max(8, min(100, 10**6 // n))  # indices at all nodes of many large trees would not fit
    brood = Brood(problem, n_trees, nodes)
    evaluators = {name: brood.evaluator(name) for name in EVALUATORS}
    runs: dict[str, Callable[[], int]] = {
        name: repeated(partial(brood.evaluate, evaluator)) for name, evaluator in evaluators.items()
    }
    best = interleaved(runs, repeats)
    seconds = {name: best[name].seconds / (best[name].result * n_trees) for name in EVALUATORS}
    for name in EVALUATORS:
        yield {
            "evaluator": name,
            "microseconds": 1e6 * seconds[name],
            "speed_up": seconds["old"] / seconds[name],
            "reclassified": brood.ledger(evaluators[name]).instances_reclassified / n_trees,
        }


def _exponents(rows: list[Row]) -> dict[str, dict[EvaluatorName, dict[str, float]]]:
    """Fit a power law to each evaluator's times: over the whole sweep and over its larger half."""
    found: dict[str, dict[EvaluatorName, dict[str, float]]] = {}
    for sweep, key in (("instances", "reclassified"), ("nodes", "nodes")):
        for evaluator in EVALUATORS:
            mine = [row for row in rows if (row["sweep"], row["evaluator"]) == (sweep, evaluator)]
            x, y = [row[key] for row in mine], [row["microseconds"] for row in mine]
            half = min(len(mine) // 2, len(mine) - 2)
            found.setdefault(sweep, {})[evaluator] = {
                "all": fitted_exponent(x, y),
                "larger_half": fitted_exponent(x[half:], y[half:]),
            }
    return found


def _sentence(sweep: str, per_evaluator: dict[EvaluatorName, dict[str, float]]) -> str:
    against = "the instances below the change" if sweep == "instances" else "the nodes of a tree"
    powers = ", ".join(
        f"`{name}` {p['all']:.2f} ({p['larger_half']:.2f})" for name, p in per_evaluator.items()
    )
    return f"- Exponent of the time against {against}, over all sizes (over the larger half): {powers}.\n"


def _figure(rows: list[Row], sweep: str, key: str, label: str) -> Figure:
    lines = {
        name: [
            (row[key], row["microseconds"])
            for row in rows
            if (row["sweep"], row["evaluator"]) == (sweep, name)
        ]
        for name in EVALUATORS
    }
    return log_log(f"Time per evaluation against {label}", label, "microseconds", lines)
