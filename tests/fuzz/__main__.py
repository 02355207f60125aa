"""`make fuzz SECONDS=600`: hunt with a new seed, numba's bounds checks on, in a process that may crash."""

from __future__ import annotations

import argparse
import json
import os
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

_MOST_BYTES = 6 * 2**30


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=None, help="a new one by default")
    parser.add_argument("--only", action="append", help="a kind of input")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return _child(options)
    return _parent(options)


def _parent(options: argparse.Namespace) -> int:
    """Start processes that hunt until the time is over; what a process dies of is a failure too."""
    from fuzz.hunt import Failure, keep

    seed = secrets.randbits(32) if options.seed is None else options.seed
    end, counts, n_failures = time.monotonic() + options.seconds, Counter[str](), 0
    while (left := end - time.monotonic()) > 0:
        print(f"seed {seed}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            command = [
                sys.executable,
                "-m",
                "fuzz",
                "--child",
                folder,
                "--seed",
                str(seed),
                "--seconds",
                str(left),
            ]
            command += [f"--only={name}" for name in options.only or ()]
            died = subprocess.run(
                command, env={**os.environ, "NUMBA_BOUNDSCHECK": "1"}, check=False
            ).returncode
            state = json.loads((Path(folder) / "state.json").read_text())
            counts += Counter(state["counts"])
            n_failures += state["n_failures"]
            if died:
                content = (Path(folder) / "current").read_bytes()
                path = keep(Failure(state["current"], content, "the process died", ""))
                print(f"the process ended with {died} at {path}:\n{content!r}", flush=True)
                n_failures += 1
        seed += 1
    total = ", ".join(f"{name} {n}" for name, n in counts.items())
    print(f"{counts.total()} inputs ({total}); {n_failures} failures")
    return 1 if n_failures else 0


def _child(options: argparse.Namespace) -> int:
    from fuzz.hunt import NAMES, Failure, hunt, keep

    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    state = {"counts": dict.fromkeys(NAMES, 0), "n_failures": 0, "current": NAMES[0]}

    def note(name: str, content: bytes) -> None:
        """Leave on the disk what is about to be run, in case it is the last thing that this process does."""
        state["counts"][name] += 1  # type: ignore[index]
        state["current"] = name
        (options.child / "current").write_bytes(content)
        (options.child / "state.json").write_text(json.dumps(state))

    def found(failure: Failure) -> None:
        path = keep(failure)
        print(f"\n{failure.trace}\n{failure.signature}: kept as {path}:\n{failure.content!r}", flush=True)
        state["n_failures"] += 1  # type: ignore[operator]
        (options.child / "state.json").write_text(json.dumps(state))

    note(NAMES[0], b"")
    state["counts"][NAMES[0]] = 0  # type: ignore[index]
    names = tuple(options.only or NAMES)
    hunt(options.seed, options.seconds, options.child / "work", names, note, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
