"""The papers about the software: numbers as measured, references that exist, commands that exist."""

from __future__ import annotations

import re
import runpy

import yaml
from versions import ROOT

from gatree.cli.main import cli

README, ARTICLE = ROOT / "README.md", ROOT / "paper" / "rescience" / "article.md"
REFERENCE = ROOT / "results" / "reference" / "README.md"
PAPER, BIBLIOGRAPHY, ARTIFACT = (ROOT / "paper" / name for name in ("paper.md", "paper.bib", "artifact.md"))


def test_numbers_are_those_of_the_results():
    renewed = runpy.run_path(str(ROOT / "paper" / "numbers.py"))["renewed"]
    reproduction, verdict = (
        [(PAPER, "reproduction"), (ARTIFACT, "reproduction")],
        [*((path, "verdict") for path in (README, ARTICLE, REFERENCE))],
    )
    for document, block in (*reproduction, *verdict):
        text = document.read_text(encoding="utf-8")
        assert text == renewed(text), "run: make paper-numbers"
        assert f"<!-- {block} -->\n- " in text


def test_everything_cited_is_in_the_bibliography_and_the_other_way_round():
    cited = set(re.findall(r"@(\w+)", "".join(path.read_text(encoding="utf-8") for path in (PAPER, ARTICLE))))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY.read_text(encoding="utf-8"), re.MULTILINE))
    assert "10.1007/s00500-009-0489-y" in BIBLIOGRAPHY.read_text(encoding="utf-8")


def test_the_paper_has_the_journals_form():
    _, head, body = PAPER.read_text(encoding="utf-8").split("---\n", 2)
    about = yaml.safe_load(head)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(about)
    assert (PAPER.parent / about["bibliography"]).is_file()
    sections = re.findall(r"^# (.+)$", body, flags=re.MULTILINE)
    assert {"Summary", "Statement of need", "State of the field", "References"} <= set(sections)


def test_the_appendix_names_targets_commands_and_documents_that_exist():
    text = ARTIFACT.read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = set(re.findall(r"\bmake ([a-z-]+)", text))
    assert {"setup", "quick", "paper", "test", "bench"} <= named <= set(targets)
    assert set(re.findall(r"`gatree ([a-z0-9]+)", text)) <= set(cli.list_commands(None))
    for path in re.findall(r"`((?:docs|requirements)/[\w./-]+|Containerfile)`", text):
        assert (ROOT / path).is_file(), path


def test_the_replication_has_the_metadata_that_its_journal_wants():
    about = yaml.safe_load((ARTICLE.parent / "metadata.yaml").read_text(encoding="utf-8"))
    assert about["title"].startswith("[Re] ")
    assert ARTICLE.read_text(encoding="utf-8").startswith(f"# {about['title']}\n")
    assert {"authors", "affiliations", "keywords", "replication", "abstract", "bibliography"} <= set(about)
    assert (ARTICLE.parent / about["bibliography"]).is_file()
    assert {"doi": "10.1007/s00500-009-0489-y"} in about["replication"]
