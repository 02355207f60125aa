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

import gatree
from gatree.cli import paper
from gatree.cli.main import cli, main

GATREE = [sys.executable, "-m", "gatree"]
HEAVY = {"dask", "matplotlib", "numba", "numpy", "pandas", "sklearn"}


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*GATREE, *arguments], capture_output=True, text=True, check=False, **options)


def run_here(monkeypatch, capsys, *arguments: str) -> tuple[int, str, str]:
    """Run `gatree` in this process and return its exit code, stdout and stderr."""
    monkeypatch.setattr("sys.argv", ["gatree", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    written = capsys.readouterr()
    return end.value.code or 0, written.out, written.err


def test_version():
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"gatree, version {gatree.__version__}\n", "")


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help(flag, monkeypatch, capsys):
    code, output, errors = run_here(monkeypatch, capsys, flag)
    assert (code, errors) == (0, "")
    assert "datasets" in output


def test_who_calls_it_keeps_a_garbage_collector_that_sees_all_objects(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["gatree", "--version"])
    before = gc.get_freeze_count()
    with pytest.raises(SystemExit):
        main()
    assert (gc.get_freeze_count(), capsys.readouterr().err) == (before, "")


def test_help_imports_nothing_heavy():
    program = "import sys; from gatree.cli.main import cli; cli(['--help'], standalone_mode=False); "
    program += f"print('heavy:', sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("heavy: []\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dataset"], "Error: no command 'dataset'; did you mean 'datasets'?\n"),
        (["datasets", "list", "--format", "xml"], "'xml' is not one of 'table', 'json', 'csv'.\n"),
        (["datasets", "info"], "Error: Missing argument 'DATA'.\n"),
    ],
)
def test_wrong_usage_ends_with_2(arguments, message, monkeypatch, capsys):
    code, output, errors = run_here(monkeypatch, capsys, *arguments)
    assert (code, output) == (2, "")
    assert errors.endswith(message)
    assert errors.startswith("Usage: gatree")


def test_an_error_of_the_user_ends_with_1(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ended = run_here(monkeypatch, capsys, "datasets", "info", "gone.arff")
    assert ended == (1, "", "error: gone.arff: no such file\n")


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
@pytest.mark.parametrize("kilobytes", [200_000, 700_000])
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


def failing(monkeypatch, error: BaseException) -> None:
    """Have `gatree theory` raise an error, and call it."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(paper.theory, "callback", fail)
    monkeypatch.setattr("sys.argv", ["gatree", "theory"])
    main()


def test_too_little_memory_is_said(monkeypatch, capsys):
    with pytest.raises(SystemExit) as end:
        failing(monkeypatch, MemoryError("Unable to allocate 9 TiB"))
    assert end.value.code == 1
    assert capsys.readouterr().err == "error: not enough memory. Unable to allocate 9 TiB\n"


def test_the_end_of_a_file_is_not_taken_for_ctrl_c(monkeypatch, capsys):
    with pytest.raises(EOFError, match="Ran out of input"):
        failing(monkeypatch, EOFError("Ran out of input"))
    assert "interrupted" not in capsys.readouterr().err


def test_a_list_leaves_the_padding_of_other_tables_alone():
    import tabulate

    before = tabulate.MIN_PADDING
    assert CliRunner().invoke(cli, ["datasets", "list"]).exit_code == 0
    assert before == tabulate.MIN_PADDING
