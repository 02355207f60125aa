"""The error boundary: every way to end has its exit code, and none prints a traceback."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from laboratory import gatree_here

import gatree
from gatree.cli.commands import theory
from gatree.cli.main import cli

GATREE = [sys.executable, "-m", "gatree"]
HEAVY = {"dask", "matplotlib", "numba", "numpy", "pandas", "sklearn"}


def test_help_imports_nothing_heavy():
    program = "import sys; from gatree.cli.main import cli; cli(['--help'], standalone_mode=False); "
    program += f"print('heavy:', sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("heavy: []\n")


@pytest.mark.parametrize(
    ("arguments", "code", "output", "errors"),
    [
        (["--version"], 0, f"gatree, version {gatree.__version__}\n", ""),
        (["-h"], 0, "datasets", ""),
        (["dataset"], 2, "", "Error: no command 'dataset'; did you mean 'datasets'?\n"),
        (["datasets", "list", "--format", "xml"], 2, "", "'xml' is not one of 'table', 'json', 'csv'.\n"),
        (["datasets", "info"], 2, "", "Error: Missing argument 'DATA'.\n"),
        (["datasets", "info", "gone.arff"], 1, "", "error: gone.arff: no such file\n"),
    ],
)
def test_how_commands_end(arguments, code, output, errors, capsys):
    before = gc.get_freeze_count()
    ended = gatree_here(capsys, *arguments)
    assert ended[0] == code
    assert output in ended[1] if output else ended[1] == ""
    assert ended[2].endswith(errors) if errors else ended[2] == ""
    assert ended[2].startswith("Usage: gatree") == (code == 2)
    assert gc.get_freeze_count() <= before, "the caller keeps a garbage collector that sees all objects"


def test_too_little_memory_is_said_and_the_end_of_a_file_is_not_taken_for_ctrl_c(monkeypatch, capsys):
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(theory.theory, "callback", fail)
    error = MemoryError("Unable to allocate 9 TiB")
    ended = gatree_here(capsys, "theory")
    assert ended == (1, "", "error: not enough memory. Unable to allocate 9 TiB\n")
    error = EOFError("Ran out of input")
    with pytest.raises(EOFError, match="Ran out of input"):
        gatree_here(capsys, "theory")
    assert "interrupted" not in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="signals and named pipes are those of POSIX")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_end_with_130(tmp_path, sent):
    pipe = tmp_path / "never.arff"
    os.mkfifo(pipe)
    process = subprocess.Popen([*GATREE, "datasets", "info", str(pipe)], stderr=subprocess.PIPE, text=True)
    with pipe.open("w"):  # returns when the command has opened its end
        process.send_signal(sent)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors.strip()) == (130, "interrupted")


@pytest.mark.skipif(os.name != "posix", reason="there is no ulimit")
@pytest.mark.parametrize("kilobytes", [200_000, pytest.param(700_000, marks=pytest.mark.long)])
def test_a_limit_of_memory_that_libraries_cannot_load_with_is_said_at_once(kilobytes):
    """Some would raise misleading errors, and some would wait forever for memory, deaf to signals."""
    limited = ["sh", "-c", f'ulimit -v {kilobytes} && exec "$@"', "gatree", *GATREE, "evolve", "vote"]
    done = subprocess.run(limited, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    limit = (
        f"error: not enough memory. The limit (ulimit -v) is {kilobytes >> 10} MB; gatree needs about 1000"
    )
    assert done.stderr == f"{limit}\n"


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_while_libraries_are_initialized_sigterm_ends_the_process(tmp_path):
    """Python's own handlers would wait for the library."""
    begun = tmp_path / "begun"
    (tmp_path / "numba.py").write_text(
        "import pathlib, time, ctypes\n"
        f"pathlib.Path({str(begun)!r}).touch()\n"
        "ctypes.PyDLL(None).sleep(60)\n"  # holds the interpreter's lock, as an initialization does
    )
    command = [*GATREE, "evolve", "vote"]
    with subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(tmp_path)}) as process:
        while not begun.exists() and process.poll() is None:
            time.sleep(0.05)
        process.terminate()
        assert process.wait(timeout=20) == -signal.SIGTERM


def test_a_list_leaves_the_padding_of_other_tables_alone():
    import tabulate

    before = tabulate.MIN_PADDING
    assert CliRunner().invoke(cli, ["datasets", "list"]).exit_code == 0
    assert before == tabulate.MIN_PADDING
