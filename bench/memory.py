"""The resident memory of this process."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path


def now_and_peak() -> tuple[float, float]:
    """Return this process's resident memory and its peak, in MB."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:  # not Linux: only the peak is known
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
        return peak, peak
    kilobytes = dict(re.findall(r"(VmRSS|VmHWM):\s+(\d+) kB", status))
    return int(kilobytes["VmRSS"]) * 1024 / 1e6, int(kilobytes["VmHWM"]) * 1024 / 1e6
