"""What a timing was measured on. Nothing here names the machine or its user."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy

import gatree


@cache
def machine_facts() -> dict[str, Any]:
    """Return the processor and the versions of all that makes the numbers."""
    return {
        "cpu": cpu_model(),
        "cores": n_cores(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "gatree": gatree.__version__,
    }


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cpu_model() -> str:
    """Return the processor's name as the system tells it, or at least its architecture."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    for listing in (text, _output_of("lscpu"), _output_of("sysctl", "machdep.cpu.brand_string")):
        if found := re.search(r"(?im)^(?:model name|machdep.cpu.brand_string)\s*:\s*(\S.*)$", listing):
            return found[1].strip()
    return platform.machine() or "unknown"


def _output_of(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=5, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
