"""Calibrations: what is tried, what it is held against, and the command from YAML to table."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from statistics import fmean

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from records import LEDGER, a_record, read

from calibrate import ORIGINAL, calibrate
from calibration_plan import Calibration, read_calibration
from calibration_scores import (
    Match,
    Place,
    Score,
    chosen,
    crps,
    document,
    held_out,
    matches,
    read_runs,
    result_of,
)
from gatree.base.errors import ConfigError, ResultError
from gatree.experiments.cell import run_cell
from gatree.paper.published import Spot, published
from gatree.rendering.documents import markdown
from gatree.settings.validation import validated

SAVINGS = {"kind": "savings", "datasets": ["zoo"], "size": [100, 200], "tables": [4, 6]}
RUNS = {"kind": "runs", "datasets": {"zoo": "zoo"}, "mutation_rate": 0.5, "x_factor": "1e3..1e5", "size": 100}
ABOUT = {"name": "c", "seed": 1, "seeds": 2, "choose_by": "savings", "targets": [SAVINGS]}


def calibration(**changes) -> Calibration:
    return validated(Calibration, {**ABOUT, "candidates": {"a": {}}, **changes})


def record(study: str, mutation_rate: float, size: int, replicate: int, saved: int) -> dict:
    ledger = {**LEDGER, "instances_reclassified": 100 - saved, "instances_total": 100}
    cell = {"mutation_rate": mutation_rate, "population_size": size, "n_generations": size}
    return a_record(study=study, replicate=replicate, outcome={"ledger": ledger}, **cell)


def test_candidates_are_the_named_ones_and_all_combinations_of_the_grid():
    tried = calibration(grid={"generation_gap": [0.25, 0.5], "selection": ["roulette", "tournament"]}).tried()
    assert list(tried) == ["a", "g000", "g001", "g002", "g003"]
    assert tried["g001"] == {"generation_gap": 0.25, "selection": "tournament"}


def test_every_candidate_is_a_study_of_its_own_on_every_target():
    plan = calibration(candidates={"a": {}, "b": {"crossover_rate": 1.0}}, targets=[SAVINGS, RUNS])
    studies = {study.name: study for study in plan.experiment().studies}
    assert list(studies) == ["a.savings", "a.runs", "b.savings", "b.runs"]
    assert plan.experiment().settings_of(studies["b.runs"]).crossover_rate == 1.0
    assert studies["a.savings"].grid.mutation_rate == (0.01, 0.5)
    assert studies["a.savings"].evaluators == ("bitset",)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"choose_by": "sizes"}, "choose_by: there is no target 'sizes'; there are savings"),
        ({"candidates": {}}, "candidates: give some by name, or a grid of settings"),
        ({"candidates": {"a": {"generation_gap": 7}}}, "candidates.a.generation_gap: should be less than"),
        ({"candidates": {"a": {"selectoin": "x"}}}, "candidates.a.selectoin: unknown setting; did you mean"),
        ({"targets": [{**SAVINGS, "tables": [3]}]}, "targets[0].tables[0]: should be 4, 5, 6 or 7, got 3"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(changes, complaint):
    with pytest.raises(ConfigError) as caught:
        calibration(**changes)
    assert str(caught.value).startswith(complaint)


def test_runs_are_matched_with_the_published_numbers():
    records = [
        record("a.savings", rate, size, replicate, saved)
        for rate in (0.5, 0.01)
        for size, replicate, saved in [(100, 0, 40), (100, 1, 60), (200, 0, 50), (200, 1, 80)]
    ]
    found = {match.place: match for match in matches(calibration(), map(read, records), None)["a"]}
    by_size = found[Place("savings", 4, "zoo", "100", "savings")]
    assert by_size.ours == (40.0, 60.0)
    assert by_size.published == (published()[Spot(4, "0.5", "1e4", "zoo", "100", "savings")],)
    lost = found[Place("savings", 6, "zoo", "mean", "savings")]  # of which only the means are known
    assert lost.ours == (45.0, 70.0)
    assert lost.published == (published()[Spot(3, "0.01", "1e4", "zoo", "mean", "savings")],)
    assert len(found) == 3


def test_only_the_target_that_chooses_chooses():
    def match(target: str, ours: float) -> Match:
        return Match(Place(target, 4, "zoo", "100", "savings"), (50.0,), (ours,))

    near_by_runs = [match("savings", 80.0), match("runs", 50.0)]
    near_by_savings = [match("savings", 51.0), match("runs", 90.0)]
    plan = calibration(candidates={"a": {}, "b": {}}, targets=[SAVINGS, RUNS])
    scored = {"a": near_by_runs, "b": near_by_savings}
    assert result_of(plan, scored).chosen == "b"
    by_runs = result_of(plan.model_copy(update={"choose_by": "runs"}), scored)
    assert by_runs.chosen == "a"
    assert by_runs.ranked == ["a", "b"]
    assert "Chosen by runs: a (the preset as it is)." in markdown(document(by_runs))
    with pytest.raises(ResultError, match="no candidate has runs for the target 'runs'"):
        result_of(plan.model_copy(update={"choose_by": "runs"}), {"a": [match("savings", 80.0)]})


def test_runs_of_the_original_program_are_read(tmp_path):
    file = tmp_path / "runs.csv"
    file.write_text("dataset,n_train,nodes,train_correct\nzoo,80,5,40\nzoo,80,7,\n", encoding="utf-8")
    runs = read_runs(file)
    assert [run["nodes"] for run in runs["zoo"]] == [5.0, 7.0]
    assert runs["zoo"][0]["accuracy"] == 0.5
    file.write_text("dataset,nodes\nzoo,5\n", encoding="utf-8")
    with pytest.raises(ResultError, match="has no column train_correct, n_train"):
        read_runs(file)
    file.write_text("dataset,n_train,nodes,train_correct\nzoo,80,five,40\n", encoding="utf-8")
    with pytest.raises(ResultError, match="line 2: could not convert"):
        read_runs(file)


def test_the_included_calibration_is_complete():
    assert read_calibration(ORIGINAL, choose_by="runs").choose_by == "runs"
    without = read_calibration(ORIGINAL, has_runs=False)
    assert [target.kind for target in without.targets] == ["savings"]
    assert without.tried()["preset"] == {}
    with pytest.raises(ConfigError, match="give them with --runs"):
        read_calibration(ORIGINAL, choose_by="runs", has_runs=False)


def test_the_command_runs_scores_and_resumes(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(
        "gatree.cli.commands.run.run_locally",
        lambda cells, data, *_: (run_cell(cell, data[cell.checksum]) for cell in cells),
    )
    config = tmp_path / "my.yaml"
    config.write_text(
        """
name: tiny
seed: 3
seeds: 2
choose_by: savings
candidates: {preset: {}, tournament: {selection: tournament}}
targets: [{kind: savings, datasets: zoo, size: [10], tables: [6]}]
""",
        encoding="utf-8",
    )
    command = ["--config", str(config), "--results", str(tmp_path), "--jobs", "1", "--format", "json"]
    first = CliRunner().invoke(calibrate, command)
    assert first.exit_code == 0, first.output
    assert "4 to run" in first.stderr
    rows = json.loads(first.stdout)
    assert {row["candidate"] for row in rows} == {"preset", "tournament"}
    assert rows[0]["savings"]["crps"] <= rows[1]["savings"]["crps"]
    written = {path.name for path in (tmp_path / "tiny").glob("candidates.*")}
    assert written == {f"candidates.{suffix}" for suffix in ("md", "csv", "json", "svg", "png")}
    again = CliRunner().invoke(calibrate, command)
    assert "0 to run" in again.stderr
    assert again.stdout == first.stdout


NUMBERS = st.floats(-100, 100)


def naive_crps(runs: list[float], value: float) -> float:
    n = len(runs)
    apart = sum(abs(a - b) for a, b in product(runs, runs))
    return fmean(abs(run - value) for run in runs) - (apart / (2 * n * (n - 1)) if n > 1 else 0)


@given(st.lists(NUMBERS, min_size=1, max_size=12), NUMBERS)
def test_crps_is_its_definition(runs, value):
    assert crps(runs, value) == pytest.approx(naive_crps(runs, value), abs=1e-9)


def match(dataset: str, published: float, *ours: float, table: int = 4) -> Match:
    return Match(Place("savings", table, dataset, "100", "savings"), (published,), ours)


def test_a_score_has_deviation_bias_and_share_inside():
    score = Score.of([match("vote", 30.0, 28.0, 34.0), match("zoo", 60.0, 50.0, 52.0)])
    assert score == Score(
        n=2, crps=pytest.approx((0.0 + 8.0) / 2), deviation=5.0, bias=-4.0, share_inside=0.5
    )


def test_what_is_held_out_does_not_choose():
    near_on_vote = [match("vote", 30.0, 30.0), match("zoo", 60.0, 90.0), match("glass", 50.0, 70.0)]
    near_elsewhere = [match("vote", 30.0, 55.0), match("zoo", 60.0, 60.0), match("glass", 50.0, 52.0)]
    candidates = {"a": near_on_vote, "b": near_elsewhere}
    assert chosen(candidates, lambda _: True) == "b"
    results = {result.group: result for result in held_out(candidates, lambda place: place.dataset)}
    assert {group: result.candidate for group, result in results.items()} == {
        "vote": "b",
        "zoo": "a",
        "glass": "b",
    }
    assert results["vote"].score.bias == 25.0
    assert held_out({"a": near_on_vote}, lambda _: "one") == []
    without_zoo = held_out(candidates, lambda place: None if place.dataset == "zoo" else place.dataset)
    assert [result.group for result in without_zoo] == ["glass", "vote"]
