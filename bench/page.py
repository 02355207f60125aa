"""The one page of all parts, ``results/bench/README.md``, put together from their files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

_HEAD = """# Benchmarks

Written by `make bench`; `make bench BENCH=engine` measures one part again. Every part has its numbers in
`PART.json`, with the processor and the versions they were measured on, and its section of this page in
`PART.md`.

A time is the wall time of the best of several runs, after one that does not count (compiled code and caches
are warm). What is compared is measured in one run of the benchmark, the alternatives taking turns, so a ratio
is worth more than a time.
"""

_QUICK = "\n**Measured with `--quick`: tiny sizes that show that it works, not how fast it is.**\n"


def write_page(folder: Path, parts: Sequence[str]) -> None:
    """Write the page of the parts that have results."""
    done = [part for part in parts if (folder / f"{part}.json").exists()]
    if not done:
        return
    contents = [json.loads((folder / f"{part}.json").read_text(encoding="utf-8")) for part in done]
    machines = {_on(content["machine"]) for content in contents}
    page = _HEAD + (_QUICK if any(content["quick"] for content in contents) else "")
    page += "\nMeasured on " + "; ".join(sorted(machines)) + ".\n"
    for part in done:
        page += "\n" + (folder / f"{part}.md").read_text(encoding="utf-8")
    (folder / "README.md").write_text(page, encoding="utf-8")


def _on(machine: dict[str, str]) -> str:
    versions = ", ".join(f"{name} {machine[name]}" for name in ("python", "numpy", "numba", "gatree"))
    return f"{machine['cpu']}, {machine['cores']} cores ({versions})"
