"""Data that are hard to learn from, for `gatree explore` and `gatree evolve`: a result or a message."""

import resource

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from gatree.cli.main import cli

RTL = "\u05d2\u05d9\u05dc"
EVIL = "<img src=x onerror=alert(1)>"
COMMANDS = ("explore", "evolve")


def called(command, data, *options):
    """Run a command on a frame or a file, quickly; return its exit code, what it printed, and the page."""
    folder = data.parent
    output = folder / "page.html"
    arguments = ["--folds", "2", *(["--output", str(output)] if command == "explore" else [])]
    result = CliRunner().invoke(cli, [command, str(data), "--preset", "fast", *arguments, *options])
    page = output.read_text() if output.exists() else ""
    return result.exit_code, f"{result.stdout}\n{result.stderr}\n{result.exception or ''}", page


@pytest.fixture
def written(tmp_path):
    def write(frame):
        frame.to_csv(tmp_path / "data.csv", index=False)
        return tmp_path / "data.csv"

    return write


def rows(n=40):
    return np.arange(n)


@pytest.mark.parametrize("command", COMMANDS)
def test_names_with_markup_right_to_left_text_and_a_column_called_label(command, written):
    frame = pd.DataFrame({EVIL: rows() % 5, "label": rows() % 3, RTL: rows() % 7, "y": [EVIL, RTL] * 20})
    frame[RTL] = np.where(frame["y"] == RTL, 1, 0)
    code, text, page = called(command, written(frame))
    assert code == 0, text
    assert RTL in text
    if command == "explore":
        assert EVIL not in page
        assert RTL in page
        assert "label" in page


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_very_many_columns(command, written):
    rng, n_columns = np.random.default_rng(0), 20_000
    values = rng.integers(0, 10, (60, n_columns))
    frame = pd.DataFrame(values, columns=[f"x{i}" for i in range(n_columns)])
    frame["y"] = np.where(values[:, 77] > 4, "yes", "no")
    code, text, page = called(command, written(frame))
    assert code == 0, text
    assert f"from {n_columns} columns of 60 rows" in text
    assert len(page) < 6_000_000


@pytest.mark.long
def test_very_many_rows(written):
    """The page samples rows and says so; the trees are found on all of them."""
    rng = np.random.default_rng(0)
    n = 100_000
    frame = pd.DataFrame(
        {"a": rng.normal(size=n).round(3), "b": rng.integers(0, 50, n), "k": rng.integers(0, 3, n)}
    )
    frame["y"] = np.where((frame["a"] > 0.5) ^ (rng.random(n) < 0.1), "yes", "no")
    code, text, page = called("explore", written(frame))
    assert code == 0, text
    assert "This page holds 5,000 of the 100,000 rows" in page
    assert len(page) < 1_500_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4_000_000  # kilobytes
