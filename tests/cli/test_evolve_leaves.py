"""`gatree evolve` by default and with `--leaves`: the classifier's tree, its numbers, and the other way."""

from __future__ import annotations

import json
import os
import signal
import threading

import numpy as np
import pytest
from commands import printed, run

from gatree import DecisionTree, load_dataset, write_arff
from gatree.base.errors import DataError
from gatree.base.progress import Progress
from gatree.settings.presets import settings_of

FAST = ["--preset", "fast", "--seed", "3"]
ALONE = ["--folds", "0"]
WAYS = [FAST, ["--leaves", "penalty", "--population", "30", "--generations", "20"]]


def evolved(*arguments: str) -> dict:
    found = printed("evolve", *arguments)
    for name in ("seconds", "seconds_spent"):
        found.pop(name, None)
    return found


def gatree(*arguments: str) -> str:
    return run("evolve", *arguments).stdout


def test_the_size_is_chosen_from_the_data_unless_something_else_is_asked_for():
    by_default = evolved("zoo", *FAST, *ALONE)
    assert by_default["leaves"] == "auto"
    assert by_default == evolved("zoo", *FAST, *ALONE, "--leaves", "auto")
    one = evolved("zoo", *FAST, *ALONE, "--leaves", "penalty")
    assert one["settings"] == settings_of("fast", {"seed": 3}).model_dump(mode="json")
    text = gatree("zoo", *FAST, "--generations", "9", *ALONE)
    assert "chosen       by the payoff of one evolution, x-factor 1e5..1e4" in text


@pytest.mark.parametrize(
    "options",
    [
        ["--generations", "20"],
        ["--population", "20"],
        ["--x-factor", "1e3"],
        ["--prefer", "small"],
        ["--evaluator", "new"],
        ["--size", "leaves"],
        ["--raw"],
        ["--preset", "paper"],
    ],
)
def test_options_of_one_evolution_ask_for_one(tmp_path, options):
    write_arff(load_dataset("zoo"), tmp_path / "zoo.arff")
    found = evolved(str(tmp_path / "zoo.arff"), *FAST, *options, *ALONE)
    assert found["leaves"] == "penalty"
    assert "payoff" in found


@pytest.fixture(scope="module")
def plain():
    return evolved("balance-scale", *FAST, *ALONE)


@pytest.mark.parametrize(
    "options",
    [
        ["--max-nodes", "9"],
        ["--max-depth", "2", "--n-jobs", "2"],
        ["--min-leaf", "5"],
        ["--numeric-tests", "integer"],
    ],
)
def test_settings_of_both_ways_do_not(plain, options):
    found = evolved("balance-scale", *FAST, *options, *ALONE)
    assert found["leaves"] == "auto"
    assert found["n_nodes"] <= 9 or options[0] != "--max-nodes"
    assert found["depth"] <= 2 or options[0] != "--max-depth"
    assert found["tree"] != plain["tree"]


def test_several_files_are_one_table(tmp_path):
    data = load_dataset("zoo")
    half = np.arange(data.n_instances) < 50
    for name, rows in (("a", half), ("b", ~half), ("all", half | ~half)):
        write_arff(data.take(np.flatnonzero(rows)), tmp_path / f"{name}.arff")
    several, one = (evolved(str(tmp_path / name), *FAST) for name in ("?.arff", "all.arff"))
    assert several["tree"] == one["tree"]
    assert several["accuracy"] == one["accuracy"]


def test_the_trees_of_all_sizes():
    found = evolved("zoo", *FAST, *ALONE, "--per-size")
    for row in found["per_size"]:
        tree = DecisionTree.from_json(json.dumps(row["tree"]))
        assert (tree.n_nodes, tree.n_leaves) == (row["n_nodes"], row["n_leaves"])
        right = np.mean(tree.predict(load_dataset("zoo")) == load_dataset("zoo").classes)
        assert right == row["accuracy"]
    assert len(found["per_size"]) > 7
    text = gatree("zoo", *FAST, "--folds", "3", "--per-size", "--no-compare")
    assert "validated    accuracy in cross-validation (3 folds), with its standard error:" in text
    assert "chosen       from the data: the smallest size that cross-validates nearly as well" in text
    assert "cross-validated" in text.partition("the best tree found of each size")[2]


@pytest.mark.parametrize("way", WAYS)
def test_few_instances(tmp_path, way):
    file = tmp_path / "few.csv"
    for text, folds in (("1,a\n2,b\n9,b\n4,\n", 3), ("1,a\n2,b\n", 2), ("1,a\n,b\n", 2)):
        file.write_text("size,kind\n" + text)
        assert evolved(str(file), *way, "--no-compare")["cross_validation"]["folds"] == folds
    file.write_text("size,kind\n1,a\n,a\n")
    refused = run("evolve", file, *way, code=1).exception
    assert isinstance(refused, DataError)
    assert "'kind' is 'a' in all rows, so there is nothing to learn" in str(refused)


@pytest.mark.parametrize("way", WAYS)
def test_what_j48_cannot_use_costs_no_tree(tmp_path, way):
    file, saved = tmp_path / "far.csv", tmp_path / "tree.json"
    file.write_text("one,kind\n" + "-inf,a\n3,a\n5,b\n" * 9)
    result = run("evolve", file, *way, "--folds", "3", "--save", saved, "--json", "--quiet")
    assert result.stderr == ""
    found = json.loads(result.stdout)
    assert (found["accuracy"], found["n_nodes"]) == (1.0, 3)
    assert found["cross_validation"]["accuracy"] == 1.0
    assert found["compared"]["J48"] == {"left_out": "far: J48 cannot use the infinite values of 'one'"}
    assert found["compared"]["majority"]["accuracy"] == pytest.approx(2 / 3)
    assert DecisionTree.from_json(saved.read_text()).n_nodes == 3


@pytest.mark.parametrize("command", ["evolve", "explore"])
def test_ctrl_c_during_the_proofs_keeps_the_tree(tmp_path, command, monkeypatch):
    end = threading.Event()

    def interrupt_and_wait(*_):
        signal.raise_signal(signal.SIGINT)
        end.wait(60)

    monkeypatch.setattr("gatree.smalltree.fit.prove", interrupt_and_wait)
    saved = tmp_path / "saved"
    option = "--save" if command == "evolve" else "--output"
    ended = run(command, "zoo", "--preset", "fast", option, saved, code=130)
    end.set()
    assert "interrupted: " in ended.stderr
    if command == "evolve":
        assert DecisionTree.from_json(saved.read_text()).n_leaves > 1
        assert "on the training data" in ended.stdout
        assert "the whole procedure" not in ended.stdout
    else:
        assert "the best tree" in saved.read_text()


@pytest.mark.parametrize("during", ["search", "cross-validation", "comparison with"])
def test_ctrl_c_keeps_what_there_is(tmp_path, during, monkeypatch):
    reported, saved = Progress.__call__, tmp_path / "tree.json"

    def report_and_interrupt(progress, what, *numbers):
        if what.startswith(during):
            os.kill(os.getpid(), signal.SIGINT)
        return reported(progress, what, *numbers)

    monkeypatch.setattr(Progress, "__call__", report_and_interrupt)
    ended = run("evolve", "zoo", *FAST, "--folds", "2", "--save", saved, code=130)
    assert saved.exists() == (during != "search")
    if during == "search":
        assert "interrupted before there was a tree" in ended.stderr
        assert ended.stdout == ""
    else:
        assert "interrupted: this is the tree, without what was still to come" in ended.stderr
        assert "on the training data" in ended.stdout
        assert ("the whole procedure" in ended.stdout) == (during == "comparison with")


@pytest.mark.parametrize(("data", "first"), [("glass", "Mg"), ("numbers.csv", "b")])
def test_the_first_test_and_the_rule_for_the_size_are_options(data, first, tmp_path, monkeypatch):
    rows = "".join(f"{i % 7},{i % 11},{i % 7 + 10 * (i % 11 > 5) + i / 1000}\n" for i in range(120))
    (tmp_path / "numbers.csv").write_text("a,b,y\n" + rows)
    monkeypatch.chdir(tmp_path)
    quick = ["evolve", data, "--preset", "fast", "--folds", "0", "--no-compare", "--quiet"]

    def tree_of(*options: str) -> DecisionTree:
        return DecisionTree.from_json(json.dumps(printed(*quick, *options)["tree"]))

    best, smaller = tree_of("--first", first), tree_of("--first", first, "--size-rule", "3")
    assert best.attribute(0).name == smaller.attribute(0).name == first
    assert smaller.n_leaves < best.n_leaves
    assert tree_of("--max-depth", "2").depth <= 2
