"""What every test of the runner compares with: one uninterrupted run in one process."""

import laboratory
import pytest


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    """The outcomes of the tiny experiment."""
    folder = tmp_path_factory.mktemp("reference")
    config = laboratory.write_config(folder)
    code, _, errors = laboratory.gatree("run", "--config", config, "--results", folder, "--jobs", 1)
    assert code == 0, errors
    return laboratory.outcomes(folder / "tiny" / "cells.jsonl")
