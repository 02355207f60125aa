"""The live view of an evolution: `gatree evolve --watch`.

It runs in the evolution's own thread, between two generations: it draws a picture if the last one is old
enough, and does what the pressed keys ask for.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console, Group
from rich.layout import Layout
from rich.live import Live
from rich.text import Text

from gatree.base.progress import duration
from gatree.evolution.evolve import Evolution
from gatree.settings.evolution_settings import XFactor
from gatree.trees.genome import Tree
from gatree.trees.render import brief_text

Floats = NDArray[np.float64]

_FRAME_SECONDS = 1 / 15
_SHARE_OF_TIME = 0.03  # of the processor's time, for pictures
_KEYS_SECONDS = 0.02  # between two looks at the keyboard
_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
"""The bits of the dots of a Braille character, from the top left one."""
_NO_DOT = 0x2800

_KEYS = {
    "space": "pause, or go on",
    "s": "one step",
    "t": "ten steps",
    "m M": "mutation rate down, up",
    "x X": "x-factor down, up",
    "q": "stop with the best tree so far",
    "?": "these keys",
}


def refuse_without_terminal() -> None:
    """Raise an error unless there is a terminal to draw on and to read keys from."""
    try:
        import termios  # noqa: F401  # Windows has none
    except ImportError:
        raise click.UsageError("--watch needs a terminal of Linux or macOS") from None
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("--watch needs a terminal; --history FILE writes what it would show")


class LiveView:
    """A callback for `evolve`, and a context manager, which shows the evolution and reads keys.

    ``is_interrupted`` says whether Ctrl-C has asked for the end.
    """

    def __init__(self, name: str, is_interrupted: Callable[[], bool]) -> None:
        self._name, self._is_interrupted = name, is_interrupted
        self._steps_left: int | None = None  # None: it runs; 0: it is paused
        self._is_over = self._shows_keys = False
        self._tree: tuple[tuple[Tree, int] | None, str] = (None, "")
        self._note = ""
        self._started = self._next_look = self._next_picture = time.perf_counter()
        self._next_cpu = self._paused_seconds = 0.0
        self._paused_at: float | None = None

    def __enter__(self) -> Self:
        import termios
        import tty

        self._input = sys.stdin.fileno()
        self._usual_mode = termios.tcgetattr(self._input)
        console = Console(stderr=True, highlight=False)
        self._live = Live(console=console, screen=True, auto_refresh=False, transient=True)
        self._live.__enter__()
        tty.setcbreak(self._input)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import termios

        try:
            termios.tcsetattr(self._input, termios.TCSADRAIN, self._usual_mode)
            self._live.__exit__(kind, error, trace)
        except (OSError, termios.error):  # the terminal is gone
            pass

    def __call__(self, evolution: Evolution) -> bool:
        """Show a generation if it is time; return whether it shall be the last one."""
        now = time.perf_counter()
        is_last = evolution.generation == evolution.settings.n_generations
        if self._steps_left is not None:
            self._steps_left = max(0, self._steps_left - (evolution.generation > 0))
        if self._steps_left == 0 or is_last:
            self._wait(evolution, is_last)
        elif now >= self._next_look:
            self._next_look = now + _KEYS_SECONDS
            self._read_keys(evolution, 0.0)
            if now >= self._next_picture and time.process_time() >= self._next_cpu:
                self._draw(evolution)
        return self._is_over or self._is_interrupted()

    def _wait(self, evolution: Evolution, is_last: bool) -> None:
        """Show a picture until a key lets the evolution go on; at the end, until a key closes the view."""
        self._paused_at = time.perf_counter()
        state = "FINISHED q close" if is_last else "PAUSED space go on"
        self._draw(evolution, state)
        while not (self._is_over or self._is_interrupted()):
            size = self._live.console.size
            has_keys = self._read_keys(evolution, 0.1)
            if has_keys and not is_last and self._steps_left != 0:
                break
            if has_keys or self._live.console.size != size:
                self._draw(evolution, state)
        self._paused_seconds += time.perf_counter() - self._paused_at
        self._paused_at = None

    def _read_keys(self, evolution: Evolution, seconds: float) -> bool:
        """Do what pressed keys ask for; return whether there were any."""
        ready, _, _ = select.select([self._input], [], [], seconds)
        if not ready:
            return False
        try:
            keys = os.read(self._input, 64).decode("utf-8", "replace")
        except OSError:  # the terminal is gone
            keys = ""
        if not keys:
            self._is_over = True
        for key in keys:
            self._press(key, evolution)
        return True

    def _press(self, key: str, evolution: Evolution) -> None:
        self._note = ""
        if key == " ":
            self._steps_left = 0 if self._steps_left is None else None
        elif key in "st":
            self._steps_left = {"s": 1, "t": 10}[key]
        elif key in "q\n\r":
            is_last = evolution.generation == evolution.settings.n_generations
            self._is_over = key == "q" or is_last
        elif key == "?":
            self._shows_keys = not self._shows_keys
        elif key in "mM":
            rate = evolution.current.mutation_rate
            higher, lower = min(1.0, 2 * rate or 0.01), rate / 2 if rate > 0.001 else 0.0
            self._change(evolution, "mutation_rate", float(f"{higher if key == 'M' else lower:.3g}"))
        elif key in "xX":
            factor = 2.0 if key == "X" else 0.5
            self._change(evolution, "x_factor", float(f"{evolution.x * factor:.3g}"))

    def _change(self, evolution: Evolution, setting: str, value: float) -> None:
        evolution.change(**{setting: value})
        if setting == "x_factor" and evolution.settings.paid == "at-birth":
            self._note = "the new x holds for the payoffs of later children"

    def _draw(self, evolution: Evolution, state: str = "") -> None:
        """Draw a picture, and decide when the next one may come."""
        started = time.process_time()
        try:
            self._live.update(self.picture(evolution, *self._live.console.size, state), refresh=True)
        except OSError:  # the terminal is gone
            self._is_over = True
        self._next_picture = time.perf_counter() + _FRAME_SECONDS
        now = time.process_time()
        self._next_cpu = now + (now - started) / _SHARE_OF_TIME

    def picture(self, evolution: Evolution, width: int, height: int, state: str = "") -> Layout:
        """Return a picture of the evolution that fits a terminal of some columns and lines."""
        body = max(1, height - 3)
        n_wide = max(20, width * 2 // 5)
        whole, rows, parts = Layout(), Layout(), Layout()
        parts.split_row(
            Layout(Text(self._tree_text(evolution, body), no_wrap=True, overflow="ellipsis")),
            Layout(Group(*_curves(evolution, n_wide - 1, body)), size=n_wide),
        )
        rows.split_column(
            Layout(Text(self._head(evolution), no_wrap=True, overflow="ellipsis"), size=1),
            Layout(Text(_settings(evolution), no_wrap=True, overflow="ellipsis"), size=1),
            Layout(_keys_text() if self._shows_keys else parts),
            Layout(Text(self._foot(state), no_wrap=True, overflow="ellipsis", style="reverse"), size=1),
        )
        whole.update(rows)
        return whole

    def _head(self, evolution: Evolution) -> str:
        settings, generation = evolution.settings, evolution.generation
        n_evaluated = settings.population_size + generation * settings.n_offspring
        seconds = max(1e-9, (self._paused_at or time.perf_counter()) - self._started - self._paused_seconds)
        n_left = settings.n_generations - generation
        left = f"   {duration(seconds / generation * n_left)} left" if generation and n_left else ""
        rate = f"{n_evaluated / seconds:,.0f} evaluations/s"
        return f"{self._name}   generation {generation:,} of {settings.n_generations:,}   {rate}{left}"

    def _foot(self, state: str) -> str:
        keys = f"{state or 'space pause'}  s step  t ten  m/M mutation  x/X x-factor  q stop  ? keys"
        return "   ".join(filter(None, (keys, self._note)))

    def _tree_text(self, evolution: Evolution, n_lines: int) -> str:
        """Return the best tree, whole if it fits, else its upper levels."""
        best = evolution.best
        if self._tree[0] != (best, n_lines):
            tree = evolution.problem.decision_tree(best).simplified()
            self._tree = (best, n_lines), brief_text(tree, n_lines).partition(": --all")[0]
        return self._tree[1]


def _settings(evolution: Evolution) -> str:
    """Return the settings that keys change, and how often they did."""
    n_changes = len(evolution.changes)
    changed = f"   {n_changes} change{'s' * (n_changes != 1)}" if n_changes else ""
    rate, x = evolution.current.mutation_rate, XFactor(evolution.x, evolution.x)
    distinct = f"{evolution.population.n_distinct:,} of {evolution.population.size:,} trees distinct"
    return f"mutation rate {rate:g}   x-factor {x}{changed}   {distinct}"


def _keys_text() -> Text:
    return Text("\n".join(["", *(f"  {key:<8}{meaning}" for key, meaning in _KEYS.items())]))


def _curves(evolution: Evolution, width: int, height: int) -> list[Text]:
    """Return the curves over the generations so far, one below the other."""
    history = evolution.history[: evolution.generation + 1]
    total = np.maximum(1, history["instances_total"])
    saved = np.where(history["instances_total"] > 0, 1 - history["instances_reclassified"] / total, 0.0)
    curves = {
        "payoff": (history["best_payoff"], "{:.3f}"),
        "accuracy": (history["best_correct"] / evolution.problem.n_instances, "{:.3f}"),
        "nodes": (history["best_nodes"].astype(np.float64), "{:.0f}"),
        "saved": (saved, "{:.1%}"),
    }
    n_rows = max(1, height // len(curves) - 2)
    drawn = []
    for name, (values, form) in curves.items():
        span = f"{form.format(values.min())} to {form.format(values.max())}"
        title = f"{name} {form.format(values[-1])} ({span})"
        drawn.append(Text("\n".join([title[:width], *curve(values, width, n_rows), ""]), no_wrap=True))
    return drawn


def curve(values: Floats, width: int, height: int) -> list[str]:
    """Return a curve in Braille dots, two by four in a character, from its lowest to its highest value."""
    places = np.linspace(0, len(values) - 1, min(2 * width, len(values))).round().astype(np.intp)
    low, high = float(values.min()), float(values.max())
    share = (values[places] - low) / (high - low) if high > low else np.full(len(places), 0.5)
    heights = np.round(share * (4 * height - 1)).astype(np.intp)
    codes = np.full((height, width), _NO_DOT)
    for column, (before, now) in enumerate(zip([heights[0], *heights], heights, strict=False)):
        for dot in range(min(before, now), max(before, now) + 1):  # also what lies between two values
            row = 4 * height - 1 - dot
            codes[row // 4, column // 2] |= _DOTS[row % 4, column % 2]
    return ["".join(map(chr, line)) for line in codes.tolist()]
