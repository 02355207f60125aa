"""What long work reports, and a listener that shows it on stderr: what runs, how far it is, how long."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, Self, TextIO

from gatree.base.errors import percent, visible

FIRST_SECONDS, NEXT_SECONDS = 2.0, 5.0
_FRAME_SECONDS = 0.1
_BAR = 20  # characters
_SURE = 0.02  # the share of the work from which the rest can be estimated


class Listener(Protocol):
    """What long work reports to."""

    def progress(self, what: str, done: float = 0.0, of: float = 0.0) -> None:
        """Note what is being done, how much of it is done, and of how much."""

    def note(self, text: str) -> None:
        """Note what the user should know, in one line; warnings begin with ``warning: ``."""


class SilentListener(Listener):
    """A listener that ignores everything."""

    def progress(self, what: str, done: float = 0.0, of: float = 0.0) -> None:
        """Ignore progress."""

    def note(self, text: str) -> None:
        """Ignore a note."""


SILENT = SilentListener()


@dataclass(frozen=True)
class PartListener:
    """Reports the progress of one of several equal parts as that of the whole."""

    whole: Listener
    what: str
    index: int  # counted from 0
    n_parts: int

    def progress(self, what: str, done: float = 0.0, of: float = 0.0) -> None:
        """Report how much of all parts is done."""
        self.whole.progress(self.what, self.index + (done / of if of else 0.0), self.n_parts)

    def note(self, text: str) -> None:
        """Pass a note on."""
        self.whole.note(text)


class Progress:
    """Show progress: a line that changes on a terminal, else a line after two seconds and then every five.

    Use it as a context manager. Only warnings are printed if it is ``quiet``. With ``always`` the last state
    is printed at the end, however short the work was.
    """

    def __init__(self, what: str = "", quiet: bool = False, always: bool = False) -> None:
        self._what, self._share = what, 0.0
        self._quiet, self._always = quiet, always
        self._started = self._since = time.monotonic()
        self._is_over, self._lock = threading.Event(), threading.Lock()
        self.on_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._thread = threading.Thread(target=self._report, daemon=True)
        self._is_drawn = self._is_hidden = False

    def __enter__(self) -> Self:
        if not self._quiet:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        if self._quiet:
            return
        self._thread.join()
        self.clear()
        if self._always:
            self.say(f"{self._what}: {time.monotonic() - self._started:.1f} s")

    def progress(self, what: str, done: float = 0.0, of: float = 0.0) -> None:
        """Show what is being done and how much of it is done."""
        if what != self._what:
            self._since = time.monotonic()
        self._what, self._share = what, done / of if of else 0.0
        self._is_hidden = False

    def say(self, text: str) -> None:
        """Print a line above the progress."""
        self._erase()
        _write(f"{wrapped(text, sys.stderr)}\n")

    def note(self, text: str) -> None:
        """Print a line above the progress, unless it is quiet; warnings in any case."""
        if not self._quiet or text.startswith("warning: "):
            self.say(visible(text))

    def clear(self) -> None:
        """Remove the progress from the terminal, until there is more of it: stdout may be the same one."""
        self._is_hidden = True
        self._erase()

    def _erase(self) -> None:
        with self._lock:
            if self._is_drawn:
                _write("\r\x1b[K")
                self._is_drawn = False

    @property
    def state(self) -> str:
        """What is being done, and how far it is."""
        now, share = time.monotonic(), self._share
        words = [self._what]
        if share > 0:
            words.append(f"{percent(share, digits=0)} done")
        if _SURE < share < 1:
            words.append(f"about {duration((now - self._since) / share * (1 - share))} left")
        return f"{', '.join(words)} ({now - self._started:.0f} s)"

    @property
    def bar(self) -> str:
        """How far the work is as a bar, if that is known."""
        filled = round(_BAR * min(1.0, self._share))
        return f"[{'#' * filled}{'-' * (_BAR - filled)}] " if self._share > 0 else ""

    def _report(self) -> None:
        pause = _FRAME_SECONDS if self.on_terminal else FIRST_SECONDS
        while not self._is_over.wait(pause):
            with self._lock:
                if self._is_hidden or not self._what:
                    continue
                if self.on_terminal:
                    width = shutil.get_terminal_size().columns - 1
                    _write(f"\r\x1b[K{(self.bar + self.state)[:width]}")
                    self._is_drawn = True
                else:
                    pause = NEXT_SECONDS
                    _write(f"{self.state}\n")


def wrapped(text: str, stream: TextIO, label: str = "") -> str:
    """Return a line as several that are not wider than the terminal; as it is if the stream is none."""
    if not stream.isatty():
        return label + text
    width = max(shutil.get_terminal_size().columns, 2 * len(label))
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=label,
        subsequent_indent=" " * len(label),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """Format seconds for people.

    >>> duration(0.4), duration(75), duration(3 * 3600)
    ('1 s', '75 s', '180 min')
    """
    return f"{max(1, round(seconds))} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _write(text: str) -> None:
    with suppress(OSError, ValueError):  # stderr is closed
        sys.stderr.write(text)
        sys.stderr.flush()
