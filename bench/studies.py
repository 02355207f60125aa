"""The paper's accuracy studies with `new` and with `bitset`: the same outcomes, in how much of the time?"""

from __future__ import annotations

from collections.abc import Sequence

from bench.common import Options, Report, Row, progress
from gatree.base.errors import GatreeError
from gatree.base.files import shipped_folder
from gatree.experiments.cell import run_cell
from gatree.experiments.experiment import with_fold_evaluator
from gatree.experiments.experiment_file import read_experiment
from gatree.experiments.grid import Cell
from gatree.experiments.record import FoldRecord
from gatree.experiments.run import Plan

TITLE = "The accuracy studies"

COLUMNS = {
    "dataset": "dataset",
    "evolutions": "evolutions",
    "new": "new [s]",
    "bitset": "bitset [s]",
    "ratio": "bitset / new",
    "evaluation_new": "of it evaluation, new [s]",
    "evaluation_bitset": "of it evaluation, bitset [s]",
}

NOTES = """\
- All cross-validations of `{config}`, one after the other in one process; every cell with one evaluator and
  then with the other, once each. Outcomes, ledgers included, are the same in every cell, which is checked.
"""

EVALUATORS = ("new", "bitset")


def measure(options: Options) -> Report:
    """Run every cell of the cross-validations with both evaluators."""
    config = "smoke" if options.quick else "paper"
    experiment = read_experiment(shipped_folder("configs") / f"{config}.yaml")
    plans = [Plan.of(with_fold_evaluator(experiment, name), []) for name in EVALUATORS]
    records: dict[str, list[list[FoldRecord]]] = {}
    for cells in zip(*(plan.chosen for plan in plans), strict=True):
        if cells[0].identity.kind == "cross-validation":
            if cells[0].identity.dataset not in records:
                progress(f"studies: {cells[0].identity.dataset}")
            records.setdefault(cells[0].identity.dataset, []).append(_both(cells, plans))
    rows = [_row(dataset, pairs) for dataset, pairs in records.items()]
    rows.append(_row("all", [pair for pairs in records.values() for pair in pairs]))
    return Report(rows, COLUMNS, notes=NOTES.format(config=config))


def _both(cells: Sequence[Cell], plans: Sequence[Plan]) -> list[FoldRecord]:
    records = [run_cell(cell, plan.datasets[cell.checksum]) for cell, plan in zip(cells, plans, strict=True)]
    folds = [record for record in records if isinstance(record, FoldRecord)]
    if len(folds) < len(records) or folds[0].outcome != folds[1].outcome:
        raise GatreeError(f"{cells[0].identity}: the evaluators do not give the same outcome")
    return folds


def _row(dataset: str, pairs: Sequence[list[FoldRecord]]) -> Row:
    def total(name: str, clock: str) -> float:
        timings = [pair[EVALUATORS.index(name)].timing[name] for pair in pairs]
        return sum(getattr(timing, clock)[0] for timing in timings)

    return {
        "dataset": dataset,
        "evolutions": len(pairs),
        "new": total("new", "wall"),
        "bitset": total("bitset", "wall"),
        "ratio": total("bitset", "wall") / total("new", "wall"),
        "evaluation_new": total("new", "evaluate_wall"),
        "evaluation_bitset": total("bitset", "evaluate_wall"),
    }
