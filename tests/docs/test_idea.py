"""The page on the idea tells the numbers of a crossover that really happens."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_picture_and_the_text_have_the_numbers_of_the_crossover(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(DOCS / "pictures"), *sys.path])
    import crossover

    found = crossover.draw(tmp_path / "crossover.svg")
    total, again = crossover.reaching(found.child, 0), crossover.reaching(found.child, found.cut)
    text = " ".join((DOCS / "idea.md").read_text(encoding="utf-8").split())
    assert f"Of the {total} animals, {total - again} do not reach the exchanged branch" in text
    assert f"Only {again} instances are classified again" in text
    child, parent = crossover.n_correct(found.child), crossover.n_correct(found.parent)
    assert f"The child classifies {child} instances correctly, its parent {parent}." in text
    assert (tmp_path / "crossover.svg").read_text() == (DOCS / "pictures" / "crossover.svg").read_text()
