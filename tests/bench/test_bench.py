"""The benchmarks run, in tiny sizes, and write what they promise. How fast anything is, is not tested."""

import json
import platform
import shutil
import sys

import numpy as np
import pytest

from bench import __main__ as command
from bench.brood import Brood
from bench.common import RESULTS, Options, fitted_exponent, interleaved, write
from bench.evolutions import offspring_of, problem, race
from bench.first_minute import CELL
from bench.peers import environments
from bench.peers import race as peers
from bench.roofline import word_operations
from gatree.base.errors import GatreeError
from gatree.evolution.evolve import evolve
from gatree.experiments.experiment import read_experiment
from gatree.experiments.run import Plan
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.trees.genome import Tree


def options(folder):
    return Options(quick=True, repeats=1, output=folder)


@pytest.fixture(autouse=True)
def _no_peer_is_installed(monkeypatch, tmp_path):
    monkeypatch.setattr(environments, "ENVIRONMENTS", tmp_path / "peers")


@pytest.mark.long
@pytest.mark.parametrize("part", [part for part in command.PARTS if part != "peers"])
def test_every_part_writes_json_a_table_and_its_pictures(part, tmp_path):
    assert command.run_part(part, options(tmp_path))
    content = json.loads((tmp_path / f"{part}.json").read_text())
    assert content["quick"]
    assert content["rows"]
    assert content["machine"]["cores"] >= 1
    section = (tmp_path / f"{part}.md").read_text()
    assert section.startswith(f"## {content['title']}\n\n| ")
    pictures = {path.stem for path in tmp_path.glob("*.svg")}
    assert pictures == {path.stem for path in tmp_path.glob("*.png")}
    assert all(f"]({name}.svg)" in section for name in pictures)
    assert platform.node() not in section


@pytest.mark.long
def test_the_page_has_all_parts_and_says_when_they_were_quick(tmp_path):
    for part in ("engine", "evaluators"):
        assert command.run_part(part, options(tmp_path))
    command.write_page(tmp_path, command.SECTIONS)
    page = (tmp_path / "README.md").read_text()
    assert "## The engine: old against new" in page
    assert "## The evaluators" in page
    assert "--quick" in page


def test_the_page_of_the_results_has_all_of_them(tmp_path):
    for file in RESULTS.glob("[a-z]*.*"):
        shutil.copy(file, tmp_path)
    command.write_page(tmp_path, command.SECTIONS)
    assert (tmp_path / "README.md").read_text() == (RESULTS / "README.md").read_text()
    sections = {f"{part}.md" for part in command.SECTIONS}
    assert {file.name for file in RESULTS.glob("[a-z]*.md")} == sections


def test_the_cell_of_the_first_minute_is_an_experiment(tmp_path):
    config = tmp_path / "cell.yaml"
    config.write_text(CELL)
    assert len(Plan.of(read_experiment(config)).cells) == 1


def test_an_unknown_part_is_refused(capsys):
    assert command.main(["engines"]) == 2
    assert "no part engines; there are: all, engine" in capsys.readouterr().err


@pytest.mark.long
def test_results_newer_than_the_sources_are_kept_on_request(tmp_path, capsys):
    assert command.run_part("space", options(tmp_path))
    before = (tmp_path / "space.json").stat().st_mtime_ns
    assert command.main(["space", "--quick", "--reuse", "--output", str(tmp_path)]) == 0
    assert (tmp_path / "space.json").stat().st_mtime_ns == before
    assert "space: kept" in capsys.readouterr().err


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.7])
def test_the_exponent_of_a_power_law_is_found(exponent):
    x = np.array([10.0, 100.0, 1e3, 1e5])
    assert fitted_exponent(x, 3 * x**exponent) == pytest.approx(exponent)


def test_runs_take_turns_after_one_that_does_not_count():
    calls = []
    best = interleaved({name: lambda name=name: calls.append(name) for name in "ab"}, repeats=3)
    assert calls == list("ab") * 4
    assert best["a"].seconds == pytest.approx(min(best["a"].all_seconds), abs=1e-9)
    assert len(best["b"].all_seconds) == 3


def test_evaluators_that_disagree_are_an_error(monkeypatch):
    def spoilt(data, settings):
        outcome = evolve(data, settings)
        outcome.history["digest"][-1] += settings.evaluator == "new"
        return outcome

    monkeypatch.setattr("bench.evolutions.evolve", spoilt)
    with pytest.raises(GatreeError, match="vote: the evaluators old and new ran different evolutions"):
        race(problem("vote"), ("old", "new"), 4, repeats=1)


def test_offspring_are_counted_without_the_initial_population():
    outcome = evolve(
        problem("zoo"), EvolutionSettings(population_size=8, n_generations=5, generation_gap=0.25)
    )
    assert offspring_of(outcome) == 5 * 2 == outcome.n_evaluations - 8


def test_all_evaluators_count_the_same_brood():
    brood = Brood(problem("vote"), n_trees=6, n_nodes=15)
    assert {brood.population.tree(slot).n_nodes for slot in range(6)} == {15}
    correct = []
    for name in ("old", "new", "new-all-nodes", "bitset"):
        brood.evaluate(brood.evaluator(name))
        correct.append(brood.population.trees.n_correct[brood.children.slot].tolist())
    assert all(counts == correct[0] for counts in correct)


def test_word_operations_are_the_path_and_the_subtree():
    brood = Brood(problem("vote"), n_trees=2, n_nodes=3)
    brood.population.put(2, Tree.nested((0, 0, 1, (1, 0, (2, 0, 0, 1), 1))))
    brood.children.stale[1] = (-1, -1)
    brood.children.stale[0] = (2, -1)  # the second test: one test above, four nodes below
    assert word_operations(brood) == 1 + 4
    brood.children.stale[0] = (1, 4)  # a leaf below one test, and one below three
    assert word_operations(brood) == (1 + 1) + (3 + 1)


def test_a_peer_that_fails_is_a_row_with_its_message():
    row = peers.answer_of([sys.executable, "-c", "raise SystemExit('no luck')"])
    assert row == {"failure": "no luck"}


def test_a_peer_that_learns_nothing_is_not_a_time():
    broken, fine = {"accuracy": 0.2, "per_second": 1e6}, {"accuracy": 0.5, "per_second": 10.0}
    assert "worse than guessing (accuracy 0.200)" in peers.not_worse_than_guessing(broken, 4)["failure"]
    assert peers.not_worse_than_guessing(fine, 2) == fine


def test_a_complaint_is_told_without_addresses_and_folders():
    text = "Looking in https://index.org/simple\n\nerror: no file /home/me/it/setup.py\nhint: try again\n"
    assert environments.end_of(text) == "Looking in …; error: no file …setup.py"


@pytest.mark.long
def test_peers_that_are_not_installed_say_so(tmp_path):
    report = peers.measure(options(tmp_path))
    write("peers", peers.TITLE, report, options(tmp_path))
    assert json.loads((tmp_path / "peers.json").read_text())["rows"] == report.rows
    rows = {row["learner"]: row for row in report.rows}
    assert "installs nothing" in rows["DEAP with numpy"]["failure"]
    assert "DEAP with numpy did not take part: not installed yet" in report.notes
    assert rows["this, new"]["evaluations"] == 10 * (2 + 1)
    assert rows["this, new"]["accuracy"] == rows["this, old"]["accuracy"]
