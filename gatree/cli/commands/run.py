"""`gatree run`: the paper's experiments, or your own, from one YAML file."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import NamedTuple

import click

from gatree.base.errors import ConfigError, counted, did_you_mean
from gatree.base.files import shipped_folder
from gatree.base.limits import MOST_WORKERS
from gatree.base.machine import n_cores, slowness
from gatree.base.progress import Progress, duration
from gatree.cli.compilation import seconds_to_compile
from gatree.cli.data_options import gathered
from gatree.cli.options import (
    complete_config,
    complete_data,
    complete_only,
    output_option,
    own_results_option,
    scheduler_option,
)
from gatree.cli.output import print_notes, write_text
from gatree.experiments.estimate import wall_seconds
from gatree.experiments.experiment import (
    Experiment,
    SavingsStudy,
    with_evaluators,
    with_fold_evaluator,
    with_seeds,
)
from gatree.experiments.experiment_file import read_experiment, starting_experiment
from gatree.experiments.grid import FIRST_KEYS, Cell
from gatree.experiments.places import JOURNAL
from gatree.experiments.pool import run_locally
from gatree.experiments.record import CellIdentity, Failed, Record
from gatree.experiments.run import Plan, RunListener, Work, Workers, recorded, run_plan, work_left
from gatree.experiments.sources import NamedData
from gatree.kernels.events import COMPILING
from gatree.settings.validation import validated

_SECONDS_OF_RATE = 60.0


class RunProgress(Progress, RunListener):
    """Count finished cells and show the progress; use it as a context manager."""

    def __init__(self, n_jobs: int) -> None:
        super().__init__()
        self._n_jobs = n_jobs
        self.n_done = self.n_failed = self.n_cells = 0
        self._work_done = 0.0
        self._running: dict[str, str] = {}
        self._marks: deque[tuple[float, float]] = deque()  # of the last minute: when, and the work done then

    def begun(self, work: Work) -> None:
        self.n_cells = len(work.todo)
        self._seconds_of = work.seconds_of
        self._work = work.seconds_left
        self._begun = time.monotonic()
        already = f"{counted(work.done, 'cell')} done already, " if work.done else ""
        self.say(f"{already}{self.n_cells} to run")
        compiling = seconds_to_compile(work.todo)
        if compiling:  # the workers compile, and cannot say so
            self.say(COMPILING)
        self._expected = wall_seconds(self._work, self._n_jobs, compiling)
        self.progress("cells")

    def started(self, cell: Cell) -> None:
        self._running[cell.key] = describe(cell.identity)

    def finished(self, record: Record) -> None:
        self.n_done += 1
        self._work_done += self._seconds_of(record.key)
        self._mark(time.monotonic())
        self._running.pop(record.key, None)
        if isinstance(record, Failed):
            self.n_failed += 1
            self.say(f"failed: {describe(record.cell)}: {record.error}")

    def _mark(self, now: float) -> None:
        self._marks.append((now, self._work_done))
        while now - self._marks[0][0] > _SECONDS_OF_RATE:
            self._marks.popleft()

    @property
    def seconds_left(self) -> float | None:
        """The seconds left at the speed of the last minute, or None if unknown.

        Until two cells are finished they are the estimate's: processes start, and kernels are compiled.
        """
        if len(self._marks) < 2:
            left = self._expected - (time.monotonic() - self._begun)
            return left if left > 0 else None
        (first, before), (last, done) = self._marks[0], self._marks[-1]
        if done <= before or last <= first:
            return None
        return (last - first) * (self._work - done) / (done - before)

    @property
    def state(self) -> str:
        """The progress, the speed and the estimated time in one line; on a terminal also what runs."""
        parts = [f"{self.n_done}/{counted(self.n_cells, 'cell')}"]
        if self.n_failed:
            parts.append(f"{self.n_failed} failed")
        if self.n_done:
            parts.append(f"{self.n_done / (time.monotonic() - self._begun):.1f}/s")
        if (left := self.seconds_left) is not None:
            parts.append(f"about {duration(left)} left")
        return " | ".join([", ".join(parts), *(list(self._running.values()) if self.on_terminal else [])])


def describe(cell: CellIdentity) -> str:
    """Name a cell in one line."""
    names = {"mutation_rate": "m=", "x_factor": "x=", "population_size": "", "fold": "fold ", "baseline": ""}
    details = [f"{prefix}{cell.fields[name]}" for name, prefix in names.items() if name in cell.fields]
    if cell.replicate:
        details.append(f"seed {cell.replicate}")
    return " ".join([cell.study, cell.dataset, *details])


FAILED_CELLS = 3


class _Starting(NamedTuple):
    """What an experiment file is made for, if one is asked for."""

    data: tuple[str, ...]
    init: bool
    output: Path | None


_STARTING_OPTIONS = (
    click.argument("data", nargs=-1, metavar="[DATA...]", shell_complete=complete_data),
    click.option("--init", is_flag=True, help="Print an experiment file for the data sets DATA and exit."),
    output_option("Output file of --init, written if the data can be used.  [default: stdout]"),
)


class _Part(NamedTuple):
    """What of an experiment is run, and by which evaluators."""

    only: tuple[str, ...]
    seeds: int | None
    evaluators: str | None
    fold_evaluator: str | None

    def of(self, experiment: Experiment) -> Experiment:
        """Return an experiment with these seeds and evaluators."""
        if self.evaluators:
            experiment = with_evaluators(experiment, self.evaluators.split(","))
        if self.fold_evaluator:
            experiment = with_fold_evaluator(experiment, self.fold_evaluator)
        return with_seeds(experiment, self.seeds) if self.seeds else experiment


_PART_OPTIONS = (
    click.option(
        "--only",
        multiple=True,
        metavar="KEY=VALUE",
        shell_complete=complete_only,
        help=f"Select cells; repeatable. Keys: {', '.join(FIRST_KEYS)}, and every setting.",
    ),
    click.option(
        "--seeds",
        type=click.IntRange(1),
        metavar="N",
        help="Run only the first N seeds of every evolution [default: all].",
    ),
    click.option(
        "--evaluators",
        metavar="NAMES",
        help="Evaluators of the savings studies, such as old,new,bitset [default: those of the file].",
    ),
    click.option(
        "--fold-evaluator",
        metavar="NAME",
        help="Evaluator of the cross-validations: new, new-all-nodes or bitset; the outcome is the same.",
    ),
)


@click.command()
@gathered("starting", lambda given: _Starting(**given), *_STARTING_OPTIONS)
@click.option(
    "--config",
    default="quick",
    show_default=True,
    metavar="FILE",
    shell_complete=complete_config,
    help="The experiment: a YAML file, or an included one: paper, quick, smoke, chessboard, balance-scale.",
)
@own_results_option("Folder of the results, which go to DIR/NAME/cells.jsonl.")
@click.option(
    "--jobs",
    type=click.IntRange(1, MOST_WORKERS),
    metavar="N",
    help="Number of worker processes [default: the number of cores].",
)
@gathered("part", lambda given: _Part(**given), *_PART_OPTIONS)
@click.option("--dry-run", is_flag=True, help="Print the number of cells and the estimated time, and exit.")
@scheduler_option("Run on a Dask cluster instead, such as tcp://10.0.0.1:8786.")
def run(
    starting: _Starting,
    config: str,
    results: Path,
    jobs: int | None,
    part: _Part,
    dry_run: bool,
    scheduler: str | None,
) -> None:
    """Run an experiment; finished cells are not run again.

    \b
    Examples:
      gatree run                              the paper's studies, small, in about a minute
      gatree run --config paper               everything for Tables 3-12
      gatree run --config paper --seeds 3     the same with three seeds of ten
      gatree run --config paper --only dataset=vote --only size=100 --only size=200
      gatree run --init flowers.csv fruit.csv --output mine.yaml
      gatree run --config mine.yaml --dry-run
      gatree run --config smoke --evaluators old,new,bitset
      gatree run --config paper --only study=accuracy --fold-evaluator bitset
    """
    if any(starting):
        _write_starting_experiment(starting)
        return
    plan = Plan.of(part.of(read_experiment(find_config(config))), part.only)
    _note_what_varies_nothing(plan.experiment)
    for dataset in plan.datasets.values():
        print_notes([f"{dataset.name}: {note}" for note in dataset.notes])
    jobs = jobs or n_cores()
    if dry_run:
        _show_plan(plan, results, jobs)
        return
    progress = run_with_progress(plan, results, jobs, scheduler)
    _show_summary(plan, results, progress)
    if progress.n_failed:
        click.get_current_context().exit(FAILED_CELLS)


def _write_starting_experiment(starting: _Starting) -> None:
    if not starting.init:
        raise click.UsageError("data sets and --output belong to --init; --config names an experiment")
    if not starting.data:
        raise click.UsageError("--init needs data sets: files, or names of `gatree datasets list`")
    sources = validated(NamedData, {"data": starting.data}).data
    write_text(starting_experiment(sources), starting.output)


def _note_what_varies_nothing(experiment: Experiment) -> None:
    for study in experiment.studies:
        if experiment.varies_nothing(study):
            click.echo(
                f"note: the study {study.name!r} varies nothing, so there will be nothing to compare: "
                "list values in its grid, or baselines",
                err=True,
            )


def run_with_progress(plan: Plan, results: Path, jobs: int, scheduler: str | None = None) -> RunProgress:
    """Run the remaining cells of a plan and show the progress."""
    with RunProgress(jobs) as progress:
        try:
            run_plan(plan, results, _workers(jobs, scheduler, progress), progress)
        except KeyboardInterrupt:
            kept = f"{counted(progress.n_done, 'cell')} run and kept"
            progress.say(f"{kept}; run the same command to resume")
            raise
    return progress


def find_config(name: str) -> Path:
    """Return the file of that path, or the included file of that name."""
    path, shipped = Path(name), shipped_folder("configs")
    if path.is_file():
        return path
    if (shipped / f"{name}.yaml").is_file():
        return shipped / f"{name}.yaml"
    known = [file.stem for file in sorted(shipped.glob("*.yaml"))]
    near = did_you_mean(path.stem, known) or f"; included are: {', '.join(known)}"
    raise ConfigError(f"{name}: no such file{near}")


def _workers(jobs: int, scheduler: str | None, progress: RunProgress) -> Workers:
    if scheduler:
        from gatree.experiments.dask_pool import run_on_dask

        return lambda cells, datasets: run_on_dask(cells, datasets, scheduler)
    return lambda cells, datasets: run_locally(cells, datasets, jobs, progress)


def _show_plan(plan: Plan, results: Path, jobs: int) -> None:
    seconds = recorded(plan, results)
    n_done, seconds_left = 0, slowness() * plan.seconds
    if seconds or plan.only:
        work = work_left(plan, seconds)
        n_done, seconds_left = work.done, work.seconds_left
    n_left = plan.n_chosen - n_done
    click.echo(f"cells      {plan.n_chosen}")
    click.echo(f"done       {n_done}")
    click.echo(f"to run     {n_left}")
    first = seconds_to_compile(batch.first for batch in plan.batches) if n_left else 0.0
    left = duration(wall_seconds(seconds_left, jobs, first)) if n_left else "0 s"
    compiling = ", which includes compiling kernels, once" if first else ""
    click.echo(f"estimated  {left} with {counted(jobs, 'job')}{compiling}")


def _show_summary(plan: Plan, results: Path, progress: RunProgress) -> None:
    folder = plan.folder(results)
    failed = f", {progress.n_failed} failed (run again to retry them)" if progress.n_failed else ""
    click.echo(f"{counted(progress.n_done, 'cell')} run{failed}; {plan.n_chosen} in all")
    if not progress.n_done:
        click.echo(f"all cells were finished before; to run them again: rm {folder / JOURNAL}")
    click.echo(f"journal: {folder / JOURNAL}")
    is_like_the_papers = any(isinstance(study, SavingsStudy) for study in plan.experiment.studies)
    click.echo(f"next:    gatree {'table all' if is_like_the_papers else 'report'} --results {folder}")
