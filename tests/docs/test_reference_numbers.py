"""The numbers in docs/original.md and docs/reproduction.md are those of the results."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from gatree.cli.main import cli

ROOT = Path(__file__).parents[2]


def test_the_numbers_of_the_reference_are_those_of_its_comparison():
    text = " ".join((ROOT / "docs/original.md").read_text().split())
    said = text.partition("With the two inferences, ten seeds")[2]
    verdict = (ROOT / "results/reference/tables/comparison.md").read_text().partition("## Table 3")[0]
    accuracies = re.search(r"(\d+ of 312) published accuracies", said)
    savings = re.search(r"(\d+ of 216) savings", said)
    assert accuracies is not None
    assert savings is not None
    assert f"{savings[1]} savings, {accuracies[1]} accuracies" in verdict
    table_3 = re.search(r"Table 3 deviates by ([\d.]+) points \(bias (\S+)\)", said)
    assert table_3 is not None
    found = re.search(r"without kr-vs-kp: our means deviate by ([\d.]+) points \(bias (\S+)\)", verdict)
    assert found is not None
    assert [f"{float(text):.1f}" for text in found.groups()] == list(table_3.groups())


def test_the_chessboards_table_is_that_of_its_journal():
    arguments = ["compare", "--by", "method", "--results", str(ROOT / "results/chessboard")]
    published = ["--published", str(ROOT / "configs/chessboard.csv")]
    done = CliRunner().invoke(cli, [*arguments, *published], catch_exceptions=False)
    computed, documented = _accuracies(done.stdout), _accuracies((ROOT / "docs/reproduction.md").read_text())
    assert len(documented) == 3
    for name, (evolution, front, cart, j48, evtree, rpart, _ctree, published_j48) in computed.items():
        assert documented[name] == [evolution, front, cart, j48, evtree, rpart, published_j48]


def _accuracies(markdown: str) -> dict[str, list[str]]:
    """Return the percentages in the rows of each chessboard, without their confidence intervals."""
    rows = re.findall(r"^\| (chessboard-\d+) *\|(.*)\|$", markdown, flags=re.MULTILINE)
    return {name: re.findall(r"(?<!± )\b\d\d\.\d\d", cells) for name, cells in rows}
