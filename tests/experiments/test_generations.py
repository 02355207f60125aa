"""The course of an evolution in a record: the clock at twenty points, and every generation."""

from dataclasses import replace

import numpy as np
import pytest
from laboratory import tiny_plan
from records import a_record, fields_of, line_of, read, seconds

from gatree.base.errors import ResultError
from gatree.data.catalog import load_dataset
from gatree.evolution.evolve import Evolution
from gatree.experiments.cell import run_cell
from gatree.experiments.frame import Results
from gatree.experiments.generations import n_distinct, points_of
from gatree.experiments.history_rows import HISTORY_COLUMNS, history_rows
from gatree.experiments.journal import verify
from gatree.experiments.record_line import BadRecordError
from gatree.report.equal_time import equal_time_data, equal_time_figure


def savings_record(**changes):
    cell = next(cell for cell in tiny_plan().cells if cell.identity.kind == "savings")
    return cell, fields_of(run_cell(replace(cell, **changes), load_dataset(cell.identity.dataset)))


@pytest.mark.parametrize(("n", "n_points"), [(0, 0), (1, 1), (7, 7), (20, 20), (800, 20), (53, 20)])
def test_points_are_evenly_spaced_and_end_with_the_evolution(n, n_points):
    points = points_of(n)
    assert len(points) == n_points
    assert points[-1:] == [n][:n_points]
    assert {round(step) for step in np.diff([0, *points])} <= {n // 20, n // 20 + 1}


def test_cells_with_several_evaluators_keep_their_seconds_and_payoffs_at_the_points():
    cell, record = savings_record()
    progress, points = record["outcome"]["progress"], points_of(cell.settings.n_generations)
    assert progress["generation"] == points
    assert progress["payoff"][-1] == round(record["outcome"]["payoff"], 6)
    assert progress["examined"][-1] == record["outcome"]["n_evaluations"]
    for timing in record["timing"].values():
        assert timing["cpu_at"] == sorted(timing["cpu_at"])
        assert 0 < timing["cpu_at"][0] < timing["cpu_at"][-1] <= min(timing["cpu"]) + 0.01
    assert "history" not in record["outcome"]
    _, alone = savings_record(evaluators=("bitset",))
    assert "progress" not in alone["outcome"]


def test_a_savings_cell_keeps_every_generation_on_request():
    cell, record = savings_record(history=True)
    outcome, n = record["outcome"], cell.settings.n_generations
    assert {len(values) for values in outcome["history"].values() if values} == {n}
    assert outcome["history"]["size"][-1] == outcome["n_nodes"]
    assert outcome["history"]["test_accuracy"] == []
    for timing in record["timing"].values():
        assert len(timing["generation_wall"]) == n
    evolution = Evolution(load_dataset(cell.identity.dataset), cell.settings_with("new"))
    evolution.advance(n)
    different = {
        (tuple(tree.attribute.tolist()), tuple(tree.value.tolist())) for tree in evolution.population
    }
    assert n_distinct(evolution.population) == len(different) == outcome["history"]["distinct"][-1]
    assert fields_of(read(record)) == record


def test_a_history_has_a_key_of_its_own_and_without_one_cells_keep_theirs():
    cell = next(cell for cell in tiny_plan().cells if cell.identity.kind == "savings")
    assert replace(cell, history=True).key != cell.key
    assert "history" not in cell.values


def test_lists_of_different_lengths_are_refused():
    progress = {"generation": [1, 2], "payoff": [0.1], "examined": [10, 20]}
    record = a_record(outcome={"progress": progress})
    with pytest.raises(
        BadRecordError, match=r"different lengths - at `\$.outcome.progress`|outcome.progress"
    ):
        read(record)


def test_what_a_newer_version_records_in_addition_is_no_difference():
    history = {"accuracy": [0.5], "test_accuracy": [], "size": [3]}
    old = a_record(outcome={"history": history})
    new = a_record(
        outcome={
            "history": {**history, "distinct": [7]},
            "progress": {"generation": [1], "payoff": [0.5], "examined": [20]},
        }
    )
    assert verify([read(new)], [read(old)]).n_equal == 1
    other = a_record(outcome={"history": {**history, "size": [5]}})
    assert verify([read(other)], [read(old)]).differences[0].what == "history"


def timed(key, old, new, **cell):
    """A cell of 100 generations with CPU seconds at two points."""
    progress = {"generation": [50, 100], "payoff": [0.5, 0.8], "examined": [2600, 5100]}
    timing = {"old": {**seconds(old[-1]), "cpu_at": old}, "new": {**seconds(new[-1]), "cpu_at": new}}
    return a_record(key, outcome={"progress": progress}, timing=timing, **cell)


def written(folder, *records):
    (folder / "cells.jsonl").write_bytes(b"".join(map(line_of, records)))
    return Results.read(folder)


def test_equal_time_is_read_off_where_old_is_when_new_is_done(tmp_path):
    results = written(
        tmp_path, timed("a", [2.0, 4.0], [1.0, 2.0]), timed("b", [1.0, 4.0], [1.0, 2.5], replicate=1)
    )
    found = results.frame.drop_duplicates("key")["generations_in_equal_time"].to_list()
    assert found == pytest.approx([200, 100 * 100 / 75]), "old is at generation 50, and at 75"
    data = equal_time_data(results).set_index(["evaluator", "point"])
    assert data.loc[("old", 0), "seconds"] == 1.5
    assert data.loc[("new", 1)].to_dict() | {"dataset": "zoo"} == {
        "dataset": "zoo",
        "seconds": 2.25,
        "payoff": 0.8,
        "examined": 5100,
    }
    payoff, examined = equal_time_figure(results).axes
    assert [line.get_label() for line in payoff.lines] == ["old", "new"]
    assert examined.lines[1].get_ydata().tolist() == [2.6, 5.1]


def test_without_points_there_is_no_equal_time(tmp_path):
    with pytest.raises(ResultError, match="run a savings study again"):
        equal_time_data(written(tmp_path, a_record()))


def test_histories_are_rows(tmp_path):
    history = {"accuracy": [0.5, 0.6], "test_accuracy": [], "size": [3, 5], "distinct": [9, 8]}
    timing = {"old": seconds(2.0), "new": {**seconds(1.0), "generation_wall": [0.4, 0.6]}}
    results = written(
        tmp_path, a_record("a", outcome={"history": history}, timing=timing), a_record("b", "failed")
    )
    rows = history_rows(results)
    assert list(rows)[-len(HISTORY_COLUMNS) :] == list(HISTORY_COLUMNS)
    assert rows[["generation", "size", "distinct", "seconds"]].to_numpy().tolist() == [
        [1, 3, 9, 0.4],
        [2, 5, 8, 0.6],
    ]
    assert rows["test_accuracy"].isna().all()
    with pytest.raises(ResultError, match="history: true"):
        history_rows(written(tmp_path, a_record()))


def test_histories_of_several_payoffs_have_both_columns(tmp_path):
    history = {"accuracy": [1, 1], "test_accuracy": [], "size": [1, 1], "payoff": [0.5, 0.6]}
    records = [
        {**a_record(name, payoff=name, outcome={"history": history}), "settings": {"payoff": name}}
        for name in ("eq-1", "balanced")
    ]
    rows = history_rows(written(tmp_path, *records))
    found = list(zip(rows["payoff"], rows["best_payoff"], strict=True))
    assert found == [("eq-1", 0.5), ("eq-1", 0.6), ("balanced", 0.5), ("balanced", 0.6)]
