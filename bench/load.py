"""What a journal of 100,000 records costs to read: status, starting a run, rows, tables, the page."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import msgspec
import yaml
from msgspec import structs

from bench.command import cost_of
from bench.common import ROOT, Options, Report, Row, progress
from gatree.experiments.experiment_file import read_experiment
from gatree.experiments.grid import Cell
from gatree.experiments.journal import read_records
from gatree.experiments.journal_writer import JournalWriter
from gatree.experiments.places import ARCHIVE, JOURNAL, reference_folder
from gatree.experiments.record import CellIdentity, Record
from gatree.experiments.run import Plan

TITLE = "Commands on a journal of 100,000 records"

COLUMNS = {
    "command": "command",
    "records": "records",
    "megabytes": "journal, MB",
    "wall": "seconds",
    "seconds": "CPU seconds",
    "second": "of these a second process's",
    "peak": "peak memory, MB",
}

NOTES = """\
- The paper's experiment with more seeds. Each record has the settings of its cell and the outcome of the
  reference's cell with the same settings and another seed; so the journal is as long as a real one.
- Starting Python included, best of {repeats}. `gatree run` finds all cells done. Peak memory is that of the
  larger process.
"""

_SEEDS = {"savings": 100, "accuracy": 31, "fast-x": 30, "exploratory": 30}


def measure(options: Options) -> Report:
    """Write a journal and run the commands on it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seeds = _SEEDS if not options.quick else dict.fromkeys(_SEEDS, 1)
        # Elsewhere: what is started here counts the memory of this process as its own.
        with ProcessPoolExecutor(1, get_context("spawn")) as elsewhere:
            n_records = elsewhere.submit(write_journal, folder, seeds).result()
        journal = folder / "load" / JOURNAL
        about = {"records": n_records, "megabytes": journal.stat().st_size / 1e6}
        commands = [
            ["status", "--results", str(journal.parent)],
            ["run", "--config", str(folder / "load.yaml"), "--results", str(folder)],
            ["results", "--output", str(folder / "rows.csv"), "--results", str(journal.parent)],
            ["table", "3", "--results", str(journal.parent)],
            ["report", "--results", str(journal.parent)],
        ]
        if options.quick:
            commands = commands[:2]
        rows = [{**_row(command, 1 if options.quick else 3), **about} for command in commands]
    return Report(rows, COLUMNS, notes=NOTES.format(repeats=1 if options.quick else 3))


def write_journal(folder: Path, seeds: dict[str, int]) -> int:
    """Write ``load.yaml`` and its journal, with the given seeds per study; return the number of records."""
    config = yaml.safe_load((ROOT / "configs" / "paper.yaml").read_text(encoding="utf-8"))
    config["name"] = "load"
    for study in config["studies"]:
        study["seeds"] = seeds[study["name"]]
    path = folder / "load.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    plan = Plan.of(read_experiment(path))
    templates = _templates()
    with JournalWriter(plan.folder(folder)) as journal:
        for cell in plan.cells:
            journal.append(_record(cell, templates))
    return len(plan.cells)


def _templates() -> dict[bytes, list[Record]]:
    """Return the reference's records by what a cell is but for its seed."""
    found: dict[bytes, list[Record]] = defaultdict(list)
    for record in read_records(reference_folder() / ARCHIVE):
        found[_but_for_the_seed(record.cell)].append(record)
    return found


def _but_for_the_seed(identity: CellIdentity) -> bytes:
    return msgspec.json.encode(structs.replace(identity, replicate=0))


def _record(cell: Cell, templates: dict[bytes, list[Record]]) -> Record:
    like = templates[_but_for_the_seed(cell.identity)]
    record = like[cell.identity.replicate % len(like)]
    return structs.replace(record, key=cell.key, cell=cell.identity, settings=cell.values, seed=cell.seed)


def _row(command: list[str], repeats: int) -> Row:
    progress(f"load: gatree {command[0]}")
    costs = [cost_of(ROOT, *command) for _ in range(repeats)]
    return {
        "command": f"gatree {command[0]}",
        "wall": min(cost.wall for cost in costs),
        "seconds": min(cost.own_cpu + cost.workers_cpu for cost in costs),
        "second": min(cost.workers_cpu for cost in costs),
        "peak": max(cost.peak for cost in costs) / 1e6,
    }
