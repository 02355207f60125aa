"""docs/architecture.md and docs/idea.md: files that exist, layers that are checked, numbers that are real."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_a_cell_passes_through_files_that_exist():
    files = re.findall(r"^\| \d+ \| `([\w/]+\.py)` \|", PAGE, flags=re.M)
    assert len(files) == 12
    assert [file for file in files if not (ROOT / "gatree" / file).is_file()] == []


def test_every_file_that_the_page_names_exists():
    files = [path.as_posix() for path in (ROOT / "gatree").rglob("*.py")]
    named = set(re.findall(r"`(?:gatree/)?([\w/]+\.py)`", PAGE))
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == []


def test_the_picture_has_the_layers_that_are_checked():
    picture = [line.split("   ")[0] for line in re.findall(r"^    (\w.*)$", PAGE.split("## ")[0], flags=re.M)]
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert picture == [layer.strip() for layer in linter["contracts"][0]["layers"]]
    assert "exclude_type_checking_imports" not in linter


@pytest.mark.long
def test_the_picture_of_the_imports_is_of_these_packages(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "pictures"), *sys.path])
    import imports

    imports.draw(tmp_path / "imports.svg")
    drawn = (ROOT / "docs" / "pictures" / "imports.svg").read_text(encoding="utf-8")
    assert (tmp_path / "imports.svg").read_text(encoding="utf-8") == drawn, "make pictures draws it again"


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
