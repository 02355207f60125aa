"""The commands that README and tutorials name run in the root of a fresh clone, and show the paper.

The blocks of the tutorials are run by test_tutorials.py; here are the commands in their sentences and tables.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from functools import cache
from pathlib import Path

import pytest
from commands import run

from gatree.experiments.frame import Results
from gatree.experiments.places import own_runs

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorial").glob("*.md"))]

SHOWN = {  # by command: its exit code, and words that it prints
    "gatree table 3": (0, "Table 3. An average of the savings"),
    "gatree table 3 --compare": (0, "Instances saved: 55.9 % (the paper: 55.9 %)"),
    "gatree table 4": (0, "Table 4. A savings-only comparison"),
    "gatree table 7": (0, "Table 7. A savings-only comparison"),
    "gatree table 8": (0, "Table 8. An accuracy-size-time comparison"),
    "gatree table 12": (0, "Table 12. An accuracy-size-time comparison"),
    "gatree table 9 --compare": (0, "Table 9."),
    "gatree table 10 --paper": (0, "Table 10."),
    "gatree status": (0, "accuracy      19248         0          0"),
    "gatree results": (0, "| dataset"),
    "gatree compare --by method": (0, "Accuracy on test instances"),
    "gatree verify": (4, ""),
    "gatree example": (0, "4. The ledger of the two children"),
    "gatree theory": (0, "Where the paper is wrong"),
    "gatree datasets list": (0, "multiplexor"),
    "gatree run --config paper --dry-run": (0, "cells      24938"),
}
TAKE_LONG = {
    "gatree theory --check": (0, "equal"),
    "gatree figure 5": (0, "figure-5.svg"),
    "gatree figure 6": (0, "figure-6.svg"),
    "gatree figure savings": (0, "savings.svg"),
    "gatree figure times": (0, "times.svg"),
    "gatree figure speed-up": (0, "speed-up.svg"),
    "gatree figure all": (0, "figure-6.png"),
    "gatree table all": (0, ""),
    "gatree report": (0, "report.html"),
    "gatree evolve vote": (0, "saved"),
    "gatree j48 vote": (0, "<- classified as"),
    "gatree run": (0, "cells run"),
    "gatree --version": (0, "gatree"),
}
STANDS_FOR = {  # what a page writes for other commands
    "gatree table N --compare": "gatree table 9 --compare",
    "gatree table N --paper": "gatree table 10 --paper",
    "gatree evolve DATA": "gatree evolve vote",
    "gatree run --config paper": "gatree run --config paper --dry-run",  # takes minutes
    "gatree datasets": "gatree datasets list",
    "gatree compare": "gatree compare --by method",
    "gatree table": "gatree table 4",
    "gatree figure": "gatree figure 5",
    "gatree j48": "gatree j48 vote",
}
IN_BLOCKS = ("evolve", "tree", "explore", "export", "optimum", "predict", "warm-up")
"""Commands that sentences only name, and blocks, other tests or `make setup` run."""


def named() -> set[str]:
    """Return the commands in the sentences and tables of the pages."""
    found = set()
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        found |= {" ".join(code.split()) for code in re.findall(r"`(gatree [^`]+)`", text)}
    return found


def test_every_command_that_a_page_names_is_run():
    in_blocks = {
        "gatree explore loans.csv --open",
        "gatree explore customers.csv --class churn --open",
        "gatree run --init DATA... --output mine.yaml",
        "gatree table savings --results results/savings",
        "gatree results --results results/savings --format csv",
        "gatree table accuracy",
        "gatree evolve vote --history rows.csv",
        "gatree evolve kr-vs-kp --replay tree.json",
        *(f"gatree {name}" for name in IN_BLOCKS),
    }
    commands = {STANDS_FOR.get(command, command) for command in named() - in_blocks}
    assert commands - {*SHOWN, *TAKE_LONG} == set()


def checked(command: str, code: int, words: str) -> None:
    done = run(*shlex.split(command)[1:], code=code)
    assert words in done.stdout
    if command.startswith("gatree table"):
        assert "—" not in done.stdout, command
        assert " 0.0 |" not in done.stdout


def test_commands_of_the_pages_show_the_reference_in_a_fresh_clone(fresh_clone, monkeypatch):
    monkeypatch.setattr(Results, "read", cache(Results.read))  # which takes seconds
    assert own_runs() == []
    for command, (code, words) in SHOWN.items():
        checked(command, code, words)


@pytest.mark.long
@pytest.mark.parametrize("command", TAKE_LONG)
def test_a_command_of_the_pages_that_takes_long_runs_in_a_fresh_clone(fresh_clone, command):
    checked(command, *TAKE_LONG[command])


def test_the_command_for_analysts_in_the_readme_runs_in_a_fresh_clone(fresh_clone, monkeypatch):
    monkeypatch.setenv("BROWSER", "true")  # a program that does nothing, in place of the user's
    command = "gatree explore customers.csv --class churn --open"
    assert f"`{command}`" in (ROOT / "README.md").read_text(encoding="utf-8")
    rows = [f"{n % 7},{'ab'[n % 2]},{'no' if n % 7 > 3 else 'yes'}" for n in range(60)]
    Path("customers.csv").write_text("\n".join(["months,plan,churn", *rows]), encoding="utf-8")
    run(*shlex.split(command)[1:], "--folds", "0")


def test_a_clone_has_no_run_of_its_own_and_your_runs_are_not_committed(fresh_clone):
    for name in ("chessboard", "balance-scale", "paper", "mine"):
        for file in ("cells.jsonl", "plan.json", "tables/table-4.md"):
            path = f"results/{name}/{file}"
            ignored = subprocess.run(["git", "check-ignore", "-q", path], cwd=ROOT, check=False)
            assert ignored.returncode == 0, path
