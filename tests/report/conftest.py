"""What the tests of the report share: the sample journal, and golden files."""

import os
from pathlib import Path

import pytest

from gatree.experiments.journal import read_journal

SAMPLE = Path(__file__).parent / "sample"
GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="session")
def sample():
    """The folder of the small committed journal; sample.yaml in it says how it was made."""
    return SAMPLE


@pytest.fixture(scope="session")
def records():
    return read_journal(SAMPLE / "cells.jsonl")


@pytest.fixture
def matches_golden():
    """Compare a text with a file in golden/, or write that file if UPDATE_GOLDENS is set."""

    def compare(name, text):
        path = GOLDEN / name
        if os.environ.get("UPDATE_GOLDENS"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
