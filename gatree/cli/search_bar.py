"""How far the searches of `gatree evolve` are, on stderr: a bar, where that is a terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from gatree.kernels.events import tell

if TYPE_CHECKING:
    from rich.progress import Progress


class SearchBar:
    """A bar over some trees, each of them found by some searches; use it as a context manager.

    Parameters
    ----------
    title : str
        What the trees are for.
    n_trees : int
    quiet : bool
        Show nothing; so it is also where stderr is no terminal.
    """

    def __init__(self, title: str, n_trees: int, quiet: bool) -> None:
        self._n_done = 0
        self._bar = None if quiet or not sys.stderr.isatty() else _bar()
        if self._bar is not None:
            self._task = self._bar.add_task(title, total=n_trees, phase="the tree")

    def __enter__(self) -> Self:
        if self._bar is not None:
            console = self._bar.console
            tell(lambda text: console.print(text, markup=False, highlight=False))
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, phase: str) -> None:
        """Go on to the next tree."""
        self._n_done += 1
        if self._bar is not None:
            self._bar.update(self._task, completed=self._n_done, phase=phase)

    def searched(self, done: int, of: int) -> None:
        """Show how many searches for the tree are done."""
        if self._bar is not None:
            self._bar.update(self._task, completed=self._n_done + done / of)


def _bar() -> Progress:
    from rich.console import Console  # only here: a tenth of a second that nothing else needs
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}: {task.fields[phase]}", markup=False),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
