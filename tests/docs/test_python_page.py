"""The programs of some pages run in their order, and print what the page shows.

`UPDATE_GOLDENS=1` writes what they print.
"""

import os
import re
from pathlib import Path

import pandas as pd
import pytest

from gatree import SmallTreeClassifier

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "docs/evolution.md"])
def test_its_programs_run_and_print_what_it_shows(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page, names = ROOT / name, dict[str, object]()

    def performed(block: re.Match[str]) -> str:
        exec(compile(block[1], str(page), "exec"), names)
        printed = capsys.readouterr().out.rstrip("\n")
        lines = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
        return f"```python\n{block[1]}```\n" + (f"\n```text\n{lines}```\n" if lines else "")

    with pd.option_context("display.width", 96, "display.max_columns", 20):
        performed_page = BLOCK.sub(performed, page.read_text(encoding="utf-8"))
    if os.environ.get("UPDATE_GOLDENS"):
        page.write_text(performed_page, encoding="utf-8")
    assert performed_page == page.read_text(encoding="utf-8")


PARAMETER = re.compile(r"^    (\w+) : .+, default=(.+)\n((?: {8}.*\n)+)", re.MULTILINE)


def test_the_table_of_parameters_is_that_of_the_docstring():
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    rows = [
        f"| `{name}` | {default} | {' '.join(meaning.split()).rstrip('.')} |"
        for name, default, meaning in PARAMETER.findall(SmallTreeClassifier.__doc__)
    ]
    before, mark, behind = page.partition("\n| parameter | default | |\n|---|---|---|\n")
    _, gap, rest = behind.partition("\n\n") if behind.startswith("|") else ("", "\n\n", behind.lstrip("\n"))
    expected = "".join([before, mark, "\n".join(rows), gap, rest])
    if os.environ.get("UPDATE_GOLDENS"):
        (ROOT / "docs" / "python.md").write_text(expected, encoding="utf-8")
    assert (ROOT / "docs" / "python.md").read_text(encoding="utf-8") == expected
