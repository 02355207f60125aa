"""Write the measured numbers into README.md and docs/performance.md, between their marks: `make numbers`.

A block stands between `<!-- NAME -->` and `<!-- end -->`. The numbers are those of results/reference and
results/bench; a test compares both documents with them. A table has one machine, and names the commits that
were measured, so the sources have to be committed.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import findings
from bench.common import RESULTS, read
from bench.page import page_of
from bench.runner import cpu_seconds
from bench.sources import ROOT, changed_sources

REFERENCE = ROOT / "results" / "reference"
DOCUMENTS = (ROOT / "README.md", ROOT / "docs" / "performance.md")
MARKED = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", flags=re.DOTALL)
STUDIES = {
    "savings": "Tables 3-7",
    "accuracy": "Tables 8-11",
    "fast-x": "Table 12",
    "exploratory": "Figure 6",
}
SHOWN_ROWS = (1_000, 10_000, 50_000, 100_000, 1_000_000)
CLASSIFIERS = ("gatree", "CART, cost-complexity", "CART, maximum leaves", "J48")


def main() -> None:
    """Update all blocks, and the page of the benchmarks."""
    if changed := changed_sources():
        sys.exit(f"bench: commit first, so that figures can name what was measured: {', '.join(changed)}")
    (RESULTS / "README.md").write_text(page_of(RESULTS), encoding="utf-8")
    for document in DOCUMENTS:
        document.write_text(renewed(document.read_text(encoding="utf-8")), encoding="utf-8")


def renewed(text: str) -> str:
    """Return a document with its blocks as the results have them now."""
    return MARKED.sub(lambda block: f"<!-- {block[1]} -->\n{written(block[1])}\n<!-- end -->", text)


def written(block: str) -> str:
    """Return the text of a block, or what has to be measured for it."""
    try:
        return BLOCKS[block]()
    except FileNotFoundError as missing:
        return f"Not measured yet: {Path(missing.filename).stem}."
    except findings.SeveralMachinesError as mixed:
        return f"To be measured again: {mixed}."


def agreement() -> str:
    """Return two sentences on the reproduction: what was saved, and how many published numbers agree."""
    comparison = (REFERENCE / "tables" / "comparison.md").read_text(encoding="utf-8")
    lines = dict(re.findall(r"^\| (.+?) +\| (.+?) +\|", comparison, re.MULTILINE))
    kinds = ("savings (Tables 4, 5, 7)", "accuracies (Tables 8-12)", "sizes (Tables 8-12)")
    counts = [re.findall(r"\d+", lines[f"Published {kind}"])[:2] for kind in kinds]
    inside, total = (sum(map(int, each)) for each in zip(*counts, strict=True))
    return (
        f"Instances saved: {lines['Instances saved']}. Of {total} published savings, accuracies and sizes "
        f"{inside} lie inside the [95 % prediction interval](docs/glossary.md) of our runs; by chance "
        f"{0.05 * total:.0f} would lie outside, and {total - inside} do."
    )


def ranks() -> str:
    """Return the mean ranks of the default trees."""
    contents = {"common": read("quality"), "KEEL": read("unseen")}
    rows = [
        (f"{found['data sets']} {name} data sets", *found["mean rank"].split(" / "))
        for name, found in ((name, _ours(content)) for name, content in contents.items())
    ]
    return _measured(
        _table(("mean rank by accuracy, lower is better", *CLASSIFIERS), rows), *contents.values()
    )


def fits() -> str:
    """Return the time and memory of some default fits."""
    content = read("sizes")
    found = {(row["rows"], row["columns"]): row for row in content["rows"]}
    some = ", ".join(f"{n_rows:,} rows {_fit(found[n_rows, 20])}" for n_rows in (10_000, 100_000, 1_000_000))
    return _measured(f"CPU time and peak memory of a default fit, 20 numbers in a row: {some}.", content)


def quality() -> str:
    """Return ranks, shortfalls and leaves on included and on other data sets."""
    contents = {"common": read("quality"), "KEEL": read("unseen")}
    rows = []
    for name, content in contents.items():
        ours = _ours(content)
        below = [str(each["a point below"]) for each in content["facts"]["below the rest"].values()]
        about = f"{ours['data sets']} {name} data sets"
        rows.append((f"{about}: mean rank", *ours["mean rank"].split(" / ")))
        rows.append((f"{about}: more than a point below the best of the other three", *below))
    sentences = [
        f"On the {name} data sets gatree's trees have {_ours(content)['share of leaves']:.2f} times the "
        "leaves of the best of the others (the mean of the ratios). They are more than a point less accurate "
        f"on {_points(_ours(content)['a point below'])}."
        for name, content in contents.items()
    ]
    text = "\n\n".join([_table(("lower is better", *CLASSIFIERS), rows), *sentences])
    return _measured(text, *contents.values())


def probabilities() -> str:
    """Return the scores of probabilities, also those of a forest, of those measured on all data sets."""
    content = read("quality")
    scored = {label: found for label, found in content["facts"]["probabilities"].items() if found}
    n_sets = max((found["data sets"] for found in scored.values()), default=0)
    rows = [
        (label, found["AUC"], found["log loss"], found["Brier score"])
        for label, found in scored.items()
        if found["data sets"] == n_sets
    ]
    if len(rows) < 2:
        return f"Not measured yet on {n_sets} data sets: other classifiers."
    heads = (
        f"mean over {n_sets} data sets",
        "AUC, higher is better",
        "log loss, lower",
        "Brier, lower",
    )
    return _measured(_table(heads, rows), content)


def interactions() -> str:
    """Return the accuracies on columns that decide together, ours and those of rivals."""
    content = read("interactions")
    labels = list(dict.fromkeys(row["classifier"] for row in content["rows"]))
    cases: dict[tuple[str, int], dict[str, dict[str, Any]]] = {}
    for row in content["rows"]:
        cases.setdefault((row["concept"], row["rows"]), {})[row["classifier"]] = row
    rows = [
        (
            concept,
            f"{n_rows:,}",
            *(f"{found[label]['accuracy']:.3f}" for label in labels),
            f"{found['gatree']['leaves']:.1f}",
        )
        for (concept, n_rows), found in cases.items()
    ]
    return _measured(_table(("interaction", "rows", *labels, "gatree's leaves"), rows), content)


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
    listed = ", ".join(text for _, text in sorted(worse, reverse=True)) or "no data set"
    return _measured(f"{_table(heads, rows)}\n\nR² is below the better CART's on {listed}.", content)


def small() -> str:
    """Return how the front's small trees compare with the proven optimum."""
    content = read("optimum")
    gap = findings.gap_to_the_optimum(content)
    text = f"The front's trees of two to five leaves on the included data sets are {gap}."
    return _measured(text, content)


def sizes() -> str:
    """Return the time and memory of a default fit by rows and columns."""
    content = read("sizes")
    found = {(row["rows"], row["columns"]): row for row in content["rows"]}
    columns = sorted({n_columns for _, n_columns in found})
    rows = [
        (f"{n_rows:,}", *(_fit(found.get((n_rows, n_columns))) for n_columns in columns))
        for n_rows in SHOWN_ROWS
    ]
    heads = ("rows", *(f"{n_columns} columns" for n_columns in columns))
    picture = "![CPU seconds of a default fit against rows](../results/bench/sizes.svg)"
    return _measured(f"{_table(heads, rows)}\n\n{picture}", content)


def evaluators() -> str:
    """Return the ratios of the evaluators."""
    content = read("evaluators")
    rows = [(f"`{name}`", findings.over_old(content, name)) for name in ("new", "bitset")]
    picture = "![CPU time per tree against instances](../results/bench/evaluators.svg)"
    return _measured(f"{_table(('evaluator', 'as fast as `old`'), rows)}\n\n{picture}", content)


def others() -> str:
    """Return the ratios to other programs."""
    found = read("peers")
    table = _table(
        ("trees evaluated in the same time with `bitset`, compared with", "times as many"),
        list(findings.bitset_over_others(found).items()),
    )
    return _measured(table, found)


def first() -> str:
    """Return the seconds of first commands."""
    content = read("cold-start")
    rows = [
        (f"`{command}`", *seconds.split(" / "))
        for command, seconds in findings.cold_and_warm(content).items()
    ]
    return _measured(_table(("CPU seconds of", "with nothing compiled", "again"), rows), content)


def cost() -> str:
    """Return what the reference's cells took, by study: all seeds, and those of `make paper`."""
    with gzip.open(REFERENCE / "cells.jsonl.gz") as file:
        records = [json.loads(line) for line in file]
    rows = [
        (
            name,
            f"`--only study={study}`",
            *_minutes([each for each in records if each["cell"]["study"] == study]),
        )
        for study, name in sorted(STUDIES.items(), key=lambda item: item[1])
    ]
    heads = (
        "what",
        "option of `gatree run --config paper`",
        "cells",
        "ten seeds",
        "three seeds (`make paper`)",
    )
    return _measured(_table(heads, [*rows, ("all", "", *_minutes(records))]), *records)


_WRITERS = (
    *(agreement, ranks, fits, quality, probabilities, interactions, regression, small, sizes),
    *(evaluators, others, first, cost),
)
BLOCKS: dict[str, Callable[[], str]] = {block.__name__: block for block in _WRITERS}


def _ours(content: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = content["facts"]["summary"]["gatree, all"]
    return found


def _minutes(records: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return the number of cells, and the CPU minutes of all of them and of the first three seeds."""
    first = [record for record in records if record["cell"]["replicate"] < 3]
    return f"{len(records):,}", *(_short(sum(map(cpu_seconds, each)) / 60) for each in (records, first))


def _fit(row: dict[str, Any] | None) -> str:
    return f"{row['seconds']:.1f} s, {row['megabytes'] / 1000:.1f} GB" if row else ""


def _table(heads: tuple[str, ...], rows: list[Any]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _short(number: float) -> str:
    return f"{number:.{1 if number > 0.1 else 2}f}"


def _points(below: dict[str, float]) -> str:
    return ", ".join(f"{name} ({-points})" for name, points in below.items()) or "none"


def _measured(text: str, *contents: dict[str, Any]) -> str:
    return f"{text}\n\nMeasured on {findings.measured_on(*contents)}."


if __name__ == "__main__":
    main()
