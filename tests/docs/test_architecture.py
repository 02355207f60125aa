"""docs/architecture.md and docs/idea.md: files that exist, layers that are checked, numbers that are real."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path

import pytest
from commands import run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def steps(heading: str) -> list[str]:
    """Return the files of a walk."""
    text = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\d+\. `([\w/]+\.py)`:", text, flags=re.M)


@pytest.mark.parametrize(
    ("heading", "n"), [("One cell, from YAML to table", 14), ("One tree, from data to text", 20)]
)
def test_the_walks_pass_through_files_that_exist(heading, n):
    files = steps(heading)
    assert len(files) == n
    assert [file for file in files if not (ROOT / "gatree" / file).is_file()] == []


def test_the_way_to_a_tree_has_these_files_and_climbs_four_times():
    """A climb is a call of a function of a higher package."""
    layers = [layer.split(" | ") for layer in reversed(contracts()[0]["layers"])]
    rank = {package: level for level, layer in enumerate(layers) for package in layer}
    package_folder = f"{ROOT / 'gatree'}{os.sep}"
    passed, climbs = set(), set()

    def note(frame, event, _):
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(package_folder) or frame.f_code.co_name[0] == "<":
            return
        file, caller = Path(name).relative_to(package_folder), frame.f_back
        passed.add(file.as_posix())
        while caller is not None and not caller.f_code.co_filename.startswith(package_folder):
            caller = caller.f_back
        if caller is not None:
            above = rank.get(file.parts[0], -1)
            below = rank.get(Path(caller.f_code.co_filename).relative_to(package_folder).parts[0], above)
            if above > below:
                climbs.add(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        run("tree", "vote", "--effort", "0.01", "--folds", "2", "--quiet", "--n-jobs", "1")
    finally:
        sys.setprofile(None)
    assert climbs == set(re.findall(r"climbs four times.*?: `(\w+)`, `(\w+)`, `(\w+)`, `(\w+)`", PAGE)[0])
    elsewhere = {"smalltree/search.py", "smalltree/proof.py", "smalltree/evolved.py"}  # compiled, in threads
    assert set(steps("One tree, from data to text")) - passed <= elsewhere


def test_every_file_that_the_page_names_exists():
    files = [path.as_posix() for path in (ROOT / "gatree").rglob("*.py")]
    named = set(re.findall(r"`(?:gatree/)?([\w/]+\.py)`", PAGE))
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == []


def test_the_picture_has_the_layers_that_are_checked():
    picture = [line.split("   ")[0] for line in re.findall(r"^    (\w.*)$", PAGE.split("## ")[0], flags=re.M)]
    assert picture == [layer.strip() for layer in contracts()[0]["layers"]]


def contracts():
    """Return the contracts on imports."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert "exclude_type_checking_imports" not in linter
    return linter["contracts"]


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
