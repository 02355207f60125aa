"""What the runner adds to the cells it runs, and how many cells a second its owner process can hand out."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from bench.command import cost_of
from bench.common import Options, Report, Row, progress

TITLE = "The runner's own work"

COLUMNS = {
    "cells_are": "cells",
    "jobs": "--jobs",
    "n_cells": "number",
    "wall": "wall [s]",
    "cells_cpu": "CPU of the cells [s]",
    "workers_more": "more CPU of the workers [%]",
    "owner_start": "owner's start, CPU [s]",
    "owner_cpu": "then CPU of the owner [s]",
    "owner_per_cell": "owner, per cell [ms]",
    "most_cells": "cells a second at most",
}

NOTES = """\
- Cheap: {cheap}. Real: a share of the paper's cells (`{real}`). The cells' CPU is what their records say;
  what the workers use in addition is starting Python and loading compiled code, once for each, and sending
  records. It is given in % of the cells' CPU.
- The owner's start is what the same command takes with `--dry-run`: Python, the libraries, the data, the
  plan. Then it hands out cells, writes the journal and shows progress. Cells a second at most: what one core
  gives to that; beyond it more workers do not help.
"""

CHEAP = """\
name: cheap
seed: 1
seeds: {seeds}
datasets: [zoo]
studies:
  - name: cheap
    kind: cross-validation
    n_folds: 5
    grid: {{mutation_rate: 0.5, x_factor: 1e4, size: [{sizes}]}}
"""


def measure(options: Options) -> Report:
    """Run cheap cells and real ones with few and with many workers."""
    seeds, sizes, jobs = (1, "4, 8", (2,)) if options.quick else (100, "10, 20, 30, 40", (2, 4, 16))
    real = ["dataset=zoo", "size=100"] if options.quick else ["dataset=vote", "study=accuracy"]
    cheap = CHEAP.format(seeds=seeds, sizes=sizes)
    rows = [_row("cheap", cheap, n_jobs, []) for n_jobs in jobs]
    rows.append(_row("real", "paper", jobs[0], real))
    only = " ".join(f"--only {condition}" for condition in real)
    settings = f"zoo, five folds, population and generations {sizes}, {seeds} seeds"
    return Report(rows, COLUMNS, notes=NOTES.format(cheap=settings, real=f"gatree run --config paper {only}"))


def _row(cells_are: str, config: str, n_jobs: int, only: list[str]) -> Row:
    progress(f"runner: {cells_are} cells, {n_jobs} jobs")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if cells_are == "cheap":
            (folder / "cheap.yaml").write_text(config, encoding="utf-8")
            config = "cheap.yaml"
        conditions = [word for condition in only for word in ("--only", condition)]
        run = ("run", "--config", config, "--results", "results", "--jobs", str(n_jobs), *conditions)
        start = cost_of(folder, *run, "--dry-run").own_cpu
        cost = cost_of(folder, *run)
        (journal,) = folder.glob("results/*/cells.jsonl")
        records = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    cells_cpu = sum(cpu_seconds(record) for record in records)
    owner = cost.own_cpu - start
    return {
        "cells_are": cells_are,
        "jobs": n_jobs,
        "n_cells": len(records),
        "wall": cost.wall,
        "cells_cpu": cells_cpu,
        "workers_more": 100 * (cost.workers_cpu - cells_cpu) / cells_cpu,
        "owner_start": start,
        "owner_cpu": owner,
        "owner_per_cell": 1000 * owner / len(records),
        "most_cells": len(records) / owner,
    }


def cpu_seconds(record: dict[str, Any]) -> float:
    """Return the processor's seconds of a cell's evolutions; a baseline says wall seconds only."""
    timing = record["timing"]
    if record["cell"]["kind"] == "baseline":
        return float(timing["build"] + timing["cross_validate"])
    return sum(sum(evaluator["cpu"]) for evaluator in timing.values())
