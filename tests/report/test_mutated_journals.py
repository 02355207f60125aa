"""Journals in which something else stands somewhere: what is read is whole, and nothing behind it breaks."""

import json
import random

import pytest
from click.testing import CliRunner

from gatree.cli.main import cli
from gatree.experiments.journal import read_records
from gatree.report import publish
from gatree.report.grids import Style

ODD = [None, True, 0, -1, 1e308, 10**30, 2**40, "", "x", "<b>", "\x00", [], [1], [[]], {}, {"a": 1}, 0.5]


def places(value, above=()):
    """Yield the way to everything inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in items:
        yield (*above, step)
        yield from places(inner, (*above, step))


def mutated(line, chance):
    """Change, drop or add one thing in a record."""
    record = json.loads(line)
    *above, last = chance.choice(list(places(record)))
    place = record
    for step in above:
        place = place[step]
    match chance.randrange(4):
        case 0:
            del place[last]
        case 1 if isinstance(place, list):
            place.append(chance.choice(ODD))
        case 2 if isinstance(place[last], int | float):
            place[last] = place[last] * chance.choice([-1, 0, 10**6, 1e-300])
        case _:
            place[last] = chance.choice(ODD)
    return json.dumps(record)


def mutated_journal(sample, folder, chance):
    lines = (sample / "cells.jsonl").read_text(encoding="utf-8").splitlines()
    text = "\n".join(mutated(line, chance) if chance.random() < 0.8 else line for line in lines)
    (folder / "cells.jsonl").write_text(text + "\n", encoding="utf-8")
    return folder / "cells.jsonl"


@pytest.mark.parametrize("seed", range(12))
def test_tables_and_status_of_a_mutated_journal(sample, tmp_path, seed):
    journal = mutated_journal(sample, tmp_path, random.Random(seed))
    assert len(list(read_records(journal))) > 20, "most mutations leave too little to try"
    path, records = publish.read_results(tmp_path)
    publish.write_all(records, path, tmp_path, Style(), extended=True)
    assert CliRunner().invoke(cli, ["status", "--results", str(tmp_path)]).exit_code == 0


@pytest.mark.parametrize("seed", [1, 2])
def test_the_page_of_a_mutated_journal(sample, tmp_path, seed):
    mutated_journal(sample, tmp_path, random.Random(1000 + seed))
    result = CliRunner().invoke(cli, ["report", "--results", str(tmp_path)])
    assert (result.exit_code, result.exception) == (0, None)
