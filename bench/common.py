"""What all parts share: options, timing, and writing results.

A number is the best of several repeats, since other work on a machine only ever adds time. What is
compared is measured alternately in one process, so that a busy minute hits all alike.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from tabulate import tabulate

from bench.sources import ROOT, measured_commit
from gatree.base.machine import machine_facts

RESULTS = ROOT / "results" / "bench"

Result = TypeVar("Result")
Clock = Callable[[], float]
Row = dict[str, Any]
Content = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """How to run a part."""

    quick: bool = False  # tiny sizes: does it work, not how fast is it
    repeats: int = 5
    output: Path = RESULTS


@dataclass(frozen=True)
class Report:
    """What a part has found: rows of numbers, what to read off them, and pictures by name."""

    rows: list[Row]
    columns: dict[str, str]  # key of a row -> heading, in the order of the table
    notes: str = ""  # Markdown
    figures: dict[str, Figure] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)  # further numbers for the JSON file


@dataclass(frozen=True)
class Best:
    """The shortest of several runs: its seconds, its result, and all the seconds."""

    seconds: float
    result: Any
    all_seconds: tuple[float, ...]


def interleaved(
    runs: Mapping[str, Callable[[], Any]], repeats: int, clock: Clock = time.perf_counter
) -> dict[str, Best]:
    """Run each of them once untimed (compilation, caches), then all of them in turn, again and again."""
    for run in runs.values():
        run()
    taken: dict[str, list[tuple[float, Any]]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            taken[name].append(timed(run, clock))
    return {name: _best(timings) for name, timings in taken.items()}


def timed(run: Callable[[], Result], clock: Clock = time.perf_counter) -> tuple[float, Result]:
    """Return the seconds of a call, without garbage collection in between, and its result."""
    gc.disable()
    try:
        started = clock()
        result = run()
        return clock() - started, result
    finally:
        gc.enable()


def _best(timings: list[tuple[float, Any]]) -> Best:
    seconds, result = min(timings, key=lambda timing: timing[0])
    return Best(seconds, result, tuple(round(each, 9) for each, _ in timings))


def progress(text: str) -> None:
    """Print a line about the progress to stderr."""
    print(f"bench: {text}", file=sys.stderr, flush=True)


def log_log(
    title: str, x_label: str, y_label: str, lines: Mapping[Any, Sequence[tuple[float, float]]]
) -> Figure:
    """Draw lines through points on logarithmic axes."""
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.subplots()
    for marker, (name, points) in zip("osD^vPX*", lines.items(), strict=False):
        axes.plot(*zip(*sorted(points), strict=True), marker=marker, markersize=4, linewidth=1.2, label=name)
    axes.set(title=title, xlabel=x_label, ylabel=y_label, xscale="log", yscale="log")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)
    return figure


def write(part: str, title: str, report: Report, options: Options) -> Content:
    """Write a part's pictures and then its JSON; return the latter."""
    options.output.mkdir(parents=True, exist_ok=True)
    for name, figure in report.figures.items():
        save_figure(figure, options.output / f"{name}.svg")
    content = {
        "part": part,
        "title": title,
        "quick": options.quick,
        "repeats": options.repeats,
        "machine": {**machine_facts(), "commit": measured_commit()},
        "columns": report.columns,
        "rows": report.rows,
        "facts": report.facts,
        "notes": report.notes.splitlines(),
    }
    text = json.dumps(content, indent=1, allow_nan=False, default=_plain_number)
    (options.output / f"{part}.json").write_text(text + "\n", encoding="utf-8")
    return content


def read(part: str, folder: Path = RESULTS) -> Content:
    """Return what a part has measured."""
    content: Content = json.loads((folder / f"{part}.json").read_text(encoding="utf-8"))
    return content


def save_figure(figure: Figure, path: Path) -> None:
    """Write a picture as SVG, the same bytes for the same numbers."""
    with mpl.rc_context({"svg.hashsalt": "gatree", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})


def as_markdown(content: Content) -> str:
    """Return a part's table and notes."""
    cells = [[_cell(row.get(key)) for key in content["columns"]] for row in content["rows"]]
    headers = list(content["columns"].values())
    table = tabulate(cells, headers=headers, tablefmt="github", disable_numparse=True)
    notes = "\n".join(content["notes"]).rstrip()
    return "\n\n".join(filter(None, (f"## {content['title']}", table, notes))) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    return (
        f"{value:.{3 if size < 1 else 2 if size < 100 else 1}f}"
        if size >= 0.001 or size == 0
        else f"{value:.2g}"
    )


def _plain_number(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return asdict(value)
