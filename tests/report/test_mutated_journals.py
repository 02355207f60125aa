"""Journals in which something else stands somewhere: what is read is whole, and nothing behind it breaks."""

import random

import pytest
from click.testing import CliRunner
from records import mutated

from gatree.cli.main import cli
from gatree.experiments.frame import Results
from gatree.experiments.journal import read_records
from gatree.paper import figures
from gatree.paper.grids import Style
from gatree.report.grid_output import write_all


def mutated_journal(sample, folder, chance):
    lines = (sample / "cells.jsonl").read_text(encoding="utf-8").splitlines()
    text = "\n".join(mutated(line, chance) if chance.random() < 0.8 else line for line in lines)
    (folder / "cells.jsonl").write_text(text + "\n", encoding="utf-8")
    return folder / "cells.jsonl"


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.long) for n in range(2, 12))])
def test_tables_and_status_of_a_mutated_journal(sample, tmp_path, seed):
    journal = mutated_journal(sample, tmp_path, random.Random(seed))
    assert len(list(read_records(journal))) > 20, "most mutations leave too little to try"
    write_all(Results.read(tmp_path).demand_finished(), tmp_path, Style())
    assert CliRunner().invoke(cli, ["status", "--results", str(tmp_path)]).exit_code == 0


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.long) for n in range(2, 8))])
def test_the_page_of_a_mutated_journal(sample, tmp_path, seed, monkeypatch):
    monkeypatch.setattr(figures, "_CAPTIONS", {"6": "of folds", "savings": "of evolutions"})
    mutated_journal(sample, tmp_path, random.Random(1000 + seed))
    result = CliRunner().invoke(cli, ["report", "--results", str(tmp_path)])
    assert (result.exit_code, result.exception) == (0, None)
