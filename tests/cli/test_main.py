"""The error boundary: every way to end has its exit code, and none prints a traceback."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import gatree
from gatree.cli.main import main

GATREE = [sys.executable, "-m", "gatree"]
HEAVY = {"dask", "matplotlib", "numba", "numpy", "pandas", "sklearn"}


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*GATREE, *arguments], capture_output=True, text=True, check=False, **options)


def test_version():
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"gatree, version {gatree.__version__}\n", "")


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help(flag):
    done = run(flag)
    assert (done.returncode, done.stderr) == (0, "")
    assert "datasets" in done.stdout


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
def test_wrong_usage_ends_with_2(arguments, message):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(message)
    assert done.stderr.startswith("Usage: gatree")


def test_an_error_of_the_user_ends_with_1(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(Path(gatree.__file__).parents[1])}
    done = run("datasets", "info", "gone.arff", cwd=tmp_path, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "error: gone.arff: no such file\n")


def test_a_closed_pipe_is_no_error():
    with subprocess.Popen(
        [*GATREE, "datasets", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has the full disk /dev/full")
def test_a_full_disk_is_an_error_of_the_user():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*GATREE, "datasets", "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (1, "error: No space left on device\n")


@pytest.mark.skipif(os.name != "posix", reason="signals and named pipes are those of POSIX")
def test_ctrl_c_ends_with_130(tmp_path):
    pipe = tmp_path / "never.arff"
    os.mkfifo(pipe)
    process = subprocess.Popen([*GATREE, "datasets", "info", str(pipe)], stderr=subprocess.PIPE, text=True)
    with pipe.open("w"):  # returns when the command has opened its end
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors.strip()) == (130, "interrupted")


def test_too_little_memory_is_said():
    program = "import gatree.cli.main as m, gatree.cli.paper as t\n"
    program += "def fail(*_, **__): raise MemoryError('Unable to allocate 9 TiB')\n"
    program += "t.theory.callback = fail\nm.main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "theory"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "error: not enough memory. Unable to allocate 9 TiB\n")


def test_the_end_of_a_file_is_not_taken_for_ctrl_c():
    program = "import gatree.cli.main as m, gatree.cli.paper as t\n"
    program += "def fail(*_, **__): raise EOFError('Ran out of input')\n"
    program += "t.theory.callback = fail\nm.main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "theory"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "EOFError: Ran out of input" in done.stderr
    assert "interrupted" not in done.stderr
