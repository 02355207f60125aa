"""`gatree optimum` as people call it."""

from __future__ import annotations

import json

from click.testing import CliRunner

from gatree.cli.main import cli
from gatree.trees.model import DecisionTree


def run(*arguments):
    return CliRunner().invoke(cli, ["optimum", *arguments], prog_name="gatree")


def test_prints_the_tree_and_what_is_proven():
    shown = run("vote", "--nodes", "7").stdout
    assert "physician-fee-freeze" in shown
    assert "nodes:    7" in shown
    assert "correct:  420 of 435 (96.55%)" in shown
    assert "bound:    420 of 435 (96.55%), proven" in shown


def test_the_json_has_a_tree_that_can_be_read_back():
    printed = json.loads(run("vote", "--tests", "1", "--json").stdout)
    assert (printed["correct"], printed["bound"], printed["proven"]) == (416, 416, True)
    assert DecisionTree.from_json(json.dumps(printed["tree"])).n_nodes == 3


def test_out_of_time_says_so():
    assert "out of time: better trees may exist" in run("vote", "--tests", "4", "--seconds", "1e-9").stdout


def test_the_size_is_given_once():
    for arguments in (["vote"], ["vote", "--nodes", "7", "--tests", "3"]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "give the size as --nodes N or as --tests K" in result.output
