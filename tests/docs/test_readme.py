"""The README is short, and every document has the measured numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.common import RESULTS
from bench.numbers import BLOCKS, DOCUMENTS, MARKED, renewed
from bench.page import page_of

ROOT = Path(__file__).parents[2]


def test_it_is_one_screen_and_keeps_its_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
    assert "\nmake paper " in text
    assert "\nmake test " in text


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_has_the_numbers_of_the_results(document: Path):
    text = document.read_text(encoding="utf-8")
    assert MARKED.search(text)
    assert text == renewed(text), "run: make numbers"


def test_a_number_that_was_not_measured_is_found():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = next(found[0] for found in MARKED.finditer(text) if found[1] == "measured")
    wrong = text.replace(block, re.sub(r"\d\.\d", "9.9", block, count=1))
    assert wrong != text
    assert renewed(wrong) == text


def test_every_block_is_in_a_document_and_no_document_is_missing():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("paper/*.md")]
    marked = {page: MARKED.findall(page.read_text(encoding="utf-8")) for page in [*pages, *DOCUMENTS]}
    assert {page for page, blocks in marked.items() if blocks} == set(DOCUMENTS)
    assert {block for blocks in marked.values() for block in blocks} == set(BLOCKS)


def test_the_page_of_the_benchmarks_is_that_of_the_results():
    assert (RESULTS / "README.md").read_text(encoding="utf-8") == page_of(RESULTS), "run: make numbers"
