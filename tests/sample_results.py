"""What the tests of the report share: the sample journal, an odd one, and golden files."""

import fcntl
import json
import os
from functools import partial
from pathlib import Path
from unittest import mock

import pytest
from own_experiment import own_records
from records import fields_of, read, results_of

from gatree.experiments.journal import read_journal
from gatree.experiments.journal_writer import JournalWriter

SAMPLE = Path(__file__).parent / "report" / "sample"
GOLDEN = Path(__file__).parent / "report" / "golden"


@pytest.fixture(scope="session")
def sample():
    """The folder of the small committed journal; sample.yaml in it says how it was made."""
    return SAMPLE


@pytest.fixture(scope="session")
def records():
    return [fields_of(record) for record in read_journal(SAMPLE / "cells.jsonl")]


@pytest.fixture(scope="session")
def found(records):
    """The results of the sample journal, which are only read."""
    return results_of(records, Path("RESULTS") / "sample" / "cells.jsonl")


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


EVIL_NAME = "<script>window.evil = 1</script>"


@pytest.fixture(scope="session")
def odd_results(tmp_path_factory):
    """The sample journal, but a data set has an evil name, and the last cell has failed."""
    folder = tmp_path_factory.mktemp("results") / "odd"
    folder.mkdir()
    lines = (SAMPLE / "cells.jsonl").read_text(encoding="utf-8").splitlines()
    renamed = [line.replace('"dataset":"own"', f'"dataset":{json.dumps(EVIL_NAME)}') for line in lines]
    failed = {
        "schema": 1,
        "key": "never",
        "cell": {"study": "accuracy", "kind": "baseline", "dataset": "vote", "baseline": "j48"},
        "status": "failed",
        "error": "MemoryError: <b>too large</b>",
    }
    text = "\n".join([*renamed, json.dumps(failed)]) + "\n"
    (folder / "cells.jsonl").write_text(text, encoding="utf-8")
    return folder


def made_once(tmp_path_factory, name, make):
    """Return a file, in a folder of its own, that only the first of pytest's processes makes."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / Path(name).stem
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / name).exists():
            make(folder / name)
    return folder / name


@pytest.fixture(scope="session")
def odd_page(odd_results, tmp_path_factory):
    """The file of the report page of the odd results, with some figures, made without a second process."""
    from gatree.paper import figures
    from gatree.report.page import write_page

    some = {name: figures._CAPTIONS[name] for name in ("savings", "speed-up")}
    with mock.patch.object(figures, "_CAPTIONS", some):
        return made_once(tmp_path_factory, "odd.html", partial(write_page, odd_results))


@pytest.fixture(scope="session")
def own_results(tmp_path_factory):
    """A folder with the journal of an experiment that is not the paper's."""
    folder = tmp_path_factory.mktemp("results") / "own"
    with JournalWriter(folder) as journal:
        for record in own_records():
            journal.append(read(record))
    return folder


@pytest.fixture(scope="session")
def own_page(own_results, tmp_path_factory):
    """The file of its report page."""
    from gatree.report.page import write_page

    return made_once(tmp_path_factory, "own.html", partial(write_page, own_results))


def grids_of(text):
    """The cells of every table in a Markdown text, its lines of headings first."""
    grids = [[]]
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith("|:"):
            grids[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif not line and grids[-1]:
            grids.append([])
    return [grid for grid in grids if grid]
