"""`gatree tree`: its options, its numbers, and what Ctrl-C keeps."""

from __future__ import annotations

import json
import os
import re
import signal
import threading

import numpy as np
import pytest
from commands import printed, run

from gatree import DecisionTree, load_dataset, write_arff
from gatree.base.errors import DataError
from gatree.base.progress import Progress
from gatree.cli.commands.explore import explore
from gatree.cli.commands.tree import tree as small_tree
from gatree.settings.small_tree import SmallTreeSettings

FAST = ["--effort", "0.1", "--seed", "3"]
ALONE = ["--folds", "0"]
LEGS = ["zoo", "--class", "legs", "--regression"]


def found_by(*arguments: str) -> dict:
    found = printed("tree", *arguments)
    for name in ("seconds", "seconds_spent"):
        found.pop(name, None)
    return found


def gatree(*arguments: str) -> str:
    return run("tree", *arguments).stdout


@pytest.fixture(scope="module")
def plain():
    return found_by("balance-scale", *FAST, *ALONE)


@pytest.mark.parametrize(
    "options",
    [
        ["--max-leaves", "5"],
        ["--max-depth", "2", "--n-jobs", "2"],
        ["--min-leaf", "60"],
        ["--min-leaf", "0.2"],
        ["--min-split", "300"],
        ["--class-weight", "B=9,L=1,R=1"],
    ],
)
def test_limits_and_weights_change_the_tree(plain, options):
    found = found_by("balance-scale", *FAST, *options, *ALONE)
    assert found["leaves"] == "auto"
    assert found["n_leaves"] <= 5 or options[0] != "--max-leaves"
    assert found["depth"] <= 2 or options[0] != "--max-depth"
    assert found["tree"] != plain["tree"]


def test_several_files_are_one_table(tmp_path):
    data = load_dataset("zoo")
    half = np.arange(data.n_instances) < 50
    for name, rows in (("a", half), ("b", ~half), ("all", half | ~half)):
        write_arff(data.take(np.flatnonzero(rows)), tmp_path / f"{name}.arff")
    several, one = (found_by(str(tmp_path / name), *FAST, *ALONE) for name in ("?.arff", "all.arff"))
    assert several["tree"] == one["tree"]
    assert several["accuracy"] == one["accuracy"]


def test_the_trees_of_all_sizes():
    found = found_by("zoo", *FAST, *ALONE, "--per-size")
    for row in found["per_size"]:
        tree = DecisionTree.from_json(json.dumps(row["tree"]))
        assert (tree.n_nodes, tree.n_leaves) == (row["n_nodes"], row["n_leaves"])
        right = np.mean(tree.predict(load_dataset("zoo")) == load_dataset("zoo").classes)
        assert right == row["accuracy"]
    assert len(found["per_size"]) > 7
    text = gatree("zoo", *FAST, "--folds", "3", "--per-size", "--no-compare")
    assert "validated    accuracy in cross-validation (3 folds), with its standard error:" in text
    assert "chosen       from the data: the smallest size close to the best in the search's own" in text
    assert "cross-validated" in text.partition("the best tree found of each size")[2]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ((), "the smallest size close to the best"),
        (("--size-rule", "1-se"), "the smallest size within one standard error of the best"),
        (("--size-rule", "2"), "the smallest size within 2.0 standard errors of the best"),
        (("--size-rule", "min"), "the size with the least error"),
    ],
)
def test_what_is_said_of_the_chosen_size_is_true_of_the_curve(rule, words):
    text = gatree("balance-scale", *FAST, *ALONE, *rule)
    assert f"from the data: {words} in the search's own cross-validation" in " ".join(text.split())
    rows = found_by("balance-scale", *FAST, *ALONE, *rule, "--per-size")["per_size"]
    rows = [row for row in rows if row["chosen by"] is not None]  # a proof may add a size that was not judged
    (chosen,) = (row for row in rows if row["chosen"])
    least = min(row["chosen by"] for row in rows)
    assert all(row["chosen by"] > chosen["chosen by"] for row in rows if row["n_leaves"] < chosen["n_leaves"])
    if "min" in rule:
        assert chosen["chosen by"] == pytest.approx(least)


def test_few_instances(tmp_path):
    file = tmp_path / "few.csv"
    for text, folds in (("1,a\n2,b\n9,b\n4,\n", 3), ("1,a\n2,b\n", 2), ("1,a\n,b\n", 2)):
        file.write_text("size,kind\n" + text)
        assert found_by(str(file), *FAST, "--no-compare")["cross_validation"]["folds"] == folds
    file.write_text("size,kind\n1,a\n,a\n")
    refused = run("tree", file, *FAST, code=1).exception
    assert isinstance(refused, DataError)
    assert "'kind' is 'a' in all rows, so there is nothing to learn" in str(refused)


def test_what_j48_cannot_use_costs_no_tree(tmp_path):
    file, saved = tmp_path / "far.csv", tmp_path / "tree.json"
    file.write_text("one,kind\n" + "-inf,a\n3,a\n5,b\n" * 9)
    result = run("tree", file, *FAST, "--folds", "3", "--save", saved, "--json", "--quiet")
    assert result.stderr == ""
    found = json.loads(result.stdout)
    assert (found["accuracy"], found["n_nodes"]) == (1.0, 3)
    assert found["cross_validation"]["accuracy"] == 1.0
    assert found["compared"]["J48"] == {"left_out": "far: J48 cannot use the infinite values of 'one'"}
    assert found["compared"]["majority"]["accuracy"] == pytest.approx(2 / 3)
    assert DecisionTree.from_json(saved.read_text()).n_nodes == 3


@pytest.mark.parametrize("command", ["tree", "explore"])
def test_ctrl_c_during_the_proofs_keeps_the_tree(tmp_path, command, monkeypatch):
    end = threading.Event()

    def interrupt_and_wait(*_):
        signal.raise_signal(signal.SIGINT)
        end.wait(60)

    monkeypatch.setattr("gatree.smalltree.fit.prove", interrupt_and_wait)
    saved = tmp_path / "saved"
    option = "--save" if command == "tree" else "--output"
    ended = run(command, "zoo", "--effort", "0.1", option, saved, code=130)
    end.set()
    assert "interrupted: " in ended.stderr
    if command == "tree":
        assert DecisionTree.from_json(saved.read_text()).n_leaves > 1
        assert "on the training data" in ended.stdout
        assert "the whole procedure" not in ended.stdout
    else:
        assert "the best tree" in saved.read_text()


@pytest.mark.parametrize("during", ["search", "cross-validation", "comparison with"])
def test_ctrl_c_keeps_what_there_is(tmp_path, during, monkeypatch):
    reported, saved = Progress.progress, tmp_path / "tree.json"

    def report_and_interrupt(progress, what, *numbers):
        if what.startswith(during):
            os.kill(os.getpid(), signal.SIGINT)
        return reported(progress, what, *numbers)

    monkeypatch.setattr(Progress, "progress", report_and_interrupt)
    ended = run("tree", "zoo", *FAST, "--folds", "2", "--save", saved, code=130)
    assert saved.exists() == (during != "search")
    if during == "search":
        assert "interrupted before there was a tree" in ended.stderr
        assert ended.stdout == ""
    else:
        assert "interrupted: this is the tree, without what was still to come" in ended.stderr
        assert "on the training data" in ended.stdout
        assert ("the whole procedure" in ended.stdout) == (during == "comparison with")


@pytest.mark.parametrize(("data", "first", "rule"), [("glass", "Mg", "3"), ("numbers.csv", "b", "50")])
def test_the_first_test_and_the_rule_for_the_size_are_options(data, first, rule, tmp_path, monkeypatch):
    rows = "".join(f"{i % 7},{i % 11},{i % 7 + 10 * (i % 11 > 5) + i / 1000}\n" for i in range(120))
    (tmp_path / "numbers.csv").write_text("a,b,y\n" + rows)
    monkeypatch.chdir(tmp_path)
    quick = ["tree", data, "--effort", "0.1", "--folds", "0", "--no-compare", "--quiet"]

    def tree_of(*options: str) -> DecisionTree:
        return DecisionTree.from_json(json.dumps(printed(*quick, *options)["tree"]))

    best, smaller = tree_of("--first", first), tree_of("--first", first, "--size-rule", rule)
    assert best.attribute(0).name == smaller.attribute(0).name == first
    assert smaller.n_leaves < best.n_leaves
    assert tree_of("--max-depth", "2").depth <= 2


@pytest.mark.parametrize("command", [small_tree, explore])
def test_every_setting_is_an_option(command):
    options = {option.name: option for option in command.params}
    for name, field in SmallTreeSettings.model_fields.items():
        assert field.description.rstrip(".").lower() in options[name].help.lower()
    assert len(options) <= 42


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zoo", "--leaves", "0"], "0 is not in the range 1<=x<=1024"),
        (["zoo", "--leaves", "few"], "'few' is not 'auto'"),
        (["zoo", "--min-leaf", "0"], "0 is not in the range"),
        (["zoo", "--folds", "1"], "should be 0, for none, or at least 2, got 1"),
        (["zoo", "--class-weight", "equal"], "balanced, or a weight per class such as A=2,B=1, not"),
        (["zoo", "--class-weight", "bird=2,=1"], "should be balanced, or a weight per class"),
        (["zoo", "--details", "--folds", "0"], "--details"),
        (["zoo", "--preset", "fast"], "--preset: "),
        ([*LEGS, "--class-weight", "balanced"], "--class-weight: for classes, and legs has numbers"),
        ([*LEGS, "--scoring", "log_loss"], "--scoring: for classes, and legs has numbers"),
        ([*LEGS, "--details"], "--details: for classes, and legs has numbers"),
    ],
)
def test_wrong_usage(arguments, message):
    result = run("tree", *arguments, code=None)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zoo", "--folds", "102"], "cannot make 102 folds of 101 instances"),
        (["zoo", "--first", "fur"], "no attribute 'fur' to test first"),
        (["zoo", "--class-weight", "cat=2"], "--class-weight: zoo has no class 'cat'"),
    ],
)
def test_bad_input(arguments, message):
    result = run("tree", *arguments, code=None)
    assert message in str(result.exception)


def test_a_time_limit_ends_the_search_and_says_so():
    limited = ["--effort", "300", "--max-seconds", "0.5", "--folds", "0", "--no-compare"]
    ended = run("tree", "kr-vs-kp", *limited)
    assert "the search ended after 0.5 s with the best trees so far" in ended.stderr
    assert "on the training data" in ended.stdout


def test_a_size_chosen_by_probabilities_says_so():
    shown = gatree("vote", "--effort", "0.02", "--scoring", "log_loss", "--no-compare")
    assert "from the data: the size with the least log loss in the search's own" in shown
    assert re.search(r"0\.\d{4} log loss, 0\.\d{4} area under the ROC curve of the whole procedure", shown)
