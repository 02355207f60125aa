"""The moment at which a search ends with the best trees so far."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

_BEYOND = 2**62  # more than any budget
_POLL_SECONDS = 0.01


class Deadline:
    """A number of seconds from now, or no end."""

    def __init__(self, seconds: float | None = None) -> None:
        self._end = math.inf if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return max(0.0, self._end - time.monotonic())

    @property
    def is_over(self) -> bool:
        return self.left == 0.0

    @contextmanager
    def ends(self, steps: NDArray[np.int64]) -> Iterator[None]:
        """End a kernel that counts its steps: at the deadline their number is beyond every budget.

        It is set again and again, because the kernel adds to it at the same time.
        """
        done = threading.Event()

        def watch() -> None:
            if not done.wait(self.left):
                while not done.wait(_POLL_SECONDS):
                    steps[0] = _BEYOND

        if self._end < math.inf:
            steps[0] = _BEYOND if self.is_over else steps[0]
            threading.Thread(target=watch, daemon=True).start()
        try:
            yield
        finally:
            done.set()
