"""What happens after every generation of `gatree evolve`: it is shown, and Ctrl-C is heard."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Self

from gatree.kernels.events import tell

if TYPE_CHECKING:
    from gatree.cli.live import LiveView
    from gatree.evolution.evolve import Evolution


class Watch:
    """A callback for `evolve`, and a context manager.

    The first Ctrl-C asks the evolution to stop after its generation, which keeps the best tree; a
    second one, or one before the first generation, interrupts as usual.

    Parameters
    ----------
    title : str
        What is evolved.
    n_folds : int
        How many evolutions follow the first one, for a cross-validation.
    quiet : bool
        Show nothing; so it is also where stderr is no terminal.
    """

    def __init__(self, title: str, n_folds: int, quiet: bool) -> None:
        self.interrupted = False
        self._n_folds = n_folds
        self._n_started = 0
        self._stack = ExitStack()
        self._view = None if quiet or not sys.stderr.isatty() else _live_view(title)

    def __enter__(self) -> Self:
        self._usual_handler = signal.signal(signal.SIGINT, self._on_interrupt)
        self._stack.callback(signal.signal, signal.SIGINT, self._usual_handler)
        if self._view is not None:
            self._stack.enter_context(self._view)
            self._view.say("starting")
            tell(self._view.say)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def __call__(self, evolution: Evolution) -> bool:
        """Show a generation; return whether it shall be the last one."""
        if evolution.generation == 1:
            self._n_started += 1
        if self._view is not None:
            fold = self._n_started - 1
            self._view.show(evolution, f"fold {fold} of {self._n_folds}" if fold else "")
        return self.interrupted

    def _on_interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if self._n_started == 0:
            raise KeyboardInterrupt
        self.interrupted = True
        signal.signal(signal.SIGINT, self._usual_handler)


def _live_view(title: str) -> LiveView:
    from rich.console import Console  # only here: a tenth of a second that nothing else needs

    from gatree.cli.live import LiveView

    return LiveView(title, Console(stderr=True, highlight=False))
