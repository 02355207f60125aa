"""What a command prints next to its result."""

import pytest

from gatree.base.progress import Progress


@pytest.mark.parametrize("quiet", [False, True])
def test_notes_are_printed_unless_it_is_quiet(quiet, capsys):
    with Progress(quiet=quiet) as progress:
        progress.note("compiling")
    assert capsys.readouterr().err == ("" if quiet else "compiling\n")
