"""Real commands on a pseudo-terminal, and Ctrl-C in the middle of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import NamedTuple

import pytest

needs_a_terminal = pytest.mark.skipif(
    os.name != "posix", reason="pseudo-terminals and signals are those of POSIX"
)


class Interrupted(NamedTuple):
    """How an interrupted command ended."""

    code: int
    seen: str  # on the terminal
    printed: str  # on stdout, which is none


def interrupted(*arguments: str, once: str, columns: int) -> Interrupted:
    """Run `gatree`, and press Ctrl-C once some words stand on its terminal."""
    import pty

    controller, terminal = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm", "NO_COLOR": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "gatree", *arguments],
        stdout=subprocess.PIPE, stderr=terminal, env=environment, text=True,
    ) as process:  # fmt: skip
        os.close(terminal)
        emergency = threading.Timer(200, process.kill)
        emergency.start()
        seen = b""
        while once.encode() not in seen:
            seen += os.read(controller, 65536)
        process.send_signal(signal.SIGINT)
        while True:
            try:
                seen += os.read(controller, 65536)
            except OSError:  # the other end is closed
                break
        printed = process.stdout.read()
        emergency.cancel()
    os.close(controller)
    return Interrupted(process.returncode, seen.decode(), printed)
