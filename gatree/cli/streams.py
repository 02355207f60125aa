"""The standard streams of the command: a closed pipe ends the printing, not the work.

A stream that was closed from the start leads nowhere, so that no other file gets its number, and what the
terminal's encoding lacks is written as an escape.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO


class _PatientFile(io.FileIO):
    """A file that goes on as if nothing had happened when nobody reads it any more."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            lead_nowhere(self.fileno())
            return super().write(data)


def lead_nowhere(descriptor: int) -> None:
    """Let whatever is written to a descriptor from now on disappear."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != descriptor:
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


def prepare_streams() -> None:
    """Make stdout and stderr patient, unless somebody has put other streams in their places."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            lead_nowhere(descriptor)
    if sys.stdout is sys.__stdout__:
        sys.stdout = _patient(sys.stdout, 1)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _patient(sys.stderr, 2)


def _patient(stream: TextIO | None, descriptor: int) -> TextIO:
    raw = io.BufferedWriter(_PatientFile(descriptor, "w", closefd=False))
    encoding = "utf-8" if stream is None else stream.encoding
    by_lines = descriptor == 2 or raw.isatty()
    return io.TextIOWrapper(raw, encoding, "backslashreplace", line_buffering=by_lines)
