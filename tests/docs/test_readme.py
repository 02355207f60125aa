"""The README is short, and every document has the measured numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench import numbers
from bench.common import RESULTS, read
from bench.findings import SeveralMachinesError, measured_on
from bench.numbers import BLOCKS, DOCUMENTS, MARKED, renewed
from bench.page import page_of
from bench.sources import is_in_history

ROOT = Path(__file__).parents[2]


def test_it_is_one_screen_and_keeps_its_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
    assert "\nmake paper " in text
    assert "\nmake test " in text


def test_the_documents_stay_short():
    """In words, as `wc -w` counts them: who adds some says another thing once less."""
    pages = {path: len(path.read_text(encoding="utf-8").split()) for path in ROOT.glob("docs/**/*.md")}
    assert sum(pages.values()) <= 24_000
    assert pages[ROOT / "docs" / "architecture.md"] <= 1_200


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_has_the_numbers_of_the_results(document: Path):
    text = document.read_text(encoding="utf-8")
    assert MARKED.search(text)
    assert text == renewed(text), "run: make numbers"


def test_a_number_that_was_not_measured_is_found():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = next(found[0] for found in MARKED.finditer(text) if found[1] == "agreement")
    wrong = text.replace(block, re.sub(r"\d\.\d", "9.9", block, count=1))
    assert wrong != text
    assert renewed(wrong) == text


def test_every_block_is_in_a_document_and_no_document_is_missing():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("paper/*.md")]
    marked = {page: MARKED.findall(page.read_text(encoding="utf-8")) for page in pages}
    assert {page for page, blocks in marked.items() if blocks} == set(DOCUMENTS)
    assert {block for blocks in marked.values() for block in blocks} == set(BLOCKS)


def test_the_page_of_the_benchmarks_is_that_of_the_results():
    assert (RESULTS / "README.md").read_text(encoding="utf-8") == page_of(RESULTS), "run: make numbers"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="there is no history")
def test_measured_figures_name_commits_of_the_history():
    commits = {path.stem: read(path.stem)["machine"]["commit"] for path in RESULTS.glob("*.json")}
    unknown = {part for part, commit in commits.items() if not is_in_history(str(commit))}
    assert unknown == set()
    performance = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\b[0-9a-f]{7,8}\b", " ".join(re.findall("Measured on (.*)", performance))))
    assert named
    assert [commit for commit in named if not is_in_history(commit)] == []


def test_a_table_has_one_machine():
    one, other = ({"machine": {"commit": "1234567", "cpu": cpu}} for cpu in ("Xeon", "Neoverse"))
    assert measured_on(one, one) == "commit 1234567 (Xeon)"
    with pytest.raises(SeveralMachinesError, match="Neoverse, Xeon"):
        measured_on(one, other)


def test_changed_sources_are_not_measured(monkeypatch):
    monkeypatch.setattr(numbers, "changed_sources", lambda: ["gatree/__init__.py"])
    with pytest.raises(SystemExit, match=r"commit first, .*: gatree/__init__.py"):
        numbers.main()


def test_the_article_states_the_agreement_of_the_readme():
    article = " ".join((ROOT / "paper" / "article.md").read_text(encoding="utf-8").split())
    assert re.sub(r"\[(.+?)\]\(.+?\)", r"\1", numbers.agreement()) in article
