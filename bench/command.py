"""What a `gatree` command costs: wall seconds, the processor's seconds by process, and peak memory."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# The command in a process of its own, which says at the end what it and its children have used.
_MEASURED = """
import json, resource, sys, time
from gatree.__main__ import main
started = time.perf_counter()
sys.argv[0] = "gatree"
try:
    main()
except SystemExit as end:
    code = end.code or 0
wall = time.perf_counter() - started
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
unit = 1 if sys.platform == "darwin" else 1024
print(json.dumps({
    "wall": wall,
    "own_cpu": own.ru_utime + own.ru_stime,
    "workers_cpu": children.ru_utime + children.ru_stime,
    "peak": max(own.ru_maxrss, children.ru_maxrss) * unit,
}))
sys.exit(code)
"""


@dataclass(frozen=True)
class Cost:
    """Seconds, and the bytes of the largest process."""

    wall: float
    own_cpu: float
    workers_cpu: float
    peak: int


def cost_of(folder: Path, *arguments: str) -> Cost:
    """Run a command in a folder, and return what it cost."""
    command = [sys.executable, "-c", _MEASURED, *arguments]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return Cost(**json.loads(done.stdout.splitlines()[-1]))
