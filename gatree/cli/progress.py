"""How far a run is, on stderr: a live bar on a terminal, otherwise a plain line now and then."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Column

from gatree.cli.duration import duration
from gatree.evolution.warm_up import lacks_evolutions
from gatree.experiments.grid import Cell
from gatree.experiments.record import Record
from gatree.experiments.run import Work
from gatree.kernels.events import WAITING

_SECONDS_BETWEEN_LINES = 10.0


class RunProgress:
    """Counts cells as they come, and shows them; use it as a context manager."""

    def __init__(self) -> None:
        self.n_done = self.n_failed = self.n_cells = 0
        self._work = 0.0
        self._work_done = 0.0
        self._running: dict[str, str] = {}
        self._last_line = 0.0
        self._bar = _bar() if sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def begin(self, work: Work) -> None:
        self.n_cells = len(work.todo)
        self._seconds = work.seconds
        self._work = work.seconds_left
        self._started = self._last_line = time.monotonic()
        already = f"{work.done} cells are done already, " if work.done else ""
        click.echo(f"{already}{self.n_cells} to run", err=True)
        if work.todo and lacks_evolutions():  # the workers compile, each what it needs, and cannot say so
            click.echo(WAITING, err=True)
        if self._bar:
            self._task = self._bar.add_task("", total=self._work or 1, state="")

    def started(self, cell: Cell) -> None:
        self._running[cell.key] = describe(cell.identity)
        self._show()

    def record(self, record: Record) -> None:
        self.n_done += 1
        self._work_done += self._seconds[record["key"]]
        self._running.pop(record["key"], None)
        if record["status"] == "failed":
            self.n_failed += 1
            text = f"failed: {describe(record['cell'])}: {record['error']}"
            self._bar.console.print(text, markup=False, highlight=False) if self._bar else click.echo(
                text, err=True
            )
        self._show()

    def state(self) -> str:
        """Say how far it is, how fast it goes and how long it will take."""
        elapsed = time.monotonic() - self._started
        parts = [f"{self.n_done}/{self.n_cells} cells"]
        if self.n_failed:
            parts.append(f"{self.n_failed} failed")
        if self.n_done:
            left = elapsed * (self._work - self._work_done) / self._work_done
            parts += [f"{self.n_done / elapsed:.1f}/s", f"about {duration(left)} left"]
        return ", ".join(parts)

    def _show(self) -> None:
        if self._bar:
            running = " | ".join(self._running.values())
            self._bar.update(self._task, completed=self._work_done, state=self.state(), description=running)
        elif time.monotonic() - self._last_line > _SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            click.echo(self.state(), err=True)


def describe(cell: dict[str, Any]) -> str:
    """Name a cell in one line."""
    names = {"mutation_rate": "m=", "x_factor": "x=", "population_size": "", "fold": "fold ", "baseline": ""}
    details = [f"{prefix}{cell[name]}" for name, prefix in names.items() if name in cell]
    if cell.get("replicate"):
        details.append(f"seed {cell['replicate']}")
    return " ".join([cell["study"], cell["dataset"], *details])


def _bar() -> Progress:
    return Progress(
        BarColumn(bar_width=16),
        TextColumn("{task.fields[state]}", table_column=Column(no_wrap=True, min_width=40)),
        TextColumn(
            "[dim]{task.description}", table_column=Column(no_wrap=True, ratio=1)
        ),  # takes what is left
        console=Console(stderr=True),
        transient=True,
        expand=True,
    )
