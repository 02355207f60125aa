"""`gatree optimum` as people call it."""

from __future__ import annotations

import json
import re
import signal

import pytest
from commands import printed, run

from gatree.base.progress import Progress
from gatree.trees.model import DecisionTree


def optimum(*arguments, code=0):
    return run("optimum", *arguments, code=code)


def test_prints_the_tree_and_what_is_proven():
    shown = optimum("vote", "--nodes", "7").stdout
    assert "physician-fee-freeze" in shown
    assert "nodes:    7" in shown
    assert "correct:  420 of 435 (96.55%)" in shown
    assert "bound:    420 of 435 (96.55%), proven" in shown
    assert (
        "out of time: better trees may exist" in optimum("vote", "--tests", "4", "--seconds", "1e-9").stdout
    )
    for arguments in (["vote"], ["vote", "--nodes", "7", "--tests", "3"]):
        refused = optimum(*arguments, code=2).output
        assert "give the size as --nodes N or as --tests K" in refused


def test_the_json_has_a_tree_that_can_be_read_back():
    found = printed("optimum", "vote", "--tests", "1")
    assert (found["correct"], found["bound"], found["proven"]) == (416, 416, True)
    assert DecisionTree.from_json(json.dumps(found["tree"])).n_nodes == 3


@pytest.mark.parametrize(
    ("size", "correct"),
    [
        (["--leaves", "4"], "420 of 435"),
        (["--depth", "2"], "417 of 435"),
        (["--depth", "2", "--leaves", "3"], "416 of 435"),
        (["--depth", "2", "--min-leaf", "20"], "417 of 435"),
        (["--leaves", "4", "--class-weight", "democrat=1,republican=2"], "583 of 603, by weight"),
    ],
)
def test_the_size_of_the_tree_and_its_leaves_are_limited(size, correct):
    shown = optimum("vote", *size).stdout
    assert f"correct:  {correct} (" in shown
    assert "proven" in shown


@pytest.mark.parametrize(("thresholds", "correct"), [("observed", 5), ("integer", 6)])
def test_only_integer_thresholds_tell_missing_values_from_all_others(tmp_path, thresholds, correct):
    file = tmp_path / "missing.arff"
    rows = "1,x\n2,x\n3,x\n2,x\n?,y\n?,y\n"
    file.write_text(f"@relation r\n@attribute a numeric\n@attribute c {{x,y}}\n@data\n{rows}")
    shown = optimum(file, "--tests", "1", "--numeric-tests", thresholds).stdout
    assert f"correct:  {correct} of 6 (" in shown


def test_a_regression_tree_has_the_least_squared_error(tmp_path):
    file = tmp_path / "steps.csv"
    file.write_text("x,y\n" + "".join(f"{x},{10 * (x // 10) + x % 2}\n" for x in range(40)))
    found = printed("optimum", file, "--regression", "--leaves", "4")
    assert found["proven"]
    assert found["squared_error"] == found["bound"] == pytest.approx(0.25)
    assert "error:    0.25 (mean of squares)" in optimum(file, "--regression", "--leaves", "4").stdout
    refused = optimum(file, "--regression", "--leaves", "5", code=1)
    assert "a regression tree may have up to 3 tests, got 4" in str(refused.exception)


def test_ctrl_c_ends_the_search_with_the_best_tree_so_far(monkeypatch):
    def interrupt(_, what, *__):
        if what.startswith("correct: "):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Progress, "progress", interrupt)
    ended = optimum("kr-vs-kp", "--tests", "9", "--json", code=130)
    found = json.loads(ended.stdout)
    assert 1600 < found["correct"] < found["bound"]
    assert not found["proven"]
    assert "interrupted: this is the best tree so far" in ended.stderr


def test_progress_has_a_bound(monkeypatch):
    reported = []
    monkeypatch.setattr(Progress, "progress", lambda _, what, *__: reported.append(what))
    assert optimum("kr-vs-kp", "--tests", "4", "--quiet").stderr == ""
    assert any(re.fullmatch(r"correct: 3\d\d\d so far, bound 3\d\d\d", what) for what in reported)
