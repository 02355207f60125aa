"""Describe the machine of a timing, without the names of the machine and its user."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import time
from functools import cache
from pathlib import Path

import gatree
from gatree.base.errors import DataError

_WORTH_A_LOOK = 2**30  # bytes


@cache
def machine_facts() -> dict[str, str | int | None]:
    """Return the processor and the versions of all libraries that affect the numbers."""
    import numba  # imported here: the number of cores is available without it
    import numpy

    return {
        "cpu": cpu_model(),
        "cores": n_cores(),
        "os": operating_system(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "gatree": gatree.__version__,
        "commit": commit(),
    }


def operating_system() -> str:
    """Return the system's name, its distribution's where there is one, and what processors it runs on."""
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = f"{platform.system()} {platform.release()}"
    return f"{name} {platform.machine()}"


def commit() -> str | None:
    """Return the git commit that this gatree is, if it runs from a checkout; "-dirty" says it was changed."""
    checkout = Path(gatree.__file__).resolve().parents[1]
    if not (checkout / ".git").exists():
        return None
    git = ("git", "-C", str(checkout), "describe", "--always", "--dirty", "--exclude=*")
    return _output_of(*git).strip() or None


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_TURNS = 2_000_000
_EXPECTED_SECONDS = 0.11  # for these turns, on a core that does nothing else


@cache
def slowness() -> float:
    """Return how much slower than expected this process runs now: 1 on an idle machine of 2023."""
    started, total = time.perf_counter(), 0
    for turn in range(_TURNS):
        total += turn & 7
    return (time.perf_counter() - started) / _EXPECTED_SECONDS


def refuse_beyond_memory(n_bytes: int, where: str) -> None:
    """Raise an error if data need more memory than is available."""
    if n_bytes > _WORTH_A_LOOK and n_bytes > (available := available_memory()):
        raise DataError(
            f"{where}: the data need about {n_bytes / 1e9:,.1f} GB of memory, and {available / 1e9:,.1f} GB "
            "are available; use a sample of the rows, or fewer columns"
        )


def available_memory() -> int:
    """Return the bytes that processes can still take, or all that there are where the system does not say."""
    try:
        meminfo = Path("/proc/meminfo").read_text(encoding="ascii")
        free = 1024 * int(meminfo.partition("MemAvailable:")[2].split()[0])
    except (OSError, IndexError, ValueError):
        free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    group = Path("/sys/fs/cgroup")
    try:  # the limit of a container
        limit, used = (
            (group / name).read_text(encoding="ascii") for name in ("memory.max", "memory.current")
        )
        return min(free, int(limit) - int(used))
    except (OSError, ValueError):
        return free


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
