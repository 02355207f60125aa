"""The documents and the help agree: every command is described, has an example, and exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from gatree.cli.main import cli

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "cli.md"
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("paper/*.md"))]


def commands(group: click.Group = cli, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the names of all commands, those of groups with the group's name before them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*above, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*above, name))


COMMANDS = list(commands())


@cache
def help_of(names: tuple[str, ...]) -> str:
    result = CliRunner().invoke(cli, [*names, "--help"], prog_name="gatree", terminal_width=100)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def options_of(names: tuple[str, ...]) -> set[str]:
    """Return the options that a command's help lists."""
    listed = re.findall(r"^  (?:-\w, )?(--\S.*?)(?:  |$)", help_of(names), flags=re.MULTILINE)
    return set(re.findall(r"--[\w-]+", " ".join(listed)))


def unknown_in(command: str) -> set[str]:
    """Return the words of a command line that are no command or no option of it."""
    words = tuple(command.split())
    names = [name for name in COMMANDS if words[: len(name)] == name]
    if not names:
        return {words[0]}
    return set(re.findall(r"(?<!\S)--[\w-]+", command)) - options_of(max(names, key=len))


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_every_command_has_an_example_that_exists_and_so_do_its_options(names):
    shown = help_of(names)
    examples = re.findall(r"^ +gatree (\S.*)$", shown, flags=re.MULTILINE)
    assert re.search(r"^ +Examples?:$", shown, flags=re.MULTILINE)
    assert any(example.split()[: len(names)] == list(names) for example in examples)
    assert [example for example in examples if unknown_in(example)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_name_no_command_and_no_option_that_does_not_exist(page):
    code = "\n".join(_code(page.read_text(encoding="utf-8")))
    mentioned = re.findall(r"(?<!from )(?<![\w/-])gatree ([a-z][\w-]+[^`|#\n]*)", code)
    assert {command: unknown_in(command) for command in mentioned if unknown_in(command)} == {}


def _code(text: str) -> list[str]:
    """Return what a document shows as code: in blocks and between backticks."""
    fenced = re.findall(r"^```.*?^```", text, flags=re.MULTILINE | re.DOTALL)
    indented = re.findall(r"^(?: {4}|\t).*$", text, flags=re.MULTILINE)
    return [*fenced, *indented, *re.findall(r"`[^`\n]+`", text)]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell):
    assert f"_GATREE_COMPLETE={shell}_source gatree" in DOCUMENT.read_text(encoding="utf-8")
    script = CliRunner().invoke(cli, prog_name="gatree", env={"_GATREE_COMPLETE": f"{shell}_source"})
    assert "gatree" in script.stdout
    environment = {
        "_GATREE_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": "gatree evolve zo",
        "COMP_CWORD": "zo" if shell == "fish" else "2",
    }
    assert "zoo" in CliRunner().invoke(cli, prog_name="gatree", env=environment).stdout
