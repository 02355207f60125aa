"""Write the measured numbers into the papers and README.md, between their marks; `make paper-numbers`.

A block stands between `<!-- NAME -->` and `<!-- end -->`. A test holds the blocks to the results that are
committed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results"
DOCUMENTS = (
    HERE / "paper.md",
    HERE / "artifact.md",
    HERE / "rescience" / "article.md",
    HERE.parent / "README.md",
    RESULTS / "reference" / "README.md",
)
SETTINGS = {"zoo": "100 x 20", "vote": "100 x 100", "kr-vs-kp": "100 x 100"}


def main() -> None:
    """Update all blocks."""
    for document in DOCUMENTS:
        document.write_text(renewed(document.read_text(encoding="utf-8")), encoding="utf-8")


def renewed(text: str) -> str:
    """Return a document with its blocks as the results have them now."""
    blocks = {"verdict": verdict, "peers": peers, "reproduction": reproduction, "machine": machine}

    def written(block: re.Match[str]) -> str:
        return f"<!-- {block[1]} -->\n{blocks[block[1]]()}\n<!-- end -->"

    return re.sub(r"<!-- (\w+) -->\n.*?<!-- end -->", written, text, flags=re.DOTALL)


def comparison() -> str:
    """Return the comparison of the reference with the paper."""
    return (RESULTS / "reference" / "tables" / "comparison.md").read_text(encoding="utf-8")


def verdict() -> str:
    """Return the four sentences with which the comparison opens."""
    sentences = re.match(r"# [^\n]+\n\n((?:- [^\n]+\n)+)", comparison())
    assert sentences is not None
    return sentences[1].strip()


def reproduction() -> str:
    """Return what the comparison says of Table 3."""
    text = comparison()
    section = re.search(r"^## Table 3\..*?\n\n(.*?)(?=\n\n## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    assert section is not None
    return section[1].strip()


def machine() -> str:
    """Return the processor and the versions that the benchmarks ran on."""
    facts = bench("peers")["machine"]
    versions = ", ".join(f"{name} {facts[name]}" for name in ("python", "numpy", "numba"))
    return f"{facts['cpu']}, {facts['cores']} cores; {versions}."


def peers() -> str:
    """Return a table of all learners: seconds of whole evolutions, and the speed-up per evaluation."""
    rows = [row for row in bench("peers")["rows"] if row.get("seconds")]
    heads = ("data", "trees x generations", "learner", "seconds", "`bitset` is faster, per evaluation, by")
    lines = [f"| {' | '.join(heads)} |", "|---|---|---|---|---|"]
    for row in rows:
        if row["setting"] == SETTINGS[row["dataset"]] or row["learner"].startswith("gatree"):
            lines.append(
                f"| {row['dataset']} ({row['n']}) | {row['setting']} | {row['learner']} "
                f"| {row['seconds']:.3g} | {row['bitset_is']:,.{1 if row['bitset_is'] < 100 else 0}f} |"
            )
    return "\n".join(lines)


def bench(part: str) -> dict[str, Any]:
    """Return what a part of the benchmarks has measured."""
    found: dict[str, Any] = json.loads((RESULTS / "bench" / f"{part}.json").read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    main()
