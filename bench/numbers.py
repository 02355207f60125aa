"""Write the measured numbers into the documents, between their marks: `make numbers`.

A block stands between `<!-- NAME -->` and `<!-- end -->`. The numbers are those of results/reference and
results/bench; a test compares every document with them.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from click.testing import CliRunner

from bench import findings
from bench.common import RESULTS, ROOT, read
from bench.page import page_of
from bench.runner import cpu_seconds
from gatree.cli.main import cli
from gatree.experiments.frame import frame

REFERENCE = ROOT / "results" / "reference"
DOCUMENTS = (
    *(ROOT / "paper" / name for name in ("article.md", "artifact.md")),
    *(
        ROOT / "docs" / name
        for name in (
            "chessboard.md",
            "claims.md",
            "fronts.md",
            "performance.md",
            "reproduction.md",
        )
    ),
    ROOT / "README.md",
    REFERENCE / "README.md",
)
MARKED = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", flags=re.DOTALL)
STUDIES = {
    "savings": "Tables 3-7",
    "accuracy": "Tables 8-11",
    "fast-x": "Table 12",
    "exploratory": "Figure 6",
}


def main() -> None:
    """Update all blocks, and the page of the benchmarks."""
    (RESULTS / "README.md").write_text(page_of(RESULTS), encoding="utf-8")
    for document in DOCUMENTS:
        document.write_text(renewed(document.read_text(encoding="utf-8")), encoding="utf-8")


def renewed(text: str) -> str:
    """Return a document with its blocks as the results have them now."""
    return MARKED.sub(lambda block: f"<!-- {block[1]} -->\n{BLOCKS[block[1]]()}\n<!-- end -->", text)


def comparison() -> str:
    """Return the comparison of the reference with the paper."""
    return (REFERENCE / "tables" / "comparison.md").read_text(encoding="utf-8")


def verdict() -> str:
    """Return the first table of the comparison as sentences, without the details of numbers outside."""
    _title, table, *_ = comparison().split("\n\n")
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
    *lines, last = [f"{about}: {found}. {meaning}" for about, found, meaning in rows]
    shorter = re.sub(r" Of the \d+ outside, .*", "", "\n".join(f"- {line}" for line in lines))
    return f"{shorter} {last}"


def agreement() -> str:
    """Return two sentences on the reproduction: what was saved, and how many published numbers agree."""
    lines = dict(re.findall(r"^\| (.+?) +\| (.+?) +\|", comparison(), re.MULTILINE))
    kinds = ("savings (Tables 4, 5, 7)", "accuracies (Tables 8-12)", "sizes (Tables 8-12)")
    counts = [re.findall(r"\d+", lines[f"Published {kind}"])[:2] for kind in kinds]
    inside, total = (sum(map(int, each)) for each in zip(*counts, strict=True))
    return (
        f"Instances saved: {lines['Instances saved']}. Of {total} published savings, accuracies and sizes "
        f"{inside} lie inside the [95 % prediction interval](docs/glossary.md) of our runs; by chance "
        f"{0.05 * total:.0f} would lie outside, and {total - inside} do."
    )


def _section(title: str) -> str:
    """Return a section of the comparison."""
    section = re.search(rf"^## {title}\n\n(.*?)(?=\n\n## )", comparison(), re.MULTILINE | re.DOTALL)
    assert section is not None
    return section[1].strip()


def claims() -> str:
    """Return the claims of Section 5 and what became of them."""
    return _section("The claims of Section 5")


def folds() -> str:
    """Return evolution and J48 on balance-scale, on two kinds of folds: the lowest and highest setting."""
    cells = frame(ROOT / "results" / "balance-scale")
    sums = cells.groupby(["study", "method", "point"])[["test_correct", "n_test"]].sum()
    accuracies = (
        (100 * sums["test_correct"] / sums["n_test"]).groupby(["study", "method"]).agg(["min", "max"])
    )
    nodes = cells.groupby(["study", "method", "point"])["n_nodes"].mean().groupby(["study", "method"])
    rows = []
    for name, study in (("WEKA's", "weka"), ("every fifth row", "every-fifth-row")):
        shown = [
            (f"{low:.{digits}f}" if low == high else f"{low:.{digits}f}-{high:.{digits}f}")
            for method in ("evolution", "j48")
            for spread, digits in ((accuracies, 1), (nodes.agg(["min", "max"]), 0))
            for low, high in [spread.loc[(study, method)]]
        ]
        rows.append((name, *shown))
    heads = ("folds", "evolution: accuracy, %", "nodes", "J48: accuracy, %", "nodes")
    return _table(heads, rows)


def reproduction() -> str:
    """Return what was saved, as the comparison has it."""
    return _section("What was saved")


def machine() -> str:
    """Return the processor and the versions that the benchmarks ran on."""
    facts = read("peers")["machine"]
    versions = ", ".join(f"{name} {facts[name]}" for name in ("python", "numpy", "numba"))
    return f"{facts['cpu']}, {facts['cores']} cores; {versions}."


def measured() -> str:
    """Return two tables: how good the default trees are, and how fast the evaluators."""
    quality, unseen, engine, each, large = map(read, ("quality", "unseen", "engine", "evaluators", "large"))
    heads = ("mean rank by accuracy, lower is better", "gatree", "CART, cost-complexity")
    ranks = [
        (f"{ours['data sets']} data sets, {name}", *ours["mean rank"].split(" / "))
        for name, content in (("included", quality), ("others", unseen))
        for ours in [content["facts"]["summary"]["gatree, all"]]
    ]
    speeds = [
        (
            "an evaluation by `bitset` over `old`",
            f"{findings.bitset_over_old(each)}, {findings.on_a_million(large)}",
        ),
        ("a whole evolution of 400 trees: `new` over `old`", findings.new_over_old(engine)),
    ]
    tables = _table((*heads, "CART, maximum leaves", "J48"), ranks), _table(("speed", "as fast"), speeds)
    return _measured("\n\n".join(tables), quality, unseen, engine, each, large)


def evaluators() -> str:
    """Return the ratios of the evaluators."""
    engine, each, large, studies = map(read, ("engine", "evaluators", "large", "studies"))
    rows = [
        ("`new` over `old`, whole evolutions of 400 trees and generations", findings.new_over_old(engine)),
        ("`bitset` over `old`, per evaluation, 100 to 400 trees", findings.bitset_over_old(each)),
        ("the same on large data", findings.on_a_million(large)),
        ("`bitset` over `new`", findings.bitset_over_new(studies)),
    ]
    costs = (
        f"Apart from evaluation, an offspring costs {findings.beyond_evaluation(engine)} µs: breeding, "
        "ranking, history and the initial population. So on small data inheritance saves a larger share of "
        "the instances than of the time."
    )
    return _measured(_table(("compared", "faster"), rows), engine, each, large, studies) + f"\n\n{costs}"


def others() -> str:
    """Return the ratios to other programs, and to WEKA's J48."""
    found, j48 = read("peers"), read("j48")
    table = _table(
        ("`bitset` over", "faster per evaluation"), list(findings.bitset_over_others(found).items())
    )
    weka = f"J48 builds a tree in {findings.weka_ratio(j48)} times WEKA's time (geometric mean)."
    return _measured(f"{table}\n\n{weka}", found, j48)


def large() -> str:
    """Return time, memory and threads on a million instances."""
    content = read("large")
    rows = [
        (
            f"`{row['evaluator']}`",
            f"{row['microseconds'] / 1000:.{1 if row['microseconds'] > 100 else 3}f}",
            f"{row['peak'] / 1000:.1f} GB",
            f"{row['threads_evaluation']:.1f} times as fast" if row["threads_whole"] else "has one thread",
            f"{row['threads_whole']:.1f}" if row["threads_whole"] else "",
        )
        for row in content["rows"]
        if row["data"] == "generated"
    ]
    heads = ("evaluator", "ms per offspring", "peak memory", "two threads: evaluation", "whole runs")
    return _measured(_table(heads, rows), content)


def first() -> str:
    """Return the seconds of first commands, of the runner and of commands on a large journal."""
    cold, runner, load = map(read, ("cold-start", "runner", "load"))
    rows = [
        (f"`{command}`, nothing compiled / compiled", f"{seconds} CPU seconds")
        for command, seconds in findings.cold_and_warm(cold).items()
    ]
    rows += [
        ("the runner's own work", findings.runner_per_cell(runner)),
        (f"a journal of {load['rows'][0]['records']:,} records", findings.commands_on_a_journal(load)),
    ]
    return _measured(_table(("what", "takes"), rows), cold, runner, load)


def quality() -> str:
    """Return the table of ranks and leaves, and the mean over all data sets."""
    contents = [read("quality"), read("unseen")]
    facts = [content["facts"] for content in contents]
    ours = [found["summary"]["gatree, all"] for found in facts]
    below = [[each["a point below"] for each in found["below the rest"].values()] for found in facts]
    leaves = "gatree's leaves divided by the best other's: mean of the ratios, ratio of the sums"
    rows = [
        ("mean rank", *(found["mean rank"] for found in ours)),
        (
            "data sets more than a point below the best of the other three",
            *(" / ".join(map(str, counts)) for counts in below),
        ),
        (leaves, *(f"{found['share of leaves']:.2f}, {found['of all leaves']:.2f}" for found in ours)),
        ("where gatree is below, in points", *(_points(found["a point below"]) for found in ours)),
    ]
    n_sets = [found["data sets"] for found in ours]
    share = np.average([found["share of leaves"] for found in ours], weights=n_sets)
    heads = (
        "gatree / CART, cost-complexity / CART, maximum leaves / J48",
        f"{n_sets[0]} data sets, shipped",
        f"{n_sets[1]}, not shipped",
    )
    mean = f"The mean ratio of leaves is {share:.2f} over all {sum(n_sets)} data sets."
    return _measured(f"{_table(heads, rows)}\n\n{mean}", *contents)


def small() -> str:
    """Return how the front's small trees compare with the proven optimum."""
    content = read("optimum")
    return (
        f"The front's trees of two to five leaves on the twelve shipped data sets are "
        f"{findings.gap_to_the_optimum(content)} the proven optimum, measured on "
        f"{findings.measured_on(content)}."
    )


def regression() -> str:
    """Return ranks, R² and leaves of the regression trees, and where CART is better."""
    content = read("regression")
    names = {"all": "all", "choosing": "that helped to choose", "reporting": "others"}
    rows = []
    for half, found in content["facts"]["summary"].items():
        means = found["mean rank"].split(" / ")
        gained, leaves = f"{found['R2 above the best CART']:.3f}", f"{found['of all leaves']:.2f}"
        rows.append(
            (f"{found['data sets']} {names[half]}".replace("20 all", "all 20"), *means, gained, leaves)
        )
    heads = (
        "data sets",
        "gatree",
        "CART, pruned",
        "CART, smallest leaf",
        "R² above the better",
        "leaves by its",
    )
    worse = []
    for row in content["facts"]["numbers"]:
        ours, *carts = (
            row[label]["r2"] for label in ("gatree", "CART, cost-complexity", "CART, smallest leaf")
        )
        if ours < max(carts):
            worse.append((max(carts) - ours, f"{row['data']} ({ours:.3f}, {max(carts):.3f})"))
    listed = ", ".join(text for _, text in sorted(worse, reverse=True))
    return _measured(f"{_table(heads, rows)}\n\nR² is below the better CART's on {listed}.", content)


def cost() -> str:
    """Return what the reference's cells took, by study: all seeds, and those of `make paper`."""
    with gzip.open(REFERENCE / "cells.jsonl.gz") as file:
        records = [json.loads(line) for line in file]
    cells = Counter(record["cell"]["study"] for record in records)
    taken: dict[str, list[float]] = {study: [0.0, 0.0] for study in cells}
    for record in records:
        minutes = cpu_seconds(record) / 60
        taken[record["cell"]["study"]][0] += minutes
        taken[record["cell"]["study"]][1] += minutes * (record["cell"]["replicate"] < 3)
    rows = [
        (STUDIES.get(study, study), f"`--only study={study}`", f"{cells[study]:,}", *map(_short, minutes))
        for study, minutes in sorted(taken.items(), key=lambda item: STUDIES.get(item[0], item[0]))
    ]
    total = (
        "all",
        "",
        f"{len(records):,}",
        *(_short(sum(each)) for each in zip(*taken.values(), strict=True)),
    )
    heads = (
        "what",
        "option of `gatree run --config paper`",
        "cells",
        "ten seeds",
        "three seeds (`make paper`)",
    )
    return _measured(_table(heads, [*rows, total]), records[0])


def impossible() -> str:
    """Return the accuracies of the proven best small trees on kr-vs-kp."""
    content = read("optimum")
    rows = [
        (
            f"{2 * row['tests'] + 1}",
            f"{row['optimum']:.3f}",
            f"`gatree optimum kr-vs-kp --nodes {2 * row['tests'] + 1}`",
        )
        for row in content["rows"]
        if row["dataset"] == "kr-vs-kp"
    ]
    return _table(("nodes", "best tree", ""), rows)


def chessboard() -> str:
    """Return the accuracies of evtree's chessboard, as `gatree compare` prints them."""
    options = [
        "--results",
        str(ROOT / "results/chessboard"),
        "--published",
        str(ROOT / "configs/chessboard.csv"),
    ]
    lines = CliRunner().invoke(cli, ["compare", "--by", "method", *options]).stdout.splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("| data set"))
    return "\n".join([*lines[head : head + 2], *(line for line in lines if line.startswith("| chessboard-"))])


_WRITERS = (
    *(verdict, agreement, reproduction, machine, measured, evaluators, others),
    *(large, first, quality, small, regression),
    *(cost, impossible, chessboard, claims, folds),
)
BLOCKS: dict[str, Callable[[], str]] = {block.__name__: block for block in _WRITERS}


def _table(heads: tuple[str, ...], rows: list[Any]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _short(number: float) -> str:
    return f"{number:.{1 if number > 0.1 else 2}f}"


def _points(below: dict[str, float]) -> str:
    return ", ".join(f"{name} {points}" for name, points in below.items())


def _measured(text: str, *contents: dict[str, Any]) -> str:
    return f"{text}\n\nMeasured on {findings.measured_on(*contents)}."


if __name__ == "__main__":
    main()
