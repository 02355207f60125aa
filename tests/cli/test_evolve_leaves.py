"""`gatree evolve --leaves`: the classifier's tree, its numbers, and what it is refused with."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from gatree import DecisionTree, GATreeClassifier, load_dataset
from gatree.cli.main import cli

FAST = ["--preset", "fast", "--seed", "3"]


def gatree(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["evolve", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("size", ["auto", "4"])
def test_the_tree_is_that_of_the_classifier(size):
    found = json.loads(gatree("glass", *FAST, "--leaves", size, "--folds", "0", "--json"))
    X, y = load_dataset("glass", as_frame=True)
    same = GATreeClassifier("fast", size="auto" if size == "auto" else int(size), random_state=3).fit(X, y)
    tree = DecisionTree.from_json(json.dumps(found["tree"]))
    data = load_dataset("glass")
    given = np.array(tree.class_values)[tree.predict(data)]
    assert (given == same.predict(X)).all()
    assert found["n_leaves"] == same.get_n_leaves()
    assert found["accuracy"] == same.score(X, y)
    assert found["cross_validation"] is None


def test_text_has_the_tree_its_numbers_and_the_front():
    text = gatree("zoo", *FAST, "--leaves", "auto", "--folds", "3", "--per-size")
    assert "in 3-fold cross-validation (trees of " in text
    assert "J48          " in text
    assert "chosen by cross-validation, in " in text
    assert "cross-validated" in text.partition("the best tree found of each size")[2]


def test_a_tree_can_be_kept_and_classes_weighted(tmp_path):
    balanced = ["--class-weight", "balanced", "--leaves", "2", "--folds", "0"]
    gatree("breast", *FAST, *balanced, "--save", str(tmp_path / "tree.json"))
    tree = DecisionTree.from_json((tmp_path / "tree.json").read_text())
    assert tree.n_leaves == 2
    plain = json.loads(gatree("breast", *FAST, "--leaves", "2", "--folds", "0", "--json"))
    data = load_dataset("breast")
    right = np.count_nonzero(tree.predict(data) == data.classes)
    assert right < plain["n_correct"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--leaves", "0"], "0 is not in the range x>=1"),
        (["--leaves", "few"], "'few' is not a valid integer"),
        (["--leaves", "auto", "--generations", "5"], "--generations is for the genetic algorithm"),
        (["--leaves", "auto", "--prefer", "small"], "--prefer is for the genetic algorithm"),
        (["--leaves", "auto", "--preset", "paper"], "--leaves goes with --preset default or fast, got paper"),
    ],
)
def test_wrong_usage(arguments, message):
    result = CliRunner().invoke(cli, ["evolve", "zoo", *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
