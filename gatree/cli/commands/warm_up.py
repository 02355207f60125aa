"""`gatree warm-up`: compile all kernels in advance."""

from __future__ import annotations

import hashlib
import signal
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import click

import gatree
from gatree.base.machine import n_cores
from gatree.base.progress import Progress, duration
from gatree.cli.compilation import PARTS, compile_part
from gatree.kernels.events import on_compilation


@click.command("warm-up")
@click.option(
    "--only",
    "names",
    multiple=True,
    metavar="PART",
    help="Compile this part only: a method, or an evaluator.",
)
def warm_up(names: tuple[str, ...]) -> None:
    """Compile all kernels in advance, so that no command has to wait for them.

    Compiled code is cached for all later commands; run this again after an update. Without it
    the first command of each kind compiles its kernels, and says so.

    \b
    Example:
      gatree warm-up
    """
    if unknown := [name for name in names if name not in PARTS]:
        raise click.UsageError(f"--only: should be one of {', '.join(PARTS)}, got {unknown[0]!r}")
    mark = _mark_of_completion()
    if mark is not None and mark.exists():
        click.echo("all kernels are compiled", err=True)
        return
    click.echo("compiling the kernels, which takes one to three minutes if the cache is empty", err=True)
    started, chosen = time.monotonic(), names or tuple(PARTS)
    with Progress("compiling") as progress, _processes(len(chosen)) as processes:
        running = [processes.submit(compile_part, name) for name in chosen]
        for done, future in enumerate(as_completed(running), start=1):
            future.result()
            progress.progress("compiling", done, len(chosen))
    if mark is not None and not names:
        mark.touch()
    click.echo(f"all kernels are compiled, after {duration(time.monotonic() - started)}", err=True)


def _mark_of_completion() -> Path | None:
    """Return the file that marks a warm-up as complete, if compiled code is kept.

    numba finds compiled code by the path of its source, so another copy of the package has its own file.
    """
    import llvmlite.binding

    from gatree.kernels.decorators import CACHE_FOLDER

    if CACHE_FOLDER is None:
        return None
    place = hashlib.sha256(str(Path(gatree.__file__).resolve()).encode()).hexdigest()[:16]
    return CACHE_FOLDER / f"complete-{llvmlite.binding.get_host_cpu_name()}-{place}"


def _processes(n_parts: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(min(n_cores(), n_parts), get_context("spawn"), _begin_quietly)


def _begin_quietly() -> None:
    """Leave Ctrl-C to the parent, which ends after the running parts, and the progress."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    on_compilation(lambda _: None)
