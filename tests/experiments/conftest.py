"""What every test of the runner compares with: one uninterrupted run in one process."""

import laboratory
import pytest


@pytest.fixture(scope="session")
def reference(tmp_path_factory):
    """The outcomes of the tiny experiment."""
    folder = tmp_path_factory.mktemp("reference")
    laboratory.run_alone(laboratory.write_config(folder), folder)
    return laboratory.outcomes(folder / "tiny" / "cells.jsonl")
