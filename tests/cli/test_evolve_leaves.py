"""`gatree evolve` by default and with `--leaves`: the classifier's tree, its numbers, and the other way."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from terminals import interrupted, needs_a_terminal

from gatree import DecisionTree, GATreeClassifier, load_dataset, write_arff
from gatree.base.errors import DataError
from gatree.cli.main import cli
from gatree.settings.presets import settings_of

FAST = ["--preset", "fast", "--seed", "3"]
ALONE = ["--folds", "0"]


def evolved(*arguments: str) -> dict:
    found = json.loads(gatree(*arguments, "--json"))
    for name in ("seconds", "seconds_spent"):
        found.pop(name, None)
    return found


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
    assert "validated    accuracy in cross-validation (3 folds), with its standard error:" in text
    assert "the whole procedure (" in text
    assert "J48          " in text
    assert "chosen       from the data: the smallest size that cross-validates nearly as well" in text
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
        (["--leaves", "few"], "'few' is not a valid integer range. Or give auto or penalty."),
        (["--leaves", "auto", "--generations", "5"], "--generations is for the genetic algorithm"),
        (["--leaves", "auto", "--prefer", "small"], "--prefer is for the genetic algorithm"),
        (["--leaves", "auto", "--preset", "paper"], "--leaves auto goes with --preset default or fast"),
        (["--leaves", "3", "--shards", "2"], "--shards is for the genetic algorithm"),
    ],
)
def test_wrong_usage(arguments, message):
    result = CliRunner().invoke(cli, ["evolve", "zoo", *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_the_size_is_chosen_from_the_data_unless_something_else_is_asked_for():
    by_default = evolved("zoo", *FAST, "--folds", "2")
    assert by_default["leaves"] == "auto"
    assert by_default == evolved("zoo", *FAST, "--folds", "2", "--leaves", "auto")
    one = json.loads(gatree("zoo", *FAST, "--folds", "0", "--leaves", "penalty", "--json"))
    assert one["settings"] == settings_of("fast", {"seed": 3}).model_dump(mode="json")


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
        ["--in-pieces"],
        ["--preset", "paper"],
    ],
)
def test_options_of_one_evolution_ask_for_one(tmp_path, options):
    write_arff(load_dataset("zoo"), tmp_path / "zoo.arff")
    found = evolved(str(tmp_path / "zoo.arff"), *FAST, *options, *ALONE)
    assert found["leaves"] == "penalty"
    assert "payoff" in found


@pytest.mark.parametrize(
    "options",
    [
        ["--max-nodes", "9"],
        ["--max-depth", "2"],
        ["--min-leaf", "5"],
        ["--n-jobs", "2"],
        ["--numeric-tests", "integer"],
    ],
)
def test_settings_of_both_ways_do_not(options):
    found = evolved("balance-scale", *FAST, *options, *ALONE)
    assert found["leaves"] == "auto"
    assert found["n_nodes"] <= 9 or options[0] != "--max-nodes"
    assert found["depth"] <= 2 or options[0] != "--max-depth"
    plain = evolved("balance-scale", *FAST, *ALONE)
    assert (found["tree"] == plain["tree"]) == (options[0] == "--n-jobs")


def test_data_in_pieces_mean_one_evolution(tmp_path):
    for name in "ab":
        write_arff(load_dataset("zoo"), tmp_path / f"{name}.arff")
    pieces = str(tmp_path / "*.arff")
    assert evolved(pieces, *FAST)["leaves"] == "penalty"
    assert "--leaves auto" not in gatree(pieces, *FAST)  # which they cannot have
    result = CliRunner().invoke(cli, ["evolve", pieces, "--leaves", "auto"])
    assert result.exit_code == 2
    assert "is read in pieces" in result.stderr


def test_one_evolution_says_how_the_size_was_chosen():
    text = gatree("zoo", *FAST, "--generations", "9", *ALONE)
    assert "chosen       by the payoff of one evolution, x-factor 1e5..1e4" in text


def test_the_trees_of_all_sizes():
    found = evolved("glass", *FAST, *ALONE, "--per-size")
    for row in found["per_size"]:
        tree = DecisionTree.from_json(json.dumps(row["tree"]))
        assert (tree.n_nodes, tree.n_leaves) == (row["n_nodes"], row["n_leaves"])
        right = np.mean(tree.predict(load_dataset("glass")) == load_dataset("glass").classes)
        assert right == row["accuracy"]
    assert len(found["per_size"]) > 10


def test_few_instances(tmp_path):
    file = tmp_path / "few.csv"
    for text, folds in (("1,a\n2,b\n9,b\n4,\n", 3), ("1,a\n2,b\n", 2), ("1,a\n,b\n", 2)):
        file.write_text("size,kind\n" + text)
        assert evolved(str(file), "--preset", "fast")["cross_validation"]["folds"] == folds
    for text in ("1,a\n", "1,a\n,a\n"):
        file.write_text("size,kind\n" + text)
        refused = CliRunner().invoke(cli, ["evolve", str(file), "--preset", "fast"]).exception
        assert isinstance(refused, DataError)
        assert "'kind' is 'a' in all rows, so there is nothing to learn" in str(refused)


@pytest.mark.parametrize("way", [FAST, ["--leaves", "penalty", "--population", "30", "--generations", "20"]])
def test_what_j48_cannot_use_costs_no_tree(tmp_path, way):
    file, saved = tmp_path / "far.csv", tmp_path / "tree.json"
    file.write_text("one,kind\n" + "-inf,a\n3,a\n5,b\n" * 9)
    asked = ["evolve", str(file), *way, "--folds", "3", "--save", str(saved), "--json", "--quiet"]
    result = CliRunner().invoke(cli, asked)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    found = json.loads(result.stdout)
    assert (found["accuracy"], found["n_nodes"]) == (1.0, 3)
    assert found["cross_validation"]["accuracy"] == 1.0
    assert found["compared"]["J48"] == {"left_out": "far: J48 cannot use the infinite values of 'one'"}
    assert found["compared"]["majority"]["accuracy"] == pytest.approx(2 / 3)
    assert DecisionTree.from_json(saved.read_text()).n_nodes == 3


def test_numbers_without_an_integer_between_them_are_named(tmp_path):
    file = tmp_path / "shares.csv"
    file.write_text("one,kind\n" + "0.25,a\n0.75,b\n" * 9)
    result = CliRunner().invoke(cli, ["evolve", str(file), *FAST, "--quiet", "--numeric-tests", "integer"])
    assert result.stderr.startswith("warning: one: no integer lies between the values")
    assert evolved(str(file), *FAST)["n_nodes"] == 3


def test_data_from_stdin_and_a_picture(tmp_path):
    rows = b"weight,kind\n" + b"100,apple\n180,pear\n" * 20
    picture = tmp_path / "tree.svg"
    result = CliRunner().invoke(cli, ["evolve", "-", *FAST, "--picture", str(picture)], input=rows)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("weight <= 140: apple (20)\n")
    assert picture.read_bytes().startswith(b"<?xml")


@needs_a_terminal
@pytest.mark.parametrize(("seen_first", "has_tree"), [("search", False), ("cross-validation", True)])
def test_ctrl_c_keeps_what_there_is(tmp_path, seen_first, has_tree):
    saved = tmp_path / "tree.json"
    command = ("evolve", "kr-vs-kp", "--preset", "fast", "--folds", "40", "--save", str(saved))
    code, seen, text = interrupted(*command, once=seen_first, columns=80)
    assert code == 130
    assert "Traceback" not in seen
    assert saved.exists() == has_tree
    if has_tree:
        assert "interrupted: this is the tree, without what was still to come" in seen
        assert "on the training data" in text
        assert "cross-validation" not in text
    else:
        assert "interrupted before there was a tree" in seen
        assert text == ""


@pytest.mark.parametrize(("data", "first"), [("glass", "Mg"), ("numbers.csv", "b")])
def test_the_first_test_and_the_rule_for_the_size_are_options(data, first, tmp_path, monkeypatch):
    rows = "".join(f"{i % 7},{i % 11},{i % 7 + 10 * (i % 11 > 5) + i / 1000}\n" for i in range(120))
    (tmp_path / "numbers.csv").write_text("a,b,y\n" + rows)
    monkeypatch.chdir(tmp_path)
    quick = ["evolve", data, "--preset", "fast", "--folds", "0", "--no-compare", "--json", "--quiet"]

    def tree_of(*options: str) -> DecisionTree:
        return DecisionTree.from_json(
            json.dumps(json.loads(CliRunner().invoke(cli, [*quick, *options]).stdout)["tree"])
        )

    best, smaller = tree_of("--first", first), tree_of("--first", first, "--size-rule", "3")
    assert best.attribute(0).name == smaller.attribute(0).name == first
    assert smaller.n_leaves < best.n_leaves
    assert tree_of("--max-depth", "2").depth <= 2


def test_options_of_fronts_are_refused_for_one_evolution():
    shown = CliRunner().invoke(cli, ["evolve", "zoo", "--leaves", "penalty", "--first", "milk"])
    assert shown.exit_code == 2
    assert "--first is for trees of all sizes" in shown.stderr
