"""The notebook of docs/examples rebuilds Tables 4 and 8 as `gatree table` has them."""

import json
from pathlib import Path

import pytest

from gatree.experiments.frame import Results
from gatree.experiments.journal import reference_folder
from gatree.paper.tables import our_table

ROOT = Path(__file__).parents[2]


@pytest.mark.long
def test_the_notebook_has_the_numbers_of_tables_4_and_8(monkeypatch):
    monkeypatch.chdir(ROOT)
    notebook = json.loads((ROOT / "docs/examples/tables_from_the_frame.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(len(cell.splitlines()) <= 11 for cell in cells)
    names = {}
    for cell in cells:
        exec(cell, names)
    results = Results.read(reference_folder())
    found = {
        "savings": lambda spot: names["table_4"].loc[spot.dataset, int(spot.column)],
        "old_s": lambda spot: names["seconds"].loc[(spot.dataset, "old"), int(spot.column)],
        "accuracy": lambda spot: names["accuracy"].loc[spot.dataset, int(spot.column)],
        "size": lambda spot: names["size"].loc[spot.dataset, int(spot.column)],
    }
    numbers = {**our_table(4, results).numbers, **our_table(8, results).numbers}
    compared = [spot for spot in numbers if spot.metric in found and spot.column.isdigit()]
    assert len(compared) == 4 * 12 * 8
    for spot in compared:
        assert found[spot.metric](spot) == pytest.approx(numbers[spot])
