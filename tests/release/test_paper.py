"""The article and the appendix about the software: references and commands that exist."""

from __future__ import annotations

import re

import yaml
from versions import ROOT

from gatree.cli.main import cli

ARTICLE, BIBLIOGRAPHY, ARTIFACT = (
    ROOT / "paper" / name for name in ("article.md", "paper.bib", "artifact.md")
)


def test_everything_cited_is_in_the_bibliography_and_the_other_way_round():
    cited = set(re.findall(r"@(\w+)", ARTICLE.read_text(encoding="utf-8")))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY.read_text(encoding="utf-8"), re.MULTILINE))
    assert "10.1007/s00500-009-0489-y" in BIBLIOGRAPHY.read_text(encoding="utf-8")


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
