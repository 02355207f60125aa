"""The benchmarks run, in tiny sizes, and write what they promise. How fast anything is, is not tested."""

import json
import platform
import sys

import pytest

from bench import __main__ as command
from bench import findings
from bench.common import RESULTS, Options, as_markdown, interleaved, read, write
from bench.evolutions import offspring_of, problem, race
from bench.peers import environments
from bench.peers import race as peers
from gatree.base.errors import GatreeError
from gatree.evolution.evolve import evolve
from gatree.settings.evolution_settings import EvolutionSettings


def options(folder):
    return Options(quick=True, repeats=1, output=folder)


@pytest.fixture(autouse=True)
def _no_peer_is_installed(monkeypatch, tmp_path):
    monkeypatch.setattr(environments, "ENVIRONMENTS", tmp_path / "peers")


@pytest.mark.long
@pytest.mark.parametrize("part", [part for part in command.PARTS if part != "peers"])
def test_every_part_writes_its_numbers_and_has_a_line_on_the_page(part, tmp_path):
    assert command.run_part(part, options(tmp_path))
    content = read(part, tmp_path)
    assert content["quick"]
    assert content["rows"]
    assert content["machine"]["cores"] >= 1
    shown = as_markdown(content)
    assert shown.startswith(f"## {content['title']}\n\n| ")
    assert platform.node() not in shown
    page = command.page_of(tmp_path)
    assert f"\n| [{part}]({part}.json) | " in page
    assert "--quick" in page


def test_the_page_of_the_results_has_all_of_them(capsys):
    assert {path.stem for path in RESULTS.glob("*.json")} <= set(findings.LINES)
    assert set(command.PARTS) | {"quality", "unseen", "regression"} == set(findings.LINES)
    assert command.main(["--show", "quality", "regression"]) == 0
    shown = capsys.readouterr().out
    assert "| kr-vs-kp " in shown
    assert "| friedman3 " in shown
    assert command.main(["--show", "engines"]) == 1
    assert command.main(["engines"]) == 2
    assert "no part engines; there are: all, evaluators" in capsys.readouterr().err


@pytest.mark.long
def test_results_newer_than_the_sources_are_kept_on_request(tmp_path, capsys):
    assert command.run_part("space", options(tmp_path))
    before = (tmp_path / "space.json").stat().st_mtime_ns
    assert command.main(["space", "--quick", "--reuse", "--output", str(tmp_path)]) == 0
    assert (tmp_path / "space.json").stat().st_mtime_ns == before
    assert "space: kept" in capsys.readouterr().err


def test_runs_take_turns_after_a_warm_up_run():
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


def test_a_peer_that_fails_or_learns_nothing_is_not_a_time():
    failed = peers.answer_of([sys.executable, "-c", "raise SystemExit('no luck')"])
    assert failed == {"failure": "no luck"}
    broken, fine = {"accuracy": 0.2, "per_second": 1e6}, {"accuracy": 0.5, "per_second": 10.0}
    assert "worse than guessing (accuracy 0.200)" in peers.not_worse_than_guessing(broken, 4)["failure"]
    assert peers.not_worse_than_guessing(fine, 2) == fine


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
