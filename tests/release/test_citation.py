"""CITATION.cff is valid, cites the paper, and has the version that is built.

The schema next to this file is that of the Citation File Format 1.2.0 by Druskat et al.
(doi 10.5281/zenodo.5171937, CC BY 4.0).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator, FormatChecker
from versions import ROOT, changelog_problem, sections, version

SCHEMA = json.loads((Path(__file__).parent / "citation-file-format-1.2.0.json").read_text(encoding="utf-8"))


def problems(citation: dict[str, Any]) -> list[str]:
    validator = Draft7Validator(SCHEMA, format_checker=FormatChecker())
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(citation)]


def citation() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_citation_is_valid():
    assert problems(citation()) == []


@pytest.mark.parametrize(
    ("key", "value"), [("authors", []), ("license", "none such"), ("date-released", "soon"), ("titel", "x")]
)
def test_the_schema_finds_mistakes(key: str, value: object):
    assert problems(citation() | {key: value}) != []


def test_it_cites_the_paper_and_this_version():
    found = citation()
    assert found["version"] == version()
    assert found["references"][0]["doi"] == "10.1007/s00500-009-0489-y"


def test_the_changelog_begins_with_what_is_unreleased_or_with_this_version():
    newest = sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))[0][0]
    assert newest in ("Unreleased", version())
    assert (changelog_problem() is None) == (newest != "Unreleased")
