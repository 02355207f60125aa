"""The one page of all parts, ``results/bench/README.md``: a line for each."""

from __future__ import annotations

from pathlib import Path

from bench.common import read
from bench.findings import LINES, measured_on

_HEAD = """# Benchmarks

*For those who want the measured numbers.* `make bench` measures all parts and writes this page,
`make bench BENCH=sizes` one of them. `PART.json` has its rows, notes, processor and versions;
`python -m bench --show sizes` prints them as a table.

A time is the wall time of the best of several runs, after a discarded warm-up run. Alternatives take
turns in one run, so ratios are more reliable than times.
"""

_QUICK = "\n**Measured with `--quick`: tiny sizes that show that it works, not how fast it is.**\n"


def page_of(folder: Path) -> str:
    """Return the page of the parts that have results."""
    contents = {part: read(part, folder) for part in LINES if (folder / f"{part}.json").exists()}
    page = _HEAD + (_QUICK if any(content["quick"] for content in contents.values()) else "")
    page += "\n| part | what | found | measured on |\n|---|---|---|---|\n"
    for part, content in contents.items():
        what, found = LINES[part]
        page += f"| [{part}]({part}.json) | {what} | {found(content)} | {measured_on(content)} |\n"
    return page
