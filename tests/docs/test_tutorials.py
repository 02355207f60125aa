"""What tutorials and recipes show is what happens: files, commands and programs, in a fresh clone.

A block with a title is a file; `$ ` begins a command in a block of type console, what follows is its output;
a program's output is the block of type text behind it. Seconds are not compared.
`UPDATE_GOLDENS=1 python -m pytest -m long tests/docs/test_tutorials.py` writes the output again.

Running every command as a process, as a reader does, takes long. The fast test runs in this process what is
`gatree` alone or piped into `head`, `tail`, `grep` or `wc`, and skips the experiment and the cold cache.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from gatree.cli.main import cli

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs" / "tutorial").glob("*.md")),
    ROOT / "docs" / "how-to.md",
    ROOT / "docs" / "chessboard.md",
]
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', flags=re.MULTILINE | re.DOTALL)
SECONDS = re.compile(r"(?<![\w.])[\d,.]+ ?(ms|s|seconds?|minutes?|per second)\b")


def steady(output: str) -> str:
    """Return output without what is different every time."""
    lines = (SECONDS.sub(r"... \1", line).rstrip() for line in output.splitlines())
    return "\n".join(line.replace("reading ... s, ", "") for line in lines)  # shown if it takes long


def shown(command: list[str], folder: Path) -> str:
    """Run a command as a reader would and return what it prints."""
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": search, "PYTHONPATH": str(folder), "COLUMNS": "100"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    return steady(done.stdout)


def performed(kind: str, title: str | None, body: str, folder: Path) -> Iterator[str]:
    """Do what a block says and yield it line by line with its real output."""
    if title is not None:
        (folder / title).write_text(body, encoding="utf-8")
    if kind != "console":
        yield body.rstrip("\n")
        return
    for line in body.splitlines():
        if line.startswith("$ "):
            yield line
            yield from filter(None, [shown(["bash", "-o", "pipefail", "-c", line[2:]], folder)])


def as_it_is(page: str, folder: Path) -> str:
    """Return a page with the output that its commands and programs have now."""
    program = None

    def renewed(block: re.Match[str]) -> str:
        nonlocal program
        kind, title, body = block[1], block[2], block[3]
        if kind == "text" and program is not None:
            lines = [shown([sys.executable, "-W", "error", "-c", program], folder)]
        else:
            lines = list(performed(kind, title, body, folder))
        program = body if kind == "python" else None
        head = f'```{kind} title="{title}"' if title else f"```{kind}"
        return "\n".join([head, *lines, "```"])

    return BLOCK.sub(renewed, page)


def test_there_are_tutorials():
    assert {"first-minute", "own-experiment"} <= {page.stem for page in PAGES}


SIMPLE = re.compile(r"gatree ([^|<>;&$]+?)(?: > (\S+)| \| ((?:head|tail|grep|wc) .+))?")
SKIPPED = ("own-experiment",)  # which evolves 300 times


def shown_here(command: str, folder: Path) -> str | None:
    """Run a simple command in this process and return what it prints, or None if it is not simple."""
    if not (found := SIMPLE.fullmatch(command)):
        return None
    words, file, filtered = found.groups()
    is_cut = words.startswith("tree ") and (file or (filtered or "").startswith("grep"))
    without = ["--folds", "0"] if is_cut else []  # a cross-validation of which nothing is shown
    done = CliRunner().invoke(cli, [*shlex.split(words), *without])
    assert done.exit_code == 0, done.output
    if file:
        (folder / file).write_text(done.stdout, encoding="utf-8")
        return ""
    if filtered:
        filtering = subprocess.run(
            shlex.split(filtered), input=done.stdout, capture_output=True, text=True, check=True
        )
        return steady(filtering.stdout)
    return steady(done.stdout)


def outputs_of(page: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a page and the output that it shows for each."""
    for kind, _, body in BLOCK.findall(page):
        if kind == "console":
            for part in ("\n" + body).split("\n$ ")[1:]:
                command, _, output = part.partition("\n")
                yield command, output.rstrip("\n")


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.stem not in SKIPPED], ids=lambda page: page.stem
)
def test_the_commands_of_a_tutorial_show_what_it_says(page: Path, fresh_clone: Path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    text, n_compared = page.read_text(encoding="utf-8"), 0
    for _, title, body in BLOCK.findall(text):
        if title:
            (fresh_clone / title).write_text(body, encoding="utf-8")
    for command, expected in outputs_of(text):
        if (real := shown_here(command, fresh_clone)) is not None:
            assert real == expected, command
            n_compared += 1
    assert n_compared >= (1 if page.stem == "chessboard" else 3)


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_shows_what_happens(page: Path, fresh_clone: Path):
    written = page.read_text(encoding="utf-8")
    real = as_it_is(written, fresh_clone)
    if os.environ.get("UPDATE_GOLDENS"):
        page.write_text(real, encoding="utf-8")
        return
    how = f"run: UPDATE_GOLDENS=1 python -m pytest -m long {Path(__file__).relative_to(ROOT)}"
    assert written == real, how
