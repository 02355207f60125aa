"""What each part has found, in a line: for the page of all parts, README.md and docs/."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from bench.common import Content


class SeveralMachinesError(ValueError):
    """Figures of several machines were put into one table."""


OTHERS = {"DEAP with numpy": 0, "genetic-tree (PyPI)": 0, "gatree 0.2.0 (PyPI)": -2}
"""Other programs, and the decimals of their ratios."""


def over_old(evaluators: Content, evaluator: str) -> str:
    """Return how much faster whole evolutions of the largest size are than with `old`, in CPU seconds."""
    size = max(row["size"] for row in evaluators["rows"])
    rows = [row for row in evaluators["rows"] if (row["size"], row["evaluator"]) == (size, evaluator)]
    return on_data({row["dataset"]: f"{row['speed_up']:.1f}" for row in rows})


def on_a_million(large: Content) -> str:
    """Return the same on generated data."""
    rows = [row for row in large["rows"] if row["data"] == "generated"]
    found = {row["evaluator"]: row["microseconds"] for row in rows}
    return f"{round(found['old'] / found['bitset'], -1):.0f} times on {rows[0]['n']:,} instances"


def bitset_over_new(studies: Content) -> str:
    """Return how much faster the paper's cross-validations are with `bitset` than with `new`."""
    total = next(row for row in studies["rows"] if row["dataset"] == "all")
    return f"{1 / total['ratio']:.1f} times in all cross-validations of the paper"


def bitset_over_others(peers: Content) -> dict[str, str]:
    """Return how much faster an evaluation is with `bitset` than in each of the other programs."""
    found: dict[str, str] = {}
    for learner, digits in OTHERS.items():
        rows = [row for row in peers["rows"] if row["learner"] == learner and row.get("bitset_is")]
        # Later rows have more generations.
        ratios = {row["dataset"]: f"{round(row['bitset_is'], digits):,.0f}" for row in rows}
        if ratios:
            found[learner] = on_data(ratios)
    return found


def weka_ratio(j48: Content) -> str:
    """Return our time as a share of WEKA's, the geometric mean."""
    ratios = [row["ratio"] for row in j48["rows"] if row.get("ratio")]
    return f"{np.exp(np.mean(np.log(ratios))):.2f}" if ratios else "not measured"


def bytes_per_tree(space: Content) -> str:
    """Return what the evaluators keep for a tree."""
    name = space["rows"][-1]["dataset"] if len(space["rows"]) < 12 else "kr-vs-kp"
    kept = {row["evaluator"]: row["bytes_per_tree"] for row in space["rows"] if row["dataset"] == name}
    return f"{name}: " + ", ".join(f"`{evaluator}` {size:,.0f}" for evaluator, size in kept.items())


def gap_to_the_optimum(optimum: Content) -> str:
    """Return how often the front's small trees are optimal, and how far the others are from it."""
    rows = optimum["rows"]
    gaps = [row["gap"] for row in rows if row["gap"] > 0]
    others = f", the others at most {max(gaps):.2f} points below" if gaps else ""
    return f"proven to be optimal in {len(rows) - len(gaps)} of {len(rows)} cases{others}"


def cliffs(sizes: Content) -> str:
    """Return how far the time of one size is above that of its neighbours."""
    facts, seconds = sizes["facts"], [row["seconds"] for row in sizes["rows"]]
    return f"at most {facts['largest_ratio']:.1f} times, {between(seconds, 1)} CPU s"


def on_interactions(interactions: Content) -> str:
    """Return the mean accuracies of our trees and of the best other tree and ensemble, and our leaves."""
    rows = [row for row in interactions["rows"] if row["concept"] == "xor"]
    n = rows[len(rows) // 2]["rows"]
    found = {row["classifier"]: row for row in rows if row["rows"] == n}
    ours, others = found.pop("gatree"), (f"{name} {row['accuracy']:.3f}" for name, row in found.items())
    return f"{ours['accuracy']:.3f} with {ours['leaves']:.1f} leaves; {', '.join(others)}"


def below_given_sizes(given_sizes: Content) -> str:
    """Return how far the front's trees of up to 16 leaves are below those of a search for their size."""
    facts, sizes = given_sizes["facts"], len(given_sizes["rows"])
    chosen = f"{facts['at_chosen']:.3f} at the chosen size"
    return f"{facts['mean']:.3f} points, {chosen}, in the mean of {sizes} data sets"


def ahead_of_j48(first_minute: Content) -> str:
    """Return on how many data sets the default tree is at least as accurate as J48's, or smaller."""
    rows = first_minute["rows"]
    accurate = sum(row["accuracy"] >= row["j48_accuracy"] for row in rows)
    smaller = sum(row["leaves"] < row["j48_leaves"] for row in rows)
    seconds = between([row["seconds"] for row in rows], 0)
    return (
        f"at least as accurate on {accurate} of {len(rows)} data sets, smaller on {smaller}; {seconds} CPU s"
    )


def cold_and_warm(cold_start: Content) -> dict[str, str]:
    """Return the CPU seconds of the first command, and of the same command again."""
    return {row["command"]: f"{row['first']:.1f} / {row['second']:.1f}" for row in cold_start["rows"]}


def runner_per_cell(runner: Content) -> str:
    """Return the runner's own work."""
    return f"{between([row['owner_per_cell'] for row in runner['rows']], 1)} ms per cell"


def commands_on_a_journal(load: Content) -> str:
    """Return the seconds of commands on a large journal."""
    shown = [row for row in load["rows"] if row["command"] not in ("gatree run", "gatree table")]
    return ", ".join(f"`{row['command']}` {row['wall']:.1f} s" for row in shown)


def mean_ranks(quality: Content) -> str:
    """Return the mean ranks of gatree, both CARTs and J48."""
    ours = quality["facts"]["summary"]["gatree, all"]
    return f"{ours['mean rank']} on {ours['data sets']} data sets"


def regression_ranks(regression: Content) -> str:
    """Return the mean ranks of gatree and both CARTs."""
    ours = regression["facts"]["summary"]["all"]
    return f"{ours['mean rank']} on {ours['data sets']} data sets"


def on_data(ratios: dict[str, str]) -> str:
    """Return ratios with the data sets they were measured on, the largest data first."""
    chosen = {name: ratios[name] for name in ("kr-vs-kp", "vote", "zoo") if name in ratios} or ratios
    (first, ratio), *others = chosen.items()
    return ", ".join([f"{ratio} times on {first}", *(f"{ratio} on {name}" for name, ratio in others)])


def between(numbers: list[float], digits: int) -> str:
    """Return the smallest and the largest of some numbers."""
    low, high = f"{min(numbers):.{digits}f}", f"{max(numbers):.{digits}f}"
    return low if low == high else f"{low} to {high}"


def measured_on(*contents: Content) -> str:
    """Return the commits of measurements and their processor, of which a table has one."""
    machines = [content["machine"] for content in contents]
    commits = sorted({str(machine["commit"]) for machine in machines})
    processors = sorted({machine["cpu"].replace("(R)", "") for machine in machines})
    if len(processors) > 1:
        raise SeveralMachinesError(f"measured on several machines: {', '.join(processors)}")
    return f"commit {', '.join(commits)} ({processors[0]})"


def _ratios(content: Content) -> str:
    return "; ".join(f"{name}: {ratio}" for name, ratio in bitset_over_others(content).items())


def _seconds(content: Content) -> str:
    return ", ".join(f"`{command}` {seconds}" for command, seconds in cold_and_warm(content).items())


LINES: dict[str, tuple[str, Callable[[Content], str]]] = {
    "evaluators": ("`bitset` over `old`, whole evolutions", partial(over_old, evaluator="bitset")),
    "large": ("`bitset` over `old`, per evaluation on large data", on_a_million),
    "studies": ("`bitset` over `new`", bitset_over_new),
    "space": ("bytes kept per tree", bytes_per_tree),
    "optimum": ("the front's trees of up to five leaves", gap_to_the_optimum),
    "sizes": ("a default fit's time by that of similar sizes", cliffs),
    "interactions": ("accuracy on noisy XOR of two columns among twenty", on_interactions),
    "given-sizes": ("trees of the default front below those of a search for one size", below_given_sizes),
    "first-minute": ("`gatree tree` compared with J48", ahead_of_j48),
    "cold-start": ("first command / again, CPU seconds", _seconds),
    "runner": ("the runner's own work", runner_per_cell),
    "load": ("commands on 100,000 records", commands_on_a_journal),
    "j48": ("our J48's time by WEKA's", weka_ratio),
    "peers": ("`bitset` over other programs, per evaluation", _ratios),
    "quality": ("mean ranks: gatree / CART, cost-complexity / CART, maximum leaves / J48", mean_ranks),
    "unseen": ("the same on other data", mean_ranks),
    "regression": (
        "mean ranks by R²: gatree / CART, cost-complexity / CART, smallest leaf",
        regression_ranks,
    ),
}
"""For every part: what it compares, and what it found."""
