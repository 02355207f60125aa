"""What docs/original.md says of the reference is what its comparison has."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_numbers_of_the_reference_are_those_of_its_comparison():
    said = (ROOT / "docs/original.md").read_text().partition("With the two inferences, ten seeds")[2]
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
