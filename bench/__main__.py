"""Run benchmarks: ``python -m bench [PART ...] [--quick] [--reuse] [--show]``.

Each part runs in a process of its own and writes its own files, so what is done is kept. At the end the page
of all parts is written, and the documents that cite them.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
from pathlib import Path

from bench import numbers
from bench.common import RESULTS, ROOT, Options, as_markdown, progress, read, write
from bench.findings import LINES
from bench.page import page_of
from gatree.base.errors import GatreeError

PARTS = {
    "evaluators": "bench.evaluators",
    "large": "bench.large",
    "studies": "bench.studies",
    "space": "bench.space",
    "optimum": "bench.optimum",
    "sizes": "bench.sizes",
    "interactions": "bench.interactions",
    "given-sizes": "bench.given_sizes",
    "first-minute": "bench.first_minute",
    "cold-start": "bench.cold_start",
    "runner": "bench.runner",
    "load": "bench.load",
    "j48": "bench.j48",
    "peers": "bench.peers.race",
}


def main(arguments: list[str] | None = None) -> int:
    """Run the parts that are asked for; return how many failed."""
    asked = _parser().parse_args(arguments)
    if asked.show:
        return _show(asked.parts or list(LINES), asked.output)
    parts = list(PARTS) if asked.parts in ([], ["all"]) else asked.parts
    if unknown := [part for part in parts if part not in PARTS]:
        print(f"bench: no part {', '.join(unknown)}; there are: all, {', '.join(PARTS)}", file=sys.stderr)
        return 2
    options = Options(asked.quick, asked.repeats, asked.output)
    if asked.in_this_process:
        return sum(not run_part(part, options) for part in parts)
    failed = [part for part in parts if not _is_fresh(part, asked) and not _run_apart(part, asked)]
    if options.output == RESULTS:
        numbers.main()
    else:
        (options.output / "README.md").write_text(page_of(options.output), encoding="utf-8")
    if failed:
        progress(f"failed: {', '.join(failed)}")
    return len(failed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure, and write results/bench/.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"all, or some of: {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: does it work, not how fast is it")
    parser.add_argument("--repeats", type=int, default=5, help="runs of which the best counts (default 5)")
    parser.add_argument(
        "--reuse", action="store_true", help="keep parts whose results are newer than the sources"
    )
    parser.add_argument("--show", action="store_true", help="print what was measured, as tables")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the folder to write")
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    return parser


def _show(parts: list[str], folder: Path) -> int:
    """Print the tables of parts; return how many of them have no results."""
    missing = [part for part in parts if not (folder / f"{part}.json").exists()]
    if missing:
        print(f"bench: no results of {', '.join(missing)} in {folder}", file=sys.stderr)
    print("\n".join(as_markdown(read(part, folder)) for part in parts if part not in missing), end="")
    return len(missing)


def run_part(part: str, options: Options) -> bool:
    """Measure one part and write what it found; return whether that worked."""
    module = importlib.import_module(PARTS[part])
    try:
        report = module.measure(options)
    except (GatreeError, OSError) as error:
        progress(f"{part}: {error}")
        return False
    write(part, module.TITLE, report, options)
    return True


def _run_apart(part: str, asked: argparse.Namespace) -> bool:
    """Run one part in a fresh process, so that none is warmed up or filled up by another."""
    flags = ["--in-this-process", f"--repeats={asked.repeats}", f"--output={asked.output.resolve()}"]
    command = [sys.executable, "-m", "bench", part, *flags, *(["--quick"] if asked.quick else [])]
    started = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    progress(f"{part}: {'done' if done else 'FAILED'} in {time.perf_counter() - started:.0f} s")
    return done


def _is_fresh(part: str, asked: argparse.Namespace) -> bool:
    """Return whether a part may be kept: asked to, of the same kind, and newer than all sources."""
    result = asked.output / f"{part}.json"
    if not asked.reuse or not result.exists():
        return False
    if json.loads(result.read_text(encoding="utf-8"))["quick"] != asked.quick:
        return False
    sources = [*ROOT.glob("gatree/**/*.py"), *ROOT.glob("bench/**/*.py")]
    fresh = all(source.stat().st_mtime < result.stat().st_mtime for source in sources)
    if fresh:
        progress(f"{part}: kept")
    return fresh


if __name__ == "__main__":
    sys.exit(main())
