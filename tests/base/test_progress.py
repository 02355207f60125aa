"""What a command prints next to its result."""

import io
import time

import pytest

from gatree.base.progress import Progress


@pytest.mark.parametrize("quiet", [False, True])
def test_notes_are_printed_unless_it_is_quiet(quiet, capsys):
    with Progress(quiet=quiet) as progress:
        progress.note("compiling")
    assert capsys.readouterr().err == ("" if quiet else "compiling\n")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def wait_for(condition):
    ends = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_progress_that_was_cleared_is_not_drawn_until_there_is_more(monkeypatch):
    """A result may be printed on the same terminal meanwhile."""
    monkeypatch.setattr("sys.stderr", shown := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("gatree.base.progress._FRAME_SECONDS", 0.001)
    with Progress("search") as progress:
        wait_for(lambda: "search" in shown.getvalue())
        progress.clear()
        length = len(shown.getvalue())
        time.sleep(0.05)
        assert len(shown.getvalue()) == length
        progress.progress("comparison", 1, 2)
        wait_for(lambda: "[##########----------] comparison, 50% done" in shown.getvalue())
