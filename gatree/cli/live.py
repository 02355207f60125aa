"""The live view of an evolution on stderr: its progress, the best tree so far, and its history."""

from __future__ import annotations

import time
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.live import Live
from rich.text import Text

from gatree.base.errors import counted
from gatree.evolution.evolve import Evolution

_SECONDS_BETWEEN_FRAMES = 0.08
_BLOCKS, _ASCII_BLOCKS = " ▁▂▃▄▅▆▇█", " .:-=+*#@"
_LABEL_WIDTH = 15
_MOST_COLUMNS, _PLOT_ROWS = 100, 3
_NARROW = 60


class LiveView:
    """Show an evolution on a console while it runs; use it as a context manager."""

    def __init__(self, title: str, console: Console) -> None:
        self.title = title
        self._console = console
        self._live = Live(console=console, auto_refresh=False)
        self._last_frame = 0.0
        self._first: Evolution | None = None

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._first is not None:  # not a fold that came after it
            self._draw(self._first, "")
        self._live.stop()

    def say(self, text: str) -> None:
        """Show a line of text instead of an evolution."""
        self._live.update(Text(f"{self.title}\n{text}"), refresh=True)

    def show(self, evolution: Evolution, phase: str = "") -> None:
        """Show the state of an evolution, unless it was shown a moment ago."""
        if evolution.generation == 1:
            self._started = time.monotonic()
        self._first = self._first or evolution
        if time.monotonic() - self._last_frame > _SECONDS_BETWEEN_FRAMES:
            self._draw(evolution, phase)

    def _draw(self, evolution: Evolution, phase: str) -> None:
        self._last_frame = time.monotonic()
        done, of = evolution.generation, evolution.settings.n_generations
        left = (self._last_frame - self._started) / max(1, done - 1) * (of - done)
        heading = f"{self.title}  {phase}".rstrip()
        self._live.update(frame(heading, evolution, left, self._console), refresh=True)


def frame(heading: str, evolution: Evolution, seconds_left: float, console: Console) -> Text:
    """Return the state of an evolution as lines that fit a console."""
    lines = [
        Text(heading, "bold"),
        _progress(evolution, seconds_left),
        *_numbers(evolution, console.width),
        *_plots(evolution, console),
    ]
    return Text("\n", no_wrap=True, overflow="ellipsis").join(lines)


def _progress(evolution: Evolution, seconds_left: float) -> Text:
    done, of = evolution.generation, evolution.settings.n_generations
    line = Text.assemble(("generation ", "dim"), f"{done}/{of}")
    if done < of:
        line.append(f"  about {max(1, round(seconds_left))} s left", "dim")
    return line


def _numbers(evolution: Evolution, width: int) -> list[Text]:
    row = evolution.history[evolution.generation]
    total = int(row["instances_total"])
    saved = 1 - int(row["instances_reclassified"]) / total if total else 0.0
    accuracy = int(row["best_correct"]) / evolution.total_weight
    parts = [
        _labelled("payoff", f"{row['best_payoff']:.4f}"),
        _labelled("accuracy", f"{accuracy:.1%}"),
        _labelled("size", counted(row["best_nodes"], "node")),
        _labelled("saved", f"{saved:.1%}"),
    ]
    gap = Text("   ")
    return [gap.join(parts)] if width >= _NARROW else [gap.join(parts[:2]), gap.join(parts[2:])]


def _labelled(label: str, value: str) -> Text:
    return Text.assemble((f"{label} ", "dim"), (value, "bold"))


def _plots(evolution: Evolution, console: Console) -> list[Text]:
    """Draw accuracy and size of the best tree over the generations, in blocks."""
    history = evolution.history[: evolution.generation + 1]
    blocks = _ASCII_BLOCKS if console.options.ascii_only else _BLOCKS
    columns = max(1, min(console.width - _LABEL_WIDTH - 1, _MOST_COLUMNS))
    at = np.arange(columns) * len(history) // columns
    correct = history["best_correct"][at] / evolution.total_weight
    accuracy = _plot("accuracy", correct, "{:.3f}", "cyan", blocks)
    size = _plot("size", history["best_nodes"][at], "{:.0f}", "magenta", blocks)
    return [*accuracy, *size]


def _plot(name: str, values: NDArray[Any], form: str, style: str, blocks: str) -> list[Text]:
    low, high = float(values.min()), float(values.max())
    steps = (len(blocks) - 1) * _PLOT_ROWS
    heights = np.rint(1 + (values - low) / ((high - low) or 1.0) * (steps - 1)).astype(int)
    lines = []
    for row in range(_PLOT_ROWS - 1, -1, -1):
        filled = np.clip(heights - row * (len(blocks) - 1), 0, len(blocks) - 1)
        bars = "".join(blocks[height] for height in filled)
        edge = {_PLOT_ROWS - 1: form.format(high), 0: form.format(low)}.get(row, "")
        label = f"{name if row == _PLOT_ROWS - 1 else '':<8}{edge:>6} "
        lines.append(Text.assemble((label, "dim"), (bars, style)))
    return lines
