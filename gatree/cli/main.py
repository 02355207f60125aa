"""The `gatree` command: a lazy group of commands, the standard streams, and the error handler.

Commands are imported when they are called, so that `gatree --help` is fast. An error that a user can
act on is printed as one message on stderr with exit code 1; Ctrl-C exits with 130. A closed pipe ends
the output, not the work.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import os
import signal
import sys
from contextlib import suppress
from typing import Any, TextIO

import click

from gatree import __version__
from gatree.base.errors import GatreeError, did_you_mean, visible
from gatree.base.extras import extras
from gatree.base.progress import wrapped
from gatree.kernels.events import on_compilation


class _PatientFile(io.FileIO):
    """A file that discards its output once the reader has closed the pipe."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            lead_nowhere(self.fileno())
            return super().write(data)


def lead_nowhere(descriptor: int) -> None:
    """Discard everything that is written to a descriptor from now on."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != descriptor:
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


def prepare_streams() -> None:
    """Let stdout and stderr survive a closed pipe, unless they were replaced."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            lead_nowhere(descriptor)
    if sys.stdout is sys.__stdout__ and not _is_windows_console(sys.stdout):
        sys.stdout = _patient(sys.stdout, 1)
    if sys.stderr is sys.__stderr__ and not _is_windows_console(sys.stderr):
        sys.stderr = _patient(sys.stderr, 2)


def _is_windows_console(stream: TextIO | None) -> bool:
    """Return whether a stream is a console of Windows, to which Python writes Unicode by itself."""
    return os.name == "nt" and stream is not None and stream.isatty()


def _patient(stream: TextIO | None, descriptor: int) -> TextIO:
    raw = io.BufferedWriter(_PatientFile(descriptor, "w", closefd=False))
    encoding = "utf-8" if stream is None else stream.encoding
    by_lines = descriptor == 2 or raw.isatty()
    return io.TextIOWrapper(raw, encoding, "backslashreplace", line_buffering=by_lines)


DIFFERENT, NOTHING_TO_COMPARE, INTERRUPTED = 3, 4, 130
"""Exit codes: outcomes differ, there are none to compare, Ctrl-C."""


_COMMANDS = {
    "run": "Run the paper's experiments, or your own, from a YAML file.",
    "status": "Show an experiment's progress.",
    "verify": "Compare the outcomes of a run with the reference.",
    "datasets": "List, describe and verify the data sets.",
    "evolve": "Evolve a decision tree, as in the paper.",
    "tree": "Find a small tree, its size chosen from the data.",
    "explore": "Write a page on which to explore trees of all sizes.",
    "predict": "Predict with a saved tree.",
    "export": "Export a saved tree as rules, SQL, Python, ONNX, ...",
    "example": "Walk through the paper's worked example (Section 3.1).",
    "optimum": "Find the proven best small tree of a data set.",
    "j48": "Build WEKA's J48 on a data set, without Java.",
    "results": "Print an experiment as tidy rows: CSV, JSON, Parquet.",
    "compare": "Compare settings or methods, with statistical tests.",
    "table": "Print Tables 3-12: ours, the paper's, or both.",
    "figure": "Draw Figures 5 and 6, and others of an experiment.",
    "report": "Write one HTML page with all results of an experiment.",
    "theory": "Print the savings that Eqs. 2-15 predict.",
    "warm-up": "Compile all kernels in advance.",
}
"""The command of each name is the function of that name, in the file of that name in `commands`."""


_IMPORTING_LATER = ("evolve", "tree", "explore")
"""The commands that import libraries when they are called, so that their help is fast."""


class LazyGroup(click.Group):
    """A group with the names and summaries of its commands, which it imports when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        function = name.replace("-", "_")
        module = importlib.import_module(f"gatree.cli.commands.{function}")
        command: click.Command = getattr(module, function)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            ctx.fail(f"no command {args[0]!r}{did_you_mean(args[0], _COMMANDS)}")
        found = super().resolve_command(ctx, args)
        if found[0] not in _IMPORTING_LATER:
            stop_on_sigterm()
        return found


def stop_on_sigterm() -> None:
    """Let SIGTERM do what Ctrl-C does: what was found is kept.

    To be called when the libraries are imported: while one of them is initialized, Python sees no signal, and
    with too little memory that may take forever.
    """
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, signal.default_int_handler)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gatree")
def cli() -> None:
    """Evolve decision trees, and measure what lossless fitness inheritance saves.

    \b
    First steps:
      gatree tree my.csv
      gatree evolve vote

    \b
    Completion in bash (zsh and fish likewise):
      eval "$(_GATREE_COMPLETE=bash_source gatree)"
    """


def main() -> None:
    """Run the command line and turn errors into a message and an exit code."""
    gc.set_threshold(100_000)  # imports make many objects and no garbage: a tenth of a second
    atexit.register(gc.freeze)  # or Python looks through all of them before it ends: a quarter of a second
    prepare_streams()
    on_compilation(lambda waiting: click.echo(wrapped(waiting, sys.stderr), err=True))
    code = _exit_code()
    try:
        sys.stdout.flush()  # what cannot be written is an error here, not when Python ends
    except OSError as error:
        code = code or _explained(error)
        lead_nowhere(sys.stdout.fileno())  # or it would fail again
    sys.exit(code)


def _exit_code() -> int | None:
    try:
        with extras():
            code: int | None = cli.main(prog_name="gatree", standalone_mode=False)
            return code
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt) as stop:
        if isinstance(stop.__cause__, EOFError):  # click takes it for Ctrl-D at a prompt; we have none
            raise stop.__cause__ from None
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except GatreeError as error:
        click.echo("\n".join(map(visible, f"error: {error}".split("\n"))), err=True)
    except MemoryError as error:
        click.echo(f"error: not enough memory. {error}".rstrip(), err=True)
    except (ImportError, SystemError):
        if not (limit := _memory_limit()):
            raise
        click.echo(f"error: not enough memory. {limit}", err=True)
    except OSError as error:
        return _explained(error)
    return 1


_ENOUGH_MEMORY = 1000 * 2**20  # of addresses, for the libraries and a small data set


def refuse_too_little_memory() -> None:
    """Raise an error if libraries would fail to load, or wait forever for memory."""
    if limit := _memory_limit():
        raise MemoryError(limit)


def _memory_limit() -> str:
    """Return what limits the memory of this process, if libraries may fail to load because of it."""
    try:
        import resource
    except ImportError:  # Windows
        return ""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or limit >= _ENOUGH_MEMORY:
        return ""
    return f"The limit (ulimit -v) is {limit >> 20} MB; gatree needs about {_ENOUGH_MEMORY >> 20}"


def _explained(error: OSError) -> int:
    if error.errno is None and (limit := _memory_limit()):  # a library could not be loaded
        click.echo(f"error: not enough memory. {limit}", err=True)
        return 1
    click.echo(f"error: {error.strerror or error}: {error.filename or ''}".rstrip(": "), err=True)
    return 1
